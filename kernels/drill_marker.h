// The symbol that every software device exports and no real library has. Whoever opens a library
// looks for it: what was measured with one is stamped DRILL.
#pragma once

inline constexpr const char* kDrillMarker = "linkburn_drill_marker";

extern "C" const char* linkburn_drill_marker();
