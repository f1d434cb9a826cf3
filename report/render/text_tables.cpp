#include <fmt/core.h>

#include <algorithm>

#include "bench/base/text.h"
#include "report/render/text_parts.h"

namespace linkburn {
namespace {

constexpr std::size_t kMostGroups = 12;   ///< groups of things not judged; JSON has all
constexpr std::size_t kMostExamples = 4;  ///< of one group, named
constexpr std::string_view kIdleMark = "*";

/// What people call a device: "H100 SXM5 80GB" out of "NVIDIA Corporation GH100[H100 SXM5 80GB]",
/// else the name without the words that every company has.
std::string short_name(const Component& device) {
  const std::string name = plain(device.name.empty() ? device.type : device.name, 120);
  const std::size_t open = name.rfind('[');
  const std::size_t close = name.rfind(']');
  if (open != std::string::npos && close != std::string::npos && close > open + 1)
    return name.substr(open + 1, close - open - 1);
  static constexpr std::string_view kEmptyWords[] = {
      "Corporation", "Corp.", "Inc.", "Inc",     "Technologies", "Co.",
      "Co.,",        "Ltd",   "Ltd.", "Limited", "and",          "subsidiaries"};
  std::string text;
  for (const std::string_view word : words_of(name))
    if (std::ranges::find(kEmptyWords, word) == std::end(kEmptyWords))
      text += fmt::format("{}{}", text.empty() ? "" : " ", word);
  return text;
}

/// The hops above the device, "< 19:08.0 < 17:01.0"; the device itself has its own column.
std::string path_text(const LinkView& view, const Component* device) {
  std::string text;
  const auto add = [&](const ComponentId& hop) {
    if (hop != view.link->component)
      text += fmt::format("{}< {}", text.empty() ? "" : " ", short_address(hop));
  };
  if (device && device->path.size() > 1)
    for (const ComponentId& hop : device->path) add(hop);
  else if (!view.link->peer.empty())
    add(view.link->peer);
  else if (view.link->kind == kLinkLoneEnd)
    text = "upper end not captured";
  return text;
}

std::string rated_text(const LinkRating& rating) {
  return quantity(rating.speed ? std::optional(rating.speed->value) : std::nullopt,
                  rating.width ? std::optional(rating.width->value) : std::nullopt)
      .text;
}

std::string negotiated_text(const LinkView& view) {
  if (view.judgement == FindingClass::lost) return "no answer";
  const std::string text = quantity(view.speed, view.width).text;
  return view.slow_without_load() ? text + std::string(kIdleMark) : text;
}

/// "2 threads, stream_avx2, 128 MiB, pinned": what a reader needs to trust a rate.
std::string how_text(const MemoryView& path) {
  const auto fact = [&](const char* name) {
    const auto found = path.facts.find(name);
    return found == path.facts.end() ? std::string() : plain(found->second, 60);
  };
  std::string text;
  const auto add = [&](const std::string& words) {
    if (!words.empty()) text += (text.empty() ? "" : ", ") + words;
  };
  if (!fact("threads").empty()) add(fact("threads") + " threads");
  add(fact("method"));
  add(fact("buffer"));
  if (const std::string pinned = fact("pinned"); !pinned.empty())
    add(pinned == "yes" ? "pinned" : "not pinned");
  if (const std::string placement = fact("placement");
      !placement.empty() && placement != "as asked")
    add("placement " + placement);
  return text;
}

/// Things that share a reason and a way out.
struct Group {
  const NotJudged* first = nullptr;
  std::vector<std::string> what;
};

std::vector<Group> grouped(const std::vector<const NotJudged*>& items) {
  std::vector<Group> groups;
  using Key = std::pair<std::string_view, std::string_view>;
  std::map<Key, std::size_t> known;
  for (const NotJudged* item : items) {
    const auto [found, is_new] = known.emplace(Key(item->why, item->needs), groups.size());
    if (is_new) groups.push_back({item, {}});
    groups[found->second].what.push_back(plain(item->what, 120));
  }
  return groups;
}

void append_group(std::string& out, const Group& group, std::size_t columns) {
  std::string text = plain(group.first->why, 300);
  text += group.what.size() > 1 ? fmt::format(" ({} times): ", group.what.size()) : ": ";
  const std::size_t shown = std::min(group.what.size(), kMostExamples);
  for (std::size_t i = 0; i < shown; ++i) text += (i > 0 ? ", " : "") + group.what[i];
  if (shown < group.what.size()) text += fmt::format(" and {} more", group.what.size() - shown);
  wrap(out, "  - ", text, columns);
  const std::string needs = plain(group.first->needs, 300);
  if (!needs.empty()) wrap(out, "    needs: ", needs, columns);
}

/// Its numbers are those of a PCIe link, whether or not both ends were captured.
bool is_plain(const Link& link) { return link.kind == kLinkPcie || link.kind == kLinkLoneEnd; }

/// Links of another kind are judged for errors and presence at most, which is no word about the
/// link.
std::string judged_text(const LinkView& view) {
  const bool good = !view.judgement || *view.judgement == FindingClass::healthy;
  if (good && !is_plain(*view.link)) return "no, " + plain(view.link->kind, 20);
  return view.judgement ? std::string(to_string(*view.judgement)) : "no";
}

/// "  slot names: 8 from smbios, 2 from kernel", and which of them are disputed.
void append_slot_sources(std::string& out, const NodeView& node, std::size_t columns) {
  std::map<std::string, int> sources;
  std::string disputed;
  std::size_t disputes = 0;
  for (const LinkView& view : node.links) {
    if (!view.slot) continue;
    ++sources[plain(view.slot->source, 40)];
    if (!view.slot->others.empty() && ++disputes <= kMostExamples)
      disputed += (disputed.empty() ? "" : "; ") + place_text(*view.slot);
  }
  if (disputes > kMostExamples) disputed += fmt::format(" and {} more", disputes - kMostExamples);
  if (sources.empty()) return;
  std::string text;
  for (const auto& [source, count] : sources)
    text += fmt::format("{}{} from {}", text.empty() ? "" : ", ", count, source);
  wrap(out, "  slot names: ", text, columns);
  if (!disputed.empty()) wrap(out, "  disputed: ", disputed, columns);
}

}  // namespace

std::string short_address(const ComponentId& id) {
  const std::string text = plain(id.text(), 40);
  return text.starts_with("0000:") && id.pci_address() ? text.substr(5) : text;
}

void append_links(std::string& out, const NodeView& node, const TextStyle& style) {
  if (node.links.empty()) return;
  // The path is what a technician follows, so names give way first.
  Table table({{"device", 7},
               {"name", 6},
               {"path to the root", 29},
               {"negotiated", 14},
               {"rated", 13},
               {"slot", 10},
               {"judged", 7}});
  bool marked = false;
  for (const LinkView& view : node.links) {
    const Component* device = node.component(view.link->component);
    std::vector<std::string> cells{short_address(view.link->component),
                                   device ? short_name(*device) : "",
                                   path_text(view, device),
                                   negotiated_text(view),
                                   is_plain(*view.link) ? rated_text(view.rating) : "",
                                   view.slot ? plain(view.slot->label, 24) : "",
                                   judged_text(view)};
    marked = marked || cells[3].ends_with(kIdleMark);
    if (view.judgement && cells.back() == to_string(*view.judgement))
      table.add(std::move(cells), *view.judgement);
    else
      table.add(std::move(cells));
  }
  out += "PCIe links\n";
  table.append_to(out, style.columns, style.paint);
  if (marked)
    wrap(
        out, "  * ",
        "this speed was read without load; an idle link may run slow by design, so it says nothing "
        "about a fault",
        style.columns);
  append_slot_sources(out, node, style.columns);
  out += '\n';
}

void append_memory(std::string& out, const NodeView& node, const TextStyle& style) {
  if (node.memory.empty()) return;
  Table table({{"path", 8}, {"median", 10}, {"lowest", 10}, {"laps", 4}, {"step", 6}, {"how", 12}});
  for (const MemoryView& path : node.memory)
    table.add({plain(path.component.text(), 60), fmt::format("{:.1f} GB/s", path.median_gbs),
               fmt::format("{:.1f} GB/s", path.lowest_gbs), fmt::format("{}", path.laps),
               plain(path.step, 40), how_text(path)});
  out += "Memory copies measured in this run (payload counted once)\n";
  table.append_to(out, style.columns, style.paint);
  out += '\n';
}

void append_not_judged(std::string& out, const NodeView& node, const TextStyle& style) {
  if (node.not_judged.empty()) return;
  const std::vector<Group> groups = grouped(node.not_judged);
  out += "Not judged\n";
  for (std::size_t i = 0; i < std::min(groups.size(), kMostGroups); ++i)
    append_group(out, groups[i], style.columns);
  if (groups.size() > kMostGroups)
    out += fmt::format("  - and {} more reasons; --format json lists all of them\n",
                       groups.size() - kMostGroups);
  out += '\n';
}

}  // namespace linkburn
