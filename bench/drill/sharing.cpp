#include "bench/drill/sharing.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bench/drill/model.h"
#include "bench/drill/resources.h"
#include "bench/drill/streams.h"

namespace linkburn::drill {
namespace {

constexpr double kNanoseconds = 1e9;

/// Fills all resources at the same pace and takes out those ops whose resources are full.
class Filling {
 public:
  Filling(const State& state, const RunningOps& running) : running_(running) {
    users_.fill(0);
    for (int i = 0; i < running.count; ++i) {
      rates_[i] = kOpen;
      for (const Resource r : path(i))
        if (users_[r]++ == 0) used_[used_count_++] = r, left_[r] = capacity(state, r);
    }
  }

  void run() {
    for (int open = running_.count; open > 0;) open -= close_fullest();
  }

  double rate(int i) const { return rates_[i]; }

 private:
  static constexpr double kOpen = -1;

  struct Path {
    const Resource *first, *last;
    const Resource* begin() const { return first; }
    const Resource* end() const { return last; }
  };
  Path path(int i) const {
    const Op& op = *running_.ops[i];
    return {op.path.data(), op.path.data() + op.path_length};
  }

  /// The ops of the resources that are full first get what those give to each. Returns how many.
  int close_fullest() {
    double level = std::numeric_limits<double>::infinity();
    for (int n = 0; n < used_count_; ++n) {
      const Resource r = used_[n];
      if (users_[r] == 0) continue;
      share_[r] = left_[r] / users_[r];
      level = std::min(level, share_[r]);
    }
    int closed = 0;
    for (int i = 0; i < running_.count; ++i)
      if (rates_[i] == kOpen && passes_full(i, level)) rates_[i] = level, closing_[closed++] = i;
    for (int n = 0; n < closed; ++n)
      for (const Resource r : path(closing_[n]))
        left_[r] = std::max(left_[r] - level, 0.0), --users_[r];
    return closed;
  }

  bool passes_full(int i, double level) const {
    const Path all = path(i);
    return std::any_of(all.begin(), all.end(), [&](Resource r) { return share_[r] <= level; });
  }

  const RunningOps& running_;
  std::array<double, kMaxStreams> rates_;
  std::array<int, kMaxStreams> closing_;
  std::array<int, kResources> users_;
  std::array<double, kResources> left_, share_;
  std::array<Resource, kResources> used_;
  int used_count_ = 0;
};

void set_rate(Op& op, std::int64_t now_ns, double rate) {
  const Pace& old = op.current();
  if (rate == old.rate) return;
  const auto since = static_cast<double>(now_ns - old.settled_ns);
  const double rest = std::max(old.rest - old.rate * since / kNanoseconds, 0.0);
  set_pace(op, {rest, rate, now_ns, due_at(now_ns, rest, rate)});
}

}  // namespace

std::int64_t due_at(std::int64_t now_ns, double rest, double rate) {
  if (rate <= 0) return kNever;
  const double takes_ns = std::ceil(rest / rate * kNanoseconds);
  constexpr double most_ns = 4e18;
  return takes_ns < most_ns ? later(now_ns, static_cast<std::int64_t>(takes_ns)) : kNever;
}

RunningOps running_ops(State& state) {
  RunningOps running;
  for_busy_streams(state, [&](int stream) {
    Op* op = head_op(state.streams[stream]);
    const bool shares = op != nullptr && (op->kind == OpKind::copy || op->kind == OpKind::kernel);
    if (shares && op->start_ns >= 0) running.ops[running.count++] = op;
  });
  return running;
}

void share_rates(State& state, const RunningOps& running) {
  if (running.count == 0) return;
  Filling filling(state, running);
  filling.run();
  for (int i = 0; i < running.count; ++i)
    set_rate(*running.ops[i], state.header.now_ns, filling.rate(i));
}

}  // namespace linkburn::drill
