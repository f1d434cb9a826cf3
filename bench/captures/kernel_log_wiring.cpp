#include "bench/captures/kernel_log_wiring.h"

#include <algorithm>
#include <array>
#include <utility>

#include "bench/base/text.h"
#include "bench/inventory/pci_class.h"
#include "bench/sensors/kernel_topics.h"

namespace linkburn {
namespace {

/// The lines of one error come within milliseconds; a slow console can hold them up.
constexpr std::int64_t kSameErrorUs = 1000000;

/// NVIDIA's driver looks after its GPUs every few seconds, also after one whose link is down.
constexpr std::int64_t kNoticedUs = 5000000;

PciAddress first_function(PciAddress address) {
  address.function = 0;
  return address;
}

bool on_one_bus(const PciAddress& a, const PciAddress& b) {
  return a.domain == b.domain && a.bus == b.bus;
}

/// "[10de:2184]": vendor and device as in sysfs.
void read_ids(std::string_view text, PciFunction& function) {
  constexpr std::size_t kLength = 11;
  const std::size_t open = text.find('[');
  if (open == std::string_view::npos || text.size() < open + kLength) return;
  const std::string_view ids = text.substr(open + 1, kLength - 2);
  if (ids[4] != ':' || text[open + kLength - 1] != ']') return;
  const std::string_view vendor = ids.substr(0, 4), device = ids.substr(5);
  if (!parse_int(vendor, 16) || !parse_int(device, 16) || vendor == "ffff") return;
  function.vendor_id = "0x" + std::string(vendor);
  function.device_id = "0x" + std::string(device);
}

}  // namespace

void LogWiring::take(std::string_view sign, const KmsgRecord& record) {
  if (sign == "xid") return take_xid(record);
  const auto address = pci_address_in(record.text);
  if (!address) return;
  if (sign == kNoteGpuName) return take_gpu_name(*address, record.text);
  if (sign == kNoteFound) return take_found(*address, record.text);
  if (sign == kNoteBridge) return take_bridge(*address, record.text);
  if (sign == kNoteReported || sign == "containment") return begin_story(sign, *address, record);
  if (sign == kNoteBelow || sign.starts_with("aer_")) take_error(sign, *address, record);
}

PciFunction* LogWiring::function(const PciAddress& address) {
  const auto known = functions_.find(address);
  if (known != functions_.end()) return &known->second;
  if (functions_.size() >= kMaxFunctions) return nullptr;
  PciFunction& added = functions_[address];
  added.address = address;
  added.link_end.source = kFromKernelLog;
  return &added;
}

/// "pci 0000:07:00.0: [10de:2184] type 00 class 0x030000 PCIe Endpoint" [linux drivers/pci/probe.c,
/// pci_setup_device]; before 6.9 without the kind of port.
void LogWiring::take_found(const PciAddress& address, std::string_view text) {
  constexpr std::array kPorts{
      std::pair("PCIe Root Port", PortType::root_port),
      std::pair("PCIe Switch Upstream Port", PortType::switch_upstream),
      std::pair("PCIe Switch Downstream Port", PortType::switch_downstream)};
  constexpr std::string_view kClass = " class 0x";
  PciFunction* found = function(address);
  if (found == nullptr) return;
  read_ids(text, *found);
  const std::size_t at = text.find(kClass);
  if (at != std::string_view::npos && parse_int(text.substr(at + kClass.size(), 6), 16))
    found->class_code = std::string(text.substr(at + kClass.size() - 2, 8));
  found->type = type_of_class(found->class_code, found->vendor_id);
  for (const auto& [words, type] : kPorts)
    if (text.find(words) != std::string_view::npos) found->port_type = type;
}

/// "NVRM: GPU at PCI:0000:02:00: GPU-..." [NVIDIA open-gpu-kernel-modules, nv_report_error]: other
/// texts know a GPU by its UUID.
void LogWiring::take_gpu_name(const PciAddress& address, std::string_view text) {
  constexpr std::size_t kUuidBytes = 40;
  const std::string_view uuid = trim(text.substr(text.find(": GPU-") + 2));
  if (uuid.size() == kUuidBytes && gpus_.size() < kMaxFunctions)
    gpus_.insert_or_assign(address, printable(uuid, kUuidBytes));
}

/// A port is told of errors, or stops its link on one: the next lines are about those.
void LogWiring::begin_story(std::string_view sign, const PciAddress& port,
                            const KmsgRecord& record) {
  note_driver(port, record.text);
  teller_ = port;
  teller_us_ = record.time_us;
  link_is_down_ = sign == "containment";
  if (link_is_down_ && told_.size() < kMaxFunctions) told_[port].itself = true;
}

/// The link of a port went down, and the driver of a GPU misses it: it was that of the GPU.
void LogWiring::take_xid(const KmsgRecord& record) {
  constexpr std::string_view kOffTheBus = "): 79, ";
  const std::string_view text = record.text;
  const std::size_t open = text.find('('), close = text.find(kOffTheBus);
  if (!link_is_down_ || !teller_ || open > close || close == std::string_view::npos) return;
  const auto address = pci_address(text.substr(open + 1, close - open - 1));
  if (!address || record.time_us < teller_us_ || record.time_us - teller_us_ > kNoticedUs) return;
  Told& told = told_[*teller_];
  if (told.below.size() < kMaxFunctions) told.below.insert(first_function(*address));
  (void)function(*address);
}

/// "pci 0000:00:01.0: PCI bridge to [bus 01-05]" [linux drivers/pci/setup-bus.c, pci_setup_bridge].
void LogWiring::take_bridge(const PciAddress& address, std::string_view text) {
  const std::size_t at = text.find("[bus ");
  const auto bus = parse_int(text.substr(at + 5, 2), 16);
  PciFunction* bridge = bus ? function(address) : nullptr;
  if (bridge != nullptr) bridge->secondary_bus = static_cast<int>(*bus);
}

/// Drivers name themselves before the device; "pci" is the kernel's own word for one without.
void LogWiring::note_driver(const PciAddress& address, std::string_view text) {
  PciFunction* named = function(address);
  if (named == nullptr) return;
  const std::string_view driver = text.substr(0, text.find(' '));
  if (driver != "pci" && driver.size() < 32 && driver.find(':') == std::string_view::npos &&
      driver.find('[') == std::string_view::npos)
    named->driver = driver;
}

/// A port is told of errors, and the lines that follow say whose they are
/// [linux drivers/pci/pcie/aer.c, aer_isr_one_error].
void LogWiring::take_error(std::string_view sign, const PciAddress& address,
                           const KmsgRecord& record) {
  note_driver(address, record.text);
  PciFunction* reporter = function(address);
  if (reporter != nullptr && sign == "aer_status" &&
      record.text.find(" device [") != std::string::npos)
    read_ids(record.text, *reporter);
  const bool of_teller =
      teller_ && record.time_us >= teller_us_ && record.time_us - teller_us_ <= kSameErrorUs;
  if (!of_teller || told_.size() >= kMaxFunctions) return;
  Told& told = told_[*teller_];
  if (address == *teller_) {
    told.itself = true;
    link_is_down_ = link_is_down_ || sign == "aer_fatal";
  } else if (told.below.size() < kMaxFunctions)
    told.below.insert(first_function(address));
}

/// The port above a device, where the log tells the bus below it, or where port and device reported
/// errors of a link together and no other device did: then it is one link.
LogWiring::Bridges LogWiring::bridges() const {
  Bridges bridges;
  for (const auto& [address, bridge] : functions_)
    if (bridge.secondary_bus && *bridge.secondary_bus != address.bus)
      bridges.by_bus.try_emplace({address.domain, *bridge.secondary_bus}, address);
  for (const auto& [port, told] : told_) {
    const auto known = functions_.find(port);
    const bool elsewhere = known != functions_.end() && known->second.secondary_bus;
    if (told.itself && !elsewhere && told.below.size() == 1 &&
        !on_one_bus(port, *told.below.begin()))
      bridges.by_device.try_emplace(*told.below.begin(), port);
  }
  return bridges;
}

std::optional<PciAddress> LogWiring::Bridges::to(const PciAddress& device) const {
  if (const auto port = by_bus.find({device.domain, device.bus}); port != by_bus.end())
    return port->second;
  const auto port = by_device.find(first_function(device));
  return port == by_device.end() ? std::nullopt : std::optional(port->second);
}

void LogWiring::finish(NodeDraft& node) const {
  const Bridges known = bridges();
  for (const auto& [address, function] : functions_) {
    FunctionView view;
    view.function = function;
    node.add(node.functions, std::move(view));
    const auto above = known.to(address);
    if (above && node.parents.size() < NodeDraft::kMaxItems) node.parents.emplace(address, *above);
  }
  for (const auto& [address, uuid] : gpus_) {
    Gpu gpu;
    gpu.component = ComponentId::pci(address);
    gpu.uuid = uuid;
    gpu.source = kFromKernelLog;
    node.add(node.gpus, std::move(gpu));
  }
}

}  // namespace linkburn
