// Lines of a kernel log that need others to be understood: records that firmware wrote, over
// several lines; names that drivers use; devices that were gone and answer again.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "bench/base/component.h"

namespace linkburn {

/// What a line is about; see topic_of().
struct KernelTopic {
  std::string_view topic;
  std::optional<ComponentId> component;
  std::optional<int> number = {};
};

class LogContext {
 public:
  /// A line with a note of kernel_topics.h; a topic where the line is one by what went before.
  std::optional<KernelTopic> note(std::string_view sign, std::string_view text);

  /// Fills in the device that a line does not name. False: the line says nothing new.
  bool complete(KernelTopic& topic, std::string_view text);

  /// Of the latest error that firmware told: "aer_corrected", "aer_nonfatal", "aer_fatal", or
  /// empty.
  std::string_view firmware_severity() const { return severity_; }

 private:
  std::optional<KernelTopic> firmware_device(std::string_view text);
  std::optional<KernelTopic> firmware_status(std::string_view text);
  std::optional<KernelTopic> answers(std::optional<ComponentId> device) const;

  std::string_view severity_;
  bool of_pcie_ = false;                 ///< the record's section tells of a PCIe error
  std::optional<ComponentId> reporter_;  ///< of that section
  std::string told_;                     ///< its device and status: the kernel repeats them
  std::optional<ComponentId> gpu_;       ///< NVIDIA's driver goes on in the next line
  std::map<std::string, ComponentId, std::less<>> nvme_;  ///< "nvme0" to its function
  std::set<ComponentId> gone_;
};

}  // namespace linkburn
