#include "bench/worker/supervisor.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>
#include <fstream>

#include "tests/support/temp_dir.h"

namespace linkburn {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

/// Short enough that a hang is found soon, long enough for a loaded machine with sanitizers.
SupervisorLimits short_limits() {
  SupervisorLimits limits;
  limits.silence = seconds(3);
  limits.lease_period = milliseconds(200);
  limits.goodbye = milliseconds(1500);
  limits.messages_per_s = 200;  // so few that no machine is too slow for more
  return limits;
}

class SupervisorTest : public testing::Test {
 protected:
  int start(std::string kind, std::map<std::string, std::string> params = {}) {
    Job job;
    job.kind = std::move(kind);
    job.step = "step";
    job.component = ComponentId::node();
    job.params = std::move(params);
    const auto number = supervisor_.start("test worker", std::move(job));
    EXPECT_TRUE(number);
    return *number;
  }

  const Worker& end(int number) {
    supervisor_.pump(later(),
                     [&] { return supervisor_.worker(number).state == WorkerState::ended; });
    return supervisor_.worker(number);
  }

  static Instant later() { return real_clock().now() + seconds(60); }

  std::vector<Record> records_;
  Supervisor supervisor_{
      real_clock(),
      {"/proc/self/exe", "worker"},
      [this](const Worker&, Record record) { records_.push_back(std::move(record)); },
      short_limits()};
};

TEST_F(SupervisorTest, AGoodWorkerGoesThroughItsLife) {
  const int number = start("good");
  ASSERT_TRUE(supervisor_.pump(later(), [&] { return supervisor_.worker(number).ready; }));
  supervisor_.send(number, MessageType::go, encode(Gate{0, 0, 3, 100}));
  ASSERT_TRUE(supervisor_.pump(later(), [&] { return supervisor_.worker(number).measured; }));
  EXPECT_EQ(records_.size(), 3U);
  supervisor_.send(number, MessageType::release);
  EXPECT_EQ(end(number).outcome.status, "complete");
  EXPECT_EQ(supervisor_.worker(number).outcome.facts.at("step"), "step");
}

TEST_F(SupervisorTest, SilenceIsAHangAndNamesTheCall) {
  const Worker& worker = end(start("hang"));
  EXPECT_EQ(worker.outcome.status, "error");
  EXPECT_THAT(worker.outcome.reason, HasSubstr("cuFakeCall has not returned"));
}

TEST_F(SupervisorTest, SlowIsAResult) {
  const Worker& worker = end(start("slow", {{"ms", "6000"}}));
  EXPECT_EQ(worker.outcome.status, "complete") << worker.outcome.reason;
}

TEST_F(SupervisorTest, ACrashNamesSignalAndCall) {
  const Worker& worker = end(start("crash"));
  EXPECT_EQ(worker.outcome.status, "error");
  EXPECT_THAT(worker.outcome.reason, HasSubstr("cuCrash"));
  EXPECT_THAT(worker.outcome.reason, HasSubstr("SIGSEGV"));
}

TEST_F(SupervisorTest, AnExitWithoutAWordIsAnError) {
  EXPECT_THAT(end(start("leave")).outcome.reason, HasSubstr("exited with 7"));
}

TEST_F(SupervisorTest, AFloodIsStopped) {
  EXPECT_THAT(end(start("flood")).outcome.reason, HasSubstr("messages in a second"));
  EXPECT_LE(records_.size(), 400U) << "those of the second before, and of the one that is too much";
}

TEST_F(SupervisorTest, GarbageIsABrokenProtocol) {
  EXPECT_THAT(end(start("garbage")).outcome.reason, HasSubstr("broken frame"));
}

TEST_F(SupervisorTest, AnUnknownJobIsRefused) {
  EXPECT_THAT(end(start("dance")).outcome.reason, HasSubstr("dance"));
}

TEST_F(SupervisorTest, ABadWorkerDoesNotHarmTheOthers) {
  const int good = start("good");
  const int hang = start("hang");
  const int crash = start("crash");
  EXPECT_EQ(end(hang).outcome.status, "error");
  EXPECT_EQ(end(crash).outcome.status, "error");
  EXPECT_EQ(supervisor_.worker(good).state, WorkerState::running);
  supervisor_.send(good, MessageType::go, encode(Gate{0, 0, 1, 100}));
  supervisor_.send(good, MessageType::release);
  EXPECT_EQ(end(good).outcome.status, "complete");
}

TEST_F(SupervisorTest, WorkersGetNothingThatIsNotTheirs) {
  ::setenv("BENCHMARK_FORMAT", "json", 1);
  const int leaky = ::open("/proc/self/stat", O_RDONLY);  // without O_CLOEXEC, as libraries do
  const Worker& worker = end(start("inspect_self"));
  ::close(leaky);
  ::unsetenv("BENCHMARK_FORMAT");
  EXPECT_EQ(worker.outcome.facts.at("own_session"), "yes");
  EXPECT_EQ(worker.outcome.facts.at("stdout"), "/dev/null");
  EXPECT_EQ(worker.outcome.facts.at("sockets"), "1");
  EXPECT_EQ(worker.outcome.facts.at("others"), "0");
  EXPECT_EQ(worker.outcome.facts.at("benchmark_variable"), "");
}

TEST_F(SupervisorTest, StopAllEndsEvenTheStubborn) {
  const int stubborn = start("stubborn");
  const int good = start("good");
  supervisor_.pump(later(), [&] { return supervisor_.worker(good).ready; });
  supervisor_.stop_all("test");
  EXPECT_EQ(supervisor_.worker(stubborn).state, WorkerState::ended);
  EXPECT_EQ(supervisor_.worker(good).state, WorkerState::ended);
  EXPECT_TRUE(supervisor_.survivors().empty());
}

TEST_F(SupervisorTest, AWakeDescriptorEndsAPump) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "x", 1), 1);
  Supervisor waking(
      real_clock(), {"/proc/self/exe", "worker"}, [](const Worker&, const Record&) {},
      short_limits(), ends[0]);
  EXPECT_FALSE(waking.pump(kForever, [] { return false; }));
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_F(SupervisorTest, AProgramThatCannotBeStartedIsSaid) {
  Supervisor broken(
      real_clock(), {"/does/not/exist"}, [](const Worker&, const Record&) {}, short_limits());
  Job job;
  job.kind = "good";
  const auto number = broken.start("nobody", std::move(job));
  ASSERT_TRUE(number);
  broken.pump(later(), [&] { return broken.worker(*number).state == WorkerState::ended; });
  EXPECT_THAT(broken.worker(*number).outcome.reason, HasSubstr("could not be started"));
}

/// Waits for the worker of a "load" job to say its number.
pid_t read_pid(const std::string& file) {
  pid_t pid = 0;
  for (int i = 0; i < 3000 && pid == 0; ++i) {
    std::ifstream in(file);
    std::string line;
    if (std::getline(in, line) && !in.eof()) pid = std::atoi(line.c_str());
    if (pid == 0) real_clock().sleep_until(real_clock().now() + milliseconds(10));
  }
  return pid;
}

bool gone_soon(pid_t pid) {
  for (int i = 0; i < 3000; ++i) {
    if (::kill(pid, 0) != 0) return true;
    // Where nobody reaps orphans at once, a zombie is as good as gone.
    std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
    std::string line;
    std::getline(stat, line);
    if (line.find(") Z ") != std::string::npos) return true;
    real_clock().sleep_until(real_clock().now() + milliseconds(10));
  }
  return false;
}

/// A process of its own that supervises one loading worker.
pid_t fork_supervisor(const std::string& file) {
  const pid_t pid = ::fork();
  if (pid != 0) return pid;
  Supervisor supervisor(
      real_clock(), {"/proc/self/exe", "worker"}, [](const Worker&, const Record&) {},
      short_limits());
  Job job;
  job.kind = "load";
  job.params = {{"file", file}};
  (void)supervisor.start("load", std::move(job));
  supervisor.pump(kForever, [] { return false; });
  ::_exit(0);
}

TEST(SupervisorDeath, TheLoadDiesWithAKilledSupervisor) {
  const test::TempDir dir;
  const pid_t supervisor = fork_supervisor(dir.path() + "/pid");
  const pid_t worker = read_pid(dir.path() + "/pid");
  ASSERT_GT(worker, 0);
  ::kill(supervisor, SIGKILL);
  ::waitpid(supervisor, nullptr, 0);
  EXPECT_TRUE(gone_soon(worker));
}

TEST(SupervisorDeath, TheLoadStopsWhenTheSupervisorIsFrozen) {
  const test::TempDir dir;
  const pid_t supervisor = fork_supervisor(dir.path() + "/pid");
  const pid_t worker = read_pid(dir.path() + "/pid");
  ASSERT_GT(worker, 0);
  ::kill(supervisor, SIGSTOP);
  EXPECT_TRUE(gone_soon(worker)) << "the lease did not lapse";
  ::kill(supervisor, SIGKILL);
  ::waitpid(supervisor, nullptr, 0);
}

}  // namespace
}  // namespace linkburn
