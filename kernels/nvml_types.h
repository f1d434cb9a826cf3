// Our own short declarations of what we use of NVML [nvml.h]; compared with the real header where
// one is at hand. Layouts of the suffixed functions, which are fixed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace linkburn::nvml {

using Device = struct nvmlDevice_st*;
using EventSet = struct nvmlEventSet_st*;

using Return = int;  ///< nvmlReturn_t
inline constexpr Return kSuccess = 0, kUninitialized = 1, kInvalidArgument = 2, kNotSupported = 3,
                        kNoPermission = 4, kNotFound = 6, kInsufficientSize = 7,
                        kDriverNotLoaded = 9, kTimeout = 10, kFunctionNotFound = 13, kGpuLost = 15,
                        kUnknown = 999;

/// nvmlPciInfo_t (v3). The domain is printed with 8 digits in `bus_id`, 4 in `bus_id_legacy`.
struct PciInfo {
  char bus_id_legacy[16];
  unsigned domain, bus, device, device_id, subsystem_id;
  char bus_id[32];
};

/// nvmlEventData_t (v2).
struct EventData {
  Device device;
  unsigned long long type, data;
  unsigned gpu_instance, compute_instance;
};

/// nvmlFieldValue_t: what one field reads, with its own result.
struct FieldValue {
  unsigned field, scope;
  long long timestamp_us, latency_us;
  int value_type;
  Return result;
  union {
    double d;
    unsigned u;
    unsigned long ul;
    unsigned long long ull;
    long long ll;
    int i;
    unsigned short us;
  } value;
};
/// nvmlValueType_t
inline constexpr int kTypeDouble = 0, kTypeUnsigned = 1, kTypeUnsignedLong = 2,
                     kTypeUnsignedLongLong = 3, kTypeLongLong = 4, kTypeInt = 5, kTypeUshort = 6;

/// nvmlUtilization_t, nvmlMemory_t, nvmlProcessInfo_t (v2).
struct Utilization {
  unsigned gpu_percent, memory_percent;
};
struct Memory {
  unsigned long long total, free, used;
};
struct ProcessInfo {
  unsigned pid;
  unsigned long long used_memory;
  unsigned gpu_instance, compute_instance;
};

/// Fields of nvmlDeviceGetFieldValues.
inline constexpr unsigned kFieldMemoryTemperature = 82, kFieldNvlinkCount = 91, kFieldReplays = 94,
                          kFieldReplayRollovers = 95, kFieldNvlinkReplays = 161,
                          kFieldNvlinkRecoveries = 162, kFieldNvlinkCrcErrors = 163,
                          kFieldNvlinkSpeed = 164, kFieldNvlinkState = 165, kFieldRecoveries = 169,
                          kFieldC2cLinkCount = 170, kFieldC2cStatus = 171,
                          kFieldC2cMaxBandwidth = 172, kFieldCorrectableErrors = 173,
                          kFieldNaksReceived = 174, kFieldReceiverErrors = 175, kFieldBadTlps = 176,
                          kFieldNaksSent = 177, kFieldBadDllps = 178;

/// nvmlTemperatureSensors_t, nvmlTemperatureThresholds_t, nvmlClockType_t, nvmlEnableState_t,
/// nvmlMemoryErrorType_t, nvmlEccCounterType_t, nvmlComputeMode_t
inline constexpr int kTemperatureGpu = 0;
inline constexpr int kThresholdShutdown = 0, kThresholdSlowdown = 1, kThresholdMemoryMax = 2,
                     kThresholdGpuMax = 3;
inline constexpr int kClockSm = 1, kClockMemory = 2;
inline constexpr int kErrorCorrected = 0, kErrorUncorrected = 1;
inline constexpr int kEccVolatile = 0, kEccAggregate = 1;
inline constexpr int kComputeDefault = 0, kComputeProhibited = 2, kComputeExclusiveProcess = 3;

/// Clock event reasons, bits [nvml.h, nvmlClocksEventReason*].
inline constexpr unsigned long long kReasonIdle = 0x1, kReasonApplicationClocks = 0x2,
                                    kReasonPowerCap = 0x4, kReasonHwSlowdown = 0x8,
                                    kReasonSyncBoost = 0x10, kReasonSwThermal = 0x20,
                                    kReasonHwThermal = 0x40, kReasonPowerBrake = 0x80;

inline constexpr unsigned long long kEventXid = 0x8;

}  // namespace linkburn::nvml
