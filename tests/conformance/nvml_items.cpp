// NVML: readings that are possible, that agree with each other, and events.
#include <unistd.h>

#include <algorithm>
#include <array>

#include "tests/conformance/holders.h"
#include "tests/conformance/nvml_devices.h"

namespace linkburn::conformance {
namespace {

void nvml_counts_its_users(Probe& p) {
  const auto& nvml = p.on().nvml;
  unsigned count = 0;
  p.works(nvml.nvmlInit_v2(), "a second nvmlInit");
  p.works(nvml.nvmlShutdown(), "nvmlShutdown");
  p.works(nvml.nvmlDeviceGetCount_v2(&count), "nvmlDeviceGetCount with one user left");
  p.works(nvml.nvmlShutdown(), "nvmlShutdown of the last");
  p.result(nvml.nvmlDeviceGetCount_v2(&count), nvml::kUninitialized,
           "nvmlDeviceGetCount without a user");
  p.works(nvml.nvmlInit_v2(), "nvmlInit again");
}

void nvml_results_have_words(Probe& p) {
  for (const int result : {nvml::kSuccess, nvml::kNotSupported, nvml::kGpuLost, nvml::kTimeout}) {
    const char* words = p.on().nvml.nvmlErrorString(result);
    p.expect(words != nullptr && *words != '\0', fmt::format("none for {}", result));
  }
}

void the_driver_has_a_version(Probe& p) {
  std::array<char, 96> text{};
  p.works(p.on().nvml.nvmlSystemGetDriverVersion(text.data(), text.size()),
          "nvmlSystemGetDriverVersion");
  p.expect(text[0] >= '0' && text[0] <= '9', text.data());
  p.result(p.on().nvml.nvmlSystemGetDriverVersion(text.data(), 1), nvml::kInsufficientSize,
           "nvmlSystemGetDriverVersion into one byte");
}

void temperatures_are_possible(Probe& p) {
  for (const NvmlDevice& device : nvml_devices(p)) {
    unsigned celsius = 0, slowdown = 0, shutdown = 0;
    const auto& nvml = p.on().nvml;
    p.works(nvml.nvmlDeviceGetTemperature(device.handle, nvml::kTemperatureGpu, &celsius),
            "nvmlDeviceGetTemperature");
    p.expect(celsius > 5 && celsius < 120, fmt::format("{} C", celsius));
    const int result =
        nvml.nvmlDeviceGetTemperatureThreshold(device.handle, nvml::kThresholdSlowdown, &slowdown);
    if (result == nvml::kNotSupported) continue;  // newer parts tell offsets instead
    p.works(result, "nvmlDeviceGetTemperatureThreshold");
    p.works(
        nvml.nvmlDeviceGetTemperatureThreshold(device.handle, nvml::kThresholdShutdown, &shutdown),
        "nvmlDeviceGetTemperatureThreshold");
    p.expect(celsius < shutdown && slowdown <= shutdown && slowdown > 50,
             fmt::format("{} C, slowdown {} C, shutdown {} C", celsius, slowdown, shutdown));
  }
}

void clocks_are_possible(Probe& p) {
  for (const NvmlDevice& device : nvml_devices(p))
    for (const int clock : {nvml::kClockSm, nvml::kClockMemory}) {
      unsigned now = 0, most = 0;
      p.works(p.on().nvml.nvmlDeviceGetClockInfo(device.handle, clock, &now),
              "nvmlDeviceGetClockInfo");
      p.works(p.on().nvml.nvmlDeviceGetMaxClockInfo(device.handle, clock, &most),
              "nvmlDeviceGetMaxClockInfo");
      p.expect(now > 0 && now <= most, fmt::format("{} MHz of {} MHz", now, most));
    }
}

void power_is_possible(Probe& p) {
  const auto& nvml = p.on().nvml;
  for (const NvmlDevice& device : nvml_devices(p)) {
    const auto now = reading(p, nvml.nvmlDeviceGetPowerUsage, device, "nvmlDeviceGetPowerUsage");
    const auto limit =
        reading(p, nvml.nvmlDeviceGetEnforcedPowerLimit, device, "nvmlDeviceGetEnforcedPowerLimit");
    p.expect(now > 1000 && limit > 10'000 && now < 2 * limit,
             fmt::format("{} mW of {} mW", now, limit));
  }
}

void reasons_are_known_bits(Probe& p) {
  constexpr long long kKnown = 0x1ff;
  const auto& nvml = p.on().nvml;
  const auto call = nvml.nvmlDeviceGetCurrentClocksEventReasons != nullptr
                        ? nvml.nvmlDeviceGetCurrentClocksEventReasons
                        : nvml.nvmlDeviceGetCurrentClocksThrottleReasons;
  if (!p.expect(call != nullptr, "the library has neither call")) return;
  for (const NvmlDevice& device : nvml_devices(p)) {
    const auto reasons = reading(p, call, device, "the call for clock event reasons");
    p.expect(reasons >= 0 && (reasons & ~kKnown) == 0, fmt::format("{:x}", reasons));
  }
}

void utilization_is_a_percentage(Probe& p) {
  for (const NvmlDevice& device : nvml_devices(p)) {
    nvml::Utilization rates{};
    const int result = p.on().nvml.nvmlDeviceGetUtilizationRates(device.handle, &rates);
    if (result == nvml::kNotSupported) return p.skip("not supported in MIG mode");
    p.works(result, "nvmlDeviceGetUtilizationRates");
    p.expect(rates.gpu_percent <= 100, fmt::format("{} %", rates.gpu_percent));
  }
}

nvml::Memory memory_of(Probe& p, const NvmlDevice& device) {
  nvml::Memory memory{};
  p.works(p.on().nvml.nvmlDeviceGetMemoryInfo(device.handle, &memory), "nvmlDeviceGetMemoryInfo");
  p.expect(memory.total > 0 && memory.used <= memory.total,
           fmt::format("{} bytes used of {}", memory.used, memory.total));
  return memory;
}

void memory_shows_in_nvml(Probe& p) {
  constexpr std::size_t kBytes = 4 << 20;
  for (const NvmlDevice& device : nvml_devices(p)) {
    const CurrentDevice on(p, device.ordinal);
    p.works(p.on().runtime.cudaFree(nullptr), "cudaFree of null");
    const auto before = memory_of(p, device);
    const DeviceMemory memory(p, kBytes);
    const auto with = memory_of(p, device);
    p.expect(with.used >= before.used + kBytes,
             fmt::format("{} bytes used, then {}", before.used, with.used));
    std::size_t free = 0, total = 0;
    p.works(p.on().runtime.cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    const double share = static_cast<double>(total) / static_cast<double>(with.total);
    p.expect(share > 0.9 && share < 1.1, fmt::format("{} bytes and {}", total, with.total));
  }
}

void own_process_is_listed(Probe& p) {
  const auto call = p.on().nvml.nvmlDeviceGetComputeRunningProcesses_v3;
  if (call == nullptr) return p.skip("the library has no such call");
  const auto devices = nvml_devices(p);
  if (devices.empty()) return;
  const OwnStream stream(p);  // a context on device 0
  std::array<nvml::ProcessInfo, 256> infos{};
  auto count = static_cast<unsigned>(infos.size());
  if (!p.works(call(devices[0].handle, &count, infos.data()), "the call for processes")) return;
  const auto own = static_cast<unsigned>(::getpid());
  const bool listed = std::any_of(infos.begin(), infos.begin() + count,
                                  [&](const nvml::ProcessInfo& info) { return info.pid == own; });
  if (!listed && !p.on().drill) return p.skip("other process numbers here, as in a container");
  p.expect(listed, fmt::format("{} processes, and not this one", count));
  unsigned none = 0;
  p.result(call(devices[0].handle, &none, nullptr), nvml::kInsufficientSize,
           "the call for processes without room");
  p.expect(none == count, fmt::format("it asks for room for {} of {}", none, count));
}

void mig_mode_is_told(Probe& p) {
  const auto call = p.on().nvml.nvmlDeviceGetMigMode;
  if (call == nullptr) return p.skip("the library has no such call");
  for (const NvmlDevice& device : nvml_devices(p)) {
    unsigned current = 7, pending = 7;
    const int result = call(device.handle, &current, &pending);
    if (result == nvml::kNotSupported) continue;
    p.works(result, "nvmlDeviceGetMigMode");
    p.expect(current <= 1 && pending <= 1, fmt::format("{} and {}", current, pending));
  }
}

void ecc_errors_are_counted(Probe& p) {
  for (const NvmlDevice& device : nvml_devices(p)) {
    int current = 0, pending = 0;
    const int mode = p.on().nvml.nvmlDeviceGetEccMode(device.handle, &current, &pending);
    if (mode == nvml::kNotSupported || current == 0) return p.skip("no ECC");
    p.works(mode, "nvmlDeviceGetEccMode");
    for (const int type : {nvml::kErrorCorrected, nvml::kErrorUncorrected}) {
      unsigned long long volatiles = 0;
      p.works(p.on().nvml.nvmlDeviceGetTotalEccErrors(device.handle, type, nvml::kEccVolatile,
                                                      &volatiles),
              "nvmlDeviceGetTotalEccErrors");
    }
  }
}

void rows_are_counted(Probe& p) {
  const auto call = p.on().nvml.nvmlDeviceGetRemappedRows;
  if (call == nullptr) return p.skip("the library has no such call");
  for (const NvmlDevice& device : nvml_devices(p)) {
    unsigned corrected = 0, uncorrected = 0, pending = 7, failed = 7;
    const int result = call(device.handle, &corrected, &uncorrected, &pending, &failed);
    if (result == nvml::kNotSupported) return p.skip("no row remapping");
    p.works(result, "nvmlDeviceGetRemappedRows");
    p.expect(pending <= 1 && failed <= 1, fmt::format("pending {}, failed {}", pending, failed));
  }
}

void a_wait_for_events_ends(Probe& p) {
  nvml::EventSet set = nullptr;
  const auto& nvml = p.on().nvml;
  if (!p.works(nvml.nvmlEventSetCreate(&set), "nvmlEventSetCreate")) return;
  for (const NvmlDevice& device : nvml_devices(p))
    p.works(nvml.nvmlDeviceRegisterEvents(device.handle, nvml::kEventXid, set),
            "nvmlDeviceRegisterEvents");
  nvml::EventData data{};
  const Instant before = p.on().clock->now();
  p.result(nvml.nvmlEventSetWait_v2(set, &data, 300), nvml::kTimeout, "nvmlEventSetWait");
  const std::chrono::duration<double, std::milli> waited = p.on().clock->now() - before;
  p.expect(waited.count() >= 290 && waited.count() < 30'000,
           fmt::format("it waited {} ms of 300", waited.count()));
  p.works(nvml.nvmlEventSetFree(set), "nvmlEventSetFree");
}

constexpr Item kItems[] = {
    {"NVML counts its users", "one start per worker", nvml_counts_its_users},
    {"results of NVML have words", "every message of an error", nvml_results_have_words},
    {"the driver has a version", "doctor, evidence", the_driver_has_a_version},
    {"temperatures are possible ones and below their thresholds", "heat, limits",
     temperatures_are_possible},
    {"clocks are possible ones and below their most", "throttle findings", clocks_are_possible},
    {"power is possible", "heat", power_is_possible},
    {"clock event reasons are known bits", "throttle findings", reasons_are_known_bits},
    {"utilization is a percentage", "check before a run", utilization_is_a_percentage, false},
    {"an allocation shows in NVML, and both totals agree", "check before a run",
     memory_shows_in_nvml},
    {"the process is listed, and a list without room says how long it is", "check before a run",
     own_process_is_listed, false},
    {"MIG mode is told", "check before a run", mig_mode_is_told, false},
    {"ECC errors are counted", "silent errors", ecc_errors_are_counted, false},
    {"remapped rows are counted", "silent errors", rows_are_counted, false},
    {"a wait for events ends in time", "Xid watch", a_wait_for_events_ends},
};

}  // namespace

std::span<const Item> nvml_items() { return kItems; }

}  // namespace linkburn::conformance
