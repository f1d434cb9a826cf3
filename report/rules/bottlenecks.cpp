#include "report/rules/bottlenecks.h"

#include <fmt/core.h>

#include "bench/base/text.h"

namespace linkburn {

bool reads_as_tunnel(const Bottleneck& found) {
  return found.speed == LinkSpeed{2500} && found.width == LinkWidth{4};
}

std::map<ComponentId, Bottlenecks> bottlenecks_of(const Story& story) {
  std::map<ComponentId, Bottlenecks> all;
  const auto lines = lines_by_subject(
      story, [](const KernelLine& line) { return line.topic == "bandwidth_limited"; });
  for (const auto& [id, own] : lines)
    if (auto found = bottleneck_in(own.back()->text))
      all.emplace(id, Bottlenecks{std::move(*found), own});
  return all;
}

bool is_all_of_port(const Story& story, const Bottleneck& found) {
  const Component* port = story.component(found.port);
  if (port == nullptr || !found.speed || !found.width || !found.device_speed) return false;
  const auto fact = [&](const char* name) {
    const auto known = port->facts.find(name);
    return known == port->facts.end() ? std::string() : known->second;
  };
  const std::string width = fact("max_link_width");
  const auto speed = parse_link_speed(fact("max_link_speed"));
  const auto lanes = width.starts_with('x') ? parse_int(width.substr(1)) : std::nullopt;
  return speed && lanes && *found.speed >= *speed && found.width->lanes >= *lanes;
}

std::string in_words(const Bottleneck& found) {
  return fmt::format(
      "the kernel found {} at {}, which may be all that the port can do or what it fell to{}",
      quantity(found.speed, found.width).text, found.port.text(),
      reads_as_tunnel(found) ? "; a link inside a Thunderbolt or USB4 tunnel always reads so" : "");
}

}  // namespace linkburn
