#include "kernels/soft/nvml_readings.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <tuple>

#include "bench/base/component.h"
#include "bench/drill/model.h"

namespace linkburn::soft {
namespace {

using drill::Function, drill::Gpu, drill::State;
using namespace nvml;  // NOLINT(google-build-using-namespace): its result codes

/// An idle H100 with a context runs its SMs at this clock [nvidia-smi].
constexpr int kIdleClockMhz = 345;
/// The first architecture with MIG and row remapping, Ampere.
constexpr int kAmpere = 8;

const Function& function_of(const State& state, int gpu) {
  return state.functions[state.gpus[gpu].function];
}

/// The port above the GPU; null for one that has no link.
const Function* port_above(const State& state, int gpu) {
  const int parent = function_of(state, gpu).parent;
  return parent < 0 ? nullptr : &state.functions[parent];
}

bool idle(const Gpu& gpu) { return gpu.busy <= 0; }

unsigned rounded(double value) { return static_cast<unsigned>(std::max(0L, std::lround(value))); }

PciAddress address_of(const Function& function) {
  return {function.domain, function.bus, function.slot, function.function};
}

Reading<unsigned> link_value(LinkEnd end, unsigned now, unsigned own, const Function* port,
                             unsigned ports) {
  if (port == nullptr) return {kNotSupported};
  if (end == LinkEnd::now) return {kSuccess, now};
  return {kSuccess, end == LinkEnd::gpu ? own : std::min(own, ports)};
}

}  // namespace

std::vector<int> nvml_order(const State& state) {
  std::vector<int> order;
  for (int gpu = 0; gpu < drill::kMaxGpus; ++gpu)
    if (state.gpus[gpu].used) order.push_back(gpu);
  std::ranges::sort(order, {}, [&](int gpu) { return address_of(function_of(state, gpu)); });
  return order;
}

int gpu_at(const State& state, const std::string& bus_id) {
  const auto wanted = parse_pci_address(bus_id);
  for (const int gpu : nvml_order(state))
    if (wanted == address_of(function_of(state, gpu))) return gpu;
  return -1;
}

PciInfo pci_info(const State& state, int gpu) {
  const Function& f = function_of(state, gpu);
  PciInfo info{};
  info.domain = f.domain, info.bus = f.bus, info.device = f.slot;
  info.device_id = static_cast<unsigned>(f.device_id) << 16 | f.vendor;
  info.subsystem_id = static_cast<unsigned>(f.subsystem_device) << 16 | f.subsystem_vendor;
  std::snprintf(info.bus_id, sizeof info.bus_id, "%08X:%02X:%02X.0", f.domain, f.bus, f.slot);
  std::snprintf(info.bus_id_legacy, sizeof info.bus_id_legacy, "%04X:%02X:%02X.0", f.domain, f.bus,
                f.slot);
  return info;
}

Reading<unsigned> link_generation(const State& state, int gpu, LinkEnd end) {
  const Function &f = function_of(state, gpu), *port = port_above(state, gpu);
  return link_value(end, f.gen, f.cap_gen, port, port != nullptr ? port->port_gen : 0);
}

Reading<unsigned> link_width(const State& state, int gpu, LinkEnd end) {
  const Function &f = function_of(state, gpu), *port = port_above(state, gpu);
  return link_value(end, f.width, f.cap_width, port, port != nullptr ? port->port_width : 0);
}

Reading<unsigned> replay_counter(const State& state, int gpu) {
  if (port_above(state, gpu) == nullptr) return {kNotSupported};
  return {kSuccess, static_cast<unsigned>(function_of(state, gpu).replays)};
}

Reading<unsigned> temperature_c(const State& state, int gpu, int sensor) {
  if (sensor != kTemperatureGpu) return {kInvalidArgument};
  return {kSuccess, rounded(state.gpus[gpu].temperature_c)};
}

Reading<unsigned> threshold_c(const State& state, int gpu, int threshold) {
  const drill::Thermal& thermal = state.gpus[gpu].thermal;
  switch (threshold) {
    case kThresholdShutdown:
      return {kSuccess, rounded(thermal.shutdown_c)};
    case kThresholdSlowdown:
    case kThresholdGpuMax:
      return {kSuccess, rounded(thermal.slowdown_c)};
    case kThresholdMemoryMax:
      return {kNotSupported};
    default:
      return {kInvalidArgument};
  }
}

Reading<unsigned> clock_mhz(const State& state, int gpu, int clock) {
  const Gpu& g = state.gpus[gpu];
  if (clock == kClockMemory) return {kSuccess, static_cast<unsigned>(g.memory_clock_mhz)};
  if (clock != kClockSm) return {kNotSupported};
  if (idle(g)) return {kSuccess, static_cast<unsigned>(std::min(g.clock_mhz, kIdleClockMhz))};
  return {kSuccess, rounded(g.clock_mhz * g.clock_factor)};
}

Reading<unsigned> max_clock_mhz(const State& state, int gpu, int clock) {
  const Gpu& g = state.gpus[gpu];
  if (clock == kClockMemory) return {kSuccess, static_cast<unsigned>(g.memory_clock_mhz)};
  if (clock != kClockSm) return {kNotSupported};
  return {kSuccess, static_cast<unsigned>(g.max_clock_mhz)};
}

unsigned long long clock_reasons(const State& state, int gpu) {
  const Gpu& g = state.gpus[gpu];
  return g.reasons | (idle(g) ? kReasonIdle : 0);
}

unsigned power_mw(const State& state, int gpu) { return rounded(state.gpus[gpu].power_w * 1000); }

unsigned power_limit_mw(const State& state, int gpu) {
  return rounded(state.gpus[gpu].power_limit_w * 1000);
}

Utilization utilization(const State& state, int gpu) {
  return {std::min(100U, rounded(state.gpus[gpu].busy * 100)), 0};
}

Memory memory(const State& state, int gpu) {
  const Gpu& g = state.gpus[gpu];
  const std::uint64_t free = drill::free_memory(g);
  return {g.memory_bytes, free, g.memory_bytes - free};
}

Reading<bool> mig_mode(const State& state, int gpu) {
  if (state.gpus[gpu].compute_major < kAmpere) return {kNotSupported};
  return {kSuccess, state.gpus[gpu].mig};
}

std::vector<ProcessInfo> processes(const State& state, int gpu) {
  const Gpu& g = state.gpus[gpu];
  constexpr unsigned kNoInstance = ~0U;  // not in MIG mode [nvml.h, nvmlProcessInfo_t]
  std::vector<ProcessInfo> infos;
  const auto add = [&](int pid, unsigned long long bytes) {
    infos.push_back({static_cast<unsigned>(pid), bytes, kNoInstance, kNoInstance});
  };
  for (std::size_t n = 0; n < g.contexts.size(); ++n)
    if (g.contexts[n]) add(state.processes[n].pid, g.memory_of[n]);
  if (g.foreign_pid > 0) add(g.foreign_pid, kNvmlNotAvailable);
  return infos;
}

Reading<unsigned long long> ecc_errors(const State& state, int gpu, int error_type,
                                       int counter_type) {
  if (counter_type != kEccVolatile && counter_type != kEccAggregate) return {kInvalidArgument};
  const Gpu& g = state.gpus[gpu];
  if (error_type == kErrorCorrected) return {kSuccess, g.ecc_corrected};
  if (error_type == kErrorUncorrected) return {kSuccess, g.ecc_uncorrected};
  return {kInvalidArgument};
}

Reading<unsigned> remapped_rows(const State& state, int gpu) {
  if (state.gpus[gpu].compute_major < kAmpere) return {kNotSupported};
  return {kSuccess, static_cast<unsigned>(state.gpus[gpu].remapped_rows)};
}

Reading<bool> nvlink_active(const State& state, int gpu, unsigned link) {
  if (link >= drill::kMaxNvlinks) return {kInvalidArgument};
  const drill::Nvlink& nvlink = state.gpus[gpu].nvlinks[link];
  if (!nvlink.used) return {kNotSupported};
  return {kSuccess, nvlink.active};
}

Reading<PciInfo> nvlink_peer(const State& state, int gpu, unsigned link) {
  const auto active = nvlink_active(state, gpu, link);
  if (active.result != kSuccess) return {active.result};
  const int peer = state.gpus[gpu].nvlinks[link].peer_gpu;
  if (!active.value || peer < 0) return {kNotSupported};
  return {kSuccess, pci_info(state, peer)};
}

}  // namespace linkburn::soft
