#include "bench/drill/faults.h"

#include <algorithm>
#include <string_view>

#include "bench/drill/fault_effects.h"
#include "bench/drill/resources.h"
#include "bench/drill/streams.h"

namespace linkburn::drill {
namespace {

bool may_begin(const Fault& fault) {
  return !fault.active && (fault.repeats == 0 || fault.begun < fault.repeats);
}

/// When a fault that waits begins by the clock.
std::int64_t begins_at(const State& state, const Fault& fault) {
  if (!may_begin(fault)) return kNever;
  if (fault.trigger == Trigger::at) return fault.begun == 0 ? fault.at_ns : kNever;
  if (fault.trigger != Trigger::after || fault.after < 0 || fault.after >= kMaxFaults)
    return kNever;
  const Fault& cause = state.faults[fault.after];
  return cause.begun > fault.begun ? later(cause.begun_ns, fault.at_ns) : kNever;
}

void begin(State& state, Fault& fault) {
  fault.active = true;
  ++fault.begun;
  fault.begun_ns = state.header.now_ns;
  fault.ends_ns = later(fault.begun_ns, fault.for_ns);
  begin_effect(state, fault);
}

void end(State& state, Fault& fault) {
  fault.active = false;
  end_effect(state, fault);
}

/// Follows the temperature of one that waits for it; true when that began or ended it.
bool follow_temperature(State& state, Fault& fault) {
  if (fault.trigger != Trigger::temperature || fault.gpu < 0 || fault.gpu >= kMaxGpus) return false;
  const double now_c = state.gpus[fault.gpu].temperature_c;
  if (fault.passed && now_c <= fault.above_c - kCooledByC) {
    fault.passed = false;
    const bool while_hot = fault.for_ns == kNever && fault.repeats != 1;
    if (fault.active && while_hot) {
      end(state, fault);
      return true;
    }
  }
  if (fault.passed || now_c <= fault.above_c || !may_begin(fault)) return false;
  fault.passed = true;
  begin(state, fault);
  return true;
}

bool change(State& state, Fault& fault) {
  if (!fault.used) return false;
  const std::int64_t now = state.header.now_ns;
  if (fault.active && fault.ends_ns <= now) {
    end(state, fault);
    return true;
  }
  if (begins_at(state, fault) <= now) {
    begin(state, fault);
    return true;
  }
  return follow_temperature(state, fault);
}

bool hits(const State& state, const Fault& fault, const Op& op) {
  if (!fault.active || fault.kind != FaultKind::flip) return false;
  const int gpu = gpu_of_fault(state, fault);
  if (gpu >= 0 && (op.gpus >> gpu & 1) == 0) return false;
  const std::string_view kind = fault.text.data();
  if (kind == "copy") return op.kind == OpKind::copy;
  return kind == "burn" && op.kind == OpKind::kernel && op.unit != Engine::memory_byte;
}

}  // namespace

std::int64_t next_fault_change(const State& state) {
  std::int64_t next = kNever;
  for (const Fault& fault : state.faults)
    if (fault.used) next = std::min(next, fault.active ? fault.ends_ns : begins_at(state, fault));
  return next;
}

void change_faults(State& state) {
  for (bool changed = true; changed;) {
    changed = false;
    for (Fault& fault : state.faults) changed = change(state, fault) || changed;
  }
}

void begin_on_wake(State& state, int gpu) {
  for (Fault& fault : state.faults)
    if (fault.used && fault.trigger == Trigger::on_wake && may_begin(fault) &&
        (function_of_fault(state, fault) == state.gpus[gpu].function || fault.gpu == gpu))
      begin(state, fault);
}

void flip_bit(State& state, Op& op) {
  for (Fault& fault : state.faults) {
    if (!hits(state, fault, op)) continue;
    op.flipped = true;
    end(state, fault);
    return;
  }
}

bool holds_down(const State& state, const Fault& fault, int function) {
  return fault.active && fault.kind == FaultKind::retrain &&
         function_of_fault(state, fault) == function;
}

bool throttles(const State& state, const Fault& fault, int gpu) {
  return fault.active && fault.kind == FaultKind::throttle && gpu_of_fault(state, fault) == gpu;
}

bool stays_down(const State& state, int gpu) {
  return std::any_of(state.faults.begin(), state.faults.end(), [&](const Fault& fault) {
    return fault.active && fault.kind == FaultKind::failed_wake &&
           gpu_of_fault(state, fault) == gpu;
  });
}

}  // namespace linkburn::drill
