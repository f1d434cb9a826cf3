// Compares our declarations with nvml.h, when this file is compiled. Only built where nvml.h is.
// kTypeInt and kTypeUshort are left out: not every nvml.h that we take has them.
// What was compared by hand instead, and with what, says kernels/README.md.
#include <gtest/gtest.h>
#include <nvml.h>

#include "kernels/nvml_functions.h"
#include "tests/kernels/same_shape.h"

namespace linkburn::nvml {
namespace {

using test::same_function;

#define SAME_FUNCTION(name, result, parameters) \
  static_assert(same_function<result parameters, decltype(::name)>, #name);
LINKBURN_NVML_FUNCTIONS(SAME_FUNCTION, SAME_FUNCTION)

#define SAME_VALUE(ours, real) static_assert(test::same_value(ours, real), #real)
SAME_VALUE(kSuccess, NVML_SUCCESS);
SAME_VALUE(kUninitialized, NVML_ERROR_UNINITIALIZED);
SAME_VALUE(kInvalidArgument, NVML_ERROR_INVALID_ARGUMENT);
SAME_VALUE(kNotSupported, NVML_ERROR_NOT_SUPPORTED);
SAME_VALUE(kNoPermission, NVML_ERROR_NO_PERMISSION);
SAME_VALUE(kNotFound, NVML_ERROR_NOT_FOUND);
SAME_VALUE(kInsufficientSize, NVML_ERROR_INSUFFICIENT_SIZE);
SAME_VALUE(kDriverNotLoaded, NVML_ERROR_DRIVER_NOT_LOADED);
SAME_VALUE(kTimeout, NVML_ERROR_TIMEOUT);
SAME_VALUE(kFunctionNotFound, NVML_ERROR_FUNCTION_NOT_FOUND);
SAME_VALUE(kGpuLost, NVML_ERROR_GPU_IS_LOST);
SAME_VALUE(kUnknown, NVML_ERROR_UNKNOWN);
SAME_VALUE(kTypeDouble, NVML_VALUE_TYPE_DOUBLE);
SAME_VALUE(kTypeUnsigned, NVML_VALUE_TYPE_UNSIGNED_INT);
SAME_VALUE(kTypeUnsignedLong, NVML_VALUE_TYPE_UNSIGNED_LONG);
SAME_VALUE(kTypeUnsignedLongLong, NVML_VALUE_TYPE_UNSIGNED_LONG_LONG);
SAME_VALUE(kTypeLongLong, NVML_VALUE_TYPE_SIGNED_LONG_LONG);
SAME_VALUE(kFieldMemoryTemperature, NVML_FI_DEV_MEMORY_TEMP);
SAME_VALUE(kFieldNvlinkCount, NVML_FI_DEV_NVLINK_LINK_COUNT);
SAME_VALUE(kFieldReplays, NVML_FI_DEV_PCIE_REPLAY_COUNTER);
SAME_VALUE(kFieldReplayRollovers, NVML_FI_DEV_PCIE_REPLAY_ROLLOVER_COUNTER);
SAME_VALUE(kFieldNvlinkReplays, NVML_FI_DEV_NVLINK_ERROR_DL_REPLAY);
SAME_VALUE(kFieldNvlinkRecoveries, NVML_FI_DEV_NVLINK_ERROR_DL_RECOVERY);
SAME_VALUE(kFieldNvlinkCrcErrors, NVML_FI_DEV_NVLINK_ERROR_DL_CRC);
SAME_VALUE(kFieldNvlinkSpeed, NVML_FI_DEV_NVLINK_GET_SPEED);
SAME_VALUE(kFieldNvlinkState, NVML_FI_DEV_NVLINK_GET_STATE);
SAME_VALUE(kFieldRecoveries, NVML_FI_DEV_PCIE_L0_TO_RECOVERY_COUNTER);
SAME_VALUE(kFieldC2cLinkCount, NVML_FI_DEV_C2C_LINK_COUNT);
SAME_VALUE(kFieldC2cStatus, NVML_FI_DEV_C2C_LINK_GET_STATUS);
SAME_VALUE(kFieldC2cMaxBandwidth, NVML_FI_DEV_C2C_LINK_GET_MAX_BW);
SAME_VALUE(kFieldCorrectableErrors, NVML_FI_DEV_PCIE_COUNT_CORRECTABLE_ERRORS);
SAME_VALUE(kFieldNaksReceived, NVML_FI_DEV_PCIE_COUNT_NAKS_RECEIVED);
SAME_VALUE(kFieldReceiverErrors, NVML_FI_DEV_PCIE_COUNT_RECEIVER_ERROR);
SAME_VALUE(kFieldBadTlps, NVML_FI_DEV_PCIE_COUNT_BAD_TLP);
SAME_VALUE(kFieldNaksSent, NVML_FI_DEV_PCIE_COUNT_NAKS_SENT);
SAME_VALUE(kFieldBadDllps, NVML_FI_DEV_PCIE_COUNT_BAD_DLLP);
SAME_VALUE(kTemperatureGpu, NVML_TEMPERATURE_GPU);
SAME_VALUE(kThresholdShutdown, NVML_TEMPERATURE_THRESHOLD_SHUTDOWN);
SAME_VALUE(kThresholdSlowdown, NVML_TEMPERATURE_THRESHOLD_SLOWDOWN);
SAME_VALUE(kThresholdMemoryMax, NVML_TEMPERATURE_THRESHOLD_MEM_MAX);
SAME_VALUE(kThresholdGpuMax, NVML_TEMPERATURE_THRESHOLD_GPU_MAX);
SAME_VALUE(kClockSm, NVML_CLOCK_SM);
SAME_VALUE(kClockMemory, NVML_CLOCK_MEM);
SAME_VALUE(kErrorCorrected, NVML_MEMORY_ERROR_TYPE_CORRECTED);
SAME_VALUE(kErrorUncorrected, NVML_MEMORY_ERROR_TYPE_UNCORRECTED);
SAME_VALUE(kEccVolatile, NVML_VOLATILE_ECC);
SAME_VALUE(kEccAggregate, NVML_AGGREGATE_ECC);
SAME_VALUE(kComputeDefault, NVML_COMPUTEMODE_DEFAULT);
SAME_VALUE(kComputeProhibited, NVML_COMPUTEMODE_PROHIBITED);
SAME_VALUE(kComputeExclusiveProcess, NVML_COMPUTEMODE_EXCLUSIVE_PROCESS);
// Under the older of their two names, which every header has.
SAME_VALUE(kReasonIdle, nvmlClocksThrottleReasonGpuIdle);
SAME_VALUE(kReasonApplicationClocks, nvmlClocksThrottleReasonApplicationsClocksSetting);
SAME_VALUE(kReasonPowerCap, nvmlClocksThrottleReasonSwPowerCap);
SAME_VALUE(kReasonHwSlowdown, nvmlClocksThrottleReasonHwSlowdown);
SAME_VALUE(kReasonSyncBoost, nvmlClocksThrottleReasonSyncBoost);
SAME_VALUE(kReasonSwThermal, nvmlClocksThrottleReasonSwThermalSlowdown);
SAME_VALUE(kReasonHwThermal, nvmlClocksThrottleReasonHwThermalSlowdown);
SAME_VALUE(kReasonPowerBrake, nvmlClocksThrottleReasonHwPowerBrakeSlowdown);
SAME_VALUE(kEventXid, nvmlEventTypeXidCriticalError);

#define SAME_MEMBER(ours, member, real, real_member)                                       \
  static_assert(offsetof(ours, member) == offsetof(real, real_member) &&                   \
                    sizeof(decltype(ours::member)) == sizeof(decltype(real::real_member)), \
                #real_member)
static_assert(sizeof(PciInfo) == sizeof(nvmlPciInfo_t));
SAME_MEMBER(PciInfo, bus_id_legacy, nvmlPciInfo_t, busIdLegacy);
SAME_MEMBER(PciInfo, domain, nvmlPciInfo_t, domain);
SAME_MEMBER(PciInfo, bus, nvmlPciInfo_t, bus);
SAME_MEMBER(PciInfo, device, nvmlPciInfo_t, device);
SAME_MEMBER(PciInfo, device_id, nvmlPciInfo_t, pciDeviceId);
SAME_MEMBER(PciInfo, subsystem_id, nvmlPciInfo_t, pciSubSystemId);
SAME_MEMBER(PciInfo, bus_id, nvmlPciInfo_t, busId);
static_assert(sizeof(EventData) == sizeof(nvmlEventData_t));
SAME_MEMBER(EventData, device, nvmlEventData_t, device);
SAME_MEMBER(EventData, type, nvmlEventData_t, eventType);
SAME_MEMBER(EventData, data, nvmlEventData_t, eventData);
SAME_MEMBER(EventData, gpu_instance, nvmlEventData_t, gpuInstanceId);
SAME_MEMBER(EventData, compute_instance, nvmlEventData_t, computeInstanceId);
static_assert(sizeof(FieldValue) == sizeof(nvmlFieldValue_t));
SAME_MEMBER(FieldValue, field, nvmlFieldValue_t, fieldId);
SAME_MEMBER(FieldValue, scope, nvmlFieldValue_t, scopeId);
SAME_MEMBER(FieldValue, timestamp_us, nvmlFieldValue_t, timestamp);
SAME_MEMBER(FieldValue, latency_us, nvmlFieldValue_t, latencyUsec);
SAME_MEMBER(FieldValue, value_type, nvmlFieldValue_t, valueType);
SAME_MEMBER(FieldValue, result, nvmlFieldValue_t, nvmlReturn);
SAME_MEMBER(FieldValue, value, nvmlFieldValue_t, value);
static_assert(sizeof(Utilization) == sizeof(nvmlUtilization_t));
SAME_MEMBER(Utilization, gpu_percent, nvmlUtilization_t, gpu);
SAME_MEMBER(Utilization, memory_percent, nvmlUtilization_t, memory);
static_assert(sizeof(Memory) == sizeof(nvmlMemory_t));
SAME_MEMBER(Memory, total, nvmlMemory_t, total);
SAME_MEMBER(Memory, free, nvmlMemory_t, free);
SAME_MEMBER(Memory, used, nvmlMemory_t, used);
static_assert(sizeof(ProcessInfo) == sizeof(nvmlProcessInfo_t));
SAME_MEMBER(ProcessInfo, pid, nvmlProcessInfo_t, pid);
SAME_MEMBER(ProcessInfo, used_memory, nvmlProcessInfo_t, usedGpuMemory);
SAME_MEMBER(ProcessInfo, gpu_instance, nvmlProcessInfo_t, gpuInstanceId);
SAME_MEMBER(ProcessInfo, compute_instance, nvmlProcessInfo_t, computeInstanceId);

TEST(NvmlHeader, IsOfAnNvmlThatIsCompared) { EXPECT_GE(NVML_API_VERSION, 12); }

}  // namespace
}  // namespace linkburn::nvml
