// Parts of a fake library: every function of a list, doing nothing. Weak: a second file of the
// library may say more of some of them.
#pragma once

#include "bench/base/drill_mark.h"

#define FAKE_FUNCTION(name, result, parameters) \
  extern "C" __attribute__((weak)) result name parameters { return {}; }
#define FAKE_NOTHING(name, result, parameters)

#ifdef FAKE_MARKER
extern "C" const char* linkburn_drill_marker() { return "fake"; }
#endif
