// Threads that do one piece of work together, again and again, each on its own CPU. Between two
// pieces they spin for a moment and then sleep, so that neither latency nor idle CPUs cost much.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "bench/base/result.h"
#include "bench/workloads/host_topology.h"

namespace linkburn {

/// The thread that calls start() is member 0: it is bound too, does its share in run(), and gets
/// its old binding back when the team ends. All calls come from that thread.
class ThreadTeam {
 public:
  /// One member per CPU. `topology` outlives the team.
  static Result<std::unique_ptr<ThreadTeam>> start(const HostTopology& topology,
                                                   std::vector<int> cpus);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  int size() const { return static_cast<int>(cpus_.size()); }
  const std::vector<int>& cpus() const { return cpus_; }

  /// Calls work(member) on every member and returns when all are done.
  void run(const std::function<void(int)>& work);

 private:
  ThreadTeam(const HostTopology& topology, std::vector<int> cpus)
      : topology_(topology), cpus_(std::move(cpus)) {}
  Status bind_and_spawn();
  void serve(int member);

  const HostTopology& topology_;
  std::vector<int> cpus_;
  std::vector<int> binding_before_;
  std::vector<std::thread> threads_;
  const std::function<void(int)>* work_ = nullptr;  ///< null in a round means: end
  // On cache lines of their own, so that members who finish do not disturb those who wait.
  alignas(64) std::atomic<std::uint32_t> round_ = 0;
  alignas(64) std::atomic<std::uint32_t> busy_ = 0;
};

}  // namespace linkburn
