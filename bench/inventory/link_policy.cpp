// What the kernel may do to links on its own: slow them against heat, and put them to sleep.
#include <map>

#include "bench/base/text.h"
#include "bench/inventory/sources.h"

namespace linkburn {
namespace {

constexpr std::string_view kThermal = "sys/class/thermal";
constexpr std::string_view kPortCooling = "PCIe_Port_Link_Speed_";

std::optional<int> state(const Sysroot& folder, std::string_view name) {
  const auto value = parse_int(folder.read_line(name).value_or(""));
  if (!value || *value < 0 || *value > 255) return std::nullopt;
  return static_cast<int>(*value);
}

}  // namespace

void read_cooling(const Sysroot& root, std::vector<Link>& links) {
  const auto thermal = root.below(kThermal);
  if (!thermal) return;
  std::map<ComponentId, Link*> link_below;
  for (Link& link : links)
    if (!link.peer.empty()) link_below.emplace(link.peer, &link);
  for (const std::string& name : thermal->list(".").value_or({})) {
    if (!name.starts_with("cooling_device")) continue;
    const std::string type = thermal->read_line(name + "/type").value_or("");
    if (!type.starts_with(kPortCooling)) continue;
    const auto port = parse_pci_address(std::string_view(type).substr(kPortCooling.size()));
    const auto link = port ? link_below.find(ComponentId::pci(*port)) : link_below.end();
    const auto folder = thermal->below(name);
    if (link == link_below.end() || !folder) continue;
    link->second->cooling_state = state(*folder, "cur_state");
    link->second->cooling_max_state = state(*folder, "max_state");
  }
}

/// The file lists all policies, the one in force in brackets: "[default] performance powersave".
std::optional<Part> read_aspm_policy(const Sysroot& root) {
  constexpr std::string_view kPolicy = "sys/module/pcie_aspm/parameters/policy";
  const std::string policies = root.read_line(kPolicy).value_or("");
  for (const std::string_view word : words_of(policies))
    if (word.size() > 2 && word.starts_with('[') && word.ends_with(']'))
      return Part{"aspm_policy",
                  "found",
                  "/" + std::string(kPolicy),
                  printable(word.substr(1, word.size() - 2), 64),
                  {},
                  {}};
  return std::nullopt;
}

}  // namespace linkburn
