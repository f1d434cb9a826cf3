// NVML of software GPUs under faults; what it reads at rest and under load is on the conformance
// list.
#include "tests/kernels/soft/soft_node.h"

namespace linkburn::test {
namespace {

using drill::FaultKind, drill::Trigger;

class SoftNvml : public SoftGpuTest {
 protected:
  /// A fault of GPU 0 in one second of drill time. After begin(): the test has the turn then.
  drill::Fault& add(FaultKind kind) {
    drill::Fault& fault = add_fault(state(), kind, Trigger::at);
    fault.gpu = 0, fault.function = state().gpus[0].function, fault.at_ns = now_ns() + kSecond;
    return fault;
  }

  nvml::Device begin() {
    start();
    EXPECT_EQ(soft_nvml().nvmlInit_v2(), nvml::kSuccess);
    nvml::Device device = nullptr;
    EXPECT_EQ(soft_nvml().nvmlDeviceGetHandleByPciBusId_v2("0000:17:00.0", &device),
              nvml::kSuccess);
    return device;
  }
  void TearDown() override { soft_nvml().nvmlShutdown(); }
};

TEST_F(SoftNvml, TellsAnXidThatComesAfterRegistrationAndThenThatTheGpuIsLost) {
  const nvml::Device device = begin();
  add(FaultKind::off_bus);
  nvml::EventSet set = nullptr;
  ASSERT_EQ(soft_nvml().nvmlEventSetCreate(&set), nvml::kSuccess);
  ASSERT_EQ(soft_nvml().nvmlDeviceRegisterEvents(device, nvml::kEventXid, set), nvml::kSuccess);
  nvml::EventData data{};
  EXPECT_EQ(soft_nvml().nvmlEventSetWait_v2(set, &data, 500), nvml::kTimeout);
  ASSERT_EQ(soft_nvml().nvmlEventSetWait_v2(set, &data, 10'000), nvml::kSuccess);
  EXPECT_EQ(data.type, nvml::kEventXid);
  EXPECT_EQ(data.data, 79U);
  EXPECT_EQ(data.device, device);
  EXPECT_EQ(soft_nvml().nvmlEventSetWait_v2(set, &data, 1000), nvml::kGpuLost);
  EXPECT_EQ(soft_nvml().nvmlEventSetFree(set), nvml::kSuccess);
}

TEST_F(SoftNvml, KnowsOfALostGpuNothingButItsAddress) {
  const nvml::Device device = begin();
  add(FaultKind::off_bus);
  drill_.clock().sleep_until(instant_from_ns(now_ns() + 2 * kSecond));
  unsigned number = 0;
  nvml::PciInfo info{};
  nvml::Device again = nullptr;
  EXPECT_EQ(soft_nvml().nvmlDeviceGetCurrPcieLinkGeneration(device, &number), nvml::kGpuLost);
  EXPECT_EQ(soft_nvml().nvmlDeviceGetTemperature(device, 0, &number), nvml::kGpuLost);
  EXPECT_EQ(soft_nvml().nvmlDeviceGetHandleByPciBusId_v2("0000:17:00.0", &again), nvml::kGpuLost);
  EXPECT_EQ(soft_nvml().nvmlDeviceGetPciInfo_v3(device, &info), nvml::kSuccess);
  EXPECT_STREQ(info.bus_id, "00000000:17:00.0");
  EXPECT_EQ(soft_nvml().nvmlDeviceGetHandleByPciBusId_v2("0000:42:00.0", &again), nvml::kSuccess);
}

TEST_F(SoftNvml, ShowsARetrainAndCountsIt) {
  const nvml::Device device = begin();
  add(FaultKind::retrain).gen = 3;
  const auto recoveries = [&] {
    nvml::FieldValue field{};
    field.field = nvml::kFieldRecoveries;
    EXPECT_EQ(soft_nvml().nvmlDeviceGetFieldValues(device, 1, &field), nvml::kSuccess);
    return field.value.ull;
  };
  unsigned generation = 0, most = 0;
  const auto before = recoveries();
  soft_nvml().nvmlDeviceGetCurrPcieLinkGeneration(device, &generation);
  EXPECT_EQ(generation, 5U);
  drill_.clock().sleep_until(instant_from_ns(now_ns() + 2 * kSecond));
  soft_nvml().nvmlDeviceGetCurrPcieLinkGeneration(device, &generation);
  soft_nvml().nvmlDeviceGetMaxPcieLinkGeneration(device, &most);
  EXPECT_EQ(generation, 3U);
  EXPECT_EQ(most, 5U);
  EXPECT_EQ(recoveries(), before + 1);
}

TEST_F(SoftNvml, SaysWhichFieldsSuchAGpuDoesNotHave) {
  state().gpus[1].chip_to_chip_gbs = 450;
  state().gpus[0].thermal.memory_offset_c = 0;
  begin();
  const auto read = [](const char* bus_id, unsigned number) {
    nvml::Device device = nullptr;
    soft_nvml().nvmlDeviceGetHandleByPciBusId_v2(bus_id, &device);
    nvml::FieldValue field{};
    field.field = number;
    EXPECT_EQ(soft_nvml().nvmlDeviceGetFieldValues(device, 1, &field), nvml::kSuccess);
    return field;
  };
  EXPECT_EQ(read("0000:17:00.0", nvml::kFieldC2cLinkCount).result, nvml::kNotSupported);
  EXPECT_EQ(read("0000:17:00.0", nvml::kFieldNvlinkCount).result, nvml::kNotSupported);
  EXPECT_EQ(read("0000:17:00.0", nvml::kFieldNvlinkSpeed).result, nvml::kNotSupported);
  EXPECT_EQ(read("0000:42:00.0", nvml::kFieldC2cMaxBandwidth).value.u, 450'000U);
  const auto missing = read("0000:17:00.0", nvml::kFieldMemoryTemperature);
  EXPECT_EQ(missing.result, nvml::kSuccess);
  EXPECT_EQ(missing.value.u, 0U);
  EXPECT_GT(read("0000:42:00.0", nvml::kFieldMemoryTemperature).value.u, 30U);
}

TEST_F(SoftNvml, ListsAnothersProcess) {
  const nvml::Device device = begin();
  add(FaultKind::busy).number = 4242;
  drill_.clock().sleep_until(instant_from_ns(now_ns() + 2 * kSecond));
  unsigned count = 4;
  nvml::ProcessInfo infos[4] = {};
  ASSERT_EQ(soft_nvml().nvmlDeviceGetComputeRunningProcesses_v3(device, &count, infos),
            nvml::kSuccess);
  ASSERT_EQ(count, 1U);
  EXPECT_EQ(infos[0].pid, 4242U);
}

TEST_F(SoftNvml, WaitsWhileAContextIsTornDown) {
  const nvml::Device device = begin();
  state().stall_until_ns = now_ns() + kSecond;
  const std::int64_t until_ns = state().stall_until_ns;
  unsigned celsius = 0;
  EXPECT_EQ(soft_nvml().nvmlDeviceGetTemperature(device, 0, &celsius), nvml::kSuccess);
  EXPECT_GE(now_ns(), until_ns);
}

TEST(SoftNvmlAlone, HasNoDriverWithoutADrill) {
  ::unsetenv("LINKBURN_DRILL");
  unsigned count = 0;
  EXPECT_EQ(soft_nvml().nvmlInit_v2(), nvml::kDriverNotLoaded);
  EXPECT_EQ(soft_nvml().nvmlDeviceGetCount_v2(&count), nvml::kUninitialized);
}

}  // namespace
}  // namespace linkburn::test
