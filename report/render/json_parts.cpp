#include "report/render/json_parts.h"

#include <cmath>

#include "bench/base/text.h"

namespace linkburn {

std::string clean(std::string_view text) { return printable(text, text.size()); }

void put(Json& object, const char* key, std::string_view text) {
  if (!text.empty()) object[key] = clean(text);
}
void put(Json& object, const char* key, const ComponentId& id) { put(object, key, id.text()); }
void put(Json& object, const char* key, int value) { object[key] = value; }
void put(Json& object, const char* key, std::int64_t value) { object[key] = value; }
void put(Json& object, const char* key, double value) {
  if (std::isfinite(value)) object[key] = value;
}
void put(Json& object, const char* key, LinkSpeed speed) { object[key] = speed.gts(); }
void put(Json& object, const char* key, LinkWidth width) { object[key] = width.lanes; }
void put(Json& object, const char* key, Phase phase) { object[key] = to_string(phase); }
void put(Json& object, const char* key, const Slot& slot) {
  Json value = Json::object();
  put(value, "label", slot.label), put(value, "source", slot.source);
  for (const SlotName& other : slot.others) {
    Json name = Json::object();
    put(name, "label", other.label), put(name, "source", other.source);
    value["others"].push_back(std::move(name));
  }
  if (!value.empty()) object[key] = std::move(value);
}
void put(Json& object, const char* key, const Quantity& quantity) {
  Json value = Json::object();
  put(value, "text", quantity.text), put(value, "speed_gts", quantity.speed_gts);
  put(value, "width", quantity.width), put(value, "rate_gbs", quantity.rate_gbs);
  if (!value.empty()) object[key] = std::move(value);
}
void put(Json& object, const char* key, const std::vector<std::string>& texts) {
  for (const std::string& text : texts) object[key].push_back(clean(text));
}

}  // namespace linkburn
