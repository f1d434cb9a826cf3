// The field values of NVML: counters of the PCIe link, NVLinks, the way to the CPU's chip.
#include <cmath>
#include <numeric>

#include "kernels/soft/nvml_readings.h"

namespace linkburn::soft {
namespace {

using drill::State;
using namespace nvml;  // NOLINT(google-build-using-namespace): its field numbers

// Bits of the correctable error status register [PCIe 6.0, 7.8.4.5].
constexpr int kReceiverError = 0, kBadTlp = 6, kBadDllp = 7;

struct Number {
  Return result = kSuccess;
  unsigned long long value = 0;
  int type = kTypeUnsignedLongLong;
};

const Number kNone{kNotSupported};

Number memory_temperature(const drill::Gpu& gpu) {
  // Parts without the sensor read 0, and not "not supported" [domain: 5.1].
  if (gpu.thermal.memory_offset_c == 0) return {kSuccess, 0, kTypeUnsigned};
  const double celsius = gpu.temperature_c + gpu.thermal.memory_offset_c;
  return {kSuccess, static_cast<unsigned long long>(std::lround(celsius)), kTypeUnsigned};
}

Number pcie_field(const drill::Function& f, unsigned field) {
  if (f.parent < 0) return kNone;
  const auto& lower = f.lower.correctable;
  const auto& upper = f.upper.correctable;
  switch (field) {
    case kFieldReplays:
      return {kSuccess, f.replays};
    case kFieldReplayRollovers:
      return {kSuccess, f.rollovers};
    case kFieldRecoveries:
      return {kSuccess, f.recoveries};
    case kFieldCorrectableErrors:
      return {kSuccess, std::accumulate(lower.begin(), lower.end(), 0ULL)};
    case kFieldReceiverErrors:
      return {kSuccess, lower[kReceiverError]};
    case kFieldBadTlps:
    case kFieldNaksSent:
      return {kSuccess, lower[kBadTlp]};  // each is answered by a NAK
    case kFieldNaksReceived:
      return {kSuccess, upper[kBadTlp]};
    case kFieldBadDllps:
      return {kSuccess, lower[kBadDllp]};
    default:
      return kNone;
  }
}

Number nvlink_count(const drill::Gpu& gpu) {
  unsigned long long count = 0;
  for (const drill::Nvlink& link : gpu.nvlinks) count += link.used ? 1 : 0;
  return count == 0 ? kNone : Number{kSuccess, count, kTypeUnsigned};
}

Number nvlink_field(const drill::Gpu& gpu, unsigned field, unsigned link) {
  if (link >= drill::kMaxNvlinks) return {kInvalidArgument};
  const drill::Nvlink& nvlink = gpu.nvlinks[link];
  if (!nvlink.used) return kNone;
  switch (field) {
    case kFieldNvlinkReplays:
      return {kSuccess, nvlink.replays};
    case kFieldNvlinkRecoveries:
      return {kSuccess, nvlink.recoveries};
    case kFieldNvlinkCrcErrors:
      return {kSuccess, nvlink.crc_errors};
    case kFieldNvlinkState:
      return {kSuccess, nvlink.active ? 1ULL : 0ULL, kTypeUnsigned};
    case kFieldNvlinkSpeed: {  // MB/s; a link that is down has none
      const double rate_gbs = nvlink.active ? nvlink.rate_gbs : 0;
      return {kSuccess, static_cast<unsigned long long>(rate_gbs * 1000), kTypeUnsigned};
    }
    default:
      return kNone;
  }
}

/// The way to the CPU's chip is one link here, whatever number of lanes it has.
Number chip_to_chip_field(const drill::Gpu& gpu, unsigned field, unsigned link) {
  if (gpu.chip_to_chip_gbs <= 0) return kNone;
  if (field == kFieldC2cLinkCount) return {kSuccess, 1, kTypeUnsigned};
  if (link != 0) return {kInvalidArgument};
  if (field == kFieldC2cStatus) return {kSuccess, 1, kTypeUnsigned};
  return {kSuccess, static_cast<unsigned long long>(gpu.chip_to_chip_gbs * 1000), kTypeUnsigned};
}

Number number_of(const State& state, int gpu, unsigned field, unsigned scope) {
  const drill::Gpu& g = state.gpus[gpu];
  switch (field) {
    case kFieldMemoryTemperature:
      return memory_temperature(g);
    case kFieldNvlinkCount:
      return nvlink_count(g);
    case kFieldNvlinkReplays:
    case kFieldNvlinkRecoveries:
    case kFieldNvlinkCrcErrors:
    case kFieldNvlinkSpeed:
    case kFieldNvlinkState:
      return nvlink_field(g, field, scope);
    case kFieldC2cLinkCount:
    case kFieldC2cStatus:
    case kFieldC2cMaxBandwidth:
      return chip_to_chip_field(g, field, scope);
    default:
      return pcie_field(state.functions[g.function], field);
  }
}

}  // namespace

void read_field(const State& state, int gpu, FieldValue& value) {
  const Number number = number_of(state, gpu, value.field, value.scope);
  const std::int64_t now_ns = state.header.now_ns;
  value.timestamp_us = (state.header.wall_at_start_ns + now_ns) / 1000;
  value.latency_us = 0;
  value.value_type = number.type;
  value.result = number.result;
  value.value.ull = 0;
  if (number.type == kTypeUnsigned)
    value.value.u = static_cast<unsigned>(number.value);
  else
    value.value.ull = number.value;
}

}  // namespace linkburn::soft
