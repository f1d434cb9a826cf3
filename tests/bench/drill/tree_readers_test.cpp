// Those who keep descriptors of a drill's tree, while it changes.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <set>
#include <thread>

#include "bench/base/fd.h"
#include "bench/drill/shown_function.h"
#include "bench/drill/tree.h"
#include "bench/sensors/table.h"
#include "tests/support/drill_state.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temp_dir.h"

namespace linkburn::drill {
namespace {

using std::chrono::milliseconds;
using testing::IsSubsetOf;

class DrillTreeSensors : public testing::Test {
 protected:
  std::unique_ptr<Sensor> make(std::string_view name) {
    for (const SensorInfo* info : sensors())
      if (info->name == name) return info->make({clock_, *root_, inventory_, evidence_});
    return nullptr;
  }

  Moment moment() {
    clock_.advance(milliseconds(50));
    return {Phase::measure, "step-1", clock_.now()};
  }

  template <class T>
  std::vector<T> seen() {
    std::vector<T> found;
    for (const Record& record : evidence_.evidence().records)
      if (const auto* body = std::get_if<T>(&record.body)) found.push_back(*body);
    return found;
  }

  Function& gpu() {
    return state_->functions[static_cast<std::size_t>(test::function_of(*state_, "gpu1"))];
  }

  void log(const char* text) {
    test::set_text(state_->log[state_->log_count].text, text);
    ++state_->log_count;
  }

  test::TempDir dir_;
  test::FakeClock clock_;
  std::shared_ptr<State> state_ = test::small_drill_state();
  std::unique_ptr<TreeWriter> writer_ = *TreeWriter::create(*state_, dir_.path() + "/tree");
  Result<Sysroot> root_ = Sysroot::open(dir_.path() + "/tree");
  Inventory inventory_ = discover(*root_, read_directly(*root_));
  EvidenceWriter evidence_{clock_};
};

TEST_F(DrillTreeSensors, SeeALinkChangeAtBothItsEnds) {
  const auto sensor = make("pcie_link");
  sensor->sample(moment());
  gpu().width = 8;
  ASSERT_TRUE(writer_->update(*state_));
  sensor->sample(moment());
  const auto changes = seen<Transition>();
  ASSERT_EQ(changes.size(), 2U);
  for (const Transition& change : changes) {
    EXPECT_EQ(change.quantity, "link_width");
    EXPECT_EQ(change.from, 16);
    EXPECT_EQ(change.to, 8);
  }
}

TEST_F(DrillTreeSensors, SeeADeviceGoAndComeBack) {
  const auto sensor = make("pcie_link");
  sensor->sample(moment());
  for (const bool gone : {true, false}) {
    gpu().gone = gone;
    ASSERT_TRUE(writer_->update(*state_));
    sensor->sample(moment());
  }
  std::vector<double> presence;
  for (const Transition& change : seen<Transition>())
    if (change.quantity == "presence" && change.component == ComponentId::pci(address_of(gpu())))
      presence.push_back(change.to.value_or(-1));
  EXPECT_EQ(presence, (std::vector<double>{0, 1}));
}

TEST_F(DrillTreeSensors, CountErrorsBetweenTwoBoundaries) {
  const auto sensor = make("aer");
  sensor->boundary(moment());
  gpu().lower.correctable[0] = 100'000;
  ASSERT_TRUE(writer_->update(*state_));
  sensor->boundary(moment());
  std::vector<std::int64_t> counts;
  for (const Counter& counter : seen<Counter>())
    if (counter.name == "aer_correctable/RxErr" &&
        counter.component == ComponentId::pci(address_of(gpu())))
      counts.push_back(counter.value.value_or(-1));
  EXPECT_EQ(counts, (std::vector<std::int64_t>{0, 100'000}));
}

TEST_F(DrillTreeSensors, FollowTheKernelLogFromWhereItStood) {
  log("NVRM: Xid (PCI:0000:17:00): 31, before the run");
  ASSERT_TRUE(writer_->update(*state_));
  const auto sensor = make("kernel_log");
  sensor->sample(moment());
  EXPECT_TRUE(seen<KernelLine>().empty());
  log("usb 1-1: of no interest");
  log("NVRM: Xid (PCI:0000:42:00): 79, pid='<unknown>', GPU has fallen off the bus.");
  ASSERT_TRUE(writer_->update(*state_));
  sensor->sample(moment());
  sensor->sample(moment());
  const auto lines = seen<KernelLine>();
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].topic, "xid");
  EXPECT_EQ(lines[0].component, ComponentId::pci(address_of(gpu())));
  ASSERT_EQ(seen<Part>().size(), 1U);
  EXPECT_EQ(seen<Part>()[0].status, "found");
}

/// Reads a file again and again through one descriptor, and keeps what it saw.
std::set<std::string> texts_seen(const std::string& path, int reads, std::size_t from,
                                 std::size_t size) {
  std::set<std::string> seen;
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text(size, '\0');
  for (int i = 0; i < reads; ++i) {
    const ssize_t got = ::pread(file.get(), text.data(), size, static_cast<off_t>(from));
    seen.insert(text.substr(0, got < 0 ? 0 : static_cast<std::size_t>(got)));
  }
  return seen;
}

std::string line(std::string text) {
  text.resize(32, '\n');
  return text;
}

TEST(DrillTreeReaders, NeverSeeHalfAText) {
  constexpr int kReads = 20'000, kUpdates = 4'000;
  const test::TempDir dir;
  const auto state = test::small_drill_state();
  const auto writer = *TreeWriter::create(*state, dir.path() + "/tree");
  const int index = test::function_of(*state, "gpu1");
  Function& gpu = state->functions[static_cast<std::size_t>(index)];
  const std::string folder = dir.path() + "/tree/sys/devices/" + place_of(*state, index) + "/";
  std::set<std::string> speeds, widths, status, states;
  std::atomic<bool> done = false;
  std::thread reader([&] {
    speeds = texts_seen(folder + "current_link_speed", kReads, 0, 64);
    widths = texts_seen(folder + "current_link_width", kReads, 0, 64);
    status = texts_seen(folder + "config", kReads, 0x62, 2);
    states =
        texts_seen(dir.path() + "/tree/sys/class/infiniband/mlx5_0/ports/1/state", kReads, 0, 64);
    done = true;
  });
  for (int i = 0; i < kUpdates || !done; ++i) {
    gpu.gone = i % 3 == 2;
    gpu.gen = i % 3 == 1 ? 3 : 5, gpu.width = i % 3 == 1 ? 8 : 16;
    state->nics[0].up = i % 2 == 0;
    ASSERT_TRUE(writer->update(*state));
  }
  reader.join();
  EXPECT_THAT(speeds, IsSubsetOf({line("32.0 GT/s PCIe"), line("8.0 GT/s PCIe"), line("Unknown")}));
  EXPECT_THAT(widths, IsSubsetOf({line("16"), line("8"), line("63")}));
  EXPECT_THAT(status, IsSubsetOf({std::string("\x05\x11"), std::string("\x83\x10"),
                                  std::string("\xff\xff")}));
  EXPECT_THAT(states, IsSubsetOf({line("4: ACTIVE"), line("1: DOWN")}));
}

TEST(DrillTreeReaders, SeeEachCounterInItsPlaceWhileItGrows) {
  constexpr int kReads = 20'000, kUpdates = 4'000;
  const test::TempDir dir;
  const auto state = test::small_drill_state();
  const auto writer = *TreeWriter::create(*state, dir.path() + "/tree");
  const int index = test::function_of(*state, "gpu1");
  Errors& errors = state->functions[static_cast<std::size_t>(index)].lower;
  const std::string file =
      dir.path() + "/tree/sys/devices/" + place_of(*state, index) + "/aer_dev_correctable";
  std::set<std::string> seen;
  std::atomic<bool> done = false;
  std::thread reader([&] {
    seen = texts_seen(file, kReads, 0, 4096);
    done = true;
  });
  for (int i = 0; i < kUpdates || !done; ++i) {
    for (const std::size_t bit : {0U, 6U, 12U})
      errors.correctable[bit] = errors.correctable[bit] * 3 % 9'999'991 + 1;
    ASSERT_TRUE(writer->update(*state));
  }
  reader.join();
  constexpr std::array kNames{"RxErr ",      "BadTLP ",   "BadDLLP ",
                              "Rollover ",   "Timeout ",  "NonFatalErr ",
                              "CorrIntErr ", "HeaderOF ", "TOTAL_ERR_COR "};
  for (const std::string& text : seen) {
    ASSERT_EQ(text.size(), kNames.size() * 32);
    for (std::size_t i = 0; i < kNames.size(); ++i) {
      const std::string one = text.substr(i * 32, 32);
      ASSERT_TRUE(one.starts_with(kNames[i]) && one.ends_with(" \n")) << text;
      ASSERT_EQ(one.find_first_not_of("0123456789 \n", std::string(kNames[i]).size()), one.npos);
    }
  }
}

}  // namespace
}  // namespace linkburn::drill
