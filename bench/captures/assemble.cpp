#include "bench/captures/assemble.h"

#include <fmt/core.h>

#include <utility>

namespace linkburn {
namespace {

template <class T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

/// What a tree gives besides functions, links and ports.
void take_tree(const Inventory& tree, Inventory& inventory) {
  append(inventory.numa_nodes, tree.numa_nodes);
  append(inventory.parts, tree.parts);
  append(inventory.readings, tree.readings);
  append(inventory.counters, tree.counters);
  append(inventory.errors, tree.errors);
  append(inventory.slots, tree.slots);
}

}  // namespace

ToolError left_out(std::string what) {
  ToolError error;
  error.code = to_string(Code::invalid);
  error.what = std::move(what);
  error.fix = "give the texts of fewer nodes at a time";
  error.component = ComponentId::node();
  return error;
}

Inventory assemble(const NodeDraft& draft) {
  Inventory inventory;
  inventory.facts = draft.trees.empty() ? draft.facts : draft.trees.front().facts;
  if (!draft.name.empty()) inventory.facts.name = draft.name;
  append(inventory.slots, draft.slots);
  for (const Inventory& tree : draft.trees) {
    take_tree(tree, inventory);
    inventory.facts.drill |= tree.facts.drill;
  }
  assemble_pci(draft, inventory);
  assemble_network(draft, inventory);
  if (draft.dropped > 0)
    inventory.errors.push_back(
        left_out(fmt::format("{} items above the limit of {} of a kind were left out",
                             draft.dropped, NodeDraft::kMaxItems)));
  return inventory;
}

std::vector<Body> other_records(const NodeDraft& draft, const Inventory& inventory) {
  std::vector<Body> records;
  for (const CapturePart& part : draft.parts) records.emplace_back(part);
  const std::vector<Gpu> gpus = assemble_gpus(draft, inventory);
  for (const Gpu& gpu : gpus) records.emplace_back(gpu);
  for (const Measurement& measurement : draft.measurements) records.emplace_back(measurement);
  std::vector<Body> others = draft.records;
  name_by_address(gpus, others);
  append(records, others);
  return records;
}

}  // namespace linkburn
