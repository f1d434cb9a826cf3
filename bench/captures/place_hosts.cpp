#include "bench/captures/place_hosts.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "bench/captures/host_name.h"

namespace linkburn {
namespace {

/// "node" of "node07".
std::string_view stem_of(std::string_view name) {
  return name.substr(0, name.find_first_of("0123456789"));
}

/// What is numbered because there is more than one text of it, not because it is a node.
bool is_of_text(std::string_view stem) {
  static constexpr std::array<std::string_view, 29> kWords{
      "lspci", "dmesg",  "kern",   "syslog", "messages", "journal", "smi",    "ibstat",
      "topo",  "output", "log",    "out",    "text",     "capture", "paste",  "ethtool",
      "idle",  "load",   "before", "after",  "report",   "busy",    "nvlink", "snippet",
      "boot",  "day",    "try",    "round",  "snapshot"};
  while (stem.ends_with('-') || stem.ends_with('.')) stem.remove_suffix(1);
  const std::size_t begin = stem.find_last_of("-.");
  const std::string_view last = begin == stem.npos ? stem : stem.substr(begin + 1);
  return std::find(kWords.begin(), kWords.end(), last) != kWords.end();
}

bool can_be_host(std::string_view name) {
  return is_surely_host(name) && !is_of_text(stem_of(name));
}

std::string kind_of(std::string_view above, std::string_view name) {
  return std::string(above) + '\n' + std::string(stem_of(name));
}

std::string_view without_ending(std::string_view file) { return file.substr(0, file.find('.')); }

std::vector<std::string> told_of(const NodeDraft& draft) {
  std::vector<std::string> told;
  for (const FunctionView& view : draft.functions)
    if (view.has_address) told.push_back(to_string(view.function.address));
  for (const Gpu& gpu : draft.gpus) told.push_back(gpu.component.text());
  for (const Port& port : draft.ports) told.push_back(port.component.text());
  return told;
}

}  // namespace

void PlaceHosts::add(const std::string& source, const NodeDraft& draft) {
  std::size_t begin = 0;
  for (std::size_t end = source.find_first_of("/:"); end != source.npos;
       begin = end + 1, end = source.find_first_of("/:", begin)) {
    const std::string name = source.substr(begin, end - begin);
    if (source[end] == '/' && can_be_host(name))
      folders_[kind_of(source.substr(0, begin), name)].names.insert(name);
  }
  const std::string file(without_ending(source.substr(begin)));
  if (!can_be_host(file)) return;
  Siblings& siblings = files_[kind_of(source.substr(0, begin), file)];
  siblings.names.insert(file);
  for (const std::string& device : told_of(draft)) {
    const auto [told, is_new] = siblings.told_by.emplace(device, file);
    siblings.tell_the_same |= !is_new && told->second != file;
  }
}

std::optional<PlaceHosts::Place> PlaceHosts::of(const std::string& source) const {
  std::optional<Place> place;
  std::size_t begin = 0;
  for (std::size_t end = source.find_first_of("/:"); end != source.npos;
       begin = end + 1, end = source.find_first_of("/:", begin)) {
    const std::string name = source.substr(begin, end - begin);
    const auto found = folders_.find(kind_of(source.substr(0, begin), name));
    if (found != folders_.end() && found->second.names.size() > 1 &&
        found->second.names.contains(name))
      place = Place{name, source.substr(0, end)};
  }
  if (place) return place;
  const std::string file(without_ending(source.substr(begin)));
  const auto found = files_.find(kind_of(source.substr(0, begin), file));
  if (found != files_.end() && found->second.tell_the_same && found->second.names.contains(file))
    return Place{file, source};
  return std::nullopt;
}

}  // namespace linkburn
