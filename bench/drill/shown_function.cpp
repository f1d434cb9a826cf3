#include "bench/drill/shown_function.h"

#include <fmt/format.h>

namespace linkburn::drill {
namespace {

const Function& at(const State& state, int function) {
  return state.functions[static_cast<std::size_t>(function)];
}

ShownErrors show_errors(const Errors& errors) {
  return {errors.correctable, errors.nonfatal, errors.fatal, errors.correctable_status,
          errors.uncorrectable_status};
}

/// The upper end of the link that `below` hangs on.
void show_upper_end(const State& state, int below, ShownFunction& shown) {
  const Function& device = at(state, below);
  shown.errors = show_errors(device.upper);
  shown.card_present = true;
  shown.bandwidth_changed = device.bandwidth_changed;
  shown.target_gen = device.target_gen;
  if (device.gone) {
    // What ports hold whose link went down under them: the lowest speed and no lanes.
    shown.gen = 1;
    return;
  }
  shown.link_active = true;
  shown.training = device.training;
  shown.gen = device.gen, shown.width = device.width;
}

}  // namespace

bool leads_down(const Function& function) {
  return function.kind == PortKind::root_port || function.kind == PortKind::switch_downstream;
}

bool has_link(const Function& function) { return function.kind != PortKind::integrated; }

int first_below(const State& state, int port) {
  int first = -1;
  for (int i = 0; i < kMaxFunctions; ++i) {
    const Function& each = at(state, i);
    if (!each.used || each.parent != port) continue;
    if (first < 0 || address_of(each) < address_of(at(state, first))) first = i;
  }
  return first;
}

bool is_out_of_reach(const State& state, int function) {
  // A parent lies above its child, so the walk ends; the bound is for a state that was spoilt.
  for (int i = function, depth = 0; i >= 0 && depth < kMaxFunctions; ++depth) {
    if (at(state, i).gone) return true;
    i = at(state, i).parent;
  }
  return false;
}

ShownFunction show_function(const State& state, int function, int below) {
  const Function& own = at(state, function);
  ShownFunction shown;
  shown.all_ones = is_out_of_reach(state, function);
  shown.suspended = own.suspended;
  if (leads_down(own)) {
    shown.target_gen = own.port_gen;
    if (below >= 0)
      show_upper_end(state, below, shown);
    else
      shown.gen = shown.width = 1;
    return shown;
  }
  shown.errors = show_errors(own.lower);
  shown.gen = own.gen, shown.width = own.width;
  shown.target_gen = own.cap_gen;
  return shown;
}

PciAddress address_of(const Function& function) {
  return {function.domain, function.bus, function.slot, function.function};
}

std::string place_of(const State& state, int function) {
  const Function& own = at(state, function);
  const std::string name = to_string(address_of(own));
  if (own.parent < 0) return fmt::format("pci{}/{}", name.substr(0, name.rfind(':')), name);
  return fmt::format("{}/{}", place_of(state, own.parent), name);
}

}  // namespace linkburn::drill
