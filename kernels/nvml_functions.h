// The functions of NVML that linkburn calls, under the suffixed names that the library exports. X:
// needed, Y: may be missing (older or newer drivers). See runtime_functions.h.
#pragma once

#include "kernels/nvml_types.h"

#define LINKBURN_NVML_FUNCTIONS(X, Y)                                                             \
  X(nvmlInit_v2, Return, ())                                                                      \
  X(nvmlShutdown, Return, ())                                                                     \
  X(nvmlErrorString, const char*, (Return result))                                                \
  X(nvmlSystemGetDriverVersion, Return, (char* text, unsigned bytes))                             \
  X(nvmlDeviceGetCount_v2, Return, (unsigned* count))                                             \
  X(nvmlDeviceGetHandleByIndex_v2, Return, (unsigned index, Device* device))                      \
  X(nvmlDeviceGetHandleByPciBusId_v2, Return, (const char* bus_id, Device* device))               \
  X(nvmlDeviceGetPciInfo_v3, Return, (Device device, PciInfo * info))                             \
  X(nvmlDeviceGetName, Return, (Device device, char* text, unsigned bytes))                       \
  X(nvmlDeviceGetUUID, Return, (Device device, char* text, unsigned bytes))                       \
  X(nvmlDeviceGetSerial, Return, (Device device, char* text, unsigned bytes))                     \
  X(nvmlDeviceGetCurrPcieLinkGeneration, Return, (Device device, unsigned* generation))           \
  X(nvmlDeviceGetCurrPcieLinkWidth, Return, (Device device, unsigned* width))                     \
  X(nvmlDeviceGetMaxPcieLinkGeneration, Return, (Device device, unsigned* generation))            \
  X(nvmlDeviceGetMaxPcieLinkWidth, Return, (Device device, unsigned* width))                      \
  Y(nvmlDeviceGetGpuMaxPcieLinkGeneration, Return, (Device device, unsigned* generation))         \
  X(nvmlDeviceGetPcieReplayCounter, Return, (Device device, unsigned* value))                     \
  X(nvmlDeviceGetTemperature, Return, (Device device, int sensor, unsigned* celsius))             \
  X(nvmlDeviceGetTemperatureThreshold, Return, (Device device, int threshold, unsigned* celsius)) \
  X(nvmlDeviceGetClockInfo, Return, (Device device, int clock, unsigned* mhz))                    \
  X(nvmlDeviceGetMaxClockInfo, Return, (Device device, int clock, unsigned* mhz))                 \
  Y(nvmlDeviceGetCurrentClocksEventReasons, Return, (Device device, unsigned long long* reasons)) \
  Y(nvmlDeviceGetCurrentClocksThrottleReasons, Return,                                            \
    (Device device, unsigned long long* reasons))                                                 \
  X(nvmlDeviceGetPowerUsage, Return, (Device device, unsigned* milliwatts))                       \
  X(nvmlDeviceGetEnforcedPowerLimit, Return, (Device device, unsigned* milliwatts))               \
  X(nvmlDeviceGetUtilizationRates, Return, (Device device, Utilization * utilization))            \
  X(nvmlDeviceGetMemoryInfo, Return, (Device device, Memory * memory))                            \
  X(nvmlDeviceGetComputeMode, Return, (Device device, int* mode))                                 \
  Y(nvmlDeviceGetMigMode, Return, (Device device, unsigned* current, unsigned* pending))          \
  Y(nvmlDeviceGetComputeRunningProcesses_v3, Return,                                              \
    (Device device, unsigned* count, ProcessInfo* infos))                                         \
  X(nvmlDeviceGetTotalEccErrors, Return,                                                          \
    (Device device, int error_type, int counter_type, unsigned long long* count))                 \
  X(nvmlDeviceGetEccMode, Return, (Device device, int* current, int* pending))                    \
  Y(nvmlDeviceGetRemappedRows, Return,                                                            \
    (Device device, unsigned* corrected, unsigned* uncorrected, unsigned* pending,                \
     unsigned* failed))                                                                           \
  X(nvmlDeviceGetNvLinkState, Return, (Device device, unsigned link, int* active))                \
  Y(nvmlDeviceGetNvLinkRemotePciInfo_v2, Return, (Device device, unsigned link, PciInfo* info))   \
  X(nvmlDeviceGetFieldValues, Return, (Device device, int count, FieldValue* values))             \
  X(nvmlEventSetCreate, Return, (EventSet * set))                                                 \
  X(nvmlDeviceRegisterEvents, Return, (Device device, unsigned long long types, EventSet set))    \
  X(nvmlEventSetWait_v2, Return, (EventSet set, EventData * data, unsigned timeout_ms))           \
  X(nvmlEventSetFree, Return, (EventSet set))
