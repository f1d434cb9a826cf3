// What NVML says of a GPU of a drill: pure functions on the state. A call that such a GPU does not
// know gives kNotSupported; nothing here knows of lost GPUs, turns or processes that ask
// (nvml.cpp).
#pragma once

#include <string>
#include <vector>

#include "bench/drill/state.h"
#include "kernels/nvml_types.h"

namespace linkburn::soft {

/// A value, or why there is none.
template <class T>
struct Reading {
  nvml::Return result = nvml::kSuccess;
  T value{};
};

/// "This value cannot be told" [nvml.h, NVML_VALUE_NOT_AVAILABLE].
inline constexpr unsigned long long kNvmlNotAvailable = ~0ULL;

/// The GPUs in NVML's order, which is that of their bus ids [nvml.h, nvmlDeviceGetHandleByIndex].
std::vector<int> nvml_order(const drill::State& state);

/// "00000000:17:00.0", "0000:17:00.0" or "17:00.0"; -1: no such GPU.
int gpu_at(const drill::State& state, const std::string& bus_id);

nvml::PciInfo pci_info(const drill::State& state, int gpu);

enum class LinkEnd {
  now,     ///< as the link runs
  system,  ///< the best that both ends can do
  gpu,     ///< what the GPU alone can do
};
Reading<unsigned> link_generation(const drill::State& state, int gpu, LinkEnd end);
Reading<unsigned> link_width(const drill::State& state, int gpu, LinkEnd end);
Reading<unsigned> replay_counter(const drill::State& state, int gpu);

Reading<unsigned> temperature_c(const drill::State& state, int gpu, int sensor);
Reading<unsigned> threshold_c(const drill::State& state, int gpu, int threshold);
Reading<unsigned> clock_mhz(const drill::State& state, int gpu, int clock);
Reading<unsigned> max_clock_mhz(const drill::State& state, int gpu, int clock);
unsigned long long clock_reasons(const drill::State& state, int gpu);
unsigned power_mw(const drill::State& state, int gpu);
unsigned power_limit_mw(const drill::State& state, int gpu);
nvml::Utilization utilization(const drill::State& state, int gpu);

nvml::Memory memory(const drill::State& state, int gpu);
Reading<bool> mig_mode(const drill::State& state, int gpu);
/// Processes with a context on the GPU, and the foreign one, by pid.
std::vector<nvml::ProcessInfo> processes(const drill::State& state, int gpu);
Reading<unsigned long long> ecc_errors(const drill::State& state, int gpu, int error_type,
                                       int counter_type);
Reading<unsigned> remapped_rows(const drill::State& state, int gpu);

/// NVLinks that such a GPU does not have: kNotSupported; links that no GPU can have:
/// kInvalidArgument.
Reading<bool> nvlink_active(const drill::State& state, int gpu, unsigned link);
/// The GPU at the other end. A switch's address is not told.
Reading<nvml::PciInfo> nvlink_peer(const drill::State& state, int gpu, unsigned link);

/// Fills in what `value.field` (and `value.scope`, the link) reads, with its own result.
void read_field(const drill::State& state, int gpu, nvml::FieldValue& value);

}  // namespace linkburn::soft
