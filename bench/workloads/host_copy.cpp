#include "bench/workloads/host_copy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>

#include <algorithm>

#include "bench/workloads/data_pattern.h"
#include "bench/workloads/memory_room.h"
#include "bench/workloads/params.h"

namespace linkburn {
namespace {

using namespace std::chrono_literals;

constexpr int kMaxNode = 1023;      // [linux include/linux/numa.h, NODES_SHIFT is at most 10]
constexpr int kDefaultThreads = 8;  // saturates a socket of today and leaves CPUs to the rest
constexpr int kMaxThreads = 1024;
constexpr std::int64_t kMaxMib = 1 << 20;
constexpr std::size_t kPageWords = 512;  // slices start on pages, so that no page has two writers
constexpr int kTrialRounds = 3;
constexpr Duration kTrialTime = 1s;

std::int64_t to_mib(std::int64_t bytes) { return bytes / static_cast<std::int64_t>(kMiB); }

std::string node_name(int node) { return ComponentId::numa(node).text(); }

}  // namespace

Result<HostCopy::Settings> HostCopy::read_settings(const LaneSpec& lane) {
  if (Status known = only_params(lane, {"from_node", "to_node", "threads", "buffer_mib", "lock"});
      !known)
    return known.error();
  const auto from = int_param(lane, "from_node", 0, {0, kMaxNode});
  const auto to = int_param(lane, "to_node", 0, {0, kMaxNode});
  const auto threads = int_param(lane, "threads", 0, {0, kMaxThreads});
  const auto buffer_mib = int_param(lane, "buffer_mib", 0, {0, kMaxMib});
  const auto lock = int_param(lane, "lock", 1, {0, 1});
  for (const auto* param : {&from, &to, &threads, &buffer_mib, &lock})
    if (!*param) return param->error();
  return Settings{static_cast<int>(*from), static_cast<int>(*to), *threads, *buffer_mib,
                  *lock == 1};
}

Status HostCopy::prepare(const LaneSpec& lane, Progress& progress) {
  release();
  facts_.clear();
  progress_ = &progress;
  const auto settings = read_settings(lane);
  if (!settings) return settings.error();
  settings_ = *settings;
  for (const auto part : {&HostCopy::look_around, &HostCopy::gather_team, &HostCopy::reserve_memory,
                          &HostCopy::touch_memory, &HostCopy::lock_pages,
                          &HostCopy::check_placement, &HostCopy::choose_method}) {
    Status done = progress.stop_requested()
                      ? Error{Code::interrupted, "stopped while preparing", lane.step, {}}
                      : (this->*part)();
    if (done) continue;
    release();
    return done;
  }
  return {};
}

Status HostCopy::look_around() {
  progress_->doing("hwloc_topology_load", 30s);
  auto root = Sysroot::open("/");
  if (!root) return root.error();
  root_.emplace(*std::move(root));
  auto topology = HostTopology::load();
  if (!topology) return topology.error();
  topology_.emplace(*std::move(topology));
  for (const int node : {settings_.from_node, settings_.to_node})
    if (Status usable = topology_->usable_memory(node); !usable) return usable;
  return {};
}

Status HostCopy::gather_team() {
  const auto usable = topology_->usable_cpus(settings_.from_node);
  if (!usable) return usable.error();
  const int wanted = settings_.threads == 0 ? kDefaultThreads : static_cast<int>(settings_.threads);
  auto team = ThreadTeam::start(*topology_, spread(*usable, wanted));
  if (!team) return team.error();
  team_ = *std::move(team);
  facts_["threads"] = settings_.threads > team_->size()
                          ? fmt::format("{} ({} wanted)", team_->size(), wanted)
                          : fmt::format("{}", team_->size());
  facts_["cpus"] = fmt::format("{}", fmt::join(team_->cpus(), ","));
  return {};
}

Status HostCopy::reserve_memory() {
  const std::int64_t cache_bytes = topology_->cache_bytes(team_->cpus());
  facts_["cache"] = cache_bytes == 0 ? "unknown" : fmt::format("{} MiB", to_mib(cache_bytes));
  const auto room = memory_room(*root_, {settings_.from_node, settings_.to_node});
  if (!room) return room.error();
  const auto size = buffer_size(settings_.buffer_mib, cache_bytes, *room);
  if (!size) return size.error();
  facts_["buffer"] = size->text;
  auto source = NodeMemory::reserve(*topology_, size->bytes, settings_.from_node);
  if (!source) return source.error();
  auto destination = NodeMemory::reserve(*topology_, size->bytes, settings_.to_node);
  if (!destination) return destination.error();
  source_.emplace(*std::move(source));
  destination_.emplace(*std::move(destination));
  facts_["bound"] = "yes";
  for (const NodeMemory* memory : {&*source_, &*destination_})
    if (!memory->bound()) facts_["bound"] = fmt::format("no: {}", memory->bound().error().line());
  return {};
}

Status HostCopy::touch_memory() {
  const auto huge_before = huge_page_bytes(*root_);
  progress_->doing(fmt::format("touching {} MiB of {} and {}", 2 * source_->bytes() / kMiB,
                               node_name(settings_.from_node), node_name(settings_.to_node)),
                   allowed());
  team_->run([this](int member) {
    const Slice mine = slice(member);
    std::ranges::fill(destination().subspan(mine.first, mine.count), 0);
  });
  fill_source();
  note_huge_pages(huge_before);
  return {};
}

void HostCopy::note_huge_pages(std::optional<std::int64_t> before_bytes) {
  const auto after_bytes = huge_page_bytes(*root_);
  const Status& asked = source_->huge();
  if (!before_bytes || !after_bytes)
    facts_["huge_pages"] = "unknown";
  else
    facts_["huge_pages"] = fmt::format("{} of {} MiB", to_mib(*after_bytes - *before_bytes),
                                       2 * source_->bytes() / kMiB);
  if (!asked) facts_["huge_pages"] += fmt::format(" ({})", asked.error().line());
}

Status HostCopy::lock_pages() {
  if (!settings_.lock) {
    facts_["pinned"] = "no: not asked for";
    return {};
  }
  progress_->doing("mlock", allowed());
  Status locked = source_->lock();
  if (locked) locked = destination_->lock();
  if (locked) {
    facts_["pinned"] = "yes";
    return {};
  }
  source_->unlock();  // both or none: half a locked copy has no name in the evidence
  rlimit limit{};
  const auto needed = static_cast<rlim_t>(2 * source_->bytes());
  if (::getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && limit.rlim_cur < needed)
    facts_["pinned"] = fmt::format("no: locked-memory limit {} MiB, {} MiB needed",
                                   limit.rlim_cur / kMiB, needed / kMiB);
  else
    facts_["pinned"] = fmt::format("no: {}", locked.error().line());
  return {};
}

Status HostCopy::check_placement() {
  progress_->doing("move_pages", allowed());
  std::string text;
  for (const NodeMemory* memory : {&*source_, &*destination_}) {
    const auto nodes = topology_->nodes_of(memory->data(), memory->bytes());
    if (!nodes)
      text = fmt::format("unknown: {}", nodes.error().line());
    else if (*nodes != std::vector<int>{memory->node()})
      text = fmt::format("differs: asked for {}, got numa{}", node_name(memory->node()),
                         fmt::join(*nodes, ",numa"));
  }
  facts_["placement"] = text.empty() ? "as asked" : text;
  return {};
}

Status HostCopy::choose_method() {
  progress_->doing("trying copy methods", allowed() * 10);
  struct Trial {
    const CopyMethod* method;
    Duration best = Duration::max();
  };
  std::vector<Trial> trials;
  for (const CopyMethod& method : copy_methods())
    if (method.supported()) trials.push_back({&method});
  const Instant enough = clock_.now() + kTrialTime;
  for (int round = 0; round < kTrialRounds && (round == 0 || clock_.now() < enough); ++round)
    for (Trial& trial : trials) {
      const Instant start = clock_.now();
      pass(trial.method->copy);
      trial.best = std::min(trial.best, clock_.now() - start);
    }
  const auto best = std::ranges::min_element(trials, {}, &Trial::best);
  method_ = best->method;
  facts_["method"] = std::string(method_->name);
  std::vector<std::string> shown;
  for (const Trial& trial : trials)
    shown.push_back(fmt::format("{} {:.1f}", trial.method->name,
                                static_cast<double>(source_->bytes()) /
                                    static_cast<double>(std::max(trial.best, 1ns).count())));
  facts_["methods_gb_per_s"] = fmt::format("{}", fmt::join(shown, ", "));
  fill_source();  // the destination already holds what the first laps would write
  return {};
}

Duration HostCopy::allowed() const {
  // 100 MB/s is far below the worst memory that still works.
  return 10s + Duration(static_cast<std::int64_t>(source_->bytes()) * 10);
}

HostCopy::Slice HostCopy::slice(int member) const {
  const std::size_t pages = source_->words().size() / kPageWords;
  const auto members = static_cast<std::size_t>(team_->size());
  const auto at = static_cast<std::size_t>(member);
  const std::size_t first = pages * at / members;
  return {first * kPageWords, (pages * (at + 1) / members - first) * kPageWords};
}

void HostCopy::fill_source() {
  ++seed_;
  laps_of_seed_ = 0;
  team_->run([this](int member) {
    const Slice mine = slice(member);
    fill_pattern(source().subspan(mine.first, mine.count), seed_, mine.first);
  });
}

void HostCopy::pass(void (*copy)(std::byte*, const std::byte*, std::size_t)) {
  team_->run([this, copy](int member) {
    const Slice mine = slice(member);
    const std::size_t first = mine.first * sizeof(std::uint64_t);
    copy(destination_->data() + first, source_->data() + first, mine.count * sizeof(std::uint64_t));
  });
}

Result<Lap> HostCopy::lap() {
  check(method_ != nullptr, "host_copy: a lap without prepare()");
  Lap lap{clock_.now(), {}, static_cast<std::int64_t>(source_->bytes())};
  pass(method_->copy);
  lap.end = clock_.now();
  ++laps_;
  ++laps_of_seed_;
  return lap;
}

DataCheck HostCopy::compare() const {
  std::vector<PatternCheck> checks(static_cast<std::size_t>(team_->size()));
  team_->run([&](int member) {
    const Slice mine = slice(member);
    checks[static_cast<std::size_t>(member)] =
        check_pattern(destination_->words().subspan(mine.first, mine.count), seed_, mine.first);
  });
  DataCheck result;
  result.words_checked = static_cast<std::int64_t>(destination_->words().size());
  for (const PatternCheck& part : checks) {
    if (part.first && result.first_wrong.empty())
      result.first_wrong = fmt::format(
          "after lap {}, byte {:#x} of the copy on {}: expected {:#018x}, seen {:#018x}", laps_,
          part.first->index * sizeof(std::uint64_t), node_name(settings_.to_node),
          part.first->expected, part.first->seen);
    result.wrong_words += part.wrong_words;
  }
  return result;
}

Result<DataCheck> HostCopy::verify() {
  check(method_ != nullptr, "host_copy: a check without prepare()");
  progress_->doing("comparing the copied data", allowed());
  if (laps_of_seed_ == 0) (void)lap();
  const DataCheck result = compare();
  fill_source();
  return result;
}

void HostCopy::release() {
  method_ = nullptr;
  team_.reset();
  source_.reset();
  destination_.reset();
  topology_.reset();
  root_.reset();
  laps_ = 0;
}

namespace {

std::unique_ptr<Workload> make_host_copy(const Clock& clock) {
  return std::make_unique<HostCopy>(clock);
}

}  // namespace

extern const WorkloadInfo host_copy_workload;
const WorkloadInfo host_copy_workload{
    "host_copy", "copies memory of one NUMA node to another with the CPUs of the first", "GB/s",
    make_host_copy};

}  // namespace linkburn
