#include "bench/drill/clock.h"

#include <fmt/format.h>

#include "bench/drill/turns.h"

namespace linkburn::drill {
namespace {

/// After so many looks at the clock without a wait a participant lets a moment of the drill pass:
/// else a loop until a deadline would stand still for ever.
constexpr int kLooksAtOnce = 1000;
constexpr std::int64_t kMomentNs = 10'000;

thread_local int looks_without_wait = 0;

/// Between announce_child() and child_started(), which one thread calls one after the other.
thread_local int announced_process = -1;

class DrillClock final : public Clock {
 public:
  explicit DrillClock(World& world) : state_(world.state()), world_(world), turns_(state_) {}

  std::string_view name() const override { return "drill"; }

  Instant now() const override {
    if (++looks_without_wait >= kLooksAtOnce) pause();
    return instant_from_ns(now_ns());
  }

  std::int64_t wall_ns() const override { return state_.header.wall_at_start_ns + to_ns(now()); }

  void sleep_until(Instant deadline) const override {
    while (now() < deadline) wait({WaitKind::time, to_ns(deadline), 0, 0, {}, {}});
  }

  Result<int> poll(std::span<pollfd> fds, Instant deadline) const override {
    Result<int> ready = 0;
    const auto look = [&] {
      ready = real_clock().poll(fds, Instant());
      return !ready || *ready > 0;
    };
    turns_.enter();
    if (now() >= deadline) {
      look();
      return ready;
    }
    while (!wait({WaitKind::files, to_ns(deadline), 0, 0, look, {}}) && now() < deadline) {
    }
    return ready;
  }

  bool wait(std::condition_variable& condition, std::unique_lock<std::mutex>& lock,
            Instant deadline) const override {
    if (turns_.ended()) return real_clock().wait(condition, lock, real_instant(deadline));
    const auto object = reinterpret_cast<std::uintptr_t>(&condition);
    const bool notified =
        wait({WaitKind::condition, to_ns(deadline), object, 0, {}, [&] { lock.unlock(); }});
    lock.lock();
    return notified;
  }

  void notify_all(std::condition_variable& condition) const override {
    turns_.notify(&condition);
    condition.notify_all();  // for those who wait in a world that has ended
  }

  int announce_thread() const override { return turns_.announce_thread(); }
  void enter_thread(int number) const override { turns_.enter_announced(number); }
  void leave_thread() const override { turns_.leave(); }
  void await_thread(int number) const override { turns_.await_thread(number); }

  std::string announce_child(std::string_view name) const override {
    announced_process = turns_.announce_process(name);
    const std::string number = announced_process < 0 ? "" : fmt::format("#{}", announced_process);
    return fmt::format("{}={}{}", kWorldVariable, world_.folder(), number);
  }
  void child_started(pid_t pid) const override { turns_.process_started(announced_process, pid); }
  void await_child(pid_t pid) const override { turns_.await_exit(pid); }

 private:
  std::int64_t now_ns() const {
    const Header& header = state_.header;
    if (!turns_.ended()) return header.now_ns;
    return header.now_ns + to_ns(real_clock().now()) - header.ended_real_ns;
  }

  /// The same moment on the real clock, in a world that has ended.
  Instant real_instant(Instant deadline) const {
    if (deadline == kForever) return deadline;
    return real_clock().now() + (deadline - instant_from_ns(now_ns()));
  }

  bool wait(const Wait& wait) const {
    looks_without_wait = 0;
    return turns_.wait(wait);
  }

  void pause() const {
    looks_without_wait = 0;
    if (turns_.self() >= 0)
      turns_.wait({WaitKind::time, now_ns() + kMomentNs, 0, 0, {}, {}});
    else
      turns_.check_ticker();
  }

  State& state_;
  World& world_;
  mutable Turns turns_;
};

}  // namespace

std::unique_ptr<Clock> make_clock(World& world) { return std::make_unique<DrillClock>(world); }

Result<const Clock*> clock_from_environment() {
  const auto place = place_in_environment();
  if (!place) return nullptr;
  auto opened = World::open(place->folder);
  if (!opened) return opened.error();
  // Never destroyed: threads that are left behind ask for the time until the process is gone.
  auto* world = new World(std::move(*opened));
  auto* clock = new DrillClock(*world);
  Turns turns(world->state());
  turns.enter_process(place->process);
  return clock;
}

}  // namespace linkburn::drill
