// Values of the JSON report. What is unknown is left out, never null and never zero.
#pragma once

#include <nlohmann/json.hpp>

#include "report/render/view.h"

namespace linkburn {

using Json = nlohmann::ordered_json;

/// Evidence may hold any bytes; a JSON document is UTF-8.
std::string clean(std::string_view text);

void put(Json& object, const char* key, std::string_view text);
void put(Json& object, const char* key, const ComponentId& id);
void put(Json& object, const char* key, int value);
void put(Json& object, const char* key, std::int64_t value);
void put(Json& object, const char* key, double value);
void put(Json& object, const char* key, LinkSpeed speed);
void put(Json& object, const char* key, LinkWidth width);
void put(Json& object, const char* key, Phase phase);
void put(Json& object, const char* key, const Slot& slot);
void put(Json& object, const char* key, const Quantity& quantity);
void put(Json& object, const char* key, const std::vector<std::string>& texts);
template <class T>
void put(Json& object, const char* key, const std::optional<T>& value) {
  if (value) put(object, key, *value);
}

/// What is known of a node from captured texts: the texts themselves, GPUs, measured rates.
void put_captured(Json& out, const NodeView& node);

}  // namespace linkburn
