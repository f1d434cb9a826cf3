// Scenarios as tests write them: read, refused, or looked at as a node.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <tuple>

#include "bench/base/component.h"
#include "bench/drill/scenario.h"
#include "tests/support/drill_state.h"

namespace linkburn::drill {

/// The first two lines of every scenario here: what a test writes begins in line 3.
inline const std::string kHead = "schema = 1\nname = \"test\"\n";

inline std::string refused(const std::string& text) {
  const auto scenario = parse_scenario(kHead + text, "test.toml");
  return scenario ? "taken" : scenario.error().line();
}

inline Scenario taken(const std::string& text) {
  const auto scenario = parse_scenario(kHead + text, "test.toml");
  EXPECT_TRUE(scenario) << (scenario ? "" : scenario.error().line()) << "\n" << text;
  return scenario ? *scenario : test::small_drill_scenario();
}

/// Keeps the scenario whose state it shows.
struct Node {
  explicit Node(const std::string& text) : scenario(taken(text)), state(*scenario.state) {}
  const Function& function(const std::string& name) const {
    const int index = test::function_of(state, name);
    EXPECT_GE(index, 0) << name;
    return state.functions[std::max(index, 0)];
  }
  std::string address(const std::string& name) const {
    const Function& f = function(name);
    return to_string(PciAddress{f.domain, f.bus, f.slot, f.function});
  }
  std::string parent(const std::string& name) const {
    const int above = function(name).parent;
    return above < 0 ? "" : state.functions[above].name.data();
  }

  Scenario scenario;
  const State& state;
};

inline int count_functions(const State& state) {
  return static_cast<int>(std::count_if(state.functions.begin(), state.functions.end(),
                                        [](const Function& f) { return f.used; }));
}

/// The rules that a kernel keeps: a device's bus is that right below its port, the buses below a
/// bridge are a range inside that of the bridge above, and no two bridges share any.
inline void expect_nested_buses(const State& state) {
  struct Range {
    int first = 256, last = -1;
  };
  std::array<Range, kMaxFunctions> ranges;
  std::set<std::tuple<unsigned, int, int, int>> addresses;
  for (int i = 0; i < count_functions(state); ++i) {
    const Function& f = state.functions[i];
    EXPECT_TRUE(addresses.emplace(f.domain, f.bus, f.slot, f.function).second) << f.name.data();
    for (int above = f.parent; above >= 0; above = state.functions[above].parent) {
      const Function& bridge = state.functions[above];
      EXPECT_EQ(bridge.domain, f.domain);
      EXPECT_GT(f.bus, bridge.bus) << f.name.data();
      ranges[above].first = std::min<int>(ranges[above].first, f.bus);
      ranges[above].last = std::max<int>(ranges[above].last, f.bus);
    }
  }
  for (int i = 0; i < count_functions(state); ++i)
    for (int j = 0; j < i; ++j) {
      const Function &a = state.functions[i], &b = state.functions[j];
      if (a.parent != b.parent || a.domain != b.domain) continue;
      EXPECT_TRUE(ranges[i].last < ranges[j].first || ranges[j].last < ranges[i].first)
          << a.name.data() << " and " << b.name.data();
    }
}

}  // namespace linkburn::drill
