#include "bench/drill/fault_effects.h"

#include <algorithm>

#include "bench/drill/bus_errors.h"
#include "bench/drill/faults.h"
#include "bench/drill/idle_links.h"
#include "bench/drill/resources.h"
#include "bench/drill/thermal.h"

namespace linkburn::drill {
namespace {

Function* function_at(State& state, const Fault& fault) {
  const int function = function_of_fault(state, fault);
  return function < 0 ? nullptr : &state.functions[function];
}

Gpu* gpu_at(State& state, const Fault& fault) {
  const int gpu = gpu_of_fault(state, fault);
  return gpu < 0 ? nullptr : &state.gpus[gpu];
}

bool same_thing(const State& state, const Fault& a, const Fault& b) {
  if (a.kind != b.kind) return false;
  if (a.kind == FaultKind::port_rate || a.kind == FaultKind::port_down) return a.nic == b.nic;
  if (a.kind == FaultKind::nvlink_down && a.number != b.number) return false;
  return function_of_fault(state, a) == function_of_fault(state, b) &&
         gpu_of_fault(state, a) == gpu_of_fault(state, b);
}

/// Another active fault on the same thing, the one that began last; null: none.
const Fault* other_on_it(const State& state, const Fault& fault) {
  const Fault* last = nullptr;
  for (const Fault& other : state.faults)
    if (&other != &fault && other.active && same_thing(state, other, fault) &&
        (last == nullptr || other.begun_ns >= last->begun_ns))
      last = &other;
  return last;
}

Nvlink* nvlink_at(State& state, const Fault& fault) {
  Gpu* gpu = gpu_at(state, fault);
  return gpu == nullptr || fault.number < 0 || fault.number >= kMaxNvlinks
             ? nullptr
             : &gpu->nvlinks[static_cast<std::size_t>(fault.number)];
}

/// The other end of a GPU's link: the n-th link of one to the other is the n-th of the other.
Nvlink* far_end(State& state, int gpu, const Nvlink& link) {
  if (link.peer_gpu < 0 || link.peer_gpu >= kMaxGpus) return nullptr;
  int before = 0;
  for (const Nvlink* l = state.gpus[gpu].nvlinks.data(); l != &link; ++l)
    if (l->used && l->peer_gpu == link.peer_gpu) ++before;
  for (Nvlink& far : state.gpus[link.peer_gpu].nvlinks)
    if (far.used && far.peer_gpu == gpu && before-- == 0) return &far;
  return nullptr;
}

void set_nvlink(State& state, const Fault& fault, bool active) {
  Nvlink* link = nvlink_at(state, fault);
  if (link == nullptr) return;
  link->active = active;
  if (Nvlink* far = far_end(state, gpu_of_fault(state, fault), *link)) far->active = active;
}

Nic* nic_at(State& state, const Fault& fault) {
  return fault.nic < 0 || fault.nic >= kMaxNics ? nullptr : &state.nics[fault.nic];
}

/// The value that a fault holds, as it is now.
double value_of(State& state, const Fault& fault) {
  const Function* f = function_at(state, fault);
  const Gpu* gpu = gpu_at(state, fault);
  const Nic* nic = nic_at(state, fault);
  const Nvlink* nvlink = nvlink_at(state, fault);
  switch (fault.kind) {
    case FaultKind::drift:
      return f == nullptr ? 0 : f->drift;
    case FaultKind::busy:
      return gpu == nullptr ? 0 : gpu->foreign_pid;
    case FaultKind::ambient:
      return gpu == nullptr ? 0 : gpu->thermal.ambient_c;
    case FaultKind::nvlink_down:
      return nvlink != nullptr && nvlink->active ? 1 : 0;
    case FaultKind::port_rate:
      return nic == nullptr ? 0 : nic->rate_gbps;
    case FaultKind::port_down:
      return nic != nullptr && nic->up ? 1 : 0;
    default:
      return 0;
  }
}

void set_value(State& state, const Fault& fault, double value) {
  Function* f = function_at(state, fault);
  Gpu* gpu = gpu_at(state, fault);
  Nic* nic = nic_at(state, fault);
  if (fault.kind == FaultKind::drift && f != nullptr) f->drift = value;
  if (fault.kind == FaultKind::busy && gpu != nullptr)
    gpu->foreign_pid = static_cast<std::int32_t>(value);
  if (fault.kind == FaultKind::ambient && gpu != nullptr) gpu->thermal.ambient_c = value;
  if (fault.kind == FaultKind::nvlink_down) set_nvlink(state, fault, value != 0);
  if (fault.kind == FaultKind::port_rate && nic != nullptr) nic->rate_gbps = value;
  if (fault.kind == FaultKind::port_down && nic != nullptr && nic->up != (value != 0)) {
    nic->up = value != 0;
    report_port(state, fault.nic);
  }
}

double wanted(const Fault& fault) {
  if (fault.kind == FaultKind::busy) return static_cast<double>(fault.number);
  return fault.kind == FaultKind::port_rate || fault.kind == FaultKind::ambient ? fault.amount : 0;
}

void begin_value(State& state, Fault& fault) {
  const Fault* other = other_on_it(state, fault);
  fault.old_amount = other != nullptr ? other->old_amount : value_of(state, fault);
  if (fault.kind != FaultKind::drift) set_value(state, fault, wanted(fault));
}

void end_value(State& state, Fault& fault) {
  const Fault* other = other_on_it(state, fault);
  set_value(state, fault, other != nullptr ? wanted(*other) : fault.old_amount);
  drift_links(state);
}

/// Sets the rates of a link to the sum of what its active faults ask for.
void sum_rates(State& state, const Fault& fault) {
  const int function = function_of_fault(state, fault);
  if (function < 0) return;
  Function& f = state.functions[function];
  f.errors_per_s[0] = f.errors_per_s[1] = f.replays_per_s = 0;
  for (const Fault& other : state.faults) {
    if (!other.active || function_of_fault(state, other) != function) continue;
    if (other.kind == FaultKind::errors) f.errors_per_s[other.number & 1] += other.amount;
    if (other.kind == FaultKind::replays) f.replays_per_s += other.amount;
  }
}

/// A link trains anew, to whatever speed and width faults leave it.
void retrain(State& state, const Fault& fault) {
  Function* f = function_at(state, fault);
  if (f == nullptr) return;
  f->bandwidth_changed = true;
  ++f->recoveries;
  settle_link(state, function_of_fault(state, fault));
}

bool is_gone(const State& state, int function) {
  for (int hops = 0; function >= 0 && hops < kMaxFunctions; ++hops) {
    for (const Fault& fault : state.faults)
      if (fault.active && fault.kind == FaultKind::off_bus &&
          function_of_fault(state, fault) == function)
        return true;
    function = state.functions[function].parent;
  }
  return false;
}

void lose(State& state, int function) {
  Function& f = state.functions[function];
  f.gone = true;
  f.training = false;
  const int gpu = gpu_of(state, function);
  if (gpu >= 0) state.gpus[gpu].lost = true, state.gpus[gpu].wake_at_ns = 0;
  report_lost(state, function);
}

void find_again(State& state, int function) {
  state.functions[function].gone = false;
  const int gpu = gpu_of(state, function);
  if (gpu >= 0) state.gpus[gpu].lost = false;
}

/// A device falls off, with all that is below it, or is back.
void settle_presence(State& state, const Fault& fault) {
  const int top = function_of_fault(state, fault);
  if (top < 0) return;
  const bool was_gone = state.functions[top].gone, now_gone = is_gone(state, top);
  if (now_gone && !was_gone) report_surprise_down(state, top);
  for (int n = 0; n < kMaxFunctions; ++n) {
    const Function& f = state.functions[n];
    if (!f.used || f.gone == is_gone(state, n)) continue;
    if (f.gone)
      find_again(state, n);
    else
      lose(state, n);
  }
  if (was_gone && !now_gone) report_link_up(state, top);
}

/// What is done in the same way when a fault begins and when it ends.
void settle(State& state, const Fault& fault) {
  const int gpu = gpu_of_fault(state, fault);
  if (fault.kind == FaultKind::retrain) retrain(state, fault);
  if (fault.kind == FaultKind::off_bus) settle_presence(state, fault);
  if (fault.kind == FaultKind::throttle && gpu >= 0) settle_clock(state, gpu);
  if (fault.kind == FaultKind::errors || fault.kind == FaultKind::replays) sum_rates(state, fault);
}

bool holds_value(FaultKind kind) {
  constexpr std::array kinds{FaultKind::drift,       FaultKind::busy,      FaultKind::ambient,
                             FaultKind::nvlink_down, FaultKind::port_rate, FaultKind::port_down};
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

}  // namespace

int function_of_fault(const State& state, const Fault& fault) {
  if (fault.function >= 0 && fault.function < kMaxFunctions) return fault.function;
  return fault.gpu >= 0 && fault.gpu < kMaxGpus ? state.gpus[fault.gpu].function : -1;
}

int gpu_of_fault(const State& state, const Fault& fault) {
  if (fault.gpu >= 0 && fault.gpu < kMaxGpus) return fault.gpu;
  return fault.function < kMaxFunctions ? gpu_of(state, fault.function) : -1;
}

void begin_effect(State& state, Fault& fault) {
  const int gpu = gpu_of_fault(state, fault);
  if (holds_value(fault.kind)) begin_value(state, fault);
  if (fault.kind == FaultKind::xid && gpu >= 0)
    report_xid(state, gpu, static_cast<std::uint32_t>(fault.number), fault.text.data());
  if (fault.kind == FaultKind::ecc && gpu >= 0)
    state.gpus[gpu].ecc_uncorrected += static_cast<std::uint64_t>(fault.number);
  settle(state, fault);
}

void end_effect(State& state, Fault& fault) {
  const int gpu = gpu_of_fault(state, fault);
  if (holds_value(fault.kind)) end_value(state, fault);
  if (fault.kind == FaultKind::failed_wake && gpu >= 0 && state.gpus[gpu].busy_until_ns == kNever)
    wake_again(state, gpu);
  settle(state, fault);
}

void drift_links(State& state) {
  for (const Fault& fault : state.faults) {
    if (!fault.active || fault.kind != FaultKind::drift) continue;
    Function* f = function_at(state, fault);
    if (f == nullptr) continue;
    constexpr double hour_ns = 3600e9;
    double left = fault.old_amount;
    for (const Fault& other : state.faults) {
      if (!other.active || !same_thing(state, other, fault)) continue;
      const auto since = static_cast<double>(state.header.now_ns - other.begun_ns);
      left *= std::max(0.0, 1 - other.amount * since / hour_ns);
    }
    f->drift = left;
  }
}

}  // namespace linkburn::drill
