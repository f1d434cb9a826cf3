#include "kernels/nvml_device.h"

#include <algorithm>

#include "bench/base/component.h"
#include "kernels/cuda_error.h"

namespace linkburn {
namespace {

/// Long enough for every name, serial and UUID [nvml.h, NVML_DEVICE_NAME_V2_BUFFER_SIZE,
/// NVML_DEVICE_UUID_V2_BUFFER_SIZE].
constexpr unsigned kTextBytes = 96;

/// "Not supported" is an answer, and so is a function that this version of the library lacks.
bool is_not_there(nvml::Return result) {
  return result == nvml::kNotSupported || result == nvml::kFunctionNotFound;
}

template <class T>
NvmlReading<T> reading(const NvmlDevice& device, std::string_view call, nvml::Return result,
                       T value) {
  if (is_not_there(result)) return std::optional<T>();
  if (result != nvml::kSuccess) return device.error(call, result);
  return std::optional<T>(std::move(value));
}

template <class T>
NvmlReading<T> ask(const NvmlDevice& device, std::string_view call,
                   nvml::Return (*function)(nvml::Device, T*)) {
  if (function == nullptr) return std::optional<T>();
  T value{};
  const nvml::Return result = function(device.get(), &value);
  return reading(device, call, result, value);
}

template <class T, class Which>
NvmlReading<T> ask(const NvmlDevice& device, std::string_view call,
                   nvml::Return (*function)(nvml::Device, Which, T*), Which which) {
  if (function == nullptr) return std::optional<T>();
  T value{};
  const nvml::Return result = function(device.get(), which, &value);
  return reading(device, call, result, value);
}

NvmlReading<std::string> ask_text(const NvmlDevice& device, std::string_view call,
                                  nvml::Return (*function)(nvml::Device, char*, unsigned)) {
  char text[kTextBytes] = {};
  const nvml::Return result = function(device.get(), text, kTextBytes - 1);
  return reading(device, call, result, std::string(text));
}

int number_of(NvmlClock clock) {
  return clock == NvmlClock::sm ? nvml::kClockSm : nvml::kClockMemory;
}

int number_of(TemperatureLimit limit) {
  switch (limit) {
    case TemperatureLimit::shutdown:
      return nvml::kThresholdShutdown;
    case TemperatureLimit::slowdown:
      return nvml::kThresholdSlowdown;
    case TemperatureLimit::memory_max:
      return nvml::kThresholdMemoryMax;
    case TemperatureLimit::gpu_max:
      break;
  }
  return nvml::kThresholdGpuMax;
}

std::optional<double> number_in(const nvml::FieldValue& field) {
  switch (field.value_type) {
    case nvml::kTypeDouble:
      return field.value.d;
    case nvml::kTypeUnsigned:
      return field.value.u;
    case nvml::kTypeUnsignedLong:
      return static_cast<double>(field.value.ul);
    case nvml::kTypeUnsignedLongLong:
      return static_cast<double>(field.value.ull);
    case nvml::kTypeLongLong:
      return static_cast<double>(field.value.ll);
    case nvml::kTypeInt:
      return field.value.i;
    case nvml::kTypeUshort:
      return field.value.us;
    default:
      return std::nullopt;  // a type of a newer driver
  }
}

}  // namespace

Result<Nvml> Nvml::start(const nvml::NvmlTable& table) {
  if (const nvml::Return result = table.nvmlInit_v2(); result != nvml::kSuccess)
    return nvml_error(table, "nvmlInit_v2", {}, result);
  return Nvml(table);
}

Nvml::~Nvml() {
  if (table_ != nullptr) (void)table_->nvmlShutdown();
}

Result<std::string> Nvml::driver_version() const {
  char text[kTextBytes] = {};
  const nvml::Return result = table_->nvmlSystemGetDriverVersion(text, kTextBytes - 1);
  if (result != nvml::kSuccess)
    return nvml_error(*table_, "nvmlSystemGetDriverVersion", {}, result);
  return std::string(text);
}

Result<std::vector<std::string>> Nvml::addresses() const {
  unsigned count = 0;
  if (const nvml::Return result = table_->nvmlDeviceGetCount_v2(&count); result != nvml::kSuccess)
    return nvml_error(*table_, "nvmlDeviceGetCount_v2", {}, result);
  std::vector<std::string> addresses;
  for (unsigned index = 0; index < count; ++index) {
    nvml::Device device = nullptr;
    nvml::PciInfo info{};
    if (table_->nvmlDeviceGetHandleByIndex_v2(index, &device) != nvml::kSuccess ||
        table_->nvmlDeviceGetPciInfo_v3(device, &info) != nvml::kSuccess)
      continue;
    addresses.push_back(to_string(PciAddress{info.domain, static_cast<std::uint8_t>(info.bus),
                                             static_cast<std::uint8_t>(info.device), 0}));
  }
  return addresses;
}

Result<NvmlDevice> NvmlDevice::find(const Nvml& nvml, const std::string& address) {
  NvmlDevice device(nvml.table(), address);
  if (const nvml::Return result =
          nvml.table().nvmlDeviceGetHandleByPciBusId_v2(address.c_str(), &device.device_);
      result != nvml::kSuccess)
    return device.error("nvmlDeviceGetHandleByPciBusId_v2", result);
  return device;
}

Error NvmlDevice::error(std::string_view call, nvml::Return result) const {
  return nvml_error(*table_, call, address_, result);
}

NvmlReading<std::string> NvmlDevice::name() const {
  return ask_text(*this, "nvmlDeviceGetName", table_->nvmlDeviceGetName);
}

NvmlReading<std::string> NvmlDevice::serial() const {
  return ask_text(*this, "nvmlDeviceGetSerial", table_->nvmlDeviceGetSerial);
}

NvmlReading<std::string> NvmlDevice::uuid() const {
  return ask_text(*this, "nvmlDeviceGetUUID", table_->nvmlDeviceGetUUID);
}

NvmlReading<unsigned> NvmlDevice::link_generation() const {
  return ask(*this, "nvmlDeviceGetCurrPcieLinkGeneration",
             table_->nvmlDeviceGetCurrPcieLinkGeneration);
}

NvmlReading<unsigned> NvmlDevice::link_width() const {
  return ask(*this, "nvmlDeviceGetCurrPcieLinkWidth", table_->nvmlDeviceGetCurrPcieLinkWidth);
}

NvmlReading<unsigned> NvmlDevice::max_link_generation() const {
  return ask(*this, "nvmlDeviceGetMaxPcieLinkGeneration",
             table_->nvmlDeviceGetMaxPcieLinkGeneration);
}

NvmlReading<unsigned> NvmlDevice::gpu_max_link_generation() const {
  return ask(*this, "nvmlDeviceGetGpuMaxPcieLinkGeneration",
             table_->nvmlDeviceGetGpuMaxPcieLinkGeneration);
}

NvmlReading<unsigned> NvmlDevice::max_link_width() const {
  return ask(*this, "nvmlDeviceGetMaxPcieLinkWidth", table_->nvmlDeviceGetMaxPcieLinkWidth);
}

NvmlReading<unsigned> NvmlDevice::replays() const {
  return ask(*this, "nvmlDeviceGetPcieReplayCounter", table_->nvmlDeviceGetPcieReplayCounter);
}

NvmlReading<unsigned> NvmlDevice::temperature_c() const {
  return ask(*this, "nvmlDeviceGetTemperature", table_->nvmlDeviceGetTemperature,
             nvml::kTemperatureGpu);
}

NvmlReading<unsigned> NvmlDevice::temperature_limit_c(TemperatureLimit limit) const {
  return ask(*this, "nvmlDeviceGetTemperatureThreshold", table_->nvmlDeviceGetTemperatureThreshold,
             number_of(limit));
}

NvmlReading<unsigned> NvmlDevice::clock_mhz(NvmlClock clock) const {
  return ask(*this, "nvmlDeviceGetClockInfo", table_->nvmlDeviceGetClockInfo, number_of(clock));
}

NvmlReading<unsigned> NvmlDevice::max_clock_mhz(NvmlClock clock) const {
  return ask(*this, "nvmlDeviceGetMaxClockInfo", table_->nvmlDeviceGetMaxClockInfo,
             number_of(clock));
}

NvmlReading<unsigned> NvmlDevice::power_mw() const {
  return ask(*this, "nvmlDeviceGetPowerUsage", table_->nvmlDeviceGetPowerUsage);
}

NvmlReading<unsigned> NvmlDevice::power_limit_mw() const {
  return ask(*this, "nvmlDeviceGetEnforcedPowerLimit", table_->nvmlDeviceGetEnforcedPowerLimit);
}

NvmlReading<std::uint64_t> NvmlDevice::event_reasons() const {
  // The function got a new name with CUDA 12.2, and old drivers have only the old one.
  auto* const function = table_->nvmlDeviceGetCurrentClocksEventReasons != nullptr
                             ? table_->nvmlDeviceGetCurrentClocksEventReasons
                             : table_->nvmlDeviceGetCurrentClocksThrottleReasons;
  const auto bits = ask(*this, "nvmlDeviceGetCurrentClocksEventReasons", function);
  if (!bits) return bits.error();
  if (!*bits) return std::optional<std::uint64_t>();
  return std::optional<std::uint64_t>(**bits);
}

NvmlReading<EccCounts> NvmlDevice::ecc_errors() const {
  constexpr const char* kCall = "nvmlDeviceGetTotalEccErrors";
  unsigned long long counts[2] = {};
  for (const int type : {nvml::kErrorCorrected, nvml::kErrorUncorrected}) {
    const nvml::Return result =
        table_->nvmlDeviceGetTotalEccErrors(device_, type, nvml::kEccVolatile, &counts[type]);
    if (result != nvml::kSuccess) return reading(*this, kCall, result, EccCounts{});
  }
  return std::optional<EccCounts>(
      EccCounts{counts[nvml::kErrorCorrected], counts[nvml::kErrorUncorrected]});
}

NvmlReading<RemappedRows> NvmlDevice::remapped_rows() const {
  if (table_->nvmlDeviceGetRemappedRows == nullptr) return std::optional<RemappedRows>();
  RemappedRows rows;
  unsigned pending = 0, failed = 0;
  const nvml::Return result = table_->nvmlDeviceGetRemappedRows(
      device_, &rows.corrected, &rows.uncorrected, &pending, &failed);
  rows.pending = pending != 0;
  rows.failed = failed != 0;
  return reading(*this, "nvmlDeviceGetRemappedRows", result, rows);
}

NvmlReading<int> NvmlDevice::compute_mode() const {
  return ask(*this, "nvmlDeviceGetComputeMode", table_->nvmlDeviceGetComputeMode);
}

NvmlReading<bool> NvmlDevice::mig_enabled() const {
  if (table_->nvmlDeviceGetMigMode == nullptr) return std::optional<bool>();
  unsigned current = 0, pending = 0;
  const nvml::Return result = table_->nvmlDeviceGetMigMode(device_, &current, &pending);
  return reading(*this, "nvmlDeviceGetMigMode", result, current != 0);
}

NvmlReading<std::vector<unsigned>> NvmlDevice::process_ids() const {
  using Ids = std::vector<unsigned>;
  if (table_->nvmlDeviceGetComputeRunningProcesses_v3 == nullptr) return std::optional<Ids>();
  std::vector<nvml::ProcessInfo> infos(32);
  unsigned count = 0;
  nvml::Return result = nvml::kInsufficientSize;
  // Processes may come between two tries.
  for (int tries = 0; tries < 3 && result == nvml::kInsufficientSize; ++tries) {
    infos.resize(std::max<std::size_t>(infos.size(), 2UL * count));
    count = static_cast<unsigned>(infos.size());
    result = table_->nvmlDeviceGetComputeRunningProcesses_v3(device_, &count, infos.data());
  }
  Ids ids;
  if (result == nvml::kSuccess)
    for (unsigned i = 0; i < count; ++i) ids.push_back(infos[i].pid);
  return reading(*this, "nvmlDeviceGetComputeRunningProcesses_v3", result, std::move(ids));
}

NvmlReading<bool> NvmlDevice::nvlink_active(unsigned link) const {
  int active = 0;
  const nvml::Return result = table_->nvmlDeviceGetNvLinkState(device_, link, &active);
  // A link number beyond those that the GPU has is an invalid argument.
  if (result == nvml::kInvalidArgument) return std::optional<bool>();
  return reading(*this, "nvmlDeviceGetNvLinkState", result, active != 0);
}

Result<std::vector<NvmlReading<double>>> NvmlDevice::fields(
    std::span<const NvmlField> questions) const {
  constexpr const char* kCall = "nvmlDeviceGetFieldValues";
  std::vector<nvml::FieldValue> values(questions.size());
  for (std::size_t i = 0; i < questions.size(); ++i) {
    values[i].field = questions[i].field;
    values[i].scope = questions[i].scope;
  }
  const nvml::Return result =
      table_->nvmlDeviceGetFieldValues(device_, static_cast<int>(values.size()), values.data());
  if (result != nvml::kSuccess && !is_not_there(result)) return error(kCall, result);
  std::vector<NvmlReading<double>> answers;
  for (const nvml::FieldValue& value : values) {
    const nvml::Return own = result == nvml::kSuccess ? value.result : result;
    if (own != nvml::kSuccess)
      answers.push_back(reading(*this, kCall, own, 0.0));
    else
      answers.emplace_back(number_in(value));
  }
  return answers;
}

Result<XidEvents> XidEvents::create(const Nvml& nvml) {
  XidEvents events(nvml.table());
  if (const nvml::Return result = nvml.table().nvmlEventSetCreate(&events.set_);
      result != nvml::kSuccess)
    return nvml_error(nvml.table(), "nvmlEventSetCreate", {}, result);
  return events;
}

XidEvents::~XidEvents() {
  if (set_ != nullptr) (void)table_->nvmlEventSetFree(set_);
}

Result<bool> XidEvents::listen_to(const NvmlDevice& device) const {
  const nvml::Return result = table_->nvmlDeviceRegisterEvents(device.get(), nvml::kEventXid, set_);
  if (is_not_there(result)) return false;
  if (result != nvml::kSuccess) return device.error("nvmlDeviceRegisterEvents", result);
  return true;
}

Result<std::optional<XidEvents::Event>> XidEvents::wait(unsigned timeout_ms) const {
  nvml::EventData data{};
  const nvml::Return result = table_->nvmlEventSetWait_v2(set_, &data, timeout_ms);
  if (result == nvml::kTimeout) return std::optional<Event>();
  if (result != nvml::kSuccess) return nvml_error(*table_, "nvmlEventSetWait_v2", {}, result);
  return std::optional<Event>(Event{data.device, data.data});
}

}  // namespace linkburn
