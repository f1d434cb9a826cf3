// What tells a software device from a real one, whatever its file is called.
#include "bench/base/drill_mark.h"

extern "C" const char* linkburn_drill_marker() { return "linkburn software GPU"; }
