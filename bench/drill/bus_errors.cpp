#include "bench/drill/bus_errors.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "bench/drill/model.h"

namespace linkburn::drill {
namespace {

constexpr int kError = 3, kWarning = 4, kInfo = 6;  // levels of the kernel log

// A kernel before 6.16 logs every report; that would be a flood for hours. This many of a device in
// this time are logged, as later kernels do [linux
// Documentation/ABI/testing/sysfs-bus-pci-devices-aer].
constexpr std::int64_t kReportsTimeNs = 5'000'000'000;
constexpr std::int32_t kReports = 10;

/// The prefix of what a driver logs about its device: "pcieport 0000:00:01.0: ".
std::string prefix(const Function& f) {
  const std::string_view driver = f.driver.data();
  return fmt::format("{} {}: ", driver.empty() ? "pci" : driver, address_text(f));
}

void say(State& state, int level, int function, std::string_view text) {
  log_line(state, level, prefix(state.functions[function]) + std::string(text), function);
}

/// The root port above a function, which hears of its errors; -1: none.
int root_above(const State& state, int function) {
  for (int hops = 0; function >= 0 && hops < kMaxFunctions; ++hops) {
    if (state.functions[function].kind == PortKind::root_port) return function;
    function = state.functions[function].parent;
  }
  return -1;
}

/// How often something of that rate happens in that time: the whole part, and one more by chance.
std::uint64_t happens(const State& state, int lane, double per_s, std::int64_t passed_ns) {
  if (per_s <= 0) return 0;
  const double expected = per_s * static_cast<double>(passed_ns) / 1e9;
  constexpr double most = 1e15;
  const double whole = std::min(std::floor(expected), most);
  constexpr std::uint64_t first_lane = 1'000'000;  // far from the numbers of streams
  const auto index = static_cast<std::uint64_t>(state.header.now_ns.load());
  const bool more = noise(state.header.seed, first_lane + static_cast<std::uint64_t>(lane), index) <
                    expected - whole;
  return static_cast<std::uint64_t>(whole) + (more ? 1 : 0);
}

bool may_report(State& state, Function& f) {
  const std::int64_t now = state.header.now_ns;
  if (f.reports == 0 || now - f.reports_from_ns >= kReportsTimeNs)
    f.reports_from_ns = now, f.reports = 0;
  return f.reports++ < kReports;
}

struct BusError {
  std::string_view severity, layer, name;
  int level, bit;
  std::uint32_t mask;
};

/// The four lines of one report about an error that `source` has found
/// [linux drivers/pci/pcie/aer.c, aer_print_port_info, aer_print_error].
void report(State& state, int source, const BusError& error, bool multiple) {
  const int root = root_above(state, source);
  if (root < 0) return;
  const Function& f = state.functions[source];
  say(state, kInfo, root,
      fmt::format("AER: {}{} error received: {}", multiple ? "Multiple " : "", error.severity,
                  address_text(f)));
  say(state, error.level, source,
      fmt::format("PCIe Bus Error: severity={}, type={}, (Receiver ID)", error.severity,
                  error.layer));
  say(state, error.level, source,
      fmt::format("  device [{:04x}:{:04x}] error status/mask={:08x}/{:08x}", f.vendor, f.device_id,
                  1U << error.bit, error.mask));
  say(state, error.level, source, fmt::format("   [{:2}] {:<22} (First)", error.bit, error.name));
}

void count_receiver_errors(State& state, int function, int end, std::int64_t passed_ns) {
  Function& f = state.functions[function];
  const int source = end == 0 ? function : f.parent;
  const std::uint64_t count = happens(state, 3 * function + end, f.errors_per_s[end], passed_ns);
  if (source < 0 || count == 0) return;
  Errors& errors = end == 0 ? f.lower : f.upper;
  errors.correctable[kReceiverError] += count;
  errors.correctable_status |= 1U << kReceiverError;
  static constexpr BusError kRxErr{"Corrected", "Physical Layer", "RxErr",
                                   kWarning,    kReceiverError,   0x2000};
  if (may_report(state, f)) report(state, source, kRxErr, count > 1);
}

/// What the driver says for an Xid [NVIDIA open-gpu-kernel-modules, nverror.h; Xid catalogue].
std::string_view xid_text(std::uint32_t number) {
  switch (number) {
    case 31:
      return "MMU Fault: ENGINE GRAPHICS GPCCLIENT_T1_0 faulted @ 0x7f_00000000";
    case 48:
      return "DBE (double bit error) ECC error";
    case 63:
      return "Row Remapper: New row marked for remapping, reset gpu to activate.";
    case 74:
      return "NVLink: fatal error detected on link 0";
    case 79:
      return "GPU has fallen off the bus.";
    case 94:
      return "Contained: SM (0x1). RST: No, D-RST: No";
    case 119:
      return "Timeout after 6s of waiting for RPC response from GSP!";
    default:
      return "an error of the GPU";
  }
}

}  // namespace

std::string address_text(const Function& f) {
  return fmt::format("{:04x}:{:02x}:{:02x}.{}", f.domain, f.bus, f.slot, f.function);
}

void log_line(State& state, int level, std::string_view text, int function) {
  LogLine& line = state.log[state.log_count % kMaxLogLines];
  line = {};
  line.at_ns = state.header.now_ns;
  line.level = static_cast<std::uint8_t>(level);
  text.copy(line.text.data(), line.text.size() - 1);
  if (function >= 0) {
    const std::string device = "+pci:" + address_text(state.functions[function]);
    device.copy(line.device.data(), line.device.size() - 1);
  }
  ++state.log_count;
}

void count_errors(State& state, std::int64_t passed_ns) {
  for (int n = 0; n < kMaxFunctions; ++n) {
    Function& f = state.functions[n];
    if (!f.used || f.gone) continue;
    for (const int end : {0, 1}) count_receiver_errors(state, n, end, passed_ns);
    f.replays += happens(state, 3 * n + 2, f.replays_per_s, passed_ns);
  }
}

void report_surprise_down(State& state, int function) {
  Function& f = state.functions[function];
  if (f.parent < 0) return;
  ++f.upper.fatal;
  f.upper.uncorrectable_status |= 1U << kSurpriseDown;
  // The kernel takes every error but data link protocol and the physical layer's for one of
  // transactions [linux drivers/pci/pcie/aer.c, AER_GET_LAYER_ERROR].
  static constexpr BusError kDown{
      "Uncorrected (Fatal)", "Transaction Layer", "SDES", kError, kSurpriseDown, 0};
  report(state, f.parent, kDown, false);
  const int slot = state.functions[f.parent].slot_number;
  if (slot < 0) return;
  say(state, kInfo, f.parent, fmt::format("pciehp: Slot({}): Link Down", slot));
  say(state, kInfo, f.parent, fmt::format("pciehp: Slot({}): Card not present", slot));
}

void report_link_up(State& state, int function) {
  const int port = state.functions[function].parent;
  const int slot = port < 0 ? -1 : state.functions[port].slot_number;
  if (slot < 0) return;
  say(state, kInfo, port, fmt::format("pciehp: Slot({}): Card present", slot));
  say(state, kInfo, port, fmt::format("pciehp: Slot({}): Link Up", slot));
}

void report_lost(State& state, int function) {
  const Function& f = state.functions[function];
  for (int g = 0; g < kMaxGpus; ++g) {
    const Gpu& gpu = state.gpus[g];
    if (!gpu.used || gpu.function != function) continue;
    report_xid(state, g, 79, {});
    log_line(state, kError,
             fmt::format("NVRM: GPU {}: GPU has fallen off the bus.", address_text(f)));
  }
  if (f.device == Device::nic)  // [linux drivers/net/ethernet/mellanox/mlx5/core/health.c]
    say(state, kError, function,
        "poll_health:802:(pid 0): device's health compromised - reached miss count");
  int number = 0;
  for (const Nvme& nvme : state.nvmes) {
    if (nvme.used && nvme.function == function)  // [linux drivers/nvme/host/pci.c, nvme_warn_reset]
      log_line(state, kWarning,
               fmt::format("nvme nvme{}: controller is down; will reset: CSTS=0xffffffff, "
                           "PCI_STATUS=0xffff",
                           number),
               function);
    ++number;
  }
}

void report_xid(State& state, int gpu, std::uint32_t number, std::string_view text) {
  Gpu& g = state.gpus[gpu];
  g.xids[static_cast<std::size_t>(g.xid_count) % kMaxXids] = {state.header.now_ns, number};
  ++g.xid_count;
  if (g.function < 0) return;
  const Function& f = state.functions[g.function];
  log_line(state, kError,
           fmt::format("NVRM: Xid (PCI:{:04x}:{:02x}:{:02x}): {}, pid='<unknown>', "
                       "name=<unknown>, {}",
                       f.domain, f.bus, f.slot, number, text.empty() ? xid_text(number) : text));
}

void report_port(State& state, int nic) {
  const Nic& n = state.nics[nic];
  if (n.infiniband || n.function < 0) return;  // the driver logs it for Ethernet alone
  say(state, kInfo, n.function,
      fmt::format("{}: Link {}", n.interface_name.data(), n.up ? "up" : "down"));
}

}  // namespace linkburn::drill
