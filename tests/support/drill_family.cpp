#include "tests/support/drill_family.h"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "bench/drill/slots.h"
#include "bench/drill/tasks.h"
#include "bench/drill/ticker.h"
#include "bench/drill/turns.h"

namespace linkburn::test {
namespace {

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

struct DrillFamily::Shared {
  std::atomic<bool> stop;
  std::atomic<std::size_t> length;
  std::array<std::uint64_t, kTraceRoom> trace;
};

DrillFamily::DrillFamily(const drill::Scenario& scenario, std::uint64_t seed, Life life)
    : seed_(seed), life_(std::move(life)) {
  auto world = drill::World::create(dir_.path(), scenario, seed);
  world_ = std::make_unique<drill::World>(std::move(world).value());
  void* memory =
      ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  shared_ = new (memory) Shared{};
}

DrillFamily::~DrillFamily() {
  for (const pid_t member : members_)
    if (member > 0) ::kill(member, SIGKILL);
  await_members();
  if (ticker_ > 0) stop_ticker();
  ::munmap(shared_, sizeof(Shared));
}

void DrillFamily::start() {
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
      life_(*this, i);
      ::_exit(0);
    }
    turns.process_started(process, members_[i]);
  }
  turns.leave();
}

void DrillFamily::note(std::uint64_t who, std::uint64_t what) {
  const std::size_t at = shared_->length.fetch_add(3);
  if (at + 3 > kTraceRoom) return;
  shared_->trace[at] = static_cast<std::uint64_t>(state().header.now_ns);
  shared_->trace[at + 1] = who;
  shared_->trace[at + 2] = what;
}

void DrillFamily::await_turns(std::uint64_t turns) {
  const Instant limit = real_clock().now() + std::chrono::minutes(1);
  const auto& header = state().header;
  while (header.doorbell < turns && shared_->length < kTraceRoom && real_clock().now() < limit) {
    const bool all_gone = std::all_of(members_.begin(), members_.end(),
                                      [](pid_t member) { return drill::is_gone(member, 0); });
    if (all_gone) return;
    real_clock().sleep_until(real_clock().now() + std::chrono::microseconds(100));
  }
}

void DrillFamily::signal_member(int number, int signal) {
  ::kill(members_[static_cast<std::size_t>(number)], signal);
}

void DrillFamily::kill_ticker() { ::kill(ticker_, SIGKILL); }

int DrillFamily::await_members() {
  int whole = 0;
  for (pid_t& member : members_) {
    if (member > 0 && ended_by_itself(member)) ++whole;
    member = 0;
  }
  return whole;
}

bool DrillFamily::stop_ticker() {
  shared_->stop = true;
  drill::ring(state());
  const bool whole = ended_by_itself(ticker_);
  ticker_ = 0;
  return whole;
}

std::vector<std::uint64_t> DrillFamily::trace() const {
  const auto& trace = shared_->trace;
  return {trace.begin(), trace.begin() + static_cast<std::ptrdiff_t>(
                                             std::min<std::size_t>(shared_->length, kTraceRoom))};
}

int DrillFamily::used_slots() const {
  const auto& slots = world_->state().participants;
  return static_cast<int>(std::count_if(slots.begin(), slots.end(), [](const auto& slot) {
    return slot.presence != drill::Presence::free || slot.tid != 0;
  }));
}

Burner::Burner() : pid_(::fork()) {
  if (pid_ != 0) return;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (volatile int spin = 0;;) spin = 1 - spin;
}

Burner::~Burner() {
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

}  // namespace linkburn::test
