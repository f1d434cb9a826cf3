// Links of captured functions: between two ends where both are known, else of the lower end alone.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

#include "bench/captures/assemble_pci.h"
#include "bench/inventory/link_kind.h"
#include "bench/inventory/sources.h"

namespace linkburn {
namespace {

constexpr std::string_view kLoneReason = "the port above it was not captured";
constexpr std::string_view kInsideReason =
    "fixed inside its card or package; the link of the slot is that of the port above, which was "
    "not captured";

/// A device, whichever of its functions is meant.
using DeviceKey = std::tuple<std::uint32_t, std::uint8_t, std::uint8_t>;
DeviceKey device_of(const PciAddress& address) {
  return {address.domain, address.bus, address.device};
}

/// Known from texts or single files.
bool is_loose(const Inventory& inventory, const ComponentId& id) {
  const auto address = id.pci_address();
  const PciFunction* function = address ? inventory.function(*address) : nullptr;
  return function != nullptr && !is_wired(*function);
}

Link lone_link(ComponentId device, LinkEnd end) {
  Link link;
  link.component = std::move(device);
  link.device_end = std::move(end);
  link.device_end.files = true;
  link.kind = kLinkLoneEnd;
  link.kind_reason = kLoneReason;
  return link;
}

/// A port whose ability was not captured adds nothing to a device of which state and ability were.
bool tells_less(const LinkEnd& port, const LinkEnd& device) {
  if (!tells_something(port)) return true;
  const bool device_tells = device.speed && device.width && device.max_speed && device.max_width;
  return device_tells && !port.all_ones && !port.max_speed && !port.max_width &&
         port.width == device.width;
}

/// Of what was put together from texts: a port of which nothing is known is no end of a link, and a
/// device without a port is one whose port nobody captured. A tree shows all ports that there are.
void leave_what_is_not_known(Inventory& inventory) {
  std::vector<Link> links;
  for (Link& link : make_links(inventory)) {
    const bool text = is_loose(inventory, link.component) || is_loose(inventory, link.peer);
    if (text && (link.peer.empty() || tells_less(link.peer_end, link.device_end))) continue;
    links.push_back(std::move(link));
  }
  inventory.links = std::move(links);
}

bool is_integrated_part(const PciFunction& function) {
  const auto fact = function.facts.find("integrated");
  const auto& registers = function.link_end.registers;
  return (registers && is_integrated(*registers)) ||
         (fact != function.facts.end() && fact->second == "yes");
}

/// A Link Capabilities register of zeros, as of an endpoint that the root complex integrates
/// [linux drivers/pci/pci.c, pcie_get_width_cap: 255 for a width of none]. Virtual functions have
/// abilities.
bool has_no_abilities(const LinkEnd& end) {
  constexpr LinkWidth kNone{0}, kUnknown{255};
  return end.width == kNone && end.max_width == kUnknown && !end.speed && !end.max_speed;
}

/// What a kernel line says of a device is told with that line, unless more is known.
bool has_link_of_its_own(const PciFunction& function) {
  return !function.virtual_function && !is_integrated_part(function) && !ends_link(function) &&
         !has_no_abilities(function.link_end) && function.link_end.source != kFromKernelLog &&
         tells_something(function.link_end);
}

/// Below a link there is device 0 alone [PCI Express Base Specification 6.0, section 7.3.1]: what
/// has another number, and no class to tell what it is, is a port or a part of a root complex. So
/// is a bridge, or such a function on a root bus, without a link.
bool may_be_port(const PciFunction& function) {
  const bool untold =
      function.class_code.empty() && (function.type.empty() || function.type == "other");
  if (untold && function.address.device != 0) return true;
  const bool on_root_bus = untold && function.address.bus == 0;
  return (on_root_bus || function.type == "bridge") && function.link_end.width &&
         function.link_end.width->lanes == 0;
}

bool is_loaded_type(const PciFunction& function) {
  constexpr std::array<std::string_view, 5> kTypes{"gpu", "accelerator", "nic", "infiniband",
                                                   "nvme"};
  return std::find(kTypes.begin(), kTypes.end(), function.type) != kTypes.end();
}

/// A card that a tool lists without a word of its link: access denied, or a plain list. It has one,
/// and that nobody captured it must not look like a link that is well. On a root bus it may be a
/// part of the root complex or of a virtual machine; device 0 alone is below a link.
bool hides_its_link(const PciFunction& function) {
  const LinkEnd& end = function.link_end;
  const bool is_listed =
      end.source == kFromLspci || end.source == kFromBytes || end.source == kFromNvidiaSmi;
  return is_listed && is_loaded_type(function) && !tells_something(end) &&
         end.registers_absent != kNotPcie && function.address.bus != 0 &&
         function.address.device == 0 && !function.virtual_function &&
         !is_integrated_part(function);
}

/// AMD's graphics cards of 16 GT/s and more carry a switch, and its processors have their graphics
/// in the package: the link to the chip is at its best in any slot [linux
/// drivers/gpu/drm/amd/amdgpu/amdgpu_device.c, amdgpu_device_partner_bandwidth].
bool may_be_inside_card(const PciFunction& function) {
  constexpr LinkSpeed kFirst{16000};
  const LinkEnd& end = function.link_end;
  return function.vendor_id == "0x1002" && function.class_code.starts_with("0x0300") &&
         end.max_speed && *end.max_speed >= kFirst && end.speed == end.max_speed &&
         end.width == end.max_width;
}

/// The kind of a link of which the lower end alone was captured.
void tell_kind(const PciFunction& function, Link& link) {
  if (is_thunderbolt(function) && reads_as_tunnel(function.link_end)) {
    link.kind = kLinkThunderbolt;
    link.kind_reason = kTunnelReason;
  } else if (may_be_inside_card(function)) {
    link.kind = kLinkInternal;
    link.kind_reason = kInsideReason;
  }
}

void add_lone_ends(Inventory& inventory) {
  std::set<DeviceKey> known;
  for (const Link& link : inventory.links)
    if (const auto address = link.component.pci_address()) known.insert(device_of(*address));
  for (const PciFunction& function : inventory.functions) {
    if (is_wired(function)) continue;
    if (!has_link_of_its_own(function) && !hides_its_link(function)) continue;
    if (may_be_port(function) || !known.insert(device_of(function.address)).second) continue;
    Link link = lone_link(ComponentId::pci(function.address), function.link_end);
    link.slot = inventory.slot_of(function.address);
    tell_kind(function, link);
    inventory.links.push_back(std::move(link));
  }
}

/// Why a piece of text without an address says nothing of a link; empty when it does.
std::string_view why_no_link(const PciFunction& function) {
  const auto& registers = function.link_end.registers;
  if (function.virtual_function) return "a virtual function has no link of its own";
  if (is_integrated_part(function)) return "a part of the root complex has no link";
  if (!tells_something(function.link_end)) return "its text tells nothing of a link";
  if (registers && (registers->card_present == false || registers->data_link_active == false))
    return "an empty port: nothing is plugged in, and its link is not up";
  if (ends_link(function)) return "the upper end of a link alone; what is below was not captured";
  return {};
}

void add_unnamed(const NodeDraft& draft, Inventory& inventory) {
  int number = 0;
  for (const FunctionView& view : draft.functions) {
    if (view.has_address) continue;
    const ComponentId id = ComponentId::unnamed(++number);
    const std::string_view why = why_no_link(view.function);
    if (why.empty())
      inventory.links.push_back(lone_link(id, view.function.link_end));
    else if (tells_something(view.function.link_end))
      inventory.parts.push_back({"link of " + id.text(), "absent", {}, {}, std::string(why), {}});
  }
}

/// GPUs that only their driver tells of, by number. Where others are known by address, nobody knows
/// which of them it is.
void add_numbered_gpus(const std::vector<Gpu>& gpus, Inventory& inventory) {
  const bool known =
      std::any_of(inventory.links.begin(), inventory.links.end(), [&](const Link& link) {
        const auto address = link.component.pci_address();
        const PciFunction* function = address ? inventory.function(*address) : nullptr;
        return function != nullptr && (function->type == "gpu" || function->type.empty());
      });
  if (known) return;
  for (const Gpu& gpu : gpus) {
    LinkEnd end = end_of(gpu);
    if (!gpu.index || gpu.component.pci_address() || !tells_something(end)) continue;
    inventory.links.push_back(lone_link(ComponentId::gpu(*gpu.index), std::move(end)));
  }
}

bool is_c2c(const Gpu& gpu) { return gpu.c2c_mode == "Enabled"; }

/// The driver says it of this GPU, or of the only one that there is.
void mark_chip_to_chip(const std::vector<Gpu>& gpus, Inventory& inventory) {
  std::set<ComponentId> named, enabled;
  bool of_any = false;
  for (const Gpu& gpu : gpus) {
    const bool has_address = gpu.component.pci_address().has_value();
    if (has_address) named.insert(gpu.component);
    if (has_address && is_c2c(gpu)) enabled.insert(gpu.component);
    of_any = of_any || (!has_address && is_c2c(gpu));
  }
  if (named.empty())
    for (const PciFunction& function : inventory.functions)
      if (function.type == "gpu") named.insert(ComponentId::pci(function.address));
  if (of_any && named.size() == 1) enabled = named;
  for (Link& link : inventory.links) {
    const bool numbered = of_any && named.empty() && !link.component.pci_address();
    if (!enabled.contains(link.component) && !(numbered && gpus.size() == 1)) continue;
    link.kind = kLinkChipToChip;
    link.kind_reason = "a chip-to-chip link is its data path, as its driver says (C2C mode)";
  }
}

/// What a tree knows of a link beyond its ends.
void keep_cooling(const NodeDraft& draft, Inventory& inventory) {
  std::map<ComponentId, const Link*> known;
  for (const Inventory& tree : draft.trees)
    for (const Link& link : tree.links)
      if (link.cooling_state) known.try_emplace(link.component, &link);
  for (Link& link : inventory.links) {
    const auto found = known.find(link.component);
    if (found == known.end()) continue;
    link.cooling_state = found->second->cooling_state;
    link.cooling_max_state = found->second->cooling_max_state;
  }
}

}  // namespace

void add_links(const NodeDraft& draft, const std::vector<Gpu>& gpus, Inventory& inventory) {
  leave_what_is_not_known(inventory);
  keep_cooling(draft, inventory);
  add_lone_ends(inventory);
  add_unnamed(draft, inventory);
  add_numbered_gpus(gpus, inventory);
  mark_chip_to_chip(gpus, inventory);
}

}  // namespace linkburn
