// The tests of the harness, and as `worker` a process that answers reads as drivers can: it leaves
// out what is "missing", dies of "crash" and does not come back from "hang".
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <csignal>

#include "bench/worker/session.h"

namespace linkburn {
namespace {

JobOutcome answer_reads(WorkerSession& session, const Job& job) {
  std::optional<Job> request = job;
  while (request && !session.stop_requested()) {
    session.doing("reads", std::chrono::milliseconds(100));
    for (const std::string& path : request->paths) {
      if (path.find("hang") != std::string::npos) ::pause();
      if (path.find("crash") != std::string::npos) {
        std::signal(SIGSEGV, SIG_DFL);  // sanitizers install handlers of their own
        std::raise(SIGSEGV);
      }
      if (path.find("missing") != std::string::npos)
        session.record(ToolError{"not_found", "no such file", path, {}, std::nullopt, {}});
      else
        session.record(Reading{ComponentId::node(),
                               "file",
                               path,
                               std::nullopt,
                               "text of " + path,
                               Phase::passive,
                               {}});
    }
    session.measured();
    request = session.wait_for_job();
  }
  return {"complete", {}, {}};
}

}  // namespace
}  // namespace linkburn

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "worker") {
    static constexpr std::array kinds{linkburn::JobKind{"read", linkburn::answer_reads}};
    return linkburn::worker_main(kinds, linkburn::real_clock());
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
