#include "bench/captures/join.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "bench/base/text.h"
#include "bench/captures/join_nodes.h"
#include "bench/captures/place_hosts.h"

namespace linkburn {
namespace {

bool lies_in(const std::string& folder, const std::string& other) {
  return other.empty() || folder == other ||
         (folder.starts_with(other) &&
          (folder[other.size()] == '/' || folder[other.size()] == ':'));
}

/// The node that a folder without one belongs to; null: nobody knows.
DraftGroup* owner_of(const std::string& folder, std::vector<DraftGroup*>& nodes) {
  DraftGroup* owner = nodes.size() == 1 ? nodes.front() : nullptr;
  for (DraftGroup* node : nodes)
    if (lies_in(folder, node->folder) &&
        (owner == nullptr || node->folder.size() >= owner->folder.size()))
      owner = node;
  return owner;
}

/// Its own name; empty: nothing of it tells one.
std::string name_of(const DraftGroup& group) {
  if (!group.host.empty()) return group.host;
  for (const NodeDraft& draft : group.drafts)
    for (const Inventory& tree : draft.trees)
      if (draft.name.empty() && !tree.facts.name.empty()) return tree.facts.name;
  return {};
}

/// Nodes without a name go by their folder, as far as it tells them apart.
void name_by_folder(std::vector<DraftGroup*>& nodes) {
  std::set<std::string> taken;
  for (const DraftGroup* node : nodes) taken.insert(node->host);
  for (DraftGroup* node : nodes) {
    if (!node->host.empty()) continue;
    const std::string folder = printable(node->folder, 256);
    const std::size_t end = std::min(folder.find_last_not_of("/:") + 1, folder.size());
    const std::string whole = folder.substr(0, end);
    const std::string last = whole.substr(whole.find_last_of("/:") + 1);
    node->host = taken.insert(last).second ? last : whole;
    taken.insert(node->host);
  }
}

void add_places(const NodeDraft& draft, PlaceHosts& places) {
  const std::string* last = nullptr;
  for (const CapturePart& part : draft.parts)
    if (last == nullptr || *last != part.source)
      places.add(*(last = &part.source), draft.name.empty() ? draft : NodeDraft{});
}

std::optional<PlaceHosts::Place> place_of(const NodeDraft& draft, const PlaceHosts& places) {
  return draft.parts.empty() ? std::nullopt : places.of(draft.parts.front().source);
}

/// Texts without a name in a folder that is named after a node are of that node, by the name that
/// other texts in it give it, if they do.
void name_by_place(std::vector<NodeDraft>& drafts, const PlaceHosts& places) {
  std::map<std::string, std::set<std::string>> names;  // of a folder
  for (const NodeDraft& draft : drafts)
    if (const auto place = place_of(draft, places); place && !draft.name.empty())
      names[place->folder].insert(draft.name);
  for (NodeDraft& draft : drafts) {
    const auto place = place_of(draft, places);
    if (!place || !draft.name.empty() || !draft.facts.name.empty() || !is_known(draft)) continue;
    const auto& told = names[place->folder];
    if (told.size() < 2) draft.name = told.empty() ? place->name : *told.begin();
  }
}

}  // namespace

std::vector<NodeDraft> joined(std::vector<DraftGroup> groups) {
  std::vector<DraftGroup*> owners;
  for (DraftGroup& group : groups)
    if (group.is_node) owners.push_back(&group);
  for (DraftGroup* owner : owners) owner->host = name_of(*owner);
  if (owners.size() > 1) name_by_folder(owners);
  PlaceHosts places;
  for (const DraftGroup& group : groups) {
    if (group.is_node) places.add(group.folder + "/", {});
    for (const NodeDraft& draft : group.drafts) add_places(draft, places);
  }
  std::vector<NodeDraft> drafts;
  for (DraftGroup& group : groups) {
    const DraftGroup* owner = group.is_node ? &group : owner_of(group.folder, owners);
    for (NodeDraft& draft : group.drafts) {
      const bool is_its_own =
          owner != nullptr && (lies_in(group.folder, owner->folder) || !place_of(draft, places));
      if (draft.name.empty() && is_its_own) draft.name = owner->host;
      drafts.push_back(std::move(draft));
    }
  }
  name_by_place(drafts, places);
  return join_nodes(std::move(drafts));
}

}  // namespace linkburn
