#include "report/rules/table.h"

#include <array>

namespace linkburn {

std::span<const Rule* const> rules() {
#define LINKBURN_ENTRY(name) &name##_rule,
  static const std::array all{LINKBURN_RULES(LINKBURN_ENTRY)};
#undef LINKBURN_ENTRY
  return all;
}

}  // namespace linkburn
