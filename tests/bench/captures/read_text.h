// Captured texts to the draft of their node.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/captures/collector.h"

namespace linkburn {

/// The first node of these texts; an empty draft where nobody knew them.
inline NodeDraft read_all(const std::vector<std::string>& texts) {
  Collector collector;
  for (const std::string& text : texts) {
    collector.begin("text");
    collector.take(text);
    collector.end();
  }
  std::vector<NodeDraft> nodes = std::move(collector).finish();
  return nodes.empty() ? NodeDraft{} : std::move(nodes.front());
}

inline NodeDraft read(std::string_view text) { return read_all(std::vector{std::string(text)}); }

}  // namespace linkburn
