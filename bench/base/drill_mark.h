// What tells a process of a drill, and a library that is a software device.
#pragma once

#include "bench/base/clock.h"

namespace linkburn {

/// The symbol that every software device exports and no real library has. open_library() looks for
/// it.
inline constexpr const char* kDrillSymbol = "linkburn_drill_marker";

/// Whether a process runs in a drill: what it sees is evidence of no hardware.
inline bool is_drill(const Clock& clock) { return clock.name() == "drill"; }

}  // namespace linkburn

/// What kDrillSymbol names; the text is for people.
extern "C" const char* linkburn_drill_marker();
