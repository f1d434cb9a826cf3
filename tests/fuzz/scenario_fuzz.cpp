// Scenarios: any text is either a node that a kernel could have found, with faults that can begin,
// or an error with a place.
#include <cstdint>
#include <cstdlib>
#include <set>
#include <tuple>

#include "bench/drill/scenario.h"

namespace {

using namespace linkburn::drill;

void require(bool right) {
  if (!right) std::abort();
}

template <std::size_t N>
bool is_whole_text(const Text<N>& text) {
  return text.back() == '\0';
}

void check_functions(const State& state) {
  std::set<std::tuple<std::uint32_t, int, int, int>> addresses;
  for (int n = 0; n < kMaxFunctions && state.functions[n].used; ++n) {
    const Function& f = state.functions[n];
    require(addresses.emplace(f.domain, f.bus, f.slot, f.function).second);
    require(f.slot < 32 && f.function < 8 && f.parent < n);
    require(f.numa >= 0 && f.numa < kMaxNumas && state.numas[f.numa].used);
    require(is_whole_text(f.name) && f.name[0] != '\0' && f.drift == 1);
    if (f.parent < 0) continue;
    const Function& port = state.functions[f.parent];
    require(port.domain == f.domain && port.bus < f.bus);
    const bool linked = f.kind == PortKind::endpoint || f.kind == PortKind::switch_upstream;
    if (!linked) continue;
    require(f.gen > 0 && f.gen <= f.cap_gen && f.gen <= port.port_gen);
    require(f.width > 0 && f.width <= f.cap_width && f.width <= port.port_width);
  }
}

void check_gpus(const State& state) {
  for (const Gpu& gpu : state.gpus) {
    if (!gpu.used) continue;
    require(state.functions[gpu.function].device == Device::gpu);
    require(gpu.thermal.tau_s > 0 && gpu.thermal.full_w >= gpu.thermal.idle_w);
    require(gpu.context_ms >= 0 && gpu.wake_ms >= 0 && gpu.memory_bytes > 0);
    for (const Nvlink& link : gpu.nvlinks)
      require(!link.used || link.peer_gpu < 0 || state.gpus[link.peer_gpu].used);
  }
}

void check_faults(const Scenario& scenario) {
  std::size_t faults = 0;
  for (const Fault& fault : scenario.state->faults) {
    if (!fault.used) break;
    const Expected& expected = scenario.expected.at(faults++);
    require(expected.code.empty() == expected.component.empty());
    require(fault.function >= 0 && scenario.state->functions[fault.function].used);
    require(fault.at_ns >= 0 && fault.for_ns > 0 && fault.repeats >= 0);
    require(fault.trigger != Trigger::temperature || fault.gpu >= 0);
    int steps = 0;
    for (int at = fault.after; at >= 0; at = scenario.state->faults[at].after)
      require(scenario.state->faults[at].used && ++steps < kMaxFaults);
  }
  require(faults == scenario.expected.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto scenario = parse_scenario(text, "input.toml");
  if (!scenario) {
    require(scenario.error().source.starts_with("input.toml:"));
    return 0;
  }
  check_functions(*scenario->state);
  check_gpus(*scenario->state);
  check_faults(*scenario);
  return 0;
}
