#include "bench/cli.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linkburn {
namespace {

using testing::HasSubstr;

std::variant<Options, PrintAndExit, Error> parse(std::vector<const char*> words) {
  words.insert(words.begin(), "linkburn");
  return parse_command_line(static_cast<int>(words.size()), words.data());
}

std::string error_of(std::vector<const char*> words) {
  const auto parsed = parse(std::move(words));
  const auto* error = std::get_if<Error>(&parsed);
  return error != nullptr ? error->line() : "";
}

TEST(CommandLine, ARunWithEverything) {
  const auto parsed =
      parse({"run", "smoke", "--format", "json=a.json", "--format", "text", "--evidence", "e.jsonl",
             "--require", "width,speed", "--deadline", "30", "--quiet"});
  const auto* options = std::get_if<Options>(&parsed);
  ASSERT_NE(options, nullptr) << std::get<Error>(parsed).line();
  EXPECT_EQ(options->command, "run");
  EXPECT_EQ(options->profile, "smoke");
  ASSERT_EQ(options->formats.size(), 2U);
  EXPECT_EQ(options->formats[0].file, "a.json");
  EXPECT_EQ(options->require, (std::vector<std::string>{"width", "speed"}));
  EXPECT_EQ(options->deadline_s, 30);
  EXPECT_TRUE(options->quiet);
}

TEST(CommandLine, OptionOrderDoesNotMatter) {
  const auto parsed = parse({"run", "--quiet", "--format=json", "smoke"});
  const auto* options = std::get_if<Options>(&parsed);
  ASSERT_NE(options, nullptr);
  EXPECT_EQ(options->profile, "smoke");
}

TEST(CommandLine, ASiteFileForWhatIsJudged) {
  for (const std::vector<const char*>& words :
       {std::vector<const char*>{"inspect", "--site", "s.toml"},
        std::vector<const char*>{"run", "smoke", "--site", "s.toml"},
        std::vector<const char*>{"report", "e.jsonl", "--site", "s.toml"}}) {
    const auto parsed = parse(words);
    const auto* options = std::get_if<Options>(&parsed);
    ASSERT_NE(options, nullptr) << words[0];
    EXPECT_EQ(options->site, "s.toml");
  }
  const auto parsed = parse({"inspect", "--write-site", "new.toml"});
  ASSERT_TRUE(std::holds_alternative<Options>(parsed));
  EXPECT_EQ(std::get<Options>(parsed).write_site, "new.toml");
  EXPECT_NE(error_of({"run", "smoke", "--write-site", "new.toml"}), "");
  EXPECT_NE(error_of({"doctor", "--site", "s.toml"}), "");
}

TEST(CommandLine, TyposHaveSuggestions) {
  EXPECT_THAT(error_of({"inspcet"}), HasSubstr("did you mean 'inspect'?"));
  EXPECT_THAT(error_of({"inspect", "--sysrot", "/x"}), HasSubstr("did you mean '--sysroot'?"));
  EXPECT_THAT(error_of({"inspect", "--format", "jason"}), HasSubstr("did you mean 'json'?"));
  EXPECT_THAT(error_of({"inspect", "--require", "widht"}), HasSubstr("did you mean 'width'?"));
  EXPECT_THAT(error_of({"dance"}), HasSubstr("unknown command 'dance'"));
}

TEST(CommandLine, MissingThingsAreNamed) {
  EXPECT_THAT(error_of({}), HasSubstr("no command given"));
  EXPECT_THAT(error_of({"run"}), HasSubstr("profile"));
  EXPECT_THAT(error_of({"report"}), HasSubstr("evidence"));
  EXPECT_NE(error_of({"run", "smoke", "--deadline", "-3"}), "");
  EXPECT_NE(error_of({"run", "smoke", "--deadline", "soon"}), "");
}

TEST(CommandLine, ACaptureIsNeededToRedact) {
  EXPECT_THAT(error_of({"inspect", "--redact"}), HasSubstr("--capture"));
}

TEST(CommandLine, OneFormatOnStdout) {
  EXPECT_THAT(error_of({"inspect", "--format", "json", "--format", "text"}),
              HasSubstr("two formats on stdout"));
  EXPECT_THAT(error_of({"inspect", "--format", "json=/does/not/exist/x"}),
              HasSubstr("cannot write"));
}

TEST(CommandLine, HelpAndVersionAreForStdout) {
  EXPECT_TRUE(std::holds_alternative<PrintAndExit>(parse({"--help"})));
  EXPECT_TRUE(std::holds_alternative<PrintAndExit>(parse({"run", "--help"})));
  const auto version = parse({"--version"});
  EXPECT_THAT(std::get<PrintAndExit>(version).text, HasSubstr("linkburn "));
}

}  // namespace
}  // namespace linkburn
