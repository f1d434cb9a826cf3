#include "bench/captures/join.h"

#include <algorithm>
#include <set>
#include <utility>

#include "bench/base/text.h"
#include "bench/captures/join_nodes.h"

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

}  // namespace

std::vector<NodeDraft> joined(std::vector<DraftGroup> groups) {
  std::vector<DraftGroup*> owners;
  for (DraftGroup& group : groups)
    if (group.is_node) owners.push_back(&group);
  for (DraftGroup* owner : owners) owner->host = name_of(*owner);
  if (owners.size() > 1) name_by_folder(owners);
  std::vector<NodeDraft> drafts;
  for (DraftGroup& group : groups) {
    const DraftGroup* owner = group.is_node ? &group : owner_of(group.folder, owners);
    for (NodeDraft& draft : group.drafts) {
      if (draft.name.empty() && owner != nullptr) draft.name = owner->host;
      drafts.push_back(std::move(draft));
    }
  }
  return join_nodes(std::move(drafts));
}

}  // namespace linkburn
