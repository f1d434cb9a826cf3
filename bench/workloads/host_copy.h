// host_copy: copies memory of one NUMA node to another (or the same) with the CPUs of the first. It
// gives the memory rate against which the rates of devices on that node are judged.
//
// Params: from_node, to_node; threads (0: one per usable CPU of from_node, at most 8); buffer_mib
// (0: 64 MiB or four times the caches in use, whichever is more); lock (1: pages are locked).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "bench/base/sysroot.h"
#include "bench/workloads/copy_kernels.h"
#include "bench/workloads/node_memory.h"
#include "bench/workloads/thread_team.h"
#include "bench/workloads/workload.h"

namespace linkburn {

class HostCopy final : public Workload {
 public:
  explicit HostCopy(const Clock& clock) : clock_(clock) {}
  ~HostCopy() override { release(); }

  Status prepare(const LaneSpec& lane, Progress& progress) override;
  Result<Lap> lap() override;
  Result<DataCheck> verify() override;
  void release() override;
  Facts facts() const override { return facts_; }

  /// Between prepare() and release(): one copy of everything by the team, with any function.
  void pass(void (*copy)(std::byte* to, const std::byte* from, std::size_t bytes));
  std::span<std::uint64_t> source() { return source_->words(); }
  std::span<std::uint64_t> destination() { return destination_->words(); }

 private:
  struct Settings {
    int from_node = 0, to_node = 0;
    std::int64_t threads = 0, buffer_mib = 0;
    bool lock = true;
  };
  /// The words that one member of the team works on.
  struct Slice {
    std::size_t first = 0, count = 0;
  };

  static Result<Settings> read_settings(const LaneSpec& lane);
  Status look_around();
  Status gather_team();
  Status reserve_memory();
  Status touch_memory();
  Status lock_pages();
  Status check_placement();
  Status choose_method();

  Slice slice(int member) const;
  void fill_source();
  void note_huge_pages(std::optional<std::int64_t> before_bytes);
  DataCheck compare() const;
  /// How long a pass over the buffers may take before it is a hang.
  Duration allowed() const;

  const Clock& clock_;
  Progress* progress_ = nullptr;
  Settings settings_;
  Facts facts_;
  std::optional<Sysroot> root_;
  std::optional<HostTopology> topology_;
  std::unique_ptr<ThreadTeam> team_;
  std::optional<NodeMemory> source_, destination_;
  const CopyMethod* method_ = nullptr;
  std::uint64_t seed_ = 0;         ///< of the data in the source now
  std::int64_t laps_ = 0;          ///< since prepare()
  std::int64_t laps_of_seed_ = 0;  ///< since the source was filled
};

}  // namespace linkburn
