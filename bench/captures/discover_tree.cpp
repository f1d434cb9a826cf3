#include "bench/captures/discover_tree.h"

#include <fmt/core.h>

#include <utility>

#include "bench/inventory/sources.h"
#include "bench/sensors/aer.h"
#include "bench/sensors/kernel_log.h"

namespace linkburn {
namespace {

void add_counters(const Sysroot& root, const Inventory& inventory, NodeDraft& node) {
  for (Counter& counter : aer_counters(root, inventory, Phase::passive, {}, false))
    node.add(node.records, Body(std::move(counter)));
}

/// Where each function of the tree hangs, for what other texts say of it.
void add_parents(const Inventory& inventory, NodeDraft& node) {
  for (const PciFunction& function : inventory.functions)
    if (function.parent && node.parents.size() < NodeDraft::kMaxItems)
      node.parents.try_emplace(function.address, *function.parent);
}

/// Link files below the name of a driver's device, as in "/sys/class/nvme/nvme0/device", where no
/// text tells which PCI function that is. Of functions that others tell by address it would be one.
void add_unplaced(const Sysroot& root, NodeDraft& node) {
  for (const std::string_view kind : {"drm", "infiniband", "net", "nvme"}) {
    const std::string folder = "sys/class/" + std::string(kind);
    for (const std::string& name : root.list(folder).value_or(std::vector<std::string>())) {
      const auto place = root.resolve(fmt::format("{}/{}/device", folder, name));
      if (!place || !place->starts_with(folder)) continue;
      const auto device = root.below(*place);
      if (!device) continue;
      FunctionView view;
      view.has_address = false;
      view.function.link_end = read_link_end(*device, {}, {});
      if (view.function.link_end.files) node.add(node.functions, std::move(view));
    }
  }
}

}  // namespace

bool discover_captured(const Sysroot& root, NodeDraft& node) {
  Inventory inventory = discover(root, read_directly(root));
  if (inventory.functions.empty() && inventory.numa_nodes.empty() && inventory.ports.empty())
    return false;
  add_counters(root, inventory, node);
  CapturedLog log;
  for (Body& body : kernel_log_since_boot(root)) {
    if (std::holds_alternative<KernelLine>(body) || std::holds_alternative<Counter>(body))
      log.records.push_back(std::move(body));
    else
      node.add(node.records, std::move(body));
  }
  node.add(node.logs, std::move(log));
  add_parents(inventory, node);
  node.trees.push_back(std::move(inventory));
  return true;
}

void discover_shown(NodeDraft& node) {
  if (node.shown.empty()) return;
  const Sysroot root = Sysroot::of(node.shown.tree(), "captured files");
  Inventory inventory = discover(root, read_directly(root));
  std::erase_if(inventory.parts, [](const Part& part) { return part.status != "found"; });
  add_counters(root, inventory, node);
  add_parents(inventory, node);
  const bool by_address = !inventory.functions.empty() || !node.functions.empty();
  node.trees.push_back(std::move(inventory));
  if (!by_address) add_unplaced(root, node);
  node.shown = {};
}

}  // namespace linkburn
