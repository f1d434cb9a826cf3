// linkburn inspect of the big node tree, the whole process from start to exit.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#include <string>

#include "tests/support/temp_dir.h"
#include "tests/support/tree.h"

extern char** environ;

namespace linkburn::bench {
namespace {

/// Runs the program with its output thrown away; its exit code, or -1.
int run_program(std::vector<std::string> words) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  pid_t pid = 0;
  const int error = ::posix_spawn(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  if (error != 0 || ::waitpid(pid, &status, 0) != pid || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

void inspect_big_node(benchmark::State& state, const char* format) {
  const test::TempDir dir;
  const auto unpacked =
      test::unpack_tree(test::node_file("switch8.tree"), {}, dir.path() + "/node");
  if (!unpacked) return state.SkipWithError(unpacked.error().line().c_str());
  for ([[maybe_unused]] auto iteration : state) {
    const int code = run_program(
        {LINKBURN_PROGRAM, "inspect", "--sysroot", dir.path() + "/node", "--format", format});
    if (code != 0) return state.SkipWithError("inspect of a healthy node did not pass");
  }
}

BENCHMARK_CAPTURE(inspect_big_node, text, "text")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(inspect_big_node, json, "json")->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace linkburn::bench
