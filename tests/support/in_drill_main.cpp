// in_drill: runs a program in a drill of its own, and ends with the program's exit code.
//
//   in_drill PROGRAM [WORD...]     "{tree}" in a word is the tree of the drill
#include <fmt/core.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <vector>

#include "tests/support/drill_state.h"
#include "tests/support/living_drill.h"

namespace linkburn {
namespace {

constexpr int kNoDrill = 125, kNotStarted = 127;

std::vector<std::string> with_tree(char** words, const std::string& tree) {
  static constexpr std::string_view kTree = "{tree}";
  std::vector<std::string> all;
  for (; *words != nullptr; ++words) {
    std::string& word = all.emplace_back(*words);
    if (const auto at = word.find(kTree); at != std::string::npos)
      word.replace(at, kTree.size(), tree);
  }
  return all;
}

[[noreturn]] void become(std::vector<std::string>& words, std::string& variable) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::putenv(variable.data());
  ::execv(argv[0], argv.data());
  ::_exit(kNotStarted);
}

int run(char** words) {
  auto drill = test::LivingDrill::start(test::small_drill_scenario(), 1);
  if (!drill) {
    fmt::print(stderr, "in_drill: {}\n", drill.error().line());
    return kNoDrill;
  }
  const Clock& clock = (*drill)->clock();
  std::vector<std::string> command = with_tree(words, (*drill)->tree());
  std::string variable = clock.announce_child("program");
  const pid_t pid = ::fork();
  if (pid == 0) become(command, variable);
  clock.child_started(pid);
  clock.leave_thread();  // time is the program's from here on
  int status = 0;
  while (pid > 0 && ::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : kNotStarted;
}

}  // namespace
}  // namespace linkburn

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: in_drill PROGRAM [WORD...]\n");
    return 2;
  }
  return linkburn::run(argv + 1);
}
