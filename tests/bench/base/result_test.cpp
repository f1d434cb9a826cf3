#include "bench/base/result.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdio>
#include <memory>

namespace linkburn {
namespace {

TEST(ResultOf, HoldsAValueOrAnError) {
  const Result<int> good = 7;
  EXPECT_TRUE(good);
  EXPECT_EQ(*good, 7);
  EXPECT_EQ(good.value_or(3), 7);
  const Result<int> bad = Error{Code::busy, "device in use", "/dev/x", {}};
  EXPECT_FALSE(bad);
  EXPECT_EQ(bad.error().code, Code::busy);
  EXPECT_EQ(bad.value_or(3), 3);
}

TEST(ResultOf, MovesWhatCannotBeCopied) {
  Result<std::unique_ptr<int>> made = std::make_unique<int>(5);
  const std::unique_ptr<int> taken = std::move(made).value();
  EXPECT_EQ(*taken, 5);
}

TEST(ResultOf, NothingIsGoodUnlessAnErrorIsGiven) {
  EXPECT_TRUE(Status());
  EXPECT_FALSE(Status(Error{Code::io, "x", {}, {}}));
}

TEST(ErrorLine, LeavesOutWhatIsEmpty) {
  EXPECT_EQ((Error{Code::io, "cannot read", "/sys/x", "run as root"}).line(),
            "cannot read: /sys/x (run as root)");
  EXPECT_EQ((Error{Code::io, "cannot read", "", ""}).line(), "cannot read");
}

TEST(Codes, HaveOneWordEach) {
  for (const Code code :
       {Code::unsupported, Code::not_found, Code::permission, Code::busy, Code::io, Code::timeout,
        Code::peer, Code::mismatch, Code::invalid, Code::interrupted})
    EXPECT_EQ(code_from(to_string(code)), code);
  EXPECT_EQ(code_from("no such code"), std::nullopt);
}

TEST(Codes, FromErrno) {
  const auto code = [](int error) { return errno_error(error, "x", "y").code; };
  EXPECT_EQ(code(ENOENT), Code::not_found);
  EXPECT_EQ(code(EACCES), Code::permission);
  EXPECT_EQ(code(EBUSY), Code::busy);
  EXPECT_EQ(code(ETIMEDOUT), Code::timeout);
  EXPECT_EQ(code(ELOOP), Code::invalid);
  EXPECT_EQ(code(EIO), Code::io);
  EXPECT_EQ(code(ENOSPC), Code::io);
  EXPECT_EQ(errno_error(ENOENT, "cannot open", "/x").line(),
            "cannot open: No such file or directory: /x");
}

TEST(CheckDeathTest, AbortsOnABugAfterTellingTheHandler) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  check(true, "holds");
  EXPECT_DEATH(check(false, "lap without a lane"), "internal error: lap without a lane");
  EXPECT_DEATH(
      {
        set_bug_handler([](std::string_view) { std::fputs("flushed\n", stderr); });
        check(false, "broken");
      },
      "broken\nflushed");
}

TEST(CheckDeathTest, BugInTheHandlerStillAborts) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_DEATH(
      {
        set_bug_handler([](std::string_view) { check(false, "second"); });
        check(false, "first");
      },
      "first\n.*second");
}

}  // namespace
}  // namespace linkburn
