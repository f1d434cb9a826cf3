// The kernel's ethtool family of generic netlink [linux
// Documentation/networking/ethtool-netlink.rst]. Internal to bench/ethtool.
#pragma once

#include <libmnl/libmnl.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/base/result.h"

namespace linkburn {

/// The bytes of an attribute as whole numbers; a rest is left out.
template <class T>
std::vector<T> values_of(const nlattr* attribute) {
  std::vector<T> values(mnl_attr_get_payload_len(attribute) / sizeof(T));
  const auto* bytes = static_cast<const std::uint8_t*>(mnl_attr_get_payload(attribute));
  std::copy_n(bytes, values.size() * sizeof(T), reinterpret_cast<std::uint8_t*>(values.data()));
  return values;
}

/// The first number of an attribute, or `absent`.
template <class T>
T value_of(const nlattr* attribute, T absent) {
  const std::vector<T> values = values_of<T>(attribute);
  return values.empty() ? absent : values.front();
}

/// Hands over each attribute of a run of them (the macros of libmnl are C only).
template <class Take>
void each_attribute(const void* first, std::size_t bytes, Take take) {
  const auto* at = static_cast<const std::uint8_t*>(first);
  const auto* end = at + bytes;
  while (mnl_attr_ok(reinterpret_cast<const nlattr*>(at), static_cast<int>(end - at))) {
    const auto* attribute = reinterpret_cast<const nlattr*>(at);
    take(attribute);
    at = reinterpret_cast<const std::uint8_t*>(mnl_attr_next(attribute));
  }
}

template <class Take>
void each_nested(const nlattr* nest, Take take) {
  each_attribute(mnl_attr_get_payload(nest), mnl_attr_get_payload_len(nest), take);
}

/// The attributes of one answer; they are there only while it is handed over.
using Answer = std::vector<const nlattr*>;

class EthtoolSocket {
 public:
  /// An error when the kernel has no such family (before 5.6).
  static Result<EthtoolSocket> open();

  struct Question {
    std::uint8_t command = 0;
    std::uint32_t flags = 0;                       ///< ETHTOOL_FLAG_*
    std::function<void(nlmsghdr*)> add_more = {};  ///< attributes besides the interface
  };

  /// Hands the answer to `take`; returns 0 or an errno.
  int ask(const std::string& interface, const Question& question,
          const std::function<void(const Answer&)>& take);

 private:
  struct Closer {
    void operator()(mnl_socket* socket) const { mnl_socket_close(socket); }
  };
  explicit EthtoolSocket(mnl_socket* socket) : socket_(socket) {}

  int find_family();
  int exchange(nlmsghdr* request, const std::function<void(const Answer&)>& take);

  std::unique_ptr<mnl_socket, Closer> socket_;
  std::uint16_t family_ = 0;
  std::uint32_t sequence_ = 0;
};

}  // namespace linkburn
