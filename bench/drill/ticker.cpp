#include "bench/drill/ticker.h"

#include <unistd.h>

#include <algorithm>

#include "bench/drill/model.h"
#include "bench/drill/tasks.h"
#include "bench/drill/tree.h"
#include "bench/drill/turn_keeper.h"

namespace linkburn::drill {
namespace {

constexpr Duration kIdle = std::chrono::milliseconds(5);

}  // namespace

struct Ticker::Impl {
  State& state;
  TreeWriter* tree;
  TurnKeeper keeper;

  Status step(std::int64_t until_ns);
};

Ticker::Ticker(World& world, TreeWriter* tree, TurnLimits limits)
    : impl_(new Impl{world.state(), tree, TurnKeeper(world.state(), limits)}) {}

Ticker::~Ticker() { impl_->keeper.end(); }

/// Lets everybody run, and then time pass up to the next event.
Status Ticker::Impl::step(std::int64_t until_ns) {
  std::int64_t deadline = kNever;
  if (auto settled = keeper.settle(&deadline); !settled) return settled;
  const std::int64_t event = next_event(state);
  const std::int64_t next = std::min({deadline, event, until_ns});
  if (next == kNever) {
    keeper.idle(kIdle);
    return {};
  }
  advance(state, next);
  return tree == nullptr ? Status() : tree->update(state);
}

Status Ticker::run(std::int64_t until_ns, const std::function<bool()>& stop) {
  Header& header = impl_->state.header;
  header.ticker_pid = ::getpid();
  header.ticker_start_time = start_time(::getpid());
  while (header.now_ns < until_ns) {
    if (stop && stop()) return {};
    if (auto status = impl_->step(until_ns); !status) {
      impl_->keeper.end();
      return status;
    }
  }
  // Who is due at the last instant has run when this returns.
  std::int64_t deadline = kNever;
  return impl_->keeper.settle(&deadline);
}

}  // namespace linkburn::drill
