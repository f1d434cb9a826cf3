// The command line to Options. The one file that knows CLI11 is cli.cpp.
#pragma once

#include <variant>

#include "bench/base/result.h"
#include "bench/session.h"

namespace linkburn {

/// Text to print on stdout with exit 0: --help, --version.
struct PrintAndExit {
  std::string text;
};

/// Options, a text to print, or one clear line about what is wrong with the command line.
std::variant<Options, PrintAndExit, Error> parse_command_line(int argc, const char* const* argv);

}  // namespace linkburn
