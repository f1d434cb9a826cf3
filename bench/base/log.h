// Words to a person on stderr: one line each, "linkburn: ..."; never results, which go to stdout.
#pragma once

#include <string_view>

#include "bench/base/result.h"

namespace linkburn {

enum class Verbosity { quiet, normal };

/// Set once by main(), before any thread starts.
void set_verbosity(Verbosity verbosity);

/// Always shown: why the command cannot go on, or what was lost.
void log_error(const Error& error);
void log_error(std::string_view text);

/// Not shown with --quiet.
void log_note(std::string_view text);

/// One line of progress, only when stderr is a terminal and --quiet was not given.
void log_progress(std::string_view text);

}  // namespace linkburn
