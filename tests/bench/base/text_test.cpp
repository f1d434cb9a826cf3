#include "bench/base/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linkburn {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Trim, TakesBlanksAndNulBytesFromBothEnds) {
  EXPECT_EQ(trim(" \t 16\n"), "16");
  EXPECT_EQ(trim(std::string_view("NVIDIA\0\0", 8)), "NVIDIA");
  EXPECT_EQ(trim("a b"), "a b");
  EXPECT_EQ(trim(" \n "), "");
}

TEST(Lines, LastLineCountsWithAndWithoutNewline) {
  EXPECT_THAT(lines_of("a\nb\n"), ElementsAre("a", "b"));
  EXPECT_THAT(lines_of("a\nb"), ElementsAre("a", "b"));
  EXPECT_THAT(lines_of("a\n\nb"), ElementsAre("a", "", "b"));
  EXPECT_THAT(lines_of(""), IsEmpty());
}

TEST(Words, AreSeparatedByBlanksAndTabs) {
  EXPECT_THAT(words_of("  Replay Timer\tTimeout  3 "),
              ElementsAre("Replay", "Timer", "Timeout", "3"));
  EXPECT_THAT(words_of(" \t"), IsEmpty());
}

TEST(ParseInt, TakesTheWholeTextOrNothing) {
  EXPECT_EQ(parse_int("16\n"), 16);
  EXPECT_EQ(parse_int("-1"), -1);
  EXPECT_EQ(parse_int("0x10de", 16), 0x10de);
  EXPECT_EQ(parse_int("ff", 16), 255);
  EXPECT_EQ(parse_int("9223372036854775807"), INT64_MAX);
  for (const char* text :
       {"", " ", "x16", "16x", "1 6", "0x10", "9223372036854775808", "+1", "1.5"})
    EXPECT_EQ(parse_int(text), std::nullopt) << text;
  EXPECT_EQ(parse_int("0x", 16), std::nullopt);
}

TEST(LeadingNumber, IgnoresWhatFollows) {
  EXPECT_EQ(leading_number("16.0 GT/s PCIe"), 16.0);
  EXPECT_EQ(leading_number("8 GT/s"), 8.0);
  EXPECT_EQ(leading_number("-1"), -1.0);
  for (const char* text : {"", "Unknown", "inf", "nan", "-", "GT/s 8"})
    EXPECT_EQ(leading_number(text), std::nullopt) << text;
}

TEST(ParseList, RangesAndSingleNumbers) {
  EXPECT_THAT(parse_list("0-3,8\n").value(), ElementsAre(0, 1, 2, 3, 8));
  EXPECT_THAT(parse_list("5").value(), ElementsAre(5));
  EXPECT_THAT(parse_list("").value(), IsEmpty()) << "a node without processors";
  for (const char* text : {"3-1", "a", "1-", "-1", "1,,2", "1-2-3", "0-", ",", "1,"})
    EXPECT_FALSE(parse_list(text)) << text;
}

TEST(ParseList, IsBounded) {
  EXPECT_EQ(parse_list("0-65535").value().size(), 65536U);
  EXPECT_FALSE(parse_list("0-65536"));
  EXPECT_FALSE(parse_list("0-40000,0-40000"));
  EXPECT_FALSE(parse_list("0-9223372036854775807"));
  EXPECT_FALSE(parse_list("9999999999"));
}

TEST(Printable, KeepsTextAndReplacesTheRest) {
  EXPECT_EQ(printable("Zürich 400 °C"), "Zürich 400 °C");
  EXPECT_EQ(printable("a\x1b[31mb\n"), "a?[31mb?");
  EXPECT_EQ(printable("a\x7f"), "a?");
  EXPECT_EQ(printable("\xff\xfe"), "??");
  EXPECT_EQ(printable("\xc0\xaf"), "??") << "overlong";
  EXPECT_EQ(printable("\xed\xa0\x80"), "???") << "surrogate";
  EXPECT_EQ(printable("\xe2\x82"), "??") << "cut";
}

TEST(Printable, NeverCutsACharacter) {
  EXPECT_EQ(printable("ab°", 4), "ab°");
  EXPECT_EQ(printable("ab°", 3), "ab");
  EXPECT_EQ(printable("abc", 0), "");
}

TEST(Nearest, FindsTypingErrorsOnly) {
  const std::vector<std::string> words{"width", "speed", "ports", "presence"};
  EXPECT_EQ(nearest("widht", words), "width");
  EXPECT_EQ(nearest("port", words), "ports");
  EXPECT_EQ(nearest("temperature", words), std::nullopt);
  EXPECT_EQ(nearest("width", {}), std::nullopt);
}

}  // namespace
}  // namespace linkburn
