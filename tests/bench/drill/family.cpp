#include "tests/bench/drill/family.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <mutex>
#include <random>

#include "bench/base/clock_thread.h"
#include "bench/drill/clock.h"
#include "bench/drill/slots.h"
#include "bench/drill/tasks.h"
#include "bench/drill/ticker.h"
#include "bench/drill/turns.h"
#include "tests/support/drill_state.h"

namespace linkburn::test {
namespace {

constexpr int kSteps = 40;
constexpr std::size_t kTraceRoom = 1 << 16;

/// True when the process has ended by itself; kills it when it has not after a minute.
bool ended_by_itself(pid_t pid) {
  const Instant limit = real_clock().now() + std::chrono::minutes(1);
  int status = 0;
  while (::waitpid(pid, &status, WNOHANG) == 0) {
    if (real_clock().now() > limit) ::kill(pid, SIGKILL);
    real_clock().sleep_until(real_clock().now() + std::chrono::milliseconds(1));
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

struct Family::Shared {
  std::atomic<bool> stop;
  std::atomic<std::size_t> length;
  std::array<std::uint64_t, kTraceRoom> trace;
};

Family::Family(std::uint64_t seed) : seed_(seed) {
  auto world = drill::World::create(dir_.path(), small_drill_scenario(), seed);
  world_ = std::make_unique<drill::World>(std::move(world).value());
  void* memory =
      ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  shared_ = new (memory) Shared{};
  for (auto& ends : sockets_)
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()) != 0) std::abort();
}

Family::~Family() {
  for (const pid_t member : members_)
    if (member > 0) ::kill(member, SIGKILL);
  await_members();
  if (ticker_ > 0) stop_ticker();
  for (const auto& ends : sockets_) ::close(ends[0]), ::close(ends[1]);
  ::munmap(shared_, sizeof(Shared));
}

void Family::start() {
  drill::Turns turns(state());
  const int parent = turns.expect_process("parent");
  ticker_ = ::fork();
  if (ticker_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // a test that dies leaves no world behind
    drill::Ticker ticker(*world_, nullptr);
    const auto status = ticker.run(drill::kNever, [this] { return shared_->stop.load(); });
    ::_exit(status ? 0 : 1);
  }
  turns.enter_process(parent);
  for (int i = 0; i < kMembers; ++i) {
    const int process = turns.announce_process("member");
    members_[i] = ::fork();
    if (members_[i] == 0) {
      turns.enter_process(process);
      live(i);
      ::_exit(0);
    }
    turns.process_started(process, members_[i]);
  }
  turns.leave();
}

/// Appends to the trace; the turn keeps it whole.
void Family::note(std::uint64_t who, std::uint64_t what) {
  const std::size_t at = shared_->length.fetch_add(3);
  if (at + 3 > kTraceRoom) return;
  shared_->trace[at] = static_cast<std::uint64_t>(state().header.now_ns);
  shared_->trace[at + 1] = who;
  shared_->trace[at + 2] = what;
}

void Family::live(int number) {
  const auto clock = drill::make_clock(*world_);
  std::mt19937_64 random(seed_ * 100 + static_cast<std::uint64_t>(number));
  std::mutex mutex;
  std::condition_variable changed;
  bool over = false;
  const auto helper_number = static_cast<std::uint64_t>(number + 100);
  ClockThread helper(*clock, [&] {
    std::unique_lock lock(mutex);
    while (!over) {
      const bool notified =
          clock->wait(changed, lock, clock->now() + std::chrono::microseconds(random() % 900));
      note(helper_number, notified ? 1 : 0);
    }
  });
  for (int step = 0; step < kSteps; ++step) {
    const Instant then = clock->now() + std::chrono::nanoseconds(random() % 1'000'000);
    const std::uint64_t choice = random() % 4;
    char byte = static_cast<char>(step);
    if (choice == 0) clock->sleep_until(then);
    if (choice == 1 && ::write(sockets_[random() % kMembers][1], &byte, 1) < 0) note(1000, 0);
    if (choice == 2) {
      pollfd mine{sockets_[static_cast<std::size_t>(number)][0], POLLIN, 0};
      const auto ready = clock->poll({&mine, 1}, then);
      if (ready && *ready > 0 && ::read(mine.fd, &byte, 1) == 1) note(2000, byte);
    }
    if (choice == 3) clock->notify_all(changed);
    note(static_cast<std::uint64_t>(number), choice);
  }
  {
    const std::lock_guard lock(mutex);
    over = true;
    clock->notify_all(changed);
  }
  helper.join();
}

void Family::await_turns(std::uint64_t turns) {
  const Instant limit = real_clock().now() + std::chrono::minutes(1);
  const auto& header = state().header;
  while (header.doorbell < turns && shared_->length < kTraceRoom && real_clock().now() < limit) {
    const bool all_gone = std::all_of(members_.begin(), members_.end(),
                                      [](pid_t member) { return drill::is_gone(member, 0); });
    if (all_gone) return;
    real_clock().sleep_until(real_clock().now() + std::chrono::microseconds(100));
  }
}

void Family::kill_member(int number) {
  ::kill(members_[static_cast<std::size_t>(number)], SIGKILL);
}

void Family::kill_ticker() { ::kill(ticker_, SIGKILL); }

int Family::await_members() {
  int whole = 0;
  for (pid_t& member : members_) {
    if (member > 0 && ended_by_itself(member)) ++whole;
    member = 0;
  }
  return whole;
}

bool Family::stop_ticker() {
  shared_->stop = true;
  drill::ring(state());
  const bool whole = ended_by_itself(ticker_);
  ticker_ = 0;
  return whole;
}

std::vector<std::uint64_t> Family::trace() const {
  const auto& trace = shared_->trace;
  return {trace.begin(), trace.begin() + static_cast<std::ptrdiff_t>(
                                             std::min<std::size_t>(shared_->length, kTraceRoom))};
}

int Family::used_slots() const {
  const auto& slots = world_->state().participants;
  return static_cast<int>(std::count_if(slots.begin(), slots.end(), [](const auto& slot) {
    return slot.presence != drill::Presence::free || slot.tid != 0;
  }));
}

}  // namespace linkburn::test
