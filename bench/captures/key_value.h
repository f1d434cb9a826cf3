// "Key: value", as most tools print what they know.
#pragma once

#include <optional>
#include <string_view>

namespace linkburn {

struct KeyValue {
  std::string_view key, value;
};

/// The parts before and after the first colon, trimmed; nothing without a colon or a key.
std::optional<KeyValue> key_value(std::string_view line);

}  // namespace linkburn
