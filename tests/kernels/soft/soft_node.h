// A shipped scenario that lives, with all its GPUs in the hands of this process: what each view
// says of them side by side, and a load that keeps all their links busy.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/base/component.h"
#include "bench/base/sysroot.h"
#include "bench/base/text.h"
#include "bench/base/units.h"
#include "bench/drill/scenario.h"
#include "kernels/nvml_functions.h"
#include "tests/kernels/soft/soft_gpu.h"
#include "tests/support/living_drill.h"

namespace linkburn::nvml {

struct Functions {
  LINKBURN_NVML_FUNCTIONS(LINKBURN_TABLE_MEMBER, LINKBURN_TABLE_MEMBER)
};

}  // namespace linkburn::nvml

namespace linkburn::test {

inline const nvml::Functions& soft_nvml() {
  static const nvml::Functions functions = [] {
    nvml::Functions f;
#define LINKBURN_LOAD(name, result, parameters) f.name = soft_function<decltype(f.name)>(#name);
    LINKBURN_NVML_FUNCTIONS(LINKBURN_LOAD, LINKBURN_LOAD)
#undef LINKBURN_LOAD
    return f;
  }();
  return functions;
}

inline drill::Scenario shipped(const std::string& name) {
  auto scenario = drill::load_scenario(name);
  EXPECT_TRUE(scenario) << name;
  return std::move(*scenario);
}

/// Devices go by their index in State::gpus, which is that of the scenario's names; CUDA counts
/// them by address.
class SoftNode {
 public:
  /// `scenario` with contexts that are soon made.
  explicit SoftNode(const drill::Scenario& scenario, std::int64_t teardown_ms = 10) {
    for (drill::Gpu& one : own_state(scenario).gpus)
      one.context_ms = 10, one.teardown_ms = teardown_ms;
    auto drill = LivingDrill::start(scenario, 7);
    if (!drill) throw std::runtime_error(drill.error().line());
    drill_ = std::move(*drill);
    root_ = *Sysroot::open(drill_->tree());
    EXPECT_EQ(nvml.nvmlInit_v2(), nvml::kSuccess);
    EXPECT_EQ(gpu.cudaGetDeviceCount(&count_), cuda::kSuccess);
    for (int n = 0; n < count_; ++n) add_device(n);
  }

  const drill::State& state() const { return drill_->state(); }
  const Clock& clock() const { return drill_->clock(); }
  int count() const { return count_; }
  int ordinal(int device) const { return devices_[device].ordinal; }
  const std::string& address(int device) const { return devices_[device].address; }
  nvml::Device handle(int device) const { return devices_[device].handle; }

  void sleep_until_ms(std::int64_t at_ms) {
    drill_->clock().sleep_until(instant_from_ns(at_ms * kMs));
  }

  /// All GPUs but one copy from the host until then.
  void load_until_ms(std::int64_t at_ms, int without = -1) {
    while (drill_->clock().now() < instant_from_ns(at_ms * kMs)) lap(without);
  }

  /// What a device got in the last lap, in GB/s; 0 after an error.
  double rate_gbs(int device) const { return devices_[device].rate_gbs; }
  int error(int device) const { return devices_[device].error; }

  /// "gen5 x16" when NVML and the kernel's files say the same, else what each says.
  std::string link(int device) const {
    unsigned gen = 0, width = 0;
    const int result = nvml.nvmlDeviceGetCurrPcieLinkGeneration(handle(device), &gen);
    nvml.nvmlDeviceGetCurrPcieLinkWidth(handle(device), &width);
    const std::string told = result == nvml::kSuccess ? fmt::format("gen{} x{}", gen, width)
                                                      : nvml.nvmlErrorString(result);
    const std::string speed = file(device, "current_link_speed");
    const auto parsed = parse_link_speed(speed);
    const int files_gen = parsed ? generation_of(*parsed).value_or(0) : 0;
    const std::string shown =
        fmt::format("{} x{}", parsed ? fmt::format("gen{}", files_gen) : speed,
                    file(device, "current_link_width"));
    return told == shown ? told : fmt::format("NVML {}, files {}", told, shown);
  }

  std::string file(int device, const std::string& name) const {
    return root_->read_line("sys/bus/pci/devices/" + address(device) + "/" + name).value_or("-");
  }
  std::string kernel_log() const { return root_->read("dev/kmsg").value_or(""); }

  unsigned long long field(int device, unsigned number) const {
    nvml::FieldValue value{};
    value.field = number;
    EXPECT_EQ(nvml.nvmlDeviceGetFieldValues(handle(device), 1, &value), nvml::kSuccess);
    EXPECT_EQ(value.result, nvml::kSuccess) << number;
    return value.value_type == nvml::kTypeUnsigned ? value.value.u : value.value.ull;
  }

  const cuda::Functions& gpu = soft_gpu();
  const nvml::Functions& nvml = soft_nvml();

 private:
  static constexpr std::size_t kBytes = 16 * kMiB;
  static constexpr int kCopies = 16;

  struct Device {
    std::string address;
    int ordinal = -1;
    nvml::Device handle = nullptr;
    void *memory = nullptr, *host = nullptr;
    cuda::Stream stream = nullptr;
    cuda::Event before = nullptr, after = nullptr;
    double rate_gbs = 0;
    int error = cuda::kSuccess;
  };

  void add_device(int index) {
    Device& device = devices_.emplace_back();
    const drill::Function& f = state().functions[state().gpus[index].function];
    device.address = to_string(PciAddress{f.domain, f.bus, f.slot, f.function});
    const char* id = device.address.c_str();
    EXPECT_EQ(gpu.cudaDeviceGetByPCIBusId(&device.ordinal, id), cuda::kSuccess);
    EXPECT_EQ(nvml.nvmlDeviceGetHandleByPciBusId_v2(id, &device.handle), nvml::kSuccess);
  }

  /// On its first use, so that a GPU that is not loaded stays at rest.
  int prepare(int number) {
    Device& d = devices_[number];
    int result = gpu.cudaSetDevice(d.ordinal);
    const auto then = [&](auto&& call) {
      if (result == cuda::kSuccess) result = call();
    };
    if (d.stream != nullptr) return result;
    then([&] { return gpu.cudaMalloc(&d.memory, kBytes); });
    then([&] { return gpu.cudaHostAlloc(&d.host, kBytes, cuda::kHostAllocPortable); });
    then([&] { return gpu.cudaEventCreateWithFlags(&d.before, cuda::kEventDefault); });
    then([&] { return gpu.cudaEventCreateWithFlags(&d.after, cuda::kEventDefault); });
    then([&] { return gpu.cudaStreamCreateWithFlags(&d.stream, cuda::kStreamNonBlocking); });
    return result;
  }

  int queue(int number) {
    Device& d = devices_[number];
    int result = prepare(number);
    if (result == cuda::kSuccess) result = gpu.cudaEventRecord(d.before, d.stream);
    for (int n = 0; n < kCopies && result == cuda::kSuccess; ++n)
      result = gpu.cudaMemcpyAsync(d.memory, d.host, kBytes, cuda::kCopyHostToDevice, d.stream);
    return result == cuda::kSuccess ? gpu.cudaEventRecord(d.after, d.stream) : result;
  }

  void finish(int number) {
    Device& d = devices_[number];
    float ms = 0;
    d.rate_gbs = 0;
    (void)gpu.cudaSetDevice(d.ordinal);
    d.error = gpu.cudaStreamSynchronize(d.stream);
    if (d.error == cuda::kSuccess) d.error = gpu.cudaEventElapsedTime(&ms, d.before, d.after);
    if (d.error == cuda::kSuccess) d.rate_gbs = kCopies * static_cast<double>(kBytes) / 1e6 / ms;
  }

  void lap(int without) {
    for (int n = 0; n < count_; ++n)
      if (n != without && devices_[n].error == cuda::kSuccess) devices_[n].error = queue(n);
    for (int n = 0; n < count_; ++n)
      if (n != without && devices_[n].error == cuda::kSuccess) finish(n);
  }

  std::unique_ptr<LivingDrill> drill_;
  std::optional<Sysroot> root_;
  int count_ = 0;
  std::vector<Device> devices_;
};

}  // namespace linkburn::test
