#include "report/render/table.h"

#include <array>

namespace linkburn {

#define LINKBURN_DECLARE(name) extern const Renderer name##_renderer;
LINKBURN_RENDERERS(LINKBURN_DECLARE)
#undef LINKBURN_DECLARE

std::span<const Renderer* const> renderers() {
#define LINKBURN_ENTRY(name) &name##_renderer,
  static const std::array all{LINKBURN_RENDERERS(LINKBURN_ENTRY)};
#undef LINKBURN_ENTRY
  return all;
}

const Renderer* find_renderer(std::string_view name) {
  for (const Renderer* renderer : renderers())
    if (renderer->name == name) return renderer;
  return nullptr;
}

}  // namespace linkburn
