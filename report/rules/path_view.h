// What hangs below a hop of the PCIe tree, and what the links on the way are rated to carry.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/rules/story.h"

namespace linkburn {

/// A device that people load, with the link of its own.
struct LoadedDevice {
  const Component* device = nullptr;
  const LinkStory* link = nullptr;
};

/// GPUs, accelerators, network adapters and NVMe disks that are reached through the link of `hop`,
/// each card once, without virtual functions.
std::vector<LoadedDevice> devices_below(const Story& story, const LinkStory& hop);

/// True when one of those is a GPU or accelerator: their drivers lower links on their own.
bool has_gpu_below(const Story& story, const LinkStory& hop);

/// What a link carries at its rated speed and width, per direction after line coding.
std::optional<Rate> rated_rate(const LinkStory& link);

/// "0000:1b:00.0 and 3 more"
std::string names_of(const std::vector<LoadedDevice>& devices);

/// "; 4 devices below share it: 0000:1b:00.0 and 3 more"; empty for the link of a single device.
std::string shared_by(const Story& story, const LinkStory& hop);

}  // namespace linkburn
