// What a kernel log tells of functions and of how they are wired.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "bench/captures/draft.h"
#include "bench/sensors/kernel_lines.h"

namespace linkburn {

class LogWiring {
 public:
  /// A line that says something: `sign` as of sign_in().
  void take(std::string_view sign, const KmsgRecord& record);

  void finish(NodeDraft& node) const;

 private:
  static constexpr std::size_t kMaxFunctions = 16384;

  /// Errors that a port was told of: its own, and those of devices below it.
  struct Told {
    bool itself = false;
    std::set<PciAddress> below;  ///< function 0 of each device
  };

  /// Ports, by what is below them.
  struct Bridges {
    std::map<std::pair<std::uint32_t, int>, PciAddress> by_bus;  ///< domain and bus
    std::map<PciAddress, PciAddress> by_device;
    std::optional<PciAddress> to(const PciAddress& device) const;
  };

  PciFunction* function(const PciAddress& address);
  void take_found(const PciAddress& address, std::string_view text);
  void take_bridge(const PciAddress& address, std::string_view text);
  void take_error(std::string_view sign, const PciAddress& address, const KmsgRecord& record);
  void take_gpu_name(const PciAddress& address, std::string_view text);
  void take_xid(const KmsgRecord& record);
  void begin_story(std::string_view sign, const PciAddress& port, const KmsgRecord& record);
  void note_driver(const PciAddress& address, std::string_view text);
  Bridges bridges() const;

  std::map<PciAddress, PciFunction> functions_;
  std::map<PciAddress, Told> told_;
  std::optional<PciAddress> teller_;  ///< the port whose errors the next lines tell
  std::int64_t teller_us_ = 0;
  bool link_is_down_ = false;               ///< what the teller told ended its link
  std::map<PciAddress, std::string> gpus_;  ///< to their UUIDs
};

}  // namespace linkburn
