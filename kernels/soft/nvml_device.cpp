// The software NVML: what one device reads. The values themselves are in nvml_readings.cpp.
#include "kernels/soft/nvml_calls.h"

namespace linkburn::nvml {

using namespace soft;  // NOLINT(google-build-using-namespace): its calls
using drill::State;

extern "C" {

Return nvmlDeviceGetCurrPcieLinkGeneration(Device device, unsigned* generation) {
  return ask(__func__, device, [&](const State& state, int gpu) {
    return give(generation, link_generation(state, gpu, LinkEnd::now));
  });
}

Return nvmlDeviceGetCurrPcieLinkWidth(Device device, unsigned* width) {
  return ask(__func__, device, [&](const State& state, int gpu) {
    return give(width, link_width(state, gpu, LinkEnd::now));
  });
}

Return nvmlDeviceGetMaxPcieLinkGeneration(Device device, unsigned* generation) {
  return ask(__func__, device, [&](const State& state, int gpu) {
    return give(generation, link_generation(state, gpu, LinkEnd::system));
  });
}

Return nvmlDeviceGetMaxPcieLinkWidth(Device device, unsigned* width) {
  return ask(__func__, device, [&](const State& state, int gpu) {
    return give(width, link_width(state, gpu, LinkEnd::system));
  });
}

Return nvmlDeviceGetGpuMaxPcieLinkGeneration(Device device, unsigned* generation) {
  return ask(__func__, device, [&](const State& state, int gpu) {
    return give(generation, link_generation(state, gpu, LinkEnd::gpu));
  });
}

Return nvmlDeviceGetPcieReplayCounter(Device device, unsigned* value) {
  return ask(__func__, device,
             [&](const State& state, int gpu) { return give(value, replay_counter(state, gpu)); });
}

Return nvmlDeviceGetTemperature(Device device, int sensor, unsigned* celsius) {
  return ask(__func__, device, [&](const State& state, int gpu) {
    return give(celsius, temperature_c(state, gpu, sensor));
  });
}

Return nvmlDeviceGetTemperatureThreshold(Device device, int threshold, unsigned* celsius) {
  return ask(__func__, device, [&](const State& state, int gpu) {
    return give(celsius, threshold_c(state, gpu, threshold));
  });
}

Return nvmlDeviceGetClockInfo(Device device, int clock, unsigned* mhz) {
  return ask(__func__, device,
             [&](const State& state, int gpu) { return give(mhz, clock_mhz(state, gpu, clock)); });
}

Return nvmlDeviceGetMaxClockInfo(Device device, int clock, unsigned* mhz) {
  return ask(__func__, device, [&](const State& state, int gpu) {
    return give(mhz, max_clock_mhz(state, gpu, clock));
  });
}

Return nvmlDeviceGetCurrentClocksEventReasons(Device device, unsigned long long* reasons) {
  return ask(__func__, device, [&](const State& state, int gpu) {
    return give_value(reasons, clock_reasons(state, gpu));
  });
}

Return nvmlDeviceGetCurrentClocksThrottleReasons(Device device, unsigned long long* reasons) {
  return ask(__func__, device, [&](const State& state, int gpu) {
    return give_value(reasons, clock_reasons(state, gpu));
  });
}

Return nvmlDeviceGetPowerUsage(Device device, unsigned* milliwatts) {
  return ask(__func__, device, [&](const State& state, int gpu) {
    return give_value(milliwatts, power_mw(state, gpu));
  });
}

Return nvmlDeviceGetEnforcedPowerLimit(Device device, unsigned* milliwatts) {
  return ask(__func__, device, [&](const State& state, int gpu) {
    return give_value(milliwatts, power_limit_mw(state, gpu));
  });
}

Return nvmlDeviceGetUtilizationRates(Device device, Utilization* rates) {
  return ask(__func__, device, [&](const State& state, int gpu) {
    return give_value(rates, utilization(state, gpu));
  });
}

Return nvmlDeviceGetMemoryInfo(Device device, Memory* info) {
  return ask(__func__, device,
             [&](const State& state, int gpu) { return give_value(info, memory(state, gpu)); });
}

Return nvmlDeviceGetComputeMode(Device device, int* mode) {
  return ask(__func__, device, [&](const State& state, int gpu) {
    return give_value(mode, state.gpus[gpu].compute_mode);
  });
}

Return nvmlDeviceGetMigMode(Device device, unsigned* current, unsigned* pending) {
  return ask(__func__, device, [&](const State& state, int gpu) {
    const auto mode = mig_mode(state, gpu);
    const Return first = give(current, mode);
    return first != kSuccess ? first : give(pending, mode);
  });
}

Return nvmlDeviceGetTotalEccErrors(Device device, int error_type, int counter_type,
                                   unsigned long long* count) {
  return ask(__func__, device, [&](const State& state, int gpu) {
    return give(count, ecc_errors(state, gpu, error_type, counter_type));
  });
}

Return nvmlDeviceGetEccMode(Device device, int* current, int* pending) {
  return ask(__func__, device, [&](const State&, int) {
    constexpr int kEnabled = 1;
    const Return first = give_value(current, kEnabled);
    return first != kSuccess ? first : give_value(pending, kEnabled);
  });
}

Return nvmlDeviceGetRemappedRows(Device device, unsigned* corrected, unsigned* uncorrected,
                                 unsigned* pending, unsigned* failed) {
  return ask(__func__, device, [&](const State& state, int gpu) {
    if (corrected == nullptr || pending == nullptr || failed == nullptr) return kInvalidArgument;
    *corrected = *pending = *failed = 0;
    return give(uncorrected, remapped_rows(state, gpu));
  });
}

Return nvmlDeviceGetNvLinkState(Device device, unsigned link, int* active) {
  return ask(__func__, device, [&](const State& state, int gpu) {
    return give(active, nvlink_active(state, gpu, link));
  });
}

Return nvmlDeviceGetNvLinkRemotePciInfo_v2(Device device, unsigned link, PciInfo* info) {
  return ask(__func__, device, [&](const State& state, int gpu) {
    return give(info, nvlink_peer(state, gpu, link));
  });
}

Return nvmlDeviceGetFieldValues(Device device, int count, FieldValue* values) {
  return ask(__func__, device, [&](const State& state, int gpu) {
    if (count < 1 || values == nullptr) return kInvalidArgument;
    for (int n = 0; n < count; ++n) read_field(state, gpu, values[n]);
    return kSuccess;
  });
}

}  // extern "C"

}  // namespace linkburn::nvml
