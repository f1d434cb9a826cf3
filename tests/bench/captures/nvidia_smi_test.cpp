// nvidia-smi in all its shapes, from text to GPUs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/captures/assemble.h"
#include "tests/bench/captures/read_text.h"

namespace linkburn {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<Gpu> gpus_of(const std::vector<std::string>& texts) {
  const NodeDraft draft = read_all(texts);
  return assemble_gpus(draft, assemble(draft));
}

std::int64_t not_understood(const NodeDraft& draft) {
  std::int64_t lines = 0;
  for (const CapturePart& part : draft.parts) lines += part.not_understood;
  return lines;
}

TEST(NvidiaSmi, NothingOfItIsNothing) {
  EXPECT_THAT(gpus_of({""}), IsEmpty());
  EXPECT_THAT(gpus_of({"name, size\nGPU, 3\n", "Current : 8x\n", "Link 3\nGPU 0\n", "| a | b |\n"}),
              IsEmpty());
}

TEST(NvidiaSmi, PartOfDetailsWithoutAHead) {
  const NodeDraft draft =
      read_all({"Bus Id : 0000000F:01:00.0\nDevice Id : 0x1F9110DE\nGPU Link Info\n"
                "PCIe Generation\nMax : 3\nCurrent : 1\nHost Max : 4\n"
                "Link Width\nMax : 16x\nCurrent : 8x\nReplays Since Reset : 7\n"});
  EXPECT_EQ(not_understood(draft), 0);
  ASSERT_THAT(draft.functions, SizeIs(1));
  const PciFunction& function = draft.functions[0].function;
  EXPECT_EQ(function.address, (PciAddress{0xf, 1, 0, 0}));
  EXPECT_EQ(function.device_id, "0x1f91");
  EXPECT_EQ(function.link_end.speed, LinkSpeed{2500});
  EXPECT_EQ(function.link_end.max_speed, LinkSpeed{8000});
  EXPECT_EQ(function.link_end.width, LinkWidth{8});
  EXPECT_EQ(function.link_end.max_width, LinkWidth{16});
  ASSERT_THAT(draft.gpus, SizeIs(1));
  EXPECT_EQ(draft.gpus[0].host_max_speed, LinkSpeed{16000});
  EXPECT_FALSE(draft.gpus[0].own_max_speed);
  EXPECT_EQ(draft.gpus[0].replays, 7);
}

TEST(NvidiaSmi, CountersOfReasonsAreNoReasons) {
  const auto gpus =
      gpus_of({"    Clocks Event Reasons\n"
               "        SW Power Cap                  : Active\n"
               "        HW Slowdown\n"
               "            HW Thermal Slowdown       : Not Active\n"
               "    Clocks Event Reasons Counters\n"
               "        HW Thermal Slowdown           : 12 us\n"});
  ASSERT_THAT(gpus, SizeIs(1));
  EXPECT_THAT(gpus[0].slowed_by, ElementsAre("SW Power Cap"));
}

TEST(NvidiaSmi, NotAvailableIsUnknown) {
  const auto gpus =
      gpus_of({"index, pcie.link.gen.current, pcie.link.width.current, pstate\n"
               "0, [N/A], [Not Supported], P0\n"});
  ASSERT_THAT(gpus, SizeIs(1));
  EXPECT_FALSE(gpus[0].speed || gpus[0].width || gpus[0].replays);
}

TEST(NvidiaSmi, TablesOfAnyDriver) {
  for (const std::string row : {"|   3  Tesla P100-PCIE...  Off  | 0000:0B:00.0     Off |   0 |",
                                "|   3  Tesla P100-PCIE-16GB           On  |   00000000:0B:00.0 "
                                "Off |                    0 |"}) {
    const auto gpus = gpus_of({row + "\n| N/A   34C    P0    43W / 300W |  0MiB / 1MiB |  7%  "
                                     "Default |\n"});
    ASSERT_THAT(gpus, SizeIs(1)) << row;
    EXPECT_EQ(gpus[0].component.text(), "0000:0b:00.0");
    EXPECT_EQ(gpus[0].index, 3);
    EXPECT_TRUE(gpus[0].name.starts_with("Tesla P100-PCIE")) << gpus[0].name;
    EXPECT_EQ(gpus[0].performance_state, "P0");
    EXPECT_EQ(gpus[0].utilization_percent, 7);
  }
}

TEST(NvidiaSmi, TheBestSpeedOfSeveralSamplesCountsAndTheLowestWidth) {
  const auto gpus =
      gpus_of({"timestamp, pci.bus_id, pcie.link.gen.gpucurrent, "
               "pcie.link.width.current, utilization.gpu [%], pstate\n"
               "2026/11/19 09:12:44.123, 00000000:3B:00.0, 1, 16, 0 %, P8\n"
               "2026/11/19 09:12:45.123, 00000000:3B:00.0, 4, 8, 97 %, P0\n"
               "2026/11/19 09:12:46.123, 00000000:3B:00.0, 1, 16, 3 %, P8\n"});
  ASSERT_THAT(gpus, SizeIs(1));
  EXPECT_EQ(gpus[0].speed, LinkSpeed{16000});
  EXPECT_EQ(gpus[0].width, LinkWidth{8});
  EXPECT_EQ(gpus[0].utilization_percent, 97);
  EXPECT_EQ(gpus[0].performance_state, "P0");
}

TEST(NvidiaSmi, RowsWithoutTheirHeadingAreAnybodys) {
  EXPECT_THAT(gpus_of({"0, 00000000:3B:00.0, 4, 4, 16, 8\n"}), IsEmpty());
}

TEST(NvidiaSmi, NumberAddressAndUuidMeanOneGpu) {
  const auto gpus =
      gpus_of({"index, pcie.link.gen.current\n0, 4\n1, 3\n",
               "    GPU UUID                 : GPU-11\n    Bus Id         : 00000000:3B:00.0\n",
               "GPU 0: NVIDIA A100-SXM4-40GB (UUID: GPU-10)\nGPU 1: NVIDIA A100-SXM4-40GB (UUID: "
               "GPU-11)\n"});
  ASSERT_THAT(gpus, SizeIs(2));
  const Gpu& addressed = gpus[gpus[0].component.pci_address() ? 0 : 1];
  EXPECT_EQ(addressed.component.text(), "0000:3b:00.0");
  EXPECT_EQ(addressed.speed, LinkSpeed{8000});
}

TEST(NvidiaSmi, TwoNodesAreKeptApart) {
  Collector collector;
  for (const char* text :
       {"GPU 0: NVIDIA A40 (UUID: GPU-a)\n", "GPU 0: NVIDIA A40 (UUID: GPU-b)\n"}) {
    collector.begin(text);
    collector.take(text);
    collector.end();
  }
  EXPECT_THAT(std::move(collector).finish(), SizeIs(2));
}

TEST(NvidiaSmi, APartThatNamesNoGpuIsOfTheOnlyOne) {
  const auto gpus = gpus_of({"Product Architecture: Blackwell\nGPU C2C Mode: Enabled\n",
                             "index,pci.bus_id\n0, 0000000F:01:00.0\n"});
  ASSERT_THAT(gpus, SizeIs(1));
  EXPECT_EQ(gpus[0].component.text(), "000f:01:00.0");
  EXPECT_EQ(gpus[0].c2c_mode, "Enabled");
}

TEST(NvlinkStatus, LinksOfEachGpu) {
  const auto gpus =
      gpus_of({"GPU 0: A (UUID: GPU-0)\n\t Link 0: 25.781 GB/s\n\t Link 1: "
               "<inactive>\nGPU 1: B (UUID: GPU-1)\nNVML: Unable to retrieve NVLink "
               "information as all links are inActive\n"});
  ASSERT_THAT(gpus, SizeIs(2));
  ASSERT_THAT(gpus[0].links, SizeIs(2));
  EXPECT_EQ(gpus[0].links[0].rate_gbs, 25.781);
  EXPECT_EQ(gpus[0].links[1].state, "inactive");
  EXPECT_TRUE(gpus[1].links_read);
  EXPECT_THAT(gpus[1].links, IsEmpty());
}

TEST(NvlinkStatus, AListOfGpusListsNoLinks) {
  const auto gpus = gpus_of({"GPU 0: NVIDIA A40 (UUID: GPU-a)\n"});
  ASSERT_THAT(gpus, SizeIs(1));
  EXPECT_FALSE(gpus[0].links_read);
}

TEST(NvlinkStatus, CapabilitiesAndCountersAreNoStates) {
  const NodeDraft draft =
      read_all({"GPU 0: A (UUID: GPU-0)\n\t Link 0, P2P is supported: true\n\t Link "
                "0: Replay Errors: 0\n\t Link 0: Remote Device 00000008:00:00.0: "
                "Link 3\n"});
  EXPECT_EQ(not_understood(draft), 0);
  ASSERT_THAT(draft.gpus, SizeIs(1));
  EXPECT_THAT(draft.gpus[0].links, IsEmpty());
  EXPECT_FALSE(draft.gpus[0].links_read);
}

TEST(NvidiaSmi, WhoseDriverCannotReachIt) {
  for (const auto& [line, component, words] :
       std::vector<std::tuple<std::string, std::string, std::string>>{
           {"Unable to determine the device handle for GPU 0000:02:00.0: GPU is lost.  Reboot the "
            "system to recover this GPU",
            "0000:02:00.0", "GPU is lost"},
           {"Unable to determine the device handle for GPU3: 0000:5F:00.0: Unknown Error",
            "0000:5f:00.0", "Unknown Error"},
           {"Unable to determine the device handle for GPU0000:25:00.0: Unknown Error",
            "0000:25:00.0", "Unknown Error"},
           {"Unable to determine the device handle for GPU2: Unknown Error", "gpu2",
            "Unknown Error"}}) {
    const NodeDraft draft = read_all({line + "\n"});
    ASSERT_THAT(draft.records, SizeIs(1)) << line;
    const auto& error = std::get<ToolError>(draft.records[0]);
    EXPECT_EQ(error.component->text(), component);
    EXPECT_EQ(error.what, "its driver says of it: " + words);
  }
}

TEST(GpuTopology, LinksOfPairsAndTheNearestNic) {
  const NodeDraft draft =
      read_all({"\tGPU0\tGPU1\tNIC0\tCPU Affinity\tNUMA Affinity\nGPU0\t X "
                "\tNV18\tPIX\t0-31\t0\nGPU1\tNV18\t X \tSYS\t32-63\t1\nNIC0\tPIX\t"
                "SYS\t X \t\t\n\nLegend:\n\n  X    = Self\n  NV#  = Connection\n\nNIC "
                "Legend:\n\n  NIC0: mlx5_0\n"});
  EXPECT_EQ(not_understood(draft), 0);
  std::vector<std::string> seen;
  for (const Body& body : draft.records) {
    const auto& reading = std::get<Reading>(body);
    seen.push_back(reading.component.text() + " " + reading.quantity + " " + reading.text);
  }
  EXPECT_THAT(seen, ElementsAre("gpu0 nvlinks_to_gpu1 NV18", "gpu1 nvlinks_to_gpu0 NV18",
                                "gpu0 nearest_nic mlx5_0 (PIX)", "gpu1 nearest_nic mlx5_0 (SYS)"));
}

TEST(NvidiaSmi, AnyBytesAreTaken) {
  for (const std::string start :
       {"GPU 0: ", "|   0  ", "index, pci.bus_id\n", "GPU0 GPU1\n",
        "Bus Id : ", "Link 0: ", "Unable to determine the device handle for "})
    for (const std::string& rest : {std::string(), std::string(300, '|'), std::string(300, ','),
                                    std::string("\xff\xfe\0x", 4), std::string("GPU-("),
                                    std::string("99999999999999999999"), std::string(":::...")})
      read_all({start + rest + "\n" + rest});
}

}  // namespace
}  // namespace linkburn
