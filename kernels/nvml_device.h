// NVML: what a GPU says of its link, heat, power and errors. Asked by a worker of its own.
//
// A reading that this GPU or driver does not have is an empty optional, never a zero; an Error is a
// question that failed (GPU lost, no permission).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/base/result.h"
#include "kernels/nvml.h"

namespace linkburn {

template <class T>
using NvmlReading = Result<std::optional<T>>;

/// NVML started; ended with the object. The table must outlive it, and it all that comes from it.
class Nvml {
 public:
  static Result<Nvml> start(const nvml::NvmlTable& table);
  ~Nvml();
  Nvml(Nvml&& other) noexcept : table_(std::exchange(other.table_, nullptr)) {}
  Nvml& operator=(Nvml&&) = delete;

  const nvml::NvmlTable& table() const { return *table_; }
  Result<std::string> driver_version() const;
  /// PCI addresses as sysfs writes them; GPUs that NVML counts and cannot reach are left out.
  Result<std::vector<std::string>> addresses() const;

 private:
  explicit Nvml(const nvml::NvmlTable& table) : table_(&table) {}
  const nvml::NvmlTable* table_;
};

/// Limits that a temperature is measured against.
enum class TemperatureLimit { shutdown, slowdown, memory_max, gpu_max };
enum class NvmlClock { sm, memory };

struct EccCounts {
  std::uint64_t corrected = 0, uncorrected = 0;  ///< since the driver was loaded
};

struct RemappedRows {
  unsigned corrected = 0, uncorrected = 0;
  bool pending = false, failed = false;
};

/// One number of nvmlDeviceGetFieldValues; `scope` is the NVLink where the field asks for one.
struct NvmlField {
  unsigned field = 0;
  unsigned scope = 0;
};

class NvmlDevice {
 public:
  static Result<NvmlDevice> find(const Nvml& nvml, const std::string& address);

  const std::string& address() const { return address_; }

  NvmlReading<std::string> name() const;
  NvmlReading<std::string> serial() const;
  NvmlReading<std::string> uuid() const;

  NvmlReading<unsigned> link_generation() const;
  NvmlReading<unsigned> link_width() const;
  NvmlReading<unsigned> max_link_generation() const;      ///< of GPU and slot together
  NvmlReading<unsigned> gpu_max_link_generation() const;  ///< of the GPU alone
  NvmlReading<unsigned> max_link_width() const;           ///< of GPU and slot together
  NvmlReading<unsigned> replays() const;

  NvmlReading<unsigned> temperature_c() const;
  NvmlReading<unsigned> temperature_limit_c(TemperatureLimit limit) const;
  NvmlReading<unsigned> clock_mhz(NvmlClock clock) const;
  NvmlReading<unsigned> max_clock_mhz(NvmlClock clock) const;
  NvmlReading<unsigned> power_mw() const;
  NvmlReading<unsigned> power_limit_mw() const;
  /// Bits nvml::kReason*.
  NvmlReading<std::uint64_t> event_reasons() const;

  NvmlReading<EccCounts> ecc_errors() const;
  NvmlReading<RemappedRows> remapped_rows() const;
  NvmlReading<int> compute_mode() const;  ///< nvml::kCompute*
  NvmlReading<bool> mig_enabled() const;
  /// Processes with a compute context on the GPU.
  NvmlReading<std::vector<unsigned>> process_ids() const;
  NvmlReading<bool> nvlink_active(unsigned link) const;

  /// One answer per question, each with its own result.
  Result<std::vector<NvmlReading<double>>> fields(std::span<const NvmlField> questions) const;

  nvml::Device get() const { return device_; }
  Error error(std::string_view call, nvml::Return result) const;

 private:
  NvmlDevice(const nvml::NvmlTable& table, std::string address)
      : table_(&table), address_(std::move(address)) {}

  const nvml::NvmlTable* table_;
  std::string address_;
  nvml::Device device_ = nullptr;
};

/// Listens for the Xid events of GPUs (errors that the driver reports for them).
class XidEvents {
 public:
  static Result<XidEvents> create(const Nvml& nvml);
  ~XidEvents();
  XidEvents(XidEvents&& other) noexcept
      : table_(other.table_), set_(std::exchange(other.set_, nullptr)) {}
  XidEvents& operator=(XidEvents&&) = delete;

  /// False: this GPU sends no such events.
  Result<bool> listen_to(const NvmlDevice& device) const;

  struct Event {
    nvml::Device device = nullptr;  ///< that of NvmlDevice::get()
    std::uint64_t xid = 0;
  };
  /// The next event, or nothing within the time.
  Result<std::optional<Event>> wait(unsigned timeout_ms) const;

 private:
  explicit XidEvents(const nvml::NvmlTable& table) : table_(&table) {}

  const nvml::NvmlTable* table_;
  nvml::EventSet set_ = nullptr;
};

}  // namespace linkburn
