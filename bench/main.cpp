// The program `linkburn`. Never loads MPI, and calls no driver: workers do.
#include <fmt/core.h>
#include <sys/resource.h>
#include <unistd.h>
#include <exception>

#include <algorithm>
#include <functional>

#include "bench/base/log.h"
#include "bench/cli.h"
#include "bench/doctor.h"
#include "bench/drill/clock.h"
#include "bench/interrupts.h"
#include "bench/jobs.h"
#include "bench/output.h"
#include "bench/run.h"
#include "bench/watchdog.h"
#include "report/verdict.h"

namespace linkburn {
namespace {

/// Kept descriptors are six for each link; the soft limit of 1024 is for programs that use
/// select().
void raise_file_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, 65536);
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

int run_chosen(const Session& session) {
  set_watchdog(session.deadline());
  const std::string& command = session.options.command;
  if (command == "inspect") return inspect_command(session);
  if (command == "run") return run_command(session);
  if (command == "report") return report_command(session);
  return doctor_command(session);
}

/// Time is real, unless this process belongs to a drill.
int with_clock(const std::function<int(const Clock&)>& work) {
  const auto drill_clock = drill::clock_from_environment();
  if (!drill_clock) {
    log_error(drill_clock.error());
    return kExitUsage;
  }
  return work(*drill_clock != nullptr ? **drill_clock : real_clock());
}

int main_without_exceptions(int argc, const char* const* argv) {
  if (argc == 2 && std::string_view(argv[1]) == "worker")
    return with_clock([](const Clock& clock) { return worker_main(job_kinds(), clock); });
  auto parsed = parse_command_line(argc, argv);
  if (const auto* error = std::get_if<Error>(&parsed)) {
    log_error(*error);
    return kExitUsage;
  }
  if (const auto* print = std::get_if<PrintAndExit>(&parsed))
    return write_stdout(print->text) ? kExitPass : kExitOwnError;
  Options& options = std::get<Options>(parsed);
  set_verbosity(options.quiet ? Verbosity::quiet : Verbosity::normal);
  Interrupts::install();
  raise_file_limit();
  return with_clock([&](const Clock& clock) {
    start_watchdog(clock);
    const auto place = drill::place_in_environment();
    return run_chosen({clock, std::move(options), "/proc/self/exe", clock.now(),
                       place ? place->tree() : std::string()});
  });
}

}  // namespace
}  // namespace linkburn

int main(int argc, char** argv) {
  try {
    return linkburn::main_without_exceptions(argc, argv);
  } catch (const std::exception& error) {
    linkburn::log_error(fmt::format("internal error: {}", error.what()));
    return linkburn::kExitOwnError;
  }
}
