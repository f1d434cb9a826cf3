#include "report/evidence/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>

#include "report/evidence/codec.h"
#include "tests/support/temp_dir.h"

namespace linkburn {
namespace {

using testing::HasSubstr;

RunStart a_start() {
  RunStart start;
  start.tool = "linkburn";
  start.mode = "inspect";
  start.node = "pair";
  return start;
}

/// The lines of a short, whole file.
std::vector<std::string> lines() {
  LapWindow laps;
  laps.step = "host_copy-1";
  laps.component = ComponentId::numa(0);
  laps.lap_ns = {100, 102, 99};
  RunEnd end;
  end.status = "complete";
  return {encode({1, 0, a_start()}), encode({2, 1000, laps}), encode({3, 2000, end})};
}

std::string text_of(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& line : parts) text += line + "\n";
  return text;
}

TEST(ReadEvidence, WholeFile) {
  const auto evidence = parse_evidence(text_of(lines()), "node7.jsonl");
  ASSERT_TRUE(evidence) << evidence.error().line();
  EXPECT_EQ(evidence->file, "node7.jsonl");
  ASSERT_EQ(evidence->records.size(), 3U);
  EXPECT_EQ(evidence->records[1].seq, 2);
  EXPECT_EQ(kind_of(evidence->records[2]), "run_end");
  EXPECT_FALSE(evidence->torn_tail);
  EXPECT_EQ(evidence->bad_lines, 0);
}

/// A run can be killed, or a disk fill up, after any byte.
TEST(ReadEvidence, CutAfterAnyByteKeepsAllWholeRecords) {
  const std::string whole = text_of(lines());
  const std::size_t first_line = lines()[0].size();
  for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
    SCOPED_TRACE(cut);
    const std::string text = whole.substr(0, cut);
    const auto evidence = parse_evidence(text, "cut");
    ASSERT_EQ(evidence.has_value(), cut >= first_line);
    if (!evidence) continue;
    const bool ends_in_newline = text.ends_with('\n');
    // A last line that lacks nothing but its newline is still a whole record.
    const bool only_newline_gone = !ends_in_newline && whole[cut] == '\n';
    const auto newlines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    EXPECT_EQ(evidence->records.size(), newlines + (only_newline_gone ? 1 : 0));
    EXPECT_EQ(evidence->torn_tail, !ends_in_newline);
    EXPECT_EQ(evidence->bad_lines, 0) << "a cut tail is no bad line";
  }
}

TEST(ReadEvidence, BadLineInTheMiddleIsCountedAndTheRestIsRead) {
  for (const char* bad :
       {"", "{\"kind\":\"link\",", "\xff\xfe", "{\"kind\":\"link\",\"slot\":7}"}) {
    SCOPED_TRACE(bad);
    auto parts = lines();
    parts.insert(parts.begin() + 1, bad);
    const auto evidence = parse_evidence(text_of(parts), "x");
    ASSERT_TRUE(evidence);
    EXPECT_EQ(evidence->records.size(), 3U);
    EXPECT_EQ(evidence->bad_lines, 1);
    EXPECT_FALSE(evidence->torn_tail);
  }
}

TEST(ReadEvidence, OverlongLineIsOneBadLine) {
  auto parts = lines();
  parts.insert(parts.begin() + 1, std::string(5 << 20, 'x'));
  const auto evidence = parse_evidence(text_of(parts), "x");
  ASSERT_TRUE(evidence);
  EXPECT_EQ(evidence->records.size(), 3U);
  EXPECT_EQ(evidence->bad_lines, 1);
}

TEST(ReadEvidence, OtherSchemaIsAMismatch) {
  RunStart start = a_start();
  start.schema = kEvidenceSchema + 1;
  const auto evidence = parse_evidence(encode({1, 0, start}) + "\n", "x");
  ASSERT_FALSE(evidence);
  EXPECT_EQ(evidence.error().code, Code::mismatch);
  EXPECT_THAT(evidence.error().what, HasSubstr("schema version 2"));
}

TEST(ReadEvidence, MustBeginWithRunStart) {
  const auto evidence = parse_evidence(lines()[1] + "\n" + lines()[0] + "\n", "x");
  ASSERT_FALSE(evidence);
  EXPECT_EQ(evidence.error().code, Code::invalid);
  EXPECT_THAT(evidence.error().what, HasSubstr("run_start"));
}

TEST(ReadEvidence, NothingInItIsAnError) {
  for (const char* text : {"", "\n", "\n\n", "not evidence\n", "{}\n"})
    EXPECT_FALSE(parse_evidence(text, "x")) << text;
}

TEST(ReadEvidence, FilesLongerThanOneReadAreWhole) {
  std::vector<std::string> parts{lines()[0]};
  Reading reading;
  reading.text = std::string(997, 'x');  // so that lines straddle the borders of reads
  for (int i = 2; i < 400; ++i) parts.push_back(encode({i, i, reading}));
  const test::TempDir dir;
  const auto evidence = read_evidence(dir.write("long.jsonl", text_of(parts)));
  ASSERT_TRUE(evidence);
  ASSERT_EQ(evidence->records.size(), parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) ASSERT_EQ(encode(evidence->records[i]), parts[i]);
}

TEST(ReadEvidence, OnlyRegularFilesAndNeverWaiting) {
  const test::TempDir dir;
  const auto absent = read_evidence(dir.path() + "/absent.jsonl");
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().code, Code::not_found);
  EXPECT_FALSE(read_evidence(dir.path()));
  const std::string pipe = dir.path() + "/pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_FALSE(read_evidence(pipe));
}

}  // namespace
}  // namespace linkburn
