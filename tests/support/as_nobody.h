// File permissions do not bind root. A test about them drops root's rights for its scope.
#pragma once

#include <unistd.h>

namespace linkburn::test {

class AsNobody {
 public:
  /// Debian's and most others' id of the user without rights.
  static constexpr uid_t kNobody = 65534;

  AsNobody() : was_(::geteuid()) {
    if (was_ == 0) dropped_ = ::seteuid(kNobody) == 0;
  }
  ~AsNobody() {
    if (dropped_ && ::seteuid(was_) != 0) ::_exit(1);
  }
  AsNobody(const AsNobody&) = delete;
  AsNobody& operator=(const AsNobody&) = delete;

  /// False: still root, so permissions cannot be tested here.
  bool bound_by_permissions() const { return ::geteuid() != 0; }

 private:
  uid_t was_;
  bool dropped_ = false;
};

}  // namespace linkburn::test
