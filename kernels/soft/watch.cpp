#include "kernels/soft/watch.h"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>

namespace linkburn::soft {
namespace {

struct Place {
  std::atomic<std::uintptr_t> begin, end;
  std::atomic<Watched> kind;
  std::atomic<bool> tracked;
};

std::array<Place, kMaxWatched> places;
std::atomic<int> places_used;
int next_place = 0;
struct sigaction former;

void* start_of(const Place& place) {
  return reinterpret_cast<void*>(place.begin.load());  // NOLINT(performance-no-int-to-ptr)
}

bool protect(const Place& place, int protection) {
  return ::mprotect(start_of(place), place.end - place.begin, protection) == 0;
}

// From here to handle(): what a signal handler may call.

void say(const char* text) { (void)!::write(STDERR_FILENO, text, std::strlen(text)); }

void say_address(std::uintptr_t address) {
  char text[2 + 16 + 2] = "0x";
  for (int digit = 0; digit < 16; ++digit)
    text[2 + digit] = "0123456789abcdef"[(address >> (60 - 4 * digit)) & 15];
  text[18] = '\n', text[19] = '\0';
  say(text);
}

[[noreturn]] void end_for(const char* what, std::uintptr_t address) {
  say("linkburn software GPU: misuse: ");
  say(what);
  say(": ");
  say_address(address);
  std::abort();
}

void pass_on(int number, siginfo_t* facts, void* context) {
  if ((former.sa_flags & SA_SIGINFO) != 0) return former.sa_sigaction(number, facts, context);
  if (former.sa_handler != SIG_DFL && former.sa_handler != SIG_IGN)
    return former.sa_handler(number);
  std::signal(number, SIG_DFL);  // the instruction faults again, and ends the program
}

Place* find(std::uintptr_t address) {
  for (int i = 0; i < places_used; ++i) {
    Place& place = places[static_cast<std::size_t>(i)];
    if (place.kind != Watched::nothing && address >= place.begin && address < place.end)
      return &place;
  }
  return nullptr;
}

void handle(int number, siginfo_t* facts, void* context) {
  const auto address = reinterpret_cast<std::uintptr_t>(facts->si_addr);
  Place* place = find(address);
  if (place == nullptr) return pass_on(number, facts, context);
  if (place->kind == Watched::device) end_for("the host touches memory of a GPU", address);
  if (place->kind == Watched::freed) end_for("the host touches memory that was freed", address);
  place->tracked = false;
  // Also when another thread was first: its change may come after our instruction.
  if (!protect(*place, PROT_READ | PROT_WRITE)) pass_on(number, facts, context);
}

void install() {
  struct sigaction action {};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
  ::sigaction(SIGSEGV, nullptr, &former);
  if ((former.sa_flags & SA_SIGINFO) == 0 || former.sa_sigaction != handle)
    ::sigaction(SIGSEGV, &action, &former);
}

bool is_live(const Place& place) {
  return place.kind == Watched::device || place.kind == Watched::host;
}

}  // namespace

WatchNumber watch(void* begin, std::size_t bytes, Watched kind) {
  static const bool installed = (install(), true);
  (void)installed;
  for (int tries = 0; tries < kMaxWatched; ++tries) {
    const int number = next_place;
    next_place = (next_place + 1) % kMaxWatched;
    Place& place = places[static_cast<std::size_t>(number)];
    if (is_live(place)) continue;
    place.kind = Watched::nothing;
    place.begin = reinterpret_cast<std::uintptr_t>(begin);
    place.end = place.begin + bytes;
    place.tracked = false;
    place.kind = kind;
    if (places_used <= number) places_used = number + 1;
    return number;
  }
  return -1;
}

void change_watch(WatchNumber number, Watched kind) {
  Place& place = places[static_cast<std::size_t>(number)];
  place.kind = kind;
  place.tracked = false;
}

void track_writes(WatchNumber number) {
  Place& place = places[static_cast<std::size_t>(number)];
  if (place.tracked.exchange(true)) return;
  protect(place, PROT_READ);
}

void stop_tracking(WatchNumber number) {
  Place& place = places[static_cast<std::size_t>(number)];
  if (place.tracked.exchange(false)) protect(place, PROT_READ | PROT_WRITE);
}

bool is_tracked(WatchNumber number) { return places[static_cast<std::size_t>(number)].tracked; }

}  // namespace linkburn::soft
