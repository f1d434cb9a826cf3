#include "tests/support/process.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <fstream>
#include <thread>

namespace linkburn::test {
namespace {

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

}  // namespace

std::int64_t status_number(std::string_view name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(std::string(name) + ":")) return std::stoll(line.substr(name.size() + 1));
  return -1;
}

std::int64_t threads_at_rest() {
  std::thread([] {}).join();
  return status_number("Threads");
}

bool eventually(const std::function<bool()>& condition) {
  for (int attempt = 0; attempt < 3000; ++attempt) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

std::string in_child(const std::function<std::string()>& body) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) return "died";
  const pid_t child = ::fork();
  if (child == 0) {
    const std::string text = body();
    const bool written = ::write(ends[1], text.data(), text.size()) >= 0;
    ::_exit(written ? 0 : 1);
  }
  ::close(ends[1]);
  std::string text;
  std::array<char, 512> chunk{};
  for (ssize_t got = 0; (got = ::read(ends[0], chunk.data(), chunk.size())) > 0;)
    text.append(chunk.data(), static_cast<std::size_t>(got));
  ::close(ends[0]);
  return wait_for(child) == 0 ? text : "died";
}

int run_own_test(const std::string& filter, const std::vector<std::string>& environment) {
  std::vector<std::string> arguments{"test", "--gtest_filter=" + filter,
                                     "--gtest_also_run_disabled_tests", "--gtest_brief=1"};
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  std::vector<std::string> variables = environment;
  for (char** variable = environ; *variable != nullptr; ++variable)
    variables.emplace_back(*variable);
  std::vector<char*> envp;
  for (std::string& variable : variables) envp.push_back(variable.data());
  envp.push_back(nullptr);
  pid_t child = 0;
  if (::posix_spawn(&child, "/proc/self/exe", nullptr, nullptr, argv.data(), envp.data()) != 0)
    return 127;
  return wait_for(child);
}

}  // namespace linkburn::test
