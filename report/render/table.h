// Every renderer, one line each. A new one is a file in this folder that defines `const Renderer
// NAME_renderer`, and its name here.
#pragma once

#include <span>

#include "report/render/renderer.h"

#define LINKBURN_RENDERERS(X) \
  X(text)                     \
  X(json)                     \
  X(oneline)

namespace linkburn {

std::span<const Renderer* const> renderers();

/// The renderer of that name, or null.
const Renderer* find_renderer(std::string_view name);

}  // namespace linkburn
