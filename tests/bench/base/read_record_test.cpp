#include "bench/base/read_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "bench/base/sysroot.h"
#include "tests/support/temp_dir.h"

namespace linkburn {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::Key;
using testing::Not;
using testing::Pair;
using testing::UnorderedElementsAre;

class ReadRecordTest : public testing::Test {
 protected:
  ReadRecordTest() {
    dir_.write("sys/devices/gpu/width", "16\n");
    dir_.write("sys/devices/gpu/empty", "");
    dir_.write("sys/devices/gpu/config", std::string("\0\xff\n", 3));
    dir_.write("sys/devices/gpu/never", "7\n");
    fs::create_directories(dir_.path() + "/sys/bus");
    fs::create_symlink("../devices/gpu", dir_.path() + "/sys/bus/gpu");
  }

  Sysroot noted() {
    Sysroot root = Sysroot::open(dir_.path()).value();
    root.note_reads(record_);
    return root;
  }

  test::TempDir dir_;
  std::shared_ptr<ReadRecord> record_ = std::make_shared<ReadRecord>();
};

TEST_F(ReadRecordTest, NotesFilesUnderTheirCanonicalPathAndTheLinksToThem) {
  ASSERT_TRUE(noted().read("sys/bus/gpu/width"));
  ASSERT_TRUE(noted().below("sys/bus/gpu").value().read("config"));
  EXPECT_THAT(record_->files(),
              ElementsAre(Pair("sys/devices/gpu/config", std::string("\0\xff\n", 3)),
                          Pair("sys/devices/gpu/width", "16\n")));
  EXPECT_THAT(record_->links(), ElementsAre(Pair("sys/bus/gpu", "../devices/gpu")));
}

TEST_F(ReadRecordTest, WhatIsNotThereLeavesNothing) {
  EXPECT_FALSE(noted().read("sys/devices/gpu/absent"));
  EXPECT_FALSE(noted().exists("sys/devices/other"));
  EXPECT_TRUE(record_->files().empty());
  EXPECT_TRUE(record_->errors().empty());
}

TEST_F(ReadRecordTest, AListedDirectoryKeepsAllItsNames) {
  ASSERT_TRUE(noted().list("sys/devices/gpu"));
  ASSERT_TRUE(noted().list("sys/bus"));
  EXPECT_THAT(record_->folders(), Contains("sys/devices/gpu"));
  EXPECT_THAT(record_->links(), Contains(Key("sys/bus/gpu")));
  EXPECT_THAT(record_->bare_names(), Contains("sys/devices/gpu/never"));
  EXPECT_THAT(record_->errors(), Contains(Key("sys/devices/gpu/never")))
      << "a file that was not read is not an empty one";
  ASSERT_TRUE(noted().read("sys/devices/gpu/never"));
  EXPECT_THAT(record_->errors(), Not(Contains(Key("sys/devices/gpu/never"))));
}

TEST_F(ReadRecordTest, AFileThatChangesIsKeptAsItWasFirst) {
  record_->file("proc/uptime", "1.0");
  record_->file("proc/uptime", "2.0");
  EXPECT_THAT(record_->files(), ElementsAre(Pair("proc/uptime", "1.0")));
}

TEST_F(ReadRecordTest, PartsOfAFileComeTogetherAndEndWhereItEnds) {
  const Sysroot folder = noted().below("sys/bus/gpu").value();
  const Fd file = folder.open_file("config").value();
  EXPECT_EQ(folder.read_part(file, "config", 1, 1).value(), "\xff");
  EXPECT_THAT(record_->files(),
              ElementsAre(Pair("sys/devices/gpu/config", std::string("\0\xff", 2))));
  EXPECT_EQ(folder.read_part(file, "config", 2, 4).value(), "\n") << "fewer where it ends";
  EXPECT_EQ(folder.read_part(file, "config", 64, 4).value(), "");
  EXPECT_EQ(record_->files().at("sys/devices/gpu/config").size(), 3U);
  record_->file("sys/devices/gpu/config", "whole");
  EXPECT_EQ(record_->files().at("sys/devices/gpu/config"), "whole");
}

TEST_F(ReadRecordTest, AListOfADirectoryByADotHasPlainNames) {
  ASSERT_TRUE(noted().below("sys/bus/gpu").value().list("."));
  EXPECT_THAT(record_->bare_names(), Contains("sys/devices/gpu/never"));
}

TEST_F(ReadRecordTest, ErrorsSurviveAsText) {
  record_->error("sys/a", {Code::io, "cannot read: Input/output error", "/sys/a", ""});
  record_->error("sys/b", {Code::timeout, "has\tnot\nreturned", "/sys/b", "the driver hangs"});
  const KeptErrors errors = parse_kept_errors(to_text(record_->errors()));
  ASSERT_EQ(errors.size(), 2U);
  EXPECT_EQ(errors.at("sys/a").code, Code::io);
  EXPECT_EQ(errors.at("sys/a").what, "cannot read: Input/output error");
  EXPECT_EQ(errors.at("sys/b").what, "has?not?returned");
  EXPECT_EQ(errors.at("sys/b").fix, "the driver hangs");
  EXPECT_TRUE(parse_kept_errors("no tabs\n\tio\tx\t\nsys/c\tnonsense\tx\t\n").empty());
}

TEST_F(ReadRecordTest, ATreeWithErrorsGivesThem) {
  dir_.write("linkburn/errors",
             "sys/devices/gpu/width\tio\tcannot read: Input/output error\t\n"
             "sys/secret/file\tpermission\tcannot open: Permission denied\tbe root\n");
  const Sysroot root = Sysroot::open(dir_.path()).value();
  for (const auto& text :
       {root.read("sys/bus/gpu/width"), root.below("sys/devices/gpu").value().read("width")}) {
    ASSERT_FALSE(text);
    EXPECT_EQ(text.error().code, Code::io);
    EXPECT_EQ(text.error().what, "cannot read: Input/output error");
    EXPECT_THAT(text.error().source, testing::EndsWith("gpu/width"));
  }
  EXPECT_EQ(root.read("sys/secret/file").error().code, Code::permission);
  EXPECT_TRUE(root.exists("sys/devices/gpu/width"));
  EXPECT_TRUE(root.read("sys/devices/gpu/config"));
}

TEST_F(ReadRecordTest, ErrorsOfAReplayedTreeAreNotedAgain) {
  dir_.write("linkburn/errors", "sys/devices/gpu/width\tio\tcannot read: Input/output error\t\n");
  EXPECT_FALSE(noted().read("sys/bus/gpu/width"));
  EXPECT_EQ(record_->errors().at("sys/devices/gpu/width").code, Code::io);
  EXPECT_THAT(record_->bare_names(), ElementsAre("sys/devices/gpu/width"));
}

}  // namespace
}  // namespace linkburn
