// Misuse of the interface by the program, named and not forgiven.
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>

#include "kernels/soft/session.h"

namespace linkburn::soft {
namespace {

std::atomic<unsigned> counted{0};

void name(const char* what, const void* pointer) {
  say_line(pointer == nullptr ? fmt::format("misuse: {}", what)
                              : fmt::format("misuse: {}: {}", what, pointer));
}

}  // namespace

void say_line(std::string_view line) {
  const std::string text = fmt::format("linkburn software GPU: {}\n", line);
  pollfd room{STDERR_FILENO, POLLOUT, 0};
  if (::poll(&room, 1, 0) == 1 && room.revents == POLLOUT)
    (void)!::write(STDERR_FILENO, text.data(), text.size());
}

void misuse(const char* what, const void* pointer) {
  name(what, pointer);
  std::abort();
}

void count_misuse(const char* what, const void* pointer) {
  ++counted;
  name(what, pointer);
}

}  // namespace linkburn::soft

/// How often this process misused the interface in a way that does not end it.
extern "C" unsigned linkburn_soft_misuse() { return linkburn::soft::counted; }
