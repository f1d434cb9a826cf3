#include "bench/interrupts.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <csignal>

#include "bench/base/result.h"

namespace linkburn {
namespace {

std::atomic<int> first_signal{0};
int pipe_ends[2] = {-1, -1};

extern "C" void on_signal(int number) {
  int none = 0;
  if (!first_signal.compare_exchange_strong(none, number)) ::_exit(128 + number);
  const char byte = 1;
  [[maybe_unused]] const ssize_t written = ::write(pipe_ends[1], &byte, 1);
}

}  // namespace

void Interrupts::install() {
  check(::pipe2(pipe_ends, O_CLOEXEC | O_NONBLOCK) == 0, "cannot make the signal pipe");
  struct sigaction action {};
  action.sa_handler = on_signal;
  for (int number : {SIGINT, SIGTERM}) ::sigaction(number, &action, nullptr);
  struct sigaction hangup {};
  ::sigaction(SIGHUP, nullptr, &hangup);
  if (hangup.sa_handler != SIG_IGN) ::sigaction(SIGHUP, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on file size is a full disk, not an end
}

int Interrupts::fd() { return pipe_ends[0]; }

int Interrupts::signal() { return first_signal; }

}  // namespace linkburn
