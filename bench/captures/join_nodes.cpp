#include "bench/captures/join_nodes.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "bench/captures/host_name.h"

namespace linkburn {
namespace {

constexpr std::size_t kMostGroups = 64;  ///< of nameless texts that are compared with each other

using Identity = std::map<std::string, std::string>;

/// Tools write the same number as "0x98039b0300a1b2c3" and "9803:9b03:00a1:b2c3".
std::string comparable(std::string_view value) {
  if (value.starts_with("0x") || value.starts_with("0X")) value.remove_prefix(2);
  std::string out;
  for (const char c : value)
    if (is_host_character(c) && c != '-' && c != '.')
      out.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
  return out;
}

/// All zeros and all ones are what is read where there is nothing, or no answer.
bool tells_apart(const std::string& value) {
  return value.find_first_not_of('0') != std::string::npos &&
         value.find_first_not_of('f') != std::string::npos;
}

/// Serials and the like that no two nodes have in common, by the place where they are said to be.
Identity identity_of(const NodeDraft& draft) {
  Identity identity;
  const auto add = [&](std::string place, const std::string& value) {
    const std::string compared = comparable(value);
    if (tells_apart(compared)) identity.emplace(std::move(place), compared);
  };
  const auto add_port = [&](const Port& port) {
    add("node guid of " + port.component.text(), port.node_guid);
  };
  for (const Port& port : draft.ports) add_port(port);
  for (const Gpu& gpu : draft.gpus) {
    add("uuid of " + gpu.component.text(), gpu.uuid);
    add("serial of " + gpu.component.text(), gpu.serial);
    if (gpu.index) add(fmt::format("uuid of GPU {}", *gpu.index), gpu.uuid);
  }
  const auto add_function = [&](const PciFunction& function) {
    const bool is_whole = !function.vendor_id.empty() && !function.device_id.empty();
    // Only of one tool: what several tools say of one device is put together by its address.
    if (is_whole)
      add(fmt::format("device at {} by {}", to_string(function.address), function.link_end.source),
          comparable(function.vendor_id) + comparable(function.device_id));
  };
  for (const FunctionView& view : draft.functions)
    if (view.has_address) add_function(view.function);
  for (const Inventory& tree : draft.trees) {
    for (const PciFunction& function : tree.functions) add_function(function);
    for (const Port& port : tree.ports) add_port(port);
  }
  return identity;
}

bool differ(const Identity& a, const Identity& b) {
  const Identity& few = a.size() < b.size() ? a : b;
  const Identity& many = a.size() < b.size() ? b : a;
  return std::any_of(few.begin(), few.end(), [&](const auto& entry) {
    const auto found = many.find(entry.first);
    return found != many.end() && found->second != entry.second;
  });
}

/// "rack/node07.tgz:sys" of "rack/node07.tgz:sys/lspci.txt"; empty above the first folder.
std::string folder_of(const std::string& source) {
  const std::size_t end = source.find_last_of("/:");
  return end == std::string::npos ? "" : source.substr(0, end);
}

std::string base_name(const std::string& source) {
  const std::size_t begin = source.find_last_of("/:");
  return begin == std::string::npos ? source : source.substr(begin + 1);
}

std::string source_of(const NodeDraft& draft) {
  return draft.parts.empty() ? "" : draft.parts.front().source;
}

/// As many as there is room for.
template <class T>
void append(std::vector<T>& to, std::vector<T>&& from, std::int64_t& dropped) {
  const std::size_t room = NodeDraft::kMaxItems - std::min(NodeDraft::kMaxItems, to.size());
  const std::size_t taken = std::min(room, from.size());
  std::move(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(taken),
            std::back_inserter(to));
  dropped += static_cast<std::int64_t>(from.size() - taken);
}

void keep(std::string& to, std::string&& from) {
  if (to.empty()) to = std::move(from);
}

/// Adds what one draft says to another of the same node.
void join(NodeDraft& to, NodeDraft&& from) {
  keep(to.name, std::move(from.name)), keep(to.facts.name, std::move(from.facts.name));
  keep(to.facts.kernel, std::move(from.facts.kernel));
  keep(to.facts.boot_id, std::move(from.facts.boot_id));
  keep(to.facts.machine, std::move(from.facts.machine));
  if (!to.facts.uptime_s) to.facts.uptime_s = from.facts.uptime_s;
  append(to.trees, std::move(from.trees), to.dropped);
  to.shown.merge(std::move(from.shown));
  append(to.functions, std::move(from.functions), to.dropped);
  for (const auto& [device, port] : from.parents)
    if (to.parents.size() < NodeDraft::kMaxItems) to.parents.emplace(device, port);
  append(to.slots, std::move(from.slots), to.dropped);
  append(to.gpus, std::move(from.gpus), to.dropped);
  append(to.ports, std::move(from.ports), to.dropped);
  append(to.interfaces, std::move(from.interfaces), to.dropped);
  append(to.measurements, std::move(from.measurements), to.dropped);
  append(to.logs, std::move(from.logs), to.dropped);
  append(to.records, std::move(from.records), to.dropped);
  append(to.parts, std::move(from.parts), to.dropped);
  to.dropped += from.dropped;
}

bool says_nothing_but_parts(const NodeDraft& draft) {
  return draft.trees.empty() && draft.shown.empty() && draft.functions.empty() &&
         draft.gpus.empty() && draft.ports.empty() && draft.interfaces.empty() &&
         draft.measurements.empty() && draft.logs.empty() && draft.records.empty() &&
         draft.facts.name.empty();
}

/// A node as it is put together.
struct Group {
  NodeDraft draft;
  Identity identity;

  void add(Group&& more) {
    join(draft, std::move(more.draft));
    identity.merge(more.identity);
  }
};

struct Sorted {
  std::vector<Group> named;
  std::vector<Group> nameless;  ///< one for each text
};

/// Those that bear the same name become one, with and without its domain.
Sorted by_name(std::vector<NodeDraft> drafts) {
  Sorted sorted;
  std::map<std::string, std::size_t> by_short_name;
  for (NodeDraft& draft : drafts) {
    if (draft.name.empty()) draft.name = draft.facts.name;
    if (draft.name.empty() && !draft.trees.empty()) draft.name = draft.trees.front().facts.name;
    Group group{std::move(draft), {}};
    group.identity = identity_of(group.draft);
    const std::string name = group.draft.name;
    if (name.empty()) {
      sorted.nameless.push_back(std::move(group));
      continue;
    }
    const auto [known, is_new] =
        by_short_name.emplace(name.substr(0, name.find('.')), sorted.named.size());
    if (!is_new && is_same_host(sorted.named[known->second].draft.name, name))
      sorted.named[known->second].add(std::move(group));
    else
      sorted.named.push_back(std::move(group));
  }
  return sorted;
}

bool is_known(const Group& text) { return linkburn::is_known(text.draft); }

/// Which named nodes there are in a file or folder; of more than one it matters only that there
/// are.
class Places {
 public:
  explicit Places(const std::vector<Group>& named) {
    for (std::size_t node = 0; node < named.size(); ++node)
      if (is_known(named[node])) add_sources(named[node], node, {});
    // Who is only named counts where nobody else is: a prompt before another host is entered names
    // a machine that nothing is told of.
    std::set<std::string> told;
    for (const auto& [place, nodes] : nodes_) told.insert(place);
    for (std::size_t node = 0; node < named.size(); ++node)
      if (!is_known(named[node])) add_sources(named[node], node, told);
  }

  /// The one node that is named where the text lies, or above it; nothing where several are.
  std::optional<std::size_t> node_of(std::string place) const {
    while (true) {
      const auto found = nodes_.find(place);
      if (found != nodes_.end())
        return found->second.size() == 1 ? std::optional(*found->second.begin()) : std::nullopt;
      if (place.empty()) return std::nullopt;
      place = folder_of(place);
    }
  }

  bool names_any_in(const std::string& folder) const { return nodes_.contains(folder); }

 private:
  void add_sources(const Group& group, std::size_t node, const std::set<std::string>& but) {
    std::set<std::string> seen{""};
    for (const CapturePart& part : group.draft.parts)
      if (!but.contains(part.source) && seen.insert(part.source).second) add(part.source, node);
    if (group.draft.parts.empty()) add("", node);
  }

  void add(std::string place, std::size_t node) {
    while (true) {
      std::set<std::size_t>& nodes = nodes_[place];
      if (nodes.size() < 2) nodes.insert(node);
      if (place.empty()) return;
      place = folder_of(place);
    }
  }

  std::map<std::string, std::set<std::size_t>> nodes_;
};

/// The one of the latest nameless groups that a text belongs to: of those that it does not
/// contradict the ones of its folder go first.
Group* nameless_group(std::vector<Group>& groups, const Group& text) {
  std::vector<Group*> fitting, near;
  const std::string folder = folder_of(source_of(text.draft));
  const std::size_t first = groups.size() - std::min(groups.size(), kMostGroups);
  for (std::size_t at = first; at < groups.size(); ++at) {
    if (differ(groups[at].identity, text.identity)) continue;
    fitting.push_back(&groups[at]);
    if (folder_of(source_of(groups[at].draft)) == folder) near.push_back(&groups[at]);
  }
  if (near.size() == 1) return near.front();
  return groups.size() == 1 && fitting.size() == 1 ? fitting.front() : nullptr;
}

/// Where a text without a name goes; null: it is a node of its own.
Group* home_of(const Group& text, std::vector<Group>& named, std::vector<Group>& groups,
               const Places& places) {
  if (named.empty()) return nameless_group(groups, text);
  const std::string source = source_of(text.draft);
  if (const auto node = places.node_of(source))
    return differ(named[*node].identity, text.identity) ? nullptr : &named[*node];
  if (places.names_any_in(folder_of(source))) return nullptr;
  for (std::size_t at = groups.size() - std::min(groups.size(), kMostGroups); at < groups.size();
       ++at)
    if (folder_of(source_of(groups[at].draft)) == folder_of(source) &&
        !differ(groups[at].identity, text.identity))
      return &groups[at];
  return nullptr;
}

/// Nodes that nobody names go by the file that tells of them.
void name_by_file(std::vector<Group>& nodes) {
  std::set<std::string> taken;
  for (const Group& node : nodes) taken.insert(node.draft.name);
  for (Group& node : nodes) {
    if (!node.draft.name.empty()) continue;
    std::string base = base_name(source_of(node.draft));
    if (base.empty()) base = "capture";
    std::string name = base;
    for (int number = 2; !taken.insert(name).second; ++number)
      name = fmt::format("{}-{}", base, number);
    node.draft.name = name;
  }
}

/// Nodes of which no output was read are none; lines that nobody knows stay, with the first that
/// is.
void put_aside_unknown(std::vector<Group>& nodes) {
  const auto known = std::find_if(nodes.begin(), nodes.end(), is_known);
  if (known == nodes.end()) return;
  for (Group& node : nodes)
    if (!is_known(node)) known->add(std::move(node));
  std::erase_if(nodes, [](const Group& node) { return !is_known(node); });
  for (Group& node : nodes)
    std::erase_if(node.draft.parts, [](const CapturePart& part) { return part.lines == 0; });
}

}  // namespace

bool is_known(const NodeDraft& draft) {
  return !says_nothing_but_parts(draft) ||
         std::any_of(draft.parts.begin(), draft.parts.end(),
                     [](const CapturePart& part) { return !part.reader.empty(); });
}

bool says_nothing(const NodeDraft& draft) {
  return draft.parts.empty() && says_nothing_but_parts(draft);
}

std::vector<NodeDraft> join_nodes(std::vector<NodeDraft> drafts) {
  auto [named, nameless] = by_name(std::move(drafts));
  const Places places(named);
  // What tells who it is makes the groups that the others are put to; what nobody can read makes
  // none.
  std::stable_sort(nameless.begin(), nameless.end(), [](const Group& a, const Group& b) {
    const auto rank = [](const Group& text) {
      return !is_known(text) ? 2 : text.identity.empty() ? 1 : 0;
    };
    return rank(a) < rank(b);
  });
  std::vector<Group> groups;
  for (Group& text : nameless) {
    Group* home = home_of(text, named, groups, places);
    if (home == nullptr && !is_known(text) && !(named.empty() && groups.empty()))
      home = named.empty() ? &groups.front() : &named.front();
    if (home != nullptr)
      home->add(std::move(text));
    else
      groups.push_back(std::move(text));
  }
  std::move(groups.begin(), groups.end(), std::back_inserter(named));
  put_aside_unknown(named);
  if (named.size() > 1) name_by_file(named);
  std::vector<NodeDraft> nodes;
  for (Group& group : named) nodes.push_back(std::move(group.draft));
  return nodes;
}

}  // namespace linkburn
