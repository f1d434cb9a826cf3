#include "bench/sensors/sampler.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "bench/sensors/table.h"
#include "tests/support/fake_clock.h"
#include "tests/support/node.h"

namespace linkburn {
namespace {

using std::chrono::milliseconds;

constexpr const char* kGpu = "sys/devices/pci0000:16/0000:16:01.0/0000:17:00.0";

/// One sensor over a node tree whose files the test changes in place.
class SensorTest : public testing::Test {
 protected:
  std::unique_ptr<Sensor> make(std::string_view name) {
    for (const SensorInfo* info : sensors())
      if (info->name == name) return info->make({clock_, node_.root(), inventory_, evidence_});
    return nullptr;
  }

  Moment moment(Phase phase = Phase::measure) {
    clock_.advance(milliseconds(50));
    return {phase, "step-1", clock_.now()};
  }

  void write(const std::string& file, const std::string& text) {
    std::ofstream(node_.path() + "/" + kGpu + "/" + file) << text << "\n";
  }

  template <class T>
  std::vector<T> seen(std::string_view quantity) {
    std::vector<T> found;
    for (const Record& record : evidence_.evidence().records)
      if (const auto* body = std::get_if<T>(&record.body))
        if (body->quantity == quantity && body->component.text() == "0000:17:00.0")
          found.push_back(*body);
    return found;
  }

  test::FakeClock clock_;
  test::Node node_{"pair.tree"};
  Inventory inventory_ = discover(node_.root(), read_directly(node_.root()));
  EvidenceWriter evidence_{clock_};
};

TEST_F(SensorTest, AQuietLinkHasAHeartbeatAndNoTransition) {
  const auto sensor = make("pcie_link");
  for (int i = 0; i < 100; ++i) sensor->sample(moment());  // five seconds
  EXPECT_TRUE(seen<Transition>("link_width").empty());
  const auto beats = seen<Reading>("link_width");
  EXPECT_GE(beats.size(), 4U);
  EXPECT_LE(beats.size(), 7U);
  EXPECT_EQ(beats.back().value, 16);
  EXPECT_EQ(beats.back().phase, Phase::measure);
  EXPECT_EQ(seen<Reading>("link_speed").back().value, 32);
}

TEST_F(SensorTest, AChangeIsSeenAtTheKeptDescriptor) {
  const auto sensor = make("pcie_link");
  sensor->sample(moment());
  write("current_link_width", "8");
  sensor->sample(moment());
  write("current_link_width", "16");
  sensor->sample(moment());
  const auto changes = seen<Transition>("link_width");
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_EQ(changes[0].from, 16);
  EXPECT_EQ(changes[0].to, 8);
  EXPECT_EQ(changes[1].to, 16);
  EXPECT_EQ(changes[0].step, "step-1");
}

TEST_F(SensorTest, AllOnesIsAnAbsence) {
  const auto sensor = make("pcie_link");
  sensor->sample(moment());
  write("current_link_speed", "Unknown");
  write("current_link_width", "63");
  sensor->sample(moment());
  const auto changes = seen<Transition>("presence");
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].from, 1);
  EXPECT_EQ(changes[0].to, 0);
  EXPECT_TRUE(seen<Transition>("link_width").empty()) << "63 lanes are no width";
}

TEST_F(SensorTest, ASleepingDeviceIsNotRead) {
  const auto sensor = make("pcie_link");
  sensor->sample(moment());
  write("power/runtime_status", "suspended");
  write("current_link_width", "0");  // what a read would give, or would wake
  for (int i = 0; i < 40; ++i) sensor->sample(moment(Phase::idle));
  EXPECT_TRUE(seen<Transition>("link_width").empty());
  EXPECT_TRUE(seen<Transition>("presence").empty());
  write("power/runtime_status", "active");
  write("current_link_width", "16");
  sensor->sample(moment());
  EXPECT_TRUE(seen<Transition>("link_width").empty());
}

TEST_F(SensorTest, ABoundaryWritesTheValuesOfThePhaseThatEnds) {
  const auto sensor = make("pcie_link");
  sensor->boundary(moment(Phase::warm_up));
  ASSERT_EQ(seen<Reading>("link_width").size(), 1U);
  EXPECT_EQ(seen<Reading>("link_width")[0].phase, Phase::warm_up);
}

TEST_F(SensorTest, CountersHaveOneBaseline) {
  const auto sensor = make("aer");
  sensor->boundary(moment(Phase::idle));
  write("aer_dev_correctable", "RxErr 0\nBadTLP 5\nTOTAL_ERR_COR 5");
  sensor->boundary(moment());
  std::vector<Counter> counters;
  for (const Record& record : evidence_.evidence().records)
    if (const auto* counter = std::get_if<Counter>(&record.body))
      if (counter->name == "aer_correctable/BadTLP" && counter->component.text() == "0000:17:00.0")
        counters.push_back(*counter);
  ASSERT_EQ(counters.size(), 2U);
  EXPECT_TRUE(counters[0].baseline);
  EXPECT_EQ(counters[0].value, 0);
  EXPECT_FALSE(counters[1].baseline);
  EXPECT_EQ(counters[1].value, 5);
}

TEST(Sampler, RunsThroughPhasesAndNotesItsLongestGap) {
  const test::Node node("pair.tree");
  const Inventory inventory = discover(node.root(), read_directly(node.root()));
  EvidenceWriter evidence(real_clock());
  {
    Sampler sampler({real_clock(), node.root(), inventory, evidence}, milliseconds(1));
    sampler.start();
    for (Phase phase : {Phase::warm_up, Phase::measure, Phase::cool_down}) {
      real_clock().sleep_until(real_clock().now() + milliseconds(5));
      sampler.enter(phase, "s");
    }
    sampler.stop();
    sampler.stop();  // harmless
  }
  bool gap = false;
  for (const Record& record : evidence.evidence().records)
    if (const auto* reading = std::get_if<Reading>(&record.body))
      gap = gap || reading->quantity == "longest_sampling_gap";
  EXPECT_TRUE(gap);
}

}  // namespace
}  // namespace linkburn
