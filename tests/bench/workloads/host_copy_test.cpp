#include "bench/workloads/host_copy.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "bench/workloads/table.h"
#include "tests/support/process.h"

namespace linkburn {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

/// Remembers what was announced; asks to stop from a given question on.
class TestProgress final : public Progress {
 public:
  explicit TestProgress(int stop_at = 1000) : stop_at_(stop_at) {}
  void doing(std::string_view call, Duration allowed) override {
    EXPECT_GT(allowed, Duration::zero());
    calls.emplace_back(call);
  }
  bool stop_requested() const override { return asked_++ >= stop_at_; }
  std::vector<std::string> calls;

 private:
  int stop_at_;
  mutable int asked_ = 0;
};

LaneSpec small_lane() {
  return {ComponentId::numa_path(0, 0), {{"buffer_mib", "4"}, {"threads", "2"}}, "host_copy-1"};
}

LaneSpec small_lane(const std::string& param, const std::string& value) {
  LaneSpec lane = small_lane();
  lane.params[param] = value;
  return lane;
}

class HostCopyOf : public testing::Test {
 protected:
  void prepare(const LaneSpec& lane) {
    const Status ready = copy_.prepare(lane, progress_);
    ASSERT_TRUE(ready) << ready.error().line();
  }
  DataCheck verify() {
    const auto check = copy_.verify();
    EXPECT_TRUE(check) << check.error().line();
    return *check;
  }
  void expect_nothing_held() {
    EXPECT_TRUE(test::eventually([&] { return test::status_number("Threads") == threads_; }));
    EXPECT_EQ(test::status_number("VmLck"), locked_kib_);
  }

  const std::int64_t threads_ = test::threads_at_rest();
  const std::int64_t locked_kib_ = test::status_number("VmLck");
  TestProgress progress_;
  HostCopy copy_{real_clock()};
};

TEST_F(HostCopyOf, LapsMoveTheWholeBuffer) {
  prepare(small_lane());
  const auto lap = copy_.lap();
  ASSERT_TRUE(lap) << lap.error().line();
  EXPECT_EQ(lap->bytes, 4 << 20);
  EXPECT_LE(lap->start, lap->end);
  EXPECT_TRUE(std::ranges::equal(copy_.source(), copy_.destination()));
}

TEST_F(HostCopyOf, RightDataPassesAgainAndAgain) {
  prepare(small_lane());
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(copy_.lap());
    const DataCheck check = verify();
    EXPECT_EQ(check.words_checked, (4 << 20) / 8);
    EXPECT_EQ(check.wrong_words, 0);
    EXPECT_EQ(check.first_wrong, "");
  }
}

TEST_F(HostCopyOf, AFlippedBitIsFoundAndItsPlaceNamed) {
  prepare(small_lane());
  for (int lap = 0; lap < 5; ++lap) ASSERT_TRUE(copy_.lap());
  copy_.destination()[300'000] ^= 1 << 20;
  const DataCheck check = verify();
  EXPECT_EQ(check.wrong_words, 1);
  EXPECT_THAT(check.first_wrong, StartsWith("after lap 5, byte 0x249f00 of the copy on numa0: "));
}

TEST_F(HostCopyOf, FirstAndLastWordAreChecked) {
  prepare(small_lane());
  ASSERT_TRUE(copy_.lap());
  copy_.destination().front() ^= 1;
  copy_.destination().back() ^= 1;
  const DataCheck check = verify();
  EXPECT_EQ(check.wrong_words, 2);
  EXPECT_THAT(check.first_wrong, HasSubstr("byte 0x0 "));
}

TEST_F(HostCopyOf, ALapThatWroteNothingIsSeen) {
  prepare(small_lane());
  const std::vector<std::uint64_t> old(copy_.destination().begin(), copy_.destination().end());
  ASSERT_TRUE(copy_.lap());
  std::ranges::copy(old, copy_.destination().begin());
  EXPECT_EQ(verify().wrong_words, (4 << 20) / 8);
}

TEST_F(HostCopyOf, ACheckWithoutALapMakesOne) {
  prepare(small_lane());
  EXPECT_EQ(verify().wrong_words, 0);
}

TEST_F(HostCopyOf, ReleaseGivesEverythingBack) {
  prepare(small_lane());
  if (copy_.facts().at("pinned") == "yes" && !test::kSanitized) {
    EXPECT_EQ(test::status_number("VmLck"), locked_kib_ + 2 * 4 * 1024);
  }
  copy_.release();
  expect_nothing_held();
  copy_.release();
}

TEST_F(HostCopyOf, CanBePreparedAgain) {
  prepare(small_lane());
  prepare(small_lane("buffer_mib", "6"));
  EXPECT_EQ(copy_.lap()->bytes, 6 << 20);
  EXPECT_EQ(verify().wrong_words, 0);
}

TEST_F(HostCopyOf, LongCallsAreAnnounced) {
  prepare(small_lane());
  EXPECT_THAT(progress_.calls,
              testing::ElementsAre("hwloc_topology_load", "touching 8 MiB of numa0 and numa0",
                                   "mlock", "move_pages", "trying copy methods"));
}

TEST_F(HostCopyOf, FactsSayHowTheLoadWasMade) {
  prepare(small_lane("lock", "0"));
  const Facts facts = copy_.facts();
  EXPECT_EQ(facts.at("buffer"), "4 MiB");
  EXPECT_EQ(facts.at("pinned"), "no: not asked for");
  for (const char* name :
       {"threads", "cpus", "cache", "bound", "huge_pages", "placement", "method"})
    EXPECT_NE(facts.at(name), "") << name;
  EXPECT_THAT(facts.at("methods_gb_per_s"), HasSubstr(facts.at("method")));
  copy_.release();
  EXPECT_EQ(copy_.facts(), facts);
}

TEST_F(HostCopyOf, MoreThreadsThanCpusBecomeAsManyAsThereAre) {
  prepare(small_lane("threads", "1024"));
  EXPECT_THAT(copy_.facts().at("threads"), HasSubstr("(1024 wanted)"));
  ASSERT_TRUE(copy_.lap());
  EXPECT_EQ(verify().wrong_words, 0);
}

TEST_F(HostCopyOf, ANodeThatDoesNotExistIsAnErrorAndLeavesNothing) {
  for (const char* end : {"from_node", "to_node"}) {
    const Status ready = copy_.prepare(small_lane(end, "1000"), progress_);
    ASSERT_FALSE(ready);
    EXPECT_EQ(ready.error().code, Code::not_found);
    EXPECT_THAT(ready.error().line(), HasSubstr("there is no NUMA node 1000"));
    expect_nothing_held();
  }
}

TEST_F(HostCopyOf, NonsenseInTheParamsIsAnError) {
  for (const auto& [name, value] : std::vector<std::pair<std::string, std::string>>{
           {"from_node", "-1"}, {"threads", "two"}, {"lock", "2"}, {"size", "4"}}) {
    const Status ready = copy_.prepare(small_lane(name, value), progress_);
    ASSERT_FALSE(ready) << name;
    EXPECT_EQ(ready.error().code, Code::invalid) << name;
  }
}

TEST_F(HostCopyOf, AStopAtAnyPartOfThePreparationLeavesNothing) {
  for (int part = 0; part < 7; ++part) {
    TestProgress progress(part);
    const Status ready = copy_.prepare(small_lane(), progress);
    ASSERT_FALSE(ready) << part;
    EXPECT_EQ(ready.error().code, Code::interrupted);
    expect_nothing_held();
  }
}

TEST_F(HostCopyOf, NoAddressSpaceIsAnErrorAndLeavesNothing) {
  if (test::kSanitized) GTEST_SKIP() << "sanitizers need unlimited address space";
  const std::string outcome = test::in_child([this] {
    const auto now_bytes = static_cast<rlim_t>(test::status_number("VmSize")) * 1024;
    const rlimit limit{now_bytes + (100 << 20), RLIM_INFINITY};
    ::setrlimit(RLIMIT_AS, &limit);
    const Status ready = copy_.prepare(small_lane("buffer_mib", "128"), progress_);
    const bool clean = test::eventually([] { return test::status_number("Threads") == 1; });
    return (ready ? "ready" : ready.error().line()) + (clean ? ", clean" : ", threads are left");
  });
  EXPECT_EQ(outcome, "cannot get 128 MiB of memory: Cannot allocate memory: mmap, clean");
}

/// Prepares under a limit on locked memory, in a child, and says what came of it.
std::string pinned_within(rlim_t limit_bytes) {
  return test::in_child([limit_bytes] {
    const rlimit limit{limit_bytes, limit_bytes};
    ::setrlimit(RLIMIT_MEMLOCK, &limit);
    // CAP_IPC_LOCK would lift the limit; another user does not have it.
    if (::geteuid() == 0 &&
        (::setgroups(0, nullptr) != 0 || ::setgid(65534) != 0 || ::setuid(65534) != 0))
      return std::string("cannot become another user");
    TestProgress progress;
    HostCopy copy(real_clock());
    const Status ready = copy.prepare(small_lane(), progress);
    if (!ready) return ready.error().line();
    if (!copy.lap() || copy.verify()->wrong_words != 0) return std::string("bad laps");
    return fmt::format("{}; {} KiB are", copy.facts().at("pinned"), test::status_number("VmLck"));
  });
}

TEST(LockedMemoryLimit, IsRespectedAndNamed) {
  if (test::kSanitized) GTEST_SKIP() << "sanitizers swallow mlock";
  EXPECT_EQ(pinned_within(1 << 20), "no: locked-memory limit 1 MiB, 8 MiB needed; 0 KiB are");
  EXPECT_EQ(pinned_within(0), "no: locked-memory limit 0 MiB, 8 MiB needed; 0 KiB are");
}

TEST(LockedMemoryLimit, LocksAllOrNothing) {
  if (test::kSanitized) GTEST_SKIP() << "sanitizers swallow mlock";
  EXPECT_EQ(pinned_within(7 << 20), "no: locked-memory limit 7 MiB, 8 MiB needed; 0 KiB are");
  EXPECT_EQ(pinned_within(8 << 20), "yes; 8192 KiB are");
}

TEST(WorkloadTable, KnowsItsWorkloadsByName) {
  const WorkloadInfo* info = find_workload("host_copy");
  ASSERT_NE(info, nullptr);
  EXPECT_EQ(info->unit, "GB/s");
  EXPECT_NE(info->make(real_clock()), nullptr);
  EXPECT_EQ(find_workload("host_cop"), nullptr);
  for (const WorkloadInfo* each : workloads()) EXPECT_EQ(find_workload(each->name), each);
}

}  // namespace
}  // namespace linkburn
