#include "bench/base/log.h"

#include <fmt/core.h>
#include <unistd.h>

#include <string>

#include "bench/base/text.h"

namespace linkburn {
namespace {

Verbosity verbosity_in_force = Verbosity::normal;

/// One write per line, so that lines of several threads do not mix.
void write_line(std::string_view level, std::string_view text) {
  const std::string line = fmt::format("linkburn: {}{}\n", level, printable(text));
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace

void set_verbosity(Verbosity verbosity) { verbosity_in_force = verbosity; }

void log_error(const Error& error) { log_error(error.line()); }

void log_error(std::string_view text) { write_line("error: ", text); }

void log_note(std::string_view text) {
  if (verbosity_in_force != Verbosity::quiet) write_line("", text);
}

void log_progress(std::string_view text) {
  if (::isatty(STDERR_FILENO) == 1) log_note(text);
}

}  // namespace linkburn
