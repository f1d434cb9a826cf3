#include "report/evidence/writer.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <array>
#include <csignal>
#include <map>

#include "report/evidence/reader.h"
#include "tests/support/temp_dir.h"

namespace linkburn {
namespace {

/// The real clock, except that waits with a deadline have always just passed it.
class ImpatientClock final : public Clock {
 public:
  std::string_view name() const override { return "impatient"; }
  Instant now() const override { return real_clock().now(); }
  std::int64_t wall_ns() const override { return real_clock().wall_ns(); }
  void sleep_until(Instant) const override {}
  Result<int> poll(std::span<pollfd> fds, Instant) const override {
    return real_clock().poll(fds, now());
  }
  bool wait(std::condition_variable& condition, std::unique_lock<std::mutex>& lock,
            Instant deadline) const override {
    return real_clock().wait(condition, lock, deadline == kForever ? kForever : now());
  }
};

RunStart a_start() {
  RunStart start;
  start.tool = "linkburn";
  return start;
}

LapWindow a_lap(int lane = 0, std::int64_t number = 0) {
  LapWindow lap;
  lap.component = ComponentId::numa(lane);
  lap.laps = number;
  return lap;
}

class WriterTest : public testing::Test {
 protected:
  std::unique_ptr<EvidenceWriter> create() const {
    auto writer = EvidenceWriter::create(file_, real_clock());
    return writer ? std::move(*writer) : nullptr;
  }
  Evidence read_back() const {
    const auto evidence = read_evidence(file_);
    EXPECT_TRUE(evidence) << evidence.error().line();
    return evidence.value_or(Evidence{});
  }

  test::TempDir dir_;
  std::string file_ = dir_.path() + "/evidence.jsonl";
};

TEST_F(WriterTest, RecordsAreNumberedStampedAndOnDiskAfterClose) {
  const auto writer = create();
  ASSERT_TRUE(writer);
  EXPECT_EQ(writer->append(a_start()), 1);
  EXPECT_EQ(writer->append(a_lap()), 2);
  writer->close();
  const Evidence evidence = read_back();
  ASSERT_EQ(evidence.records.size(), 2U);
  EXPECT_EQ(evidence.records[1].seq, 2);
  EXPECT_LE(evidence.records[0].at_ns, evidence.records[1].at_ns);
  EXPECT_FALSE(evidence.torn_tail);
  EXPECT_FALSE(writer->trouble());
  EXPECT_EQ(writer->lost_records(), 0);
}

TEST_F(WriterTest, NeverOverwrites) {
  dir_.write("evidence.jsonl", "older evidence\n");
  const auto writer = EvidenceWriter::create(file_, real_clock());
  ASSERT_FALSE(writer);
  EXPECT_NE(writer.error().fix.find("never overwritten"), std::string::npos);
  EXPECT_FALSE(EvidenceWriter::create(dir_.path() + "/no/such/folder/x", real_clock()));
}

TEST_F(WriterTest, WithoutAFileRecordsStayInMemory) {
  EvidenceWriter writer(real_clock());
  writer.append(a_start());
  EXPECT_EQ(writer.append(a_lap()), 2);
  writer.close();
  EXPECT_EQ(writer.evidence().records.size(), 2U);
}

TEST_F(WriterTest, AfterCloseRecordsGoToMemoryOnly) {
  const auto writer = create();
  ASSERT_TRUE(writer);
  writer->append(a_start());
  writer->close();
  EXPECT_EQ(writer->append(a_lap()), 2);
  EXPECT_EQ(read_back().records.size(), 1U);
  EXPECT_EQ(writer->evidence().records.size(), 2U);
}

TEST_F(WriterTest, ThreadsAppendTogetherAndNoLapIsLost) {
  constexpr int kLanes = 4;
  constexpr std::int64_t kLaps = 500;
  const auto writer = create();
  ASSERT_TRUE(writer);
  writer->append(a_start());
  {
    std::vector<std::jthread> lanes;
    for (int lane = 0; lane < kLanes; ++lane)
      lanes.emplace_back([&writer, lane] {
        for (std::int64_t lap = 0; lap < kLaps; ++lap) writer->append(a_lap(lane, lap));
      });
  }
  writer->close();

  const Evidence evidence = read_back();
  ASSERT_EQ(evidence.records.size(), 1U + kLanes * kLaps);
  std::map<std::string, std::int64_t> next;
  for (std::size_t i = 0; i < evidence.records.size(); ++i) {
    EXPECT_EQ(evidence.records[i].seq, static_cast<std::int64_t>(i) + 1) << "in order of numbers";
    const auto* lap = std::get_if<LapWindow>(&evidence.records[i].body);
    if (lap == nullptr) continue;
    EXPECT_EQ(lap->laps, next[lap->component.text()]++) << "in order within a lane";
  }
  EXPECT_EQ(next.size(), static_cast<std::size_t>(kLanes));
}

TEST_F(WriterTest, FullDiskIsToldAndTheRunGoesOnInMemory) {
  const auto writer = EvidenceWriter::create("/dev/full", real_clock());
  ASSERT_TRUE(writer) << writer.error().line();
  (*writer)->append(a_start());
  for (int i = 0; i < 10; ++i) (*writer)->append(a_lap());
  (*writer)->close();
  const auto trouble = (*writer)->trouble();
  ASSERT_TRUE(trouble);
  EXPECT_EQ(trouble->source, "/dev/full");
  EXPECT_FALSE(trouble->fix.empty());
  EXPECT_EQ((*writer)->lost_records(), 11);
  EXPECT_EQ((*writer)->evidence().records.size(), 11U);
}

/// Lowers the longest file that this process may write, for its scope: a disk that fills up.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &was_);
    rlimit low = was_;
    low.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &low);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &was_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit was_{};
  void (*handler_)(int) = nullptr;
};

TEST_F(WriterTest, HalfALineIsTakenBackWhenTheDiskFillsUp) {
  const auto writer = create();
  ASSERT_TRUE(writer);
  {
    const FileSizeLimit limit(300);  // holds the start and cuts the record after it
    writer->append(a_start());
    LapWindow long_lap = a_lap();
    long_lap.lap_ns.assign(200, 1);
    writer->append(long_lap);
    while (writer->lost_records() == 0) std::this_thread::yield();
  }
  writer->append(a_lap(1));
  writer->close();
  const Evidence evidence = read_back();
  EXPECT_EQ(evidence.bad_lines, 0);
  ASSERT_EQ(evidence.records.size(), 2U);
  EXPECT_EQ(evidence.records[1].seq, 3) << "the lost record is missed by its number";
  EXPECT_TRUE(writer->trouble());
}

/// A pipe that nobody reads stands for a disk that does not answer.
class StuckDisk {
 public:
  StuckDisk() {
    std::array<int, 2> ends{-1, -1};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return;
    read_ = Fd(ends[0]), write_ = Fd(ends[1]);
    const int flags = ::fcntl(write_.get(), F_GETFL);
    ::fcntl(write_.get(), F_SETFL, flags | O_NONBLOCK);
    while (::write(write_.get(), "\n", 1) == 1) {
    }
  }
  std::string path() const { return fmt::format("/proc/self/fd/{}", write_.get()); }

  /// From now on everything is read. Returns when all writers have closed it.
  std::jthread start_reading(std::string& all) {
    write_.reset();
    return std::jthread([this, &all] {
      std::array<char, 65536> chunk{};
      ssize_t got = 0;
      while ((got = ::read(read_.get(), chunk.data(), chunk.size())) > 0)
        all.append(chunk.data(), static_cast<std::size_t>(got));
    });
  }

 private:
  Fd read_, write_;
};

TEST_F(WriterTest, StuckDiskDropsReadingsAndNeverHangsTheRun) {
  // Never destroyed: the thread that is left behind with the stuck disk asks it for the time.
  static const ImpatientClock& clock = *new ImpatientClock;
  StuckDisk disk;
  auto created = EvidenceWriter::create(disk.path(), clock);
  ASSERT_TRUE(created) << created.error().line();
  std::unique_ptr<EvidenceWriter> writer = std::move(*created);

  writer->append(a_start());
  while (writer->dropped_samples() == 0) writer->append(Reading{});
  EXPECT_FALSE(writer->trouble()) << "dropped samples are counted, no trouble";
  // At most one record can still leave the queue, into the writing thread's hands.
  for (int i = 0; i < 2 && writer->lost_records() == 0; ++i) writer->append(a_lap());
  EXPECT_EQ(writer->lost_records(), 1);
  ASSERT_TRUE(writer->trouble());
  EXPECT_EQ(writer->trouble()->code, Code::timeout);

  const auto appended = static_cast<std::int64_t>(writer->evidence().records.size());
  std::string all;
  {
    const std::jthread reader = disk.start_reading(all);
    writer->close();
    writer.reset();
  }
  all.erase(0, all.find('{'));
  const auto evidence = parse_evidence(all, "pipe");
  ASSERT_TRUE(evidence);
  EXPECT_EQ(static_cast<std::int64_t>(evidence->records.size()), appended - 1)
      << "all but the lost one arrive once the disk answers again";
}

}  // namespace
}  // namespace linkburn
