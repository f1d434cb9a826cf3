#include "bench/cli.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>

#include "bench/base/embedded.h"
#include "bench/base/text.h"
#include "bench/output.h"
#include "bench/parts.h"
#include "bench/profile.h"
#include "bench/site_file.h"
#include "report/rules/finding.h"

namespace linkburn {
namespace {

constexpr const char* kFooter =
    "\nExit codes: 0 PASS, 1 FAIL, 2 usage or configuration, 3 INCOMPLETE, 4 our own error, 128+N "
    "on a "
    "signal.\nExamples:\n"
    "  linkburn inspect                          this node, no load, safe beside jobs\n"
    "  linkburn inspect --sysroot DIR            a captured tree\n"
    "  linkburn inspect lspci.txt dmesg.txt      what other tools printed: texts, folders, "
    "archives\n"
    "  ssh NODE sudo lspci -vvv | linkburn inspect -\n"
    "  linkburn run smoke --format json=out.json a short active test, text on stdout\n"
    "  linkburn report FILE... --format oneline  judge recorded evidence again\n";

constexpr const char* kInspectFooter =
    "\nCaptures may hold whole outputs or parts of them, of one tool or several, of one node or\n"
    "several, as a terminal, a mail or a web page left them: lspci, nvidia-smi, ibstat,\n"
    "ibv_devinfo, show_gids, ethtool, dmesg, journalctl, benchmarks, files of /sys, archives.\n"
    "What was not understood is listed. Examples:\n"
    "  linkburn inspect lspci.txt\n"
    "  linkburn inspect nvidia-bug-report.log.gz kern.log --format json\n"
    "  linkburn inspect rack/ --evidence rack.jsonl    one file for each node\n"
    "  ssh NODE sudo lspci -vvv | linkburn inspect -\n";

FormatChoice split_format(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) return {text, {}};
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::vector<std::string> split_words(const std::string& list) {
  std::vector<std::string> words;
  std::size_t at = 0;
  while (at <= list.size()) {
    const std::size_t comma = std::min(list.find(',', at), list.size());
    if (comma > at) words.push_back(list.substr(at, comma - at));
    at = comma + 1;
  }
  return words;
}

/// A script's variable that is empty must not switch off what it was to name.
const CLI::Validator kNotEmpty(
    [](const std::string& text) { return text.empty() ? std::string("a name is missing") : ""; },
    "");

/// The parser with the variables that it fills.
struct Parser {
  CLI::App app{"linkburn: does every slot, port and link of this node run at what it is rated for?",
               "linkburn"};
  Options options;
  std::vector<std::string> formats;
  std::string require;
  bool version = false, schema = false;

  Parser() {
    app.footer(kFooter);
    app.require_subcommand(0, 1);
    app.fallthrough();
    app.add_flag("--version", version, "print the version and what is built in");
    add_commands();
  }

  void add_commands() {
    CLI::App* doctor = app.add_subcommand(
        "doctor", "what can be tested on this machine, and what to do about the rest");
    add_common(*doctor);
    CLI::App* inspect = app.add_subcommand(
        "inspect", "passive: wiring, rated against negotiated; no load, safe beside jobs");
    add_common(*inspect);
    inspect->add_option("captures", options.captures,
                        "what other tools printed (files, folders, archives, - for stdin) instead "
                        "of this node; kinds are told by content");
    inspect->footer(kInspectFooter);
    inspect->add_option("--sysroot", options.sysroot, "read a captured tree instead of this node")
        ->check(kNotEmpty);
    inspect
        ->add_option("--capture", options.capture,
                     "also pack what was read into this .tar.gz, for --sysroot elsewhere")
        ->check(kNotEmpty);
    inspect->add_flag("--redact", options.redact,
                      "replace host names, serial numbers and network addresses in the capture");
    inspect
        ->add_option("--write-site", options.write_site,
                     "write a site file of this node, which is known to be good")
        ->check(kNotEmpty);
    add_judging(*inspect);
    CLI::App* run =
        app.add_subcommand("run", "active: load this node's links by a profile and judge them");
    run->add_option("profile", options.profile,
                    fmt::format("{}, or a .toml file", fmt::join(shipped_profiles(), ", ")))
        ->required();
    add_common(*run);
    add_judging(*run);
    run->add_option("--sysroot", options.sysroot, "in a drill: its tree; no other is loaded")
        ->check(kNotEmpty);
    run->add_option("--lock", options.lock_files,
                    "lock file instead of the node's own (containers)");
    CLI::App* report = app.add_subcommand("report", "judge recorded evidence again and render it");
    report->add_option("evidence", options.evidence_files, "evidence files of one or more nodes");
    add_site(*report);
    report->add_flag("--schema", schema, "print the JSON Schema of --format json");
    add_common(*report);
  }

  void add_common(CLI::App& command) {
    command.add_option("--format", formats, "NAME or NAME=FILE, repeatable: text, json, oneline")
        ->take_all()
        ->allow_extra_args(false);  // what follows may be a capture
    command
        .add_option("--deadline", options.deadline_s,
                    "seconds after which the command ends, whatever hangs")
        ->check(CLI::PositiveNumber);
    command.add_flag("--quiet", options.quiet, "no notes on stderr");
  }

  void add_judging(CLI::App& command) {
    command
        .add_option("--evidence", options.evidence,
                    "write evidence to this file (never overwritten)")
        ->check(kNotEmpty);
    command.add_option(
        "--require", require,
        fmt::format("what must be judged, a list of: {}", fmt::join(aspect_words(), ", ")));
    add_site(command);
  }

  void add_site(CLI::App& command) {
    command
        .add_option("--site", options.site,
                    fmt::format("what this site expects of its nodes, TOML; '{}': nothing "
                                "(default on a live node: {})",
                                kNoSiteFile, kDefaultSiteFile))
        ->check(kNotEmpty);
  }
};

std::vector<std::string> command_names() { return {"doctor", "inspect", "run", "report"}; }

std::vector<std::string> flag_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  for (const CLI::App* command : app.get_subcommands({}))
    for (const std::string& name : flag_names(*command)) names.push_back(name);
  return names;
}

Error usage(std::string what, std::string fix) {
  return {Code::invalid, std::move(what), {}, std::move(fix)};
}

/// The first word that is no option must be a command; CLI11 would only call it an extra.
std::optional<Error> check_command(int argc, const char* const* argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.starts_with('-')) continue;
    const auto names = command_names();
    if (std::find(names.begin(), names.end(), word) != names.end()) return std::nullopt;
    const auto close = nearest(word, names);
    return usage(fmt::format("unknown command '{}'", printable(word, 64)),
                 close ? fmt::format("did you mean '{}'?", *close)
                       : fmt::format("there is: {}", fmt::join(names, ", ")));
  }
  return std::nullopt;
}

Error explain(const CLI::ParseError& error, const CLI::App& app, int argc,
              const char* const* argv) {
  const auto known = flag_names(app);
  for (int i = 1; i < argc; ++i) {
    const std::string word = std::string(argv[i]).substr(0, std::string_view(argv[i]).find('='));
    if (!word.starts_with('-') || std::find(known.begin(), known.end(), word) != known.end())
      continue;
    if (word == "-h" || word == "-") continue;
    const auto close = nearest(word, known);
    return usage(fmt::format("unknown option '{}'", printable(word, 64)),
                 close ? fmt::format("did you mean '{}'?", *close) : "see linkburn --help");
  }
  return usage(printable(error.what(), 200), "see linkburn --help");
}

std::optional<Error> check_require(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (aspect_from(word)) continue;
    const auto close = nearest(word, aspect_words());
    return Error{Code::invalid, fmt::format("unknown word '{}'", printable(word, 64)), "--require",
                 close ? fmt::format("did you mean '{}'?", *close)
                       : fmt::format("there is: {}", fmt::join(aspect_words(), ", "))};
  }
  return std::nullopt;
}

std::string joined(int argc, const char* const* argv) {
  std::vector<std::string> words{"linkburn"};
  for (int i = 1; i < argc; ++i) words.emplace_back(printable(argv[i], 256));
  return fmt::format("{}", fmt::join(words, " "));
}

}  // namespace

std::variant<Options, PrintAndExit, Error> parse_command_line(int argc, const char* const* argv) {
  if (const auto error = check_command(argc, argv)) return *error;
  Parser parser;
  try {
    parser.app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    const auto chosen = parser.app.get_subcommands();
    return PrintAndExit{chosen.empty() ? parser.app.help() : chosen.front()->help()};
  } catch (const CLI::ParseError& error) {
    return explain(error, parser.app, argc, argv);
  }
  if (parser.version) return PrintAndExit{version_line() + "\n"};
  const auto chosen = parser.app.get_subcommands();
  if (chosen.empty())
    return usage("no command given",
                 fmt::format("give one of: {}", fmt::join(command_names(), ", ")));
  Options options = std::move(parser.options);
  options.command = chosen.front()->get_name();
  if (parser.schema) return PrintAndExit{std::string(embedded_file("report.schema.json"))};
  if (options.command == "report" && options.evidence_files.empty())
    return usage("no evidence given", "name the .jsonl files to judge");
  options.command_line = joined(argc, argv);
  for (const std::string& format : parser.formats) options.formats.push_back(split_format(format));
  options.require = split_words(parser.require);
  if (const auto error = check_require(options.require)) return *error;
  if (std::count(options.captures.begin(), options.captures.end(), "-") > 1)
    return usage("'-' is given twice, and standard input can be read once", "give it once");
  if (!options.captures.empty() && options.sysroot != "/")
    return usage("captures and '--sysroot' are two places to look at", "give one of them");
  if (!options.captures.empty() && !options.capture.empty())
    return usage("'--capture' packs what is read of a node, and captures are given",
                 "leave out one of them");
  if (!options.captures.empty() && !options.write_site.empty())
    return usage("'--write-site' describes a whole node, and captures are parts of one",
                 "use --sysroot with a captured tree, or run it on the node");
  if (options.redact && options.capture.empty())
    return usage("'--redact' changes a capture, and none is asked for",
                 "add --capture FILE.tar.gz");
  if (const auto status = check_formats(options.formats); !status) return status.error();
  return options;
}

}  // namespace linkburn
