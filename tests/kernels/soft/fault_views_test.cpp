// Faults of the shipped scenarios and others, seen from all sides at once.
#include <gmock/gmock.h>

#include "bench/base/clock_thread.h"
#include "bench/drill/scenario.h"
#include "tests/kernels/soft/soft_node.h"

namespace linkburn::test {
namespace {

using cuda::kSuccess;
using drill::FaultKind;
using testing::HasSubstr, testing::IsEmpty, testing::StartsWith;

constexpr double kGen4Gbs = 31.5077 * 0.87, kGen3Gbs = 15.7538 * 0.87, kX8Gbs = kGen5Gbs / 2;

/// Four GPUs with a fault from 1 s on of the second.
drill::Scenario with_fault(FaultKind kind, std::int64_t number, double amount = 0) {
  const drill::Scenario scenario = shipped("healthy-gen5-in-gen4");
  drill::Fault& fault = add_fault(own_state(scenario), kind, drill::Trigger::at);
  fault.at_ns = kSecond, fault.gpu = 1, fault.number = number, fault.amount = amount;
  fault.function = scenario.state->gpus[1].function;
  return scenario;
}

TEST(FaultViews, ATransientRetrainIsOverSoonAndIsCounted) {
  SoftNode node(shipped("transient-retrain"));
  node.sleep_until_ms(4900);
  node.load_until_ms(4990);
  EXPECT_EQ(node.link(3), "gen5 x16");
  const auto recoveries = node.field(3, nvml::kFieldRecoveries);
  node.load_until_ms(5150);
  EXPECT_EQ(node.link(3), "gen3 x16");
  EXPECT_NEAR(node.rate_gbs(3), kGen3Gbs, 0.1);
  EXPECT_EQ(node.link(2), "gen5 x16");
  node.load_until_ms(5300);
  EXPECT_EQ(node.link(3), "gen5 x16");
  EXPECT_NEAR(node.rate_gbs(3), kGen5Gbs, 0.3);
  EXPECT_EQ(node.field(3, nvml::kFieldRecoveries), recoveries + 2);
  EXPECT_THAT(node.kernel_log(), IsEmpty()) << "no kernel tells of a retrain";
}

TEST(FaultViews, AHotLinkFallsWhenItsGpuIsWarm) {
  const drill::Scenario scenario = shipped("hot-retrain");
  // Copies alone warm it a little: enough for a threshold as low as that.
  own_state(scenario).gpus[3].thermal.tau_s = 0.1;
  own_state(scenario).faults[0].above_c = scenario.state->gpus[3].temperature_c + 2;
  SoftNode node(scenario);
  node.sleep_until_ms(1000);
  node.load_until_ms(1040);
  EXPECT_EQ(node.link(3), "gen5 x16") << "awake, and cool";
  node.load_until_ms(1500);
  EXPECT_EQ(node.link(3), "gen3 x16");
  EXPECT_NEAR(node.rate_gbs(3), kGen3Gbs, 0.1);
  EXPECT_EQ(node.link(2), "gen5 x16");
  unsigned celsius = 0;
  ASSERT_EQ(node.nvml.nvmlDeviceGetTemperature(node.handle(3), 0, &celsius), nvml::kSuccess);
  EXPECT_GT(celsius, scenario.state->faults[0].above_c);
  EXPECT_THAT(node.kernel_log(), IsEmpty());
}

TEST(FaultViews, ABadUplinkHalvesWhatIsBelowItAndTheirLinksAreWell) {
  SoftNode node(shipped("bad-uplink"));
  node.load_until_ms(300);
  const int uplink = function_of(node.state(), "uplink1");
  for (int n = 0; n < node.count(); ++n) {
    EXPECT_EQ(node.link(n), "gen5 x16");
    const auto& down = node.state().functions[node.state().gpus[n].function];
    const bool below = node.state().functions[down.parent].parent == uplink;
    EXPECT_EQ(below, n == 2 || n == 3);
    EXPECT_NEAR(node.rate_gbs(n), below ? kX8Gbs / 2 : kGen5Gbs / 2, 0.3) << "gpu" << n;
  }
}

TEST(FaultViews, CorrectedErrorsAreCountedAlikeAndReported) {
  SoftNode node(shipped("correctable-errors"));
  node.sleep_until_ms(4900);
  EXPECT_EQ(node.field(2, nvml::kFieldReceiverErrors), 0U);
  node.sleep_until_ms(6900);
  node.load_until_ms(7000);
  const auto told = node.field(2, nvml::kFieldReceiverErrors);
  EXPECT_GE(told, 30U);
  EXPECT_LE(told, 50U);
  EXPECT_EQ(node.field(2, nvml::kFieldCorrectableErrors), told);
  EXPECT_THAT(node.file(2, "aer_dev_correctable"), StartsWith(fmt::format("RxErr {} ", told)));
  EXPECT_THAT(node.file(1, "aer_dev_correctable"), StartsWith("RxErr 0 "));
  EXPECT_THAT(node.kernel_log(),
              HasSubstr(node.address(2) + ": PCIe Bus Error: severity=Corrected"));
  EXPECT_EQ(node.link(2), "gen5 x16");
  EXPECT_NEAR(node.rate_gbs(2), kGen5Gbs, 0.3) << "the rate hardly shows them";
}

TEST(FaultViews, AThrottledGpuSaysWhyAndItsLinkIsWell) {
  SoftNode node(shipped("throttled"));
  node.sleep_until_ms(5100);
  node.load_until_ms(5200);
  unsigned long long reasons = 0, other = 0;
  const auto& nvml = node.nvml;
  ASSERT_EQ(nvml.nvmlDeviceGetCurrentClocksEventReasons(node.handle(1), &reasons), nvml::kSuccess);
  ASSERT_EQ(nvml.nvmlDeviceGetCurrentClocksEventReasons(node.handle(2), &other), nvml::kSuccess);
  EXPECT_EQ(reasons & nvml::kReasonPowerBrake, nvml::kReasonPowerBrake);
  EXPECT_EQ(other & nvml::kReasonPowerBrake, 0U);
  EXPECT_EQ(node.link(1), "gen5 x16");
  EXPECT_NEAR(node.rate_gbs(1), kGen5Gbs, 0.3);
}

TEST(FaultViews, ADriftTakesItsShareAndChangesNoRegister) {
  const drill::Scenario scenario = shipped("slow-drift");
  own_state(scenario).tick_ns = kSecond;
  SoftNode node(scenario);
  node.sleep_until_ms(1'800'000);
  node.load_until_ms(1'800'100);
  EXPECT_NEAR(node.rate_gbs(2), kGen5Gbs * 0.75, 0.3) << "half of it is lost in an hour";
  EXPECT_NEAR(node.rate_gbs(1), kGen5Gbs, 0.3);
  EXPECT_EQ(node.link(2), "gen5 x16");
}

TEST(FaultViews, ALostGpuIsLostForEverybody) {
  SoftNode node(shipped("off-bus"));
  node.sleep_until_ms(4900);
  nvml::EventSet events = nullptr;
  ASSERT_EQ(node.nvml.nvmlEventSetCreate(&events), nvml::kSuccess);
  ASSERT_EQ(node.nvml.nvmlDeviceRegisterEvents(node.handle(2), nvml::kEventXid, events),
            nvml::kSuccess);
  node.load_until_ms(5200);
  nvml::EventData event{};
  ASSERT_EQ(node.nvml.nvmlEventSetWait_v2(events, &event, 0), nvml::kSuccess);
  EXPECT_EQ(event.data, 79U);
  EXPECT_EQ(node.nvml.nvmlEventSetWait_v2(events, &event, 0), nvml::kGpuLost);
  EXPECT_EQ(node.nvml.nvmlEventSetFree(events), nvml::kSuccess);
  EXPECT_EQ(node.error(2), cuda::kUnknown);
  EXPECT_EQ(node.error(1), kSuccess);
  EXPECT_EQ(node.link(2), "NVML GPU is lost, files Unknown x63");
  EXPECT_THAT(node.kernel_log(), HasSubstr("NVRM: Xid (PCI:" + node.address(2).substr(0, 10)));
  EXPECT_THAT(node.kernel_log(), HasSubstr("GPU has fallen off the bus"));
}

TEST(FaultViews, ReplaysGrowWithoutAWordOfTheKernel) {
  SoftNode node(with_fault(FaultKind::replays, 0, 100));
  node.sleep_until_ms(1900);
  node.load_until_ms(2000);
  unsigned told = 0;
  ASSERT_EQ(node.nvml.nvmlDeviceGetPcieReplayCounter(node.handle(1), &told), nvml::kSuccess);
  EXPECT_NEAR(told, 100, 10);
  EXPECT_EQ(node.field(1, nvml::kFieldReplays), told);
  EXPECT_EQ(node.field(0, nvml::kFieldReplays), 0U);
  EXPECT_THAT(node.kernel_log(), IsEmpty());
  EXPECT_NEAR(node.rate_gbs(1), kGen4Gbs, 0.3);
}

TEST(FaultViews, AGpuThatAnotherUsesShowsWhoItIs) {
  SoftNode node(with_fault(FaultKind::busy, 4711));
  node.sleep_until_ms(1100);
  unsigned count = 4;
  nvml::ProcessInfo infos[4];
  ASSERT_EQ(node.nvml.nvmlDeviceGetComputeRunningProcesses_v3(node.handle(1), &count, infos),
            nvml::kSuccess);
  ASSERT_EQ(count, 1U);
  EXPECT_EQ(infos[0].pid, 4711U);
}

TEST(FaultViews, UncorrectedEccErrorsAreCountedAndBreakTheContext) {
  SoftNode node(with_fault(FaultKind::ecc, 2));
  node.load_until_ms(100);
  node.sleep_until_ms(990);
  node.load_until_ms(1100);
  unsigned long long count = 0;
  ASSERT_EQ(node.nvml.nvmlDeviceGetTotalEccErrors(node.handle(1), nvml::kErrorUncorrected,
                                                  nvml::kEccVolatile, &count),
            nvml::kSuccess);
  EXPECT_EQ(count, 2U);
  EXPECT_EQ(node.error(1), cuda::kEccUncorrectable);
  EXPECT_EQ(node.error(0), kSuccess);
}

TEST(FaultViews, TheEndOfAContextStallsTheNeighbours) {
  const drill::Scenario scenario = shipped("healthy-gen5-in-gen4");
  SoftNode node(scenario, 400);
  node.load_until_ms(100);
  const std::int64_t begin_ns = node.state().header.now_ns;
  std::int64_t neighbour_ns = 0;
  ClockThread neighbour(node.clock(), [&] {
    node.clock().sleep_until(instant_from_ns(begin_ns + 10 * kMs));  // while it is torn down
    std::size_t free = 0, total = 0;
    EXPECT_EQ(node.gpu.cudaSetDevice(node.ordinal(1)), kSuccess);
    EXPECT_EQ(node.gpu.cudaMemGetInfo(&free, &total), kSuccess);
    neighbour_ns = node.state().header.now_ns;
  });
  ASSERT_EQ(node.gpu.cudaSetDevice(node.ordinal(0)), kSuccess);
  ASSERT_EQ(node.gpu.cudaDeviceReset(), kSuccess);
  node.clock().sleep_until(instant_from_ns(begin_ns + kSecond));
  neighbour.join();
  EXPECT_GE(neighbour_ns - begin_ns, 400 * kMs);
  EXPECT_LT(neighbour_ns - begin_ns, 410 * kMs);
}

}  // namespace
}  // namespace linkburn::test
