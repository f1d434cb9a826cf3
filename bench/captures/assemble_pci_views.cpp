// What several sources say of one PCI function becomes one.
#include <algorithm>
#include <array>

#include "bench/captures/assemble_pci.h"
#include "report/evidence/bottleneck.h"

namespace linkburn {
namespace {

/// Place in the order of trust. Functions without any link are as good as the files that name them.
std::size_t trust_of(std::string_view source) {
  constexpr std::array kOrder{kFromBytes, kFromLspci, kFromFiles, kFromNvidiaSmi, kFromKernelLog};
  if (source.empty()) source = kFromFiles;
  return static_cast<std::size_t>(std::find(kOrder.begin(), kOrder.end(), source) - kOrder.begin());
}

void fill(std::string& to, const std::string& from) {
  if (to.empty() || to == "0xffff") to = from;  // all ones are no vendor
}

template <class T>
void fill(std::optional<T>& to, const std::optional<T>& from) {
  if (!to) to = from;
}

EndView view_of(const LinkEnd& end) {
  return {end.source, end.speed, end.max_speed, end.width, end.max_width};
}

bool same_view(const EndView& a, const EndView& b) {
  return a.source == b.source && a.speed == b.speed && a.max_speed == b.max_speed &&
         a.width == b.width && a.max_width == b.max_width;
}

void add_view(const LinkEnd& end, std::vector<EndView>& views) {
  const EndView view = view_of(end);
  const bool known = std::any_of(views.begin(), views.end(),
                                 [&](const EndView& other) { return same_view(other, view); });
  if (!known) views.push_back(view);
}

/// What one source has and those before it do not. A device that did not answer has abilities, and
/// no state; numbers of a moment at which it answered are only views.
void take_end(const LinkEnd& from, LinkEnd& to) {
  fill(to.max_speed, from.max_speed);
  fill(to.max_width, from.max_width);
  if (!to.all_ones && !from.all_ones) {
    fill(to.speed, from.speed);
    fill(to.width, from.width);
  }
  fill(to.registers, from.registers);
  if (to.registers) to.registers_absent.clear();
}

/// What was asleep for one source was awake for another that read it.
std::string status_of(const LinkEnd& chosen, const std::vector<PciFunction>& views) {
  const bool answered = !chosen.all_ones && chosen.width;
  for (const PciFunction& view : views) {
    const std::string& status = view.link_end.runtime_status;
    if (!status.empty() && !(answered && status == "suspended")) return status;
  }
  return {};
}

/// The driver of a GPU tells the maximum of GPU and system together, the kernel that of the GPU.
void take_own_maximum(const std::vector<PciFunction>& views, LinkEnd& end) {
  if (end.source != kFromNvidiaSmi) return;
  for (const PciFunction& view : views) {
    if (view.link_end.source != kFromKernelLog) continue;
    end.max_speed = std::max(end.max_speed, view.link_end.max_speed);
    end.max_width = std::max(end.max_width, view.link_end.max_width);
  }
}

LinkEnd merged_end(const std::vector<PciFunction>& views) {
  const auto first = std::find_if(views.begin(), views.end(), [](const PciFunction& view) {
    return tells_something(view.link_end);
  });
  if (first == views.end()) return views.front().link_end;
  LinkEnd end = first->link_end;
  std::vector<EndView> seen;
  for (const PciFunction& view : views) {
    if (!tells_something(view.link_end)) continue;
    take_end(view.link_end, end);
    add_view(view.link_end, seen);
  }
  if (seen.size() > 1) end.views = std::move(seen);
  take_own_maximum(views, end);
  end.runtime_status = status_of(end, views);
  end.files = true;
  return end;
}

void take_identity(const PciFunction& from, PciFunction& to) {
  fill(to.folder, from.folder);
  fill(to.parent, from.parent);
  if (to.port_type == PortType::none) to.port_type = from.port_type;
  fill(to.class_code, from.class_code);
  fill(to.vendor_id, from.vendor_id);
  fill(to.device_id, from.device_id);
  fill(to.subsystem_vendor_id, from.subsystem_vendor_id);
  fill(to.subsystem_device_id, from.subsystem_device_id);
  fill(to.driver, from.driver);
  if (to.type.empty() || (to.type == "other" && !from.type.empty())) to.type = from.type;
  fill(to.name, from.name);
  fill(to.numa_node, from.numa_node);
  fill(to.local_cpus, from.local_cpus);
  fill(to.label, from.label);
  fill(to.secondary_bus, from.secondary_bus);
  to.thunderbolt = to.thunderbolt || from.thunderbolt;
  to.virtual_function = to.virtual_function || from.virtual_function;
  fill(to.physical_function, from.physical_function);
  to.facts.insert(from.facts.begin(), from.facts.end());
}

PciFunction merged_function(std::vector<PciFunction> views) {
  if (views.size() == 1) {
    PciFunction only = std::move(views.front());
    only.link_end.files = only.link_end.files || tells_something(only.link_end);
    return only;
  }
  std::stable_sort(views.begin(), views.end(), [](const PciFunction& a, const PciFunction& b) {
    return trust_of(a.link_end.source) < trust_of(b.link_end.source);
  });
  PciFunction function = views.front();
  function.link_end = merged_end(views);
  for (const PciFunction& view : views) take_identity(view, function);
  return function;
}

/// A text tells of the port, its link is up as far as it says, and the device is on the bus below
/// it. A bus is numbered above those of the ports over it, so that the next number leaves no room
/// for a port between the two.
bool is_right_above(const PciFunction& port, const PciAddress& device) {
  const LinkEnd& end = port.link_end;
  const bool is_down =
      end.width == LinkWidth{0} || (end.registers && end.registers->data_link_active == false);
  return tells_something(end) && !is_wired(port) && !is_down &&
         port.address.domain == device.domain &&
         device.bus == port.secondary_bus.value_or(port.address.bus + 1);
}

bool knows_state(const PciFunction* function) {
  if (function == nullptr) return false;
  const LinkEnd& end = function->link_end;
  return end.all_ones || end.speed || end.width;
}

/// What the line says of the device. The state of the link is that of an earlier moment: it counts
/// where nobody captured a later one, and where it is the best that the port can do.
PciFunction view_in(const Bottleneck& found, const PciAddress& device, const Inventory& captured) {
  PciFunction function;
  function.address = device;
  function.link_end.max_speed = found.device_speed;
  function.link_end.max_width = found.device_width;
  function.link_end.source = kFromKernelLog;
  const auto above = found.port.pci_address();
  const PciFunction* port = above ? captured.function(*above) : nullptr;
  if (port == nullptr || !is_right_above(*port, device)) return function;
  function.parent = above;
  if (knows_state(port) || knows_state(captured.function(device))) return function;
  if (found.speed < port->link_end.max_speed || found.width < port->link_end.max_width)
    return function;
  function.link_end.speed = found.speed;
  function.link_end.width = found.width;
  return function;
}

/// The last line of each device.
std::map<PciAddress, Bottleneck> bottlenecks_in(const NodeDraft& draft) {
  std::map<PciAddress, Bottleneck> latest;
  for (const Body& record : draft.records) {
    const auto* line = std::get_if<KernelLine>(&record);
    if (line == nullptr || line->topic != "bandwidth_limited" || !line->component) continue;
    const auto address = line->component->pci_address();
    const auto found = bottleneck_in(line->text);
    if (address && found && !found->all_ones) latest.insert_or_assign(*address, *found);
  }
  return latest;
}

}  // namespace

bool tells_something(const LinkEnd& end) {
  return end.all_ones || end.speed || end.width || end.max_speed || end.max_width;
}

FunctionViews views_of(const NodeDraft& draft) {
  FunctionViews views;
  for (const Inventory& tree : draft.trees)
    for (const PciFunction& function : tree.functions) views[function.address].push_back(function);
  for (const FunctionView& view : draft.functions)
    if (view.has_address) views[view.function.address].push_back(view.function);
  return views;
}

LinkEnd end_of(const Gpu& gpu) {
  LinkEnd end;
  end.speed = gpu.speed;
  end.width = gpu.width;
  end.max_speed = gpu.own_max_speed ? gpu.own_max_speed : gpu.max_speed;
  end.max_width = gpu.max_width;
  end.files = tells_something(end);
  if (end.files || gpu.source == kFromNvidiaSmi) end.source = kFromNvidiaSmi;
  return end;
}

void add_gpu_views(const std::vector<Gpu>& gpus, FunctionViews& views) {
  for (const Gpu& gpu : gpus) {
    const auto address = gpu.component.pci_address();
    if (!address) continue;
    PciFunction function;
    function.address = *address;
    function.type = "gpu";
    function.vendor_id = "0x10de";
    function.name = gpu.name;
    function.link_end = end_of(gpu);
    std::vector<PciFunction>& known = views[*address];
    // The same words of the same tool, which did not tell its maxima apart.
    if (function.link_end.files)
      std::erase_if(known, [](const PciFunction& view) {
        return view.link_end.source == kFromNvidiaSmi && view.device_id.empty();
      });
    known.push_back(std::move(function));
  }
}

void add_kernel_views(const NodeDraft& draft, const Inventory& captured, FunctionViews& views) {
  for (const auto& [address, found] : bottlenecks_in(draft)) {
    PciFunction function = view_in(found, address, captured);
    if (function.parent || captured.function(address) != nullptr)
      views[address].push_back(std::move(function));
  }
}

std::vector<PciFunction> merged(const FunctionViews& views) {
  std::vector<PciFunction> functions;
  functions.reserve(views.size());
  for (const auto& [address, said] : views) functions.push_back(merged_function(said));
  return functions;
}

}  // namespace linkburn
