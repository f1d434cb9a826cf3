#include "bench/workloads/thread_team.h"

#include <signal.h>

#include <system_error>

namespace linkburn {
namespace {

constexpr int kSpins = 4000;  // 40 to 150 us of pause instructions, about the time of one wake-up

void relax() {
#ifdef __x86_64__
  __builtin_ia32_pause();
#endif
}

/// Returns when `value` is no longer `old`.
void wait_for_change(const std::atomic<std::uint32_t>& value, std::uint32_t old) {
  for (int spin = 0; spin < kSpins; ++spin) {
    if (value.load(std::memory_order_acquire) != old) return;
    relax();
  }
  value.wait(old, std::memory_order_acquire);
}

}  // namespace

Result<std::unique_ptr<ThreadTeam>> ThreadTeam::start(const HostTopology& topology,
                                                      std::vector<int> cpus) {
  check(!cpus.empty(), "a team without members");
  auto before = topology.thread_binding();
  if (!before) return before.error();
  std::unique_ptr<ThreadTeam> team(new ThreadTeam(topology, std::move(cpus)));
  team->binding_before_ = *std::move(before);
  if (Status bound = team->bind_and_spawn(); !bound) return bound.error();
  return team;
}

Status ThreadTeam::bind_and_spawn() {
  try {
    for (int member = 1; member < size(); ++member)
      threads_.emplace_back([this, member] { serve(member); });
  } catch (const std::system_error& error) {
    return errno_error(error.code().value(), "cannot start a thread", "pthread_create",
                       "raise the limit on processes (ulimit -u, pids.max)");
  }
  std::vector<Status> bound(cpus_.size());
  run([&](int member) {
    const auto at = static_cast<std::size_t>(member);
    bound[at] = topology_.bind_thread({cpus_[at]});
  });
  for (const Status& status : bound)
    if (!status) return status.error();
  return {};
}

ThreadTeam::~ThreadTeam() {
  work_ = nullptr;
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  // A binding that cannot be restored has no remedy here, and the thread still runs.
  (void)topology_.bind_thread(binding_before_);
}

void ThreadTeam::run(const std::function<void(int)>& work) {
  work_ = &work;
  busy_.store(static_cast<std::uint32_t>(threads_.size()), std::memory_order_relaxed);
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  work(0);
  while (const std::uint32_t busy = busy_.load(std::memory_order_acquire))
    wait_for_change(busy_, busy);
}

void ThreadTeam::serve(int member) {
  // Signals are the business of the thread that started the team.
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  for (std::uint32_t round = 0;; ++round) {
    wait_for_change(round_, round);
    if (work_ == nullptr) return;
    (*work_)(member);
    if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) busy_.notify_one();
  }
}

}  // namespace linkburn
