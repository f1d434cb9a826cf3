// The older way of ethtool, and the only one to a driver's statistics. Internal to bench/ethtool.
#pragma once

#include <string>

#include "bench/base/fd.h"
#include "bench/base/result.h"
#include "bench/ethtool/facts.h"

namespace linkburn {

class EthtoolIoctl {
 public:
  static Result<EthtoolIoctl> open(const std::string& interface);

  // Each returns 0 or an errno, and adds what it learns.
  int link_modes(EthtoolFacts& facts) const;
  int fec(EthtoolFacts& facts) const;
  int module_memory(EthtoolFacts& facts) const;
  int statistics(EthtoolFacts& facts) const;

 private:
  EthtoolIoctl(Fd socket, std::string interface)
      : socket_(std::move(socket)), interface_(std::move(interface)) {}
  int call(void* command) const;

  Fd socket_;
  std::string interface_;
};

}  // namespace linkburn
