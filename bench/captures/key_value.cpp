#include "bench/captures/key_value.h"

#include "bench/base/text.h"

namespace linkburn {

std::optional<KeyValue> key_value(std::string_view line) {
  // Bus ids are values with colons; their key has one before.
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const KeyValue found{trim(line.substr(0, colon)), trim(line.substr(colon + 1))};
  return found.key.empty() ? std::nullopt : std::optional(found);
}

}  // namespace linkburn
