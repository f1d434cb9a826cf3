// What the drivers of GPUs say that concerns their links.
#pragma once

#include <map>

#include "report/rules/story.h"

namespace linkburn {

/// The GPU at the device end of each link.
using GpusByLink = std::map<const LinkStory*, const Gpu*>;
GpusByLink gpus_by_link(const Story& story);

/// In its highest performance state and busy: its link is not slow to save power.
bool is_at_work(const Gpu& gpu);

/// "P0, 98 % busy"
std::string work_in_words(const Gpu& gpu);

}  // namespace linkburn
