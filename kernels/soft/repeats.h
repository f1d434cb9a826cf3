// Which parts of memory are known to hold the same bytes, because one was copied to the other and
// neither has been written since. A copy between them need not be done again, only paced.
#pragma once

#include <cstddef>
#include <vector>

namespace linkburn::soft {

/// A part of an allocation (by its number).
struct Part {
  int allocation = -1;
  std::size_t offset = 0, bytes = 0;

  bool meets(const Part& other) const {
    return allocation == other.allocation && offset < other.offset + other.bytes &&
           other.offset < offset + bytes;
  }
  friend bool operator==(const Part&, const Part&) = default;
};

class Repeats {
 public:
  bool known(const Part& to, const Part& from) const;
  /// `to` was just copied from `from`; both are tracked from now on.
  void add(const Part& to, const Part& from);
  void written(const Part& part);
  void written(int allocation);  ///< anywhere
  bool concerns(int allocation) const;

 private:
  struct Same {
    Part to, from;
  };
  static constexpr std::size_t kMost = 256;  ///< the oldest is forgotten
  std::vector<Same> same_;
};

}  // namespace linkburn::soft
