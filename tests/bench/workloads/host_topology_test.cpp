#include "bench/workloads/host_topology.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <cstdlib>

#include "tests/support/process.h"

namespace linkburn {
namespace {

/// What `ask` says of a machine that hwloc makes up, taken for this one, when CPU 0 is all we may
/// use.
std::string on_machine(const char* synthetic,
                       const std::function<std::string(HostTopology&)>& ask) {
  return test::in_child([&] {
    cpu_set_t only_first;
    CPU_ZERO(&only_first);
    CPU_SET(0, &only_first);
    if (::sched_setaffinity(0, sizeof only_first, &only_first) != 0) return std::string("no CPU 0");
    ::setenv("HWLOC_SYNTHETIC", synthetic, 1);
    ::setenv("HWLOC_THISSYSTEM", "1", 1);
    auto topology = HostTopology::load();
    return topology ? ask(*topology) : topology.error().line();
  });
}

std::string cpus_of(const HostTopology& topology, int node) {
  const auto cpus = topology.usable_cpus(node);
  return cpus ? fmt::format("{} usable", cpus->size())
              : fmt::format("{}: {}", to_string(cpus.error().code), cpus.error().what);
}

TEST(HostTopologyOf, TwoNodesGivesOnlyTheCpusThatAreOurs) {
  const char* machine = "numa:2 core:4 pu:1";
  EXPECT_EQ(on_machine(machine, [](HostTopology& t) { return cpus_of(t, 0); }), "1 usable");
  EXPECT_EQ(on_machine(machine, [](HostTopology& t) { return cpus_of(t, 1); }),
            "permission: none of the CPUs of NUMA node 1 is ours");
  EXPECT_EQ(on_machine(machine, [](HostTopology& t) { return cpus_of(t, 2); }),
            "not_found: there is no NUMA node 2");
}

TEST(HostTopologyOf, CachesCountsEachLastLevelOnce) {
  const auto ask = [](HostTopology& t) {
    return fmt::format("{} {} {}", t.cache_bytes({0, 1}), t.cache_bytes({0, 2}),
                       t.cache_bytes({0, 1, 2, 3}));
  };
  EXPECT_EQ(on_machine("numa:1 l3:2(size=1000) l2:2(size=10) core:1 pu:1", ask), "1000 2000 2000");
}

TEST(HostTopologyOf, CachesAreUnknownWhereThereAreNone) {
  EXPECT_EQ(on_machine("numa:1 core:2 pu:1",
                       [](HostTopology& t) {
                         return fmt::format("{}", t.cache_bytes({0, 1}));
                       }),
            "0");
}

TEST(HostTopologyOf, AnotherMachineIsRefused) {
  const std::string answer = test::in_child([] {
    ::setenv("HWLOC_SYNTHETIC", "numa:2 pu:2", 1);
    const auto topology = HostTopology::load();
    return topology ? std::string("taken") : topology.error().line();
  });
  EXPECT_THAT(answer, testing::HasSubstr("hwloc describes another machine"));
}

TEST(HostTopologyOf, ThisMachineHasCpusAndMemoryOnItsFirstNode) {
  const auto topology = HostTopology::load();
  ASSERT_TRUE(topology) << topology.error().line();
  EXPECT_GE(topology->usable_cpus(0)->size(), 1);
  EXPECT_TRUE(topology->usable_memory(0));
  EXPECT_EQ(topology->usable_memory(1000).error().code, Code::not_found);
}

}  // namespace
}  // namespace linkburn
