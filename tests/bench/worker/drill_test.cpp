// Supervisor, workers and evidence in the time of a drill.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/worker/supervisor.h"
#include "report/evidence/writer.h"
#include "tests/support/running_drill.h"

namespace linkburn {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::HasSubstr;

class DrilledSupervisor : public testing::Test {
 protected:
  DrilledSupervisor() { drill_.start(); }

  int start(std::string kind, std::map<std::string, std::string> params = {}) {
    Job job;
    job.kind = std::move(kind);
    job.component = ComponentId::node();
    job.params = std::move(params);
    const auto number = supervisor_.start("test worker", std::move(job));
    EXPECT_TRUE(number);
    return *number;
  }

  const Worker& end(int number) {
    supervisor_.pump(clock_.now() + minutes(1),
                     [&] { return supervisor_.worker(number).state == WorkerState::ended; });
    return supervisor_.worker(number);
  }

  test::DrillRun drill_;
  const Clock& clock_ = drill_.clock();
  std::vector<Record> records_;
  Supervisor supervisor_{
      clock_, {"/proc/self/exe", "worker"}, [this](const Worker&, Record record) {
        records_.push_back(std::move(record));
      }};
};

TEST_F(DrilledSupervisor, LeadsAWorkerThroughItsLifeAtTheSameInstantsEachTime) {
  std::vector<std::int64_t> ends;
  for (int round = 0; round < 2; ++round) {
    const Instant start_of_round = clock_.now();
    const int number = start("good");
    ASSERT_TRUE(supervisor_.pump(kForever, [&] { return supervisor_.worker(number).ready; }));
    supervisor_.send(number, MessageType::go, encode(Gate{0, 0, 3, 100}));
    ASSERT_TRUE(supervisor_.pump(kForever, [&] { return supervisor_.worker(number).measured; }));
    supervisor_.send(number, MessageType::release);
    EXPECT_EQ(end(number).outcome.status, "complete");
    ends.push_back((clock_.now() - start_of_round).count());
  }
  EXPECT_EQ(records_.size(), 6U);
  EXPECT_EQ(ends[0], ends[1]);
  EXPECT_EQ(drill_.state().statistics.forced_turns, 0U);
}

TEST_F(DrilledSupervisor, KillsASilentWorkerAfterFiveSecondsThatPassAtOnce) {
  const Instant started = clock_.now();
  const Instant real_start = real_clock().now();
  const Worker& worker = end(start("hang"));
  EXPECT_EQ(worker.state, WorkerState::ended);
  EXPECT_THAT(worker.outcome.reason, HasSubstr("cuFakeCall has not returned for 5 s"));
  EXPECT_LT(clock_.now() - started, seconds(6));
  EXPECT_LT(real_clock().now() - real_start, seconds(30));
}

TEST_F(DrilledSupervisor, LetsASlowWorkerTakeItsTime) {
  EXPECT_EQ(end(start("slow", {{"ms", "20000"}})).outcome.status, "complete");
  EXPECT_GE(clock_.now(), instant_from_ns(20'000'000'000));
}

TEST_F(DrilledSupervisor, SeesACrashAtTheInstantItHappens) {
  const Instant started = clock_.now();
  EXPECT_THAT(end(start("crash")).outcome.reason, HasSubstr("SIGSEGV"));
  EXPECT_LT(clock_.now() - started, seconds(1));
}

TEST_F(DrilledSupervisor, WritesItsEvidenceInDrillTime) {
  const test::TempDir dir;
  const auto writer = EvidenceWriter::create(dir.path() + "/evidence", clock_);
  ASSERT_TRUE(writer);
  clock_.sleep_until(clock_.now() + minutes(3));
  (*writer)->append(Reading{ComponentId::node(), "power", "W", 1, {}, {}, {}});
  (*writer)->close();
  EXPECT_FALSE((*writer)->trouble());
  EXPECT_EQ((*writer)->evidence().records.at(0).at_ns, 180'000'000'000);
}

}  // namespace
}  // namespace linkburn
