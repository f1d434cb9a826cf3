#include "bench/base/toml_table.h"

#include <gmock/gmock.h>

#include <fstream>

#include "tests/support/temp_dir.h"

namespace linkburn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string error_of(std::string_view text, const TableReader::Read& read) {
  const Status status = read_toml(text, "x.toml", read);
  return status ? "no error" : status.error().line();
}

TEST(TomlTable, ReadsEveryKind) {
  std::string text, day;
  int number = 0;
  std::optional<int> absent;
  std::optional<double> whole, decimal;
  std::vector<std::string> texts, words, steps;
  std::map<std::string, TextAt> names;
  const Status status = read_toml(
      "text = \"a\"\nnumber = 3\nwhole = 4\ndecimal = 2.5\nday = 2027-01-31\n"
      "texts = [\"x\", \"y\"]\nwords = [\"up\"]\n[names]\nb = \"B\"\n"
      "[[step]]\nname = \"one\"\n[[step]]\nname = \"two\"\n",
      "x.toml", [&](TableReader& table) {
        table.text("text", text, true);
        table.number("number", number, 1, 5, true);
        table.number("absent", absent, 1, 5);
        table.decimal("whole", whole, 0, 10);
        table.decimal("decimal", decimal, 0, 10);
        table.day("day", day);
        table.texts("texts", texts);
        table.words("words", words, {"up", "down"});
        table.inside("names", [&](TableReader& inner) { inner.all_texts(names); });
        table.each("step", [&](TableReader& step) { step.text("name", steps.emplace_back()); });
      });
  ASSERT_TRUE(status) << status.error().line();
  EXPECT_EQ(text, "a");
  EXPECT_EQ(number, 3);
  EXPECT_FALSE(absent);
  EXPECT_EQ(whole, 4);
  EXPECT_EQ(decimal, 2.5);
  EXPECT_EQ(day, "2027-01-31");
  EXPECT_THAT(texts, ElementsAre("x", "y"));
  EXPECT_THAT(words, ElementsAre("up"));
  EXPECT_THAT(steps, ElementsAre("one", "two"));
  EXPECT_EQ(names.at("b").line, 9);
}

TEST(TomlTable, WhatNobodyAskedForIsAMistake) {
  EXPECT_THAT(error_of("a = 1\nnumbr = 2\n",
                       [](TableReader& table) {
                         int number = 0;
                         table.number("a", number, 0, 9);
                         table.number("number", number, 0, 9);
                       }),
              testing::AllOf(HasSubstr("x.toml:2"), HasSubstr("did you mean 'number'?")));
}

TEST(TomlTable, TheFirstErrorIsTheOneThatIsTold) {
  EXPECT_THAT(error_of("a = 10\nb = 10\n",
                       [](TableReader& table) {
                         int number = 0;
                         table.number("a", number, 0, 9);
                         table.number("b", number, 0, 9);
                       }),
              HasSubstr("x.toml:1"));
}

TEST(TomlTable, NumbersKeepTheirBounds) {
  const auto decimal = [](TableReader& table) {
    std::optional<double> value;
    table.decimal("a", value, 0, 1);
  };
  EXPECT_EQ(error_of("a = 1\n", decimal), "no error");
  for (const char* text : {"a = 1.01\n", "a = -1\n", "a = nan\n", "a = inf\n", "a = \"1\"\n"})
    EXPECT_THAT(error_of(text, decimal), HasSubstr("x.toml:1")) << text;
}

TEST(TomlTable, TextThatIsNoTomlNamesItsLine) {
  EXPECT_THAT(error_of("a = 1\nb = [\n", [](TableReader&) {}), HasSubstr("x.toml:2"));
}

TEST(Day, IsOneOfTheCalendar) {
  for (const char* day : {"2027-01-31", "2028-02-29", "2000-02-29", "9999-12-31"})
    EXPECT_TRUE(is_day(day)) << day;
  for (const char* text : {"", "2027-02-29", "1900-02-29", "2027-00-01", "2027-13-01", "2027-04-31",
                           "2027-1-31", "2027-01-00", "2027/01/31", "2027-01-31T"})
    EXPECT_FALSE(is_day(text)) << text;
}

TEST(InputFile, IsReadWholeOrRefused) {
  const test::TempDir dir;
  const std::string path = dir.write("a.toml", "12345678");
  EXPECT_EQ(read_input_file(path, "site file", 8).value(), "12345678");
  EXPECT_THAT(read_input_file(path, "site file", 7).error().line(), HasSubstr("longer"));
  EXPECT_THAT(read_input_file(dir.path() + "/none", "site file", 7).error().line(),
              HasSubstr("cannot open the site file"));
  EXPECT_FALSE(read_input_file(dir.path(), "site file", 7));
  EXPECT_EQ(read_input_file(dir.write("empty", ""), "site file", 7).value(), "");
}

}  // namespace
}  // namespace linkburn
