// What each kind of fault does: before, meanwhile, after.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/drill/model.h"
#include "bench/sensors/kernel_topics.h"
#include "tests/support/drill_run.h"
#include "tests/support/drill_state.h"

namespace linkburn::drill {
namespace {

using test::kernel_op, test::kMs, test::kSecond, test::run_world;
using ::testing::ElementsAre, ::testing::IsEmpty;

class DrillFaultEffects : public ::testing::Test {
 protected:
  DrillFaultEffects() { test::keep_awake(s_); }

  /// From 1 s to 2 s.
  Fault& fault(FaultKind kind, std::string_view function = "gpu0") {
    Fault& added = test::add_fault(s_, kind, Trigger::at);
    added.at_ns = kSecond, added.for_ns = kSecond;
    added.function = test::function_of(s_, function);
    return added;
  }
  void before() { run_world(s_, kSecond - 1); }
  void meanwhile() { run_world(s_, kSecond); }
  void after() { run_world(s_, 2 * kSecond); }
  std::vector<std::string> topics() const {
    std::vector<std::string> all;
    for (const std::string& line : test::log_of(s_)) all.emplace_back(sign_in(line));
    return all;
  }
  Function& link(std::string_view name) { return s_.functions[test::function_of(s_, name)]; }

  std::shared_ptr<State> state_ = test::small_drill_state();
  State& s_ = *state_;
  Gpu& gpu_ = s_.gpus[0];
};

TEST_F(DrillFaultEffects, RetrainChangesSpeedAndWidthCountsAndLogsNothing) {
  Fault& f = fault(FaultKind::retrain);
  f.gen = 3, f.width = 8;
  const Function& l = link("gpu0");
  before();
  EXPECT_EQ(l.gen, 5);
  EXPECT_EQ(l.recoveries, 0U);
  EXPECT_FALSE(l.bandwidth_changed);
  meanwhile();
  EXPECT_EQ(l.gen, 3);
  EXPECT_EQ(l.width, 8);
  EXPECT_EQ(l.recoveries, 1U);
  EXPECT_TRUE(l.bandwidth_changed);
  EXPECT_EQ(l.target_gen, 5);
  after();
  EXPECT_EQ(l.gen, 5);
  EXPECT_EQ(l.width, 16);
  EXPECT_EQ(l.recoveries, 2U);
  EXPECT_THAT(test::log_of(s_), IsEmpty());
}

TEST_F(DrillFaultEffects, RetrainOfAnUplinkLeavesTheLinksBelowAlone) {
  fault(FaultKind::retrain, "uplink1").gen = 4;
  meanwhile();
  EXPECT_EQ(link("uplink1").gen, 4);
  EXPECT_EQ(link("gpu1").gen, 5);
}

TEST_F(DrillFaultEffects, OffTheBusIsSeenInEveryView) {
  fault(FaultKind::off_bus);
  before();
  EXPECT_FALSE(gpu_.lost);
  EXPECT_THAT(test::log_of(s_), IsEmpty());
  meanwhile();
  EXPECT_TRUE(gpu_.lost);
  EXPECT_TRUE(link("gpu0").gone);
  EXPECT_EQ(link("gpu0").upper.fatal, 1U);
  EXPECT_EQ(link("gpu0").upper.uncorrectable_status, 1U << 5);
  ASSERT_EQ(gpu_.xid_count, 1);
  EXPECT_EQ(gpu_.xids[0].number, 79U);
  EXPECT_EQ(gpu_.xids[0].at_ns, kSecond);
  EXPECT_THAT(
      test::log_of(s_),
      ElementsAre(
          "pcieport 0000:00:01.0: AER: Uncorrected (Fatal) error received: 0000:00:01.0",
          "pcieport 0000:00:01.0: PCIe Bus Error: severity=Uncorrected (Fatal), "
          "type=Transaction Layer, (Receiver ID)",
          "pcieport 0000:00:01.0:   device [1000:c030] error status/mask=00000020/00000000",
          "pcieport 0000:00:01.0:    [ 5] SDES                   (First)",
          "pcieport 0000:00:01.0: pciehp: Slot(1): Link Down",
          "pcieport 0000:00:01.0: pciehp: Slot(1): Card not present",
          "NVRM: Xid (PCI:0000:17:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off "
          "the bus.",
          "NVRM: GPU 0000:17:00.0: GPU has fallen off the bus."));
  EXPECT_STREQ(s_.log[0].device.data(), "+pci:0000:00:01.0");
  EXPECT_STREQ(s_.log[6].device.data(), "") << "the driver does not name it";
  EXPECT_EQ(s_.log[1].level, 3);
  EXPECT_EQ(s_.log[7].at_ns, kSecond);
  after();
  EXPECT_FALSE(gpu_.lost);
  EXPECT_FALSE(link("gpu0").gone);
  EXPECT_EQ(test::log_of(s_)[8], "pcieport 0000:00:01.0: pciehp: Slot(1): Card present");
  EXPECT_EQ(test::log_of(s_)[9], "pcieport 0000:00:01.0: pciehp: Slot(1): Link Up");
}

TEST_F(DrillFaultEffects, OffTheBusInTheWordsThatLinkburnKnows) {
  fault(FaultKind::off_bus);
  after();
  EXPECT_THAT(topics(), ElementsAre(kNoteReported, "aer_fatal", "aer_status", "", "slot_down",
                                    "slot_down", "xid", "device_lost", "slot_up", "slot_up"));
}

TEST_F(DrillFaultEffects, ASwitchThatFallsOffTakesAllBelowWithIt) {
  fault(FaultKind::off_bus, "uplink1");
  meanwhile();
  EXPECT_TRUE(s_.gpus[1].lost && s_.gpus[2].lost);
  EXPECT_FALSE(gpu_.lost);
  EXPECT_TRUE(link("nic0").gone && link("down1").gone);
  EXPECT_EQ(capacity(s_, 2 * test::function_of(s_, "gpu1")), 0);
  EXPECT_THAT(test::log_of(s_),
              ::testing::Contains("mlx5_core 0000:44:00.0: poll_health:802:(pid 0): device's "
                                  "health compromised - reached miss count"));
  after();
  EXPECT_FALSE(s_.gpus[1].lost || s_.gpus[2].lost || link("nic0").gone || link("down1").gone);
}

TEST_F(DrillFaultEffects, AGpuThatFellOffByItselfStaysAwayWhenItsSwitchComesBack) {
  fault(FaultKind::off_bus, "uplink1");
  fault(FaultKind::off_bus, "gpu1").for_ns = kNever;
  meanwhile();
  EXPECT_EQ(s_.gpus[1].xid_count, 1) << "it is lost once";
  after();
  EXPECT_TRUE(s_.gpus[1].lost);
  EXPECT_FALSE(s_.gpus[2].lost);
}

TEST_F(DrillFaultEffects, HangIsThereForThoseWhoAsk) {
  Fault& f = fault(FaultKind::hang);
  test::set_text(f.text, "cudaMemcpyAsync");
  before();
  EXPECT_FALSE(f.active);
  meanwhile();
  EXPECT_TRUE(f.active);
  after();
  EXPECT_FALSE(f.active);
}

TEST_F(DrillFaultEffects, FlipHitsTheNextCopyOfItsGpuOnce) {
  Fault& f = fault(FaultKind::flip);
  f.for_ns = kNever;
  test::set_text(f.text, "copy");
  const int mine = open_stream(s_, 0, 0), other = open_stream(s_, 0, 1);
  const auto copy = [&](int stream, int gpu) {
    const auto path = host_path(s_, gpu, 0, Direction::to_device);
    return find_op(s_, stream, submit(s_, stream, test::copy_op(path, 1, gpu)))->flipped;
  };
  EXPECT_FALSE(copy(mine, 0));
  meanwhile();
  EXPECT_FALSE(copy(other, 1));
  submit(s_, other, kernel_op(Engine::fp32_flop, 1, 0));
  EXPECT_TRUE(f.active) << "a kernel is no copy";
  EXPECT_TRUE(copy(mine, 0));
  EXPECT_FALSE(f.active);
  after();
  EXPECT_FALSE(copy(mine, 0));
  EXPECT_EQ(f.begun, 1);
}

TEST_F(DrillFaultEffects, FlipHitsABurnAndNotWhatFillsMemory) {
  Fault& f = fault(FaultKind::flip);
  f.for_ns = kNever;
  test::set_text(f.text, "burn");
  meanwhile();
  const int stream = open_stream(s_, 0, 0);
  const auto run = [&](Engine engine) {
    const auto seq = submit(s_, stream, kernel_op(engine, 1, 0));
    return test::run_op(s_, stream, seq).flipped;
  };
  EXPECT_FALSE(run(Engine::memory_byte));
  EXPECT_TRUE(run(Engine::tensor_flop));
  EXPECT_FALSE(run(Engine::tensor_flop));
}

TEST_F(DrillFaultEffects, ThrottleLowersTheClockAndGivesItsReasons) {
  Fault& f = fault(FaultKind::throttle);
  f.amount = 0.5, f.number = 0x80;
  const int stream = open_stream(s_, 0, 0);
  const auto seq = submit(s_, stream, kernel_op(Engine::fp32_flop, 60e12 * 10, 0));
  before();
  EXPECT_EQ(gpu_.clock_factor, 1);
  meanwhile();
  EXPECT_EQ(gpu_.clock_factor, 0.5);
  EXPECT_EQ(gpu_.reasons, 0x80U);
  EXPECT_EQ(find_op(s_, stream, seq)->current().rate, 30e12);
  after();
  EXPECT_EQ(gpu_.clock_factor, 1);
  EXPECT_EQ(gpu_.reasons & 0x80U, 0U);
  EXPECT_EQ(find_op(s_, stream, seq)->current().rate, 60e12);
}

TEST_F(DrillFaultEffects, AClockThatStandsStillHoldsWhatRunsAndNothingElse) {
  Fault& f = fault(FaultKind::throttle);
  f.amount = 0;
  const int stream = open_stream(s_, 0, 0);
  const auto seq = submit(s_, stream, kernel_op(Engine::fp32_flop, 60e12 * 1.5, 0));
  const auto end = test::run_op(s_, stream, seq).end_ns;
  EXPECT_NEAR(static_cast<double>(end), 2.5e9, 2);
}

TEST_F(DrillFaultEffects, FailedWakeIsAboutNothingElse) {
  Fault& f = fault(FaultKind::failed_wake);
  meanwhile();
  EXPECT_TRUE(f.active);
  EXPECT_EQ(link("gpu0").gen, 5);
}

TEST_F(DrillFaultEffects, DriftTakesItsShareByTheHourAndEnds) {
  s_.tick_ns = 50 * kMs;
  Fault& f = fault(FaultKind::drift);
  f.amount = 0.1, f.for_ns = 7200 * kSecond;
  before();
  EXPECT_EQ(link("gpu0").drift, 1);
  run_world(s_, 1801 * kSecond);
  EXPECT_NEAR(link("gpu0").drift, 0.95, 1e-9);
  EXPECT_NEAR(capacity(s_, 2 * test::function_of(s_, "gpu0")), 63.0154e9 * 0.87 * 0.95, 1e6);
  run_world(s_, 3601 * kSecond);
  EXPECT_NEAR(link("gpu0").drift, 0.9, 1e-9);
  run_world(s_, 7201 * kSecond);
  EXPECT_EQ(link("gpu0").drift, 1);
}

TEST_F(DrillFaultEffects, DriftStopsAtNothing) {
  s_.tick_ns = 50 * kMs;
  fault(FaultKind::drift).amount = 1e9;
  run_world(s_, 1500 * kMs);
  EXPECT_EQ(link("gpu0").drift, 0);
}

TEST_F(DrillFaultEffects, XidStandsInTheLogAndInTheGpusList) {
  Fault& known = fault(FaultKind::xid);
  known.number = 48;
  Fault& own = fault(FaultKind::xid);
  own.number = 999;
  test::set_text(own.text, "as it was seen");
  before();
  EXPECT_EQ(gpu_.xid_count, 0);
  after();
  EXPECT_EQ(gpu_.xid_count, 2);
  EXPECT_EQ(gpu_.xids[1].number, 999U);
  EXPECT_FALSE(gpu_.lost);
  EXPECT_THAT(test::log_of(s_),
              ElementsAre("NVRM: Xid (PCI:0000:17:00): 48, pid='<unknown>', name=<unknown>, DBE "
                          "(double bit error) ECC error",
                          "NVRM: Xid (PCI:0000:17:00): 999, pid='<unknown>', name=<unknown>, as "
                          "it was seen"));
  EXPECT_THAT(topics(), ElementsAre("xid", "xid"));
}

TEST_F(DrillFaultEffects, TheListOfXidsKeepsTheNewest) {
  for (int n = 0; n < kMaxXids + 2; ++n) fault(FaultKind::xid).number = n + 1;
  meanwhile();
  EXPECT_EQ(gpu_.xid_count, kMaxXids + 2);
  EXPECT_EQ(gpu_.xids[(gpu_.xid_count - 1) % kMaxXids].number, 1U + kMaxXids + 1);
}

TEST_F(DrillFaultEffects, BusyIsAnothersProcess) {
  fault(FaultKind::busy).number = 4711;
  before();
  EXPECT_EQ(gpu_.foreign_pid, 0);
  meanwhile();
  EXPECT_EQ(gpu_.foreign_pid, 4711);
  after();
  EXPECT_EQ(gpu_.foreign_pid, 0);
}

TEST_F(DrillFaultEffects, EccErrorsStay) {
  fault(FaultKind::ecc).number = 3;
  before();
  EXPECT_EQ(gpu_.ecc_uncorrected, 0U);
  meanwhile();
  EXPECT_EQ(gpu_.ecc_uncorrected, 3U);
  after();
  EXPECT_EQ(gpu_.ecc_uncorrected, 3U);
}

TEST_F(DrillFaultEffects, AnNvlinkIsDownAtBothEnds) {
  for (const int l : {0, 1}) {
    s_.gpus[0].nvlinks[l] = {true, true, 1, 25, 0, 0, 0};
    s_.gpus[1].nvlinks[l + 3] = {true, true, 0, 25, 0, 0, 0};
  }
  fault(FaultKind::nvlink_down).number = 1;
  before();
  EXPECT_TRUE(s_.gpus[0].nvlinks[1].active);
  meanwhile();
  EXPECT_FALSE(s_.gpus[0].nvlinks[1].active);
  EXPECT_FALSE(s_.gpus[1].nvlinks[4].active);
  EXPECT_TRUE(s_.gpus[0].nvlinks[0].active && s_.gpus[1].nvlinks[3].active);
  after();
  EXPECT_TRUE(s_.gpus[0].nvlinks[1].active && s_.gpus[1].nvlinks[4].active);
}

TEST_F(DrillFaultEffects, ANetworkPortRunsSlowerOrNotAtAll) {
  s_.nics[0].infiniband = false;
  Fault& slow = fault(FaultKind::port_rate);
  slow.nic = 0, slow.amount = 100;
  fault(FaultKind::port_down).nic = 0;
  const Nic& nic = s_.nics[0];
  before();
  EXPECT_EQ(nic.rate_gbps, 400);
  EXPECT_TRUE(nic.up);
  meanwhile();
  EXPECT_EQ(nic.rate_gbps, 100);
  EXPECT_FALSE(nic.up);
  after();
  EXPECT_EQ(nic.rate_gbps, 400);
  EXPECT_TRUE(nic.up);
  EXPECT_THAT(test::log_of(s_), ElementsAre("mlx5_core 0000:44:00.0: ib0: Link down",
                                            "mlx5_core 0000:44:00.0: ib0: Link up"));
  EXPECT_THAT(topics(), ElementsAre("port_down", "port_up"));
}

TEST_F(DrillFaultEffects, AnInfinibandPortGoesDownWithoutAWord) {
  fault(FaultKind::port_down).nic = 0;
  meanwhile();
  EXPECT_FALSE(s_.nics[0].up);
  EXPECT_THAT(test::log_of(s_), IsEmpty());
}

TEST_F(DrillFaultEffects, WarmAirIsFeltAtTheNextTick) {
  s_.tick_ns = 50 * kMs;
  gpu_.thermal.tau_s = 0;
  fault(FaultKind::ambient).amount = 45;
  before();
  EXPECT_NEAR(gpu_.temperature_c, 28 + 70 * 0.085, 1e-9);
  run_world(s_, 1050 * kMs);
  EXPECT_NEAR(gpu_.temperature_c, 45 + 70 * 0.085, 1e-9);
  run_world(s_, 2050 * kMs);
  EXPECT_NEAR(gpu_.temperature_c, 28 + 70 * 0.085, 1e-9);
}

}  // namespace
}  // namespace linkburn::drill
