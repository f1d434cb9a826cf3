// The program `linkburn`. Never loads MPI, and calls no driver: workers do.
#include <fmt/format.h>
#include <unistd.h>
#include <exception>

#include <thread>

#include "bench/base/log.h"
#include "bench/cli.h"
#include "bench/doctor.h"
#include "bench/interrupts.h"
#include "bench/jobs.h"
#include "bench/output.h"
#include "bench/run.h"
#include "report/verdict.h"

namespace linkburn {
namespace {

/// Ends the process when the deadline has passed by this much: something that nobody waits for with
/// a deadline of its own hangs.
constexpr Duration kDeadlineGrace = std::chrono::seconds(10);

/// Lives until the process ends; a stuck system call cannot be joined.
void watch_deadline(const Session& session) {
  if (session.deadline() == kForever) return;
  std::thread([&clock = session.clock, end = session.deadline() + kDeadlineGrace] {
    while (clock.now() < end) clock.sleep_until(end);
    log_error("the deadline has passed and something hangs; what was recorded is on disk");
    ::_exit(kExitIncomplete);
  }).detach();
}

int run_chosen(const Session& session) {
  watch_deadline(session);
  const std::string& command = session.options.command;
  if (command == "inspect") return inspect_command(session);
  if (command == "run") return run_command(session);
  if (command == "report") return report_command(session);
  return doctor_command(session);
}

int main_without_exceptions(int argc, const char* const* argv) {
  const Clock& clock = real_clock();
  if (argc == 2 && std::string_view(argv[1]) == "worker") return worker_main(job_kinds(), clock);
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
  return run_chosen({clock, std::move(options), "/proc/self/exe", clock.now()});
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
