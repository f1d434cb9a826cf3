#include <gmock/gmock.h>

#include "tests/bench/drill/parsed_scenario.h"

namespace linkburn::drill {
namespace {

using testing::HasSubstr;

TEST(ScenarioCards, LinksRunAtTheLowerOfBothEnds) {
  const Node node(
      "[[nic]]\nport_gen = 4\n[[nic]]\nport_width = 8\n[[nic]]\ngen = 3\nwidth = 4\n"
      "[[nic]]\ntarget_gen = 2\n[[nic]]\nlink_gen = 1\nlink_width = 1\n[[nvme]]\n");
  const auto link = [&](const std::string& name) {
    const Function& f = node.function(name);
    return std::to_string(f.gen) + " x" + std::to_string(f.width) + " target " +
           std::to_string(f.target_gen);
  };
  EXPECT_EQ(link("nic0"), "4 x16 target 4");
  EXPECT_EQ(link("nic1"), "5 x8 target 5");
  EXPECT_EQ(link("nic2"), "3 x4 target 5");
  EXPECT_EQ(link("nic3"), "2 x16 target 2");
  EXPECT_EQ(link("nic4"), "1 x1 target 5");
  EXPECT_EQ(link("nvme0"), "4 x4 target 5");
  EXPECT_EQ(node.function("nic1").cap_width, 16);
  EXPECT_EQ(node.function("nic1-port").port_width, 8);
  EXPECT_EQ(node.function("nvme0-port").port_width, 4);
  EXPECT_EQ(node.function("nic2-port").port_width, 16);
}

TEST(ScenarioCards, IdentityAndSlotAreTaken) {
  const Node node(
      "[[nic]]\nname = \"rail\"\nvendor = 0x1234\ndevice = 0x5678\nsubsystem_vendor = 1\n"
      "subsystem_device = 2\nclass = 0x020000\ndriver = \"ice\"\nslot = 12\n"
      "slot_label = \"RISER1\"\n[[nic]]\nslot = 0\n[[nic]]\ncount = 2\nslot = 20\n");
  const Function& rail = node.function("rail");
  EXPECT_EQ(rail.vendor, 0x1234);
  EXPECT_EQ(rail.device_id, 0x5678);
  EXPECT_EQ(rail.subsystem_vendor, 1);
  EXPECT_EQ(rail.subsystem_device, 2);
  EXPECT_EQ(rail.class_code, 0x020000U);
  EXPECT_STREQ(rail.driver.data(), "ice");
  EXPECT_EQ(rail.drift, 1);
  EXPECT_EQ(node.function("rail-port").slot_number, 12);
  EXPECT_STREQ(node.function("rail-port").slot_label.data(), "RISER1");
  EXPECT_EQ(node.function("nic1-port").slot_number, -1);
  EXPECT_EQ(node.function("nic3-port").slot_number, 21);
  EXPECT_THAT(refused("[[nic]]\nname = \"a/b\"\n"), HasSubstr("'name' takes letters"));
  EXPECT_THAT(refused("[[nic]]\nname = \"" + std::string(25, 'a') + "\"\n"), HasSubstr("at most"));
  EXPECT_EQ(refused("[[nic]]\nname = \"" + std::string(24, 'a') + "\"\n"), "taken");
  EXPECT_THAT(refused("[[nic]]\nslot_label = \"..\"\n"), HasSubstr("without '/'"));
  EXPECT_THAT(refused("[[nic]]\nvendor = 0xffff\n"), HasSubstr("'vendor' must be"));
  EXPECT_THAT(refused("[[nic]]\ndriver = \"" + std::string(16, 'a') + "\"\n"),
              HasSubstr("'driver' takes at most 15"));
}

TEST(ScenarioCards, NicsAndDisksAndOthers) {
  const Node node(
      "[[nic]]\nmodel = \"cx6\"\nlayer = \"ethernet\"\ninterface = \"ens3\"\nrated_gbps = 100\n"
      "rate_gbps = 25\nup = false\ntemperature_c = 60\n[[nic]]\n[[nvme]]\nmodel = \"gen5\"\n"
      "temperature_c = 33\n[[other]]\nmodel = \"bmc-vga\"\n[[other]]\nmodel = \"usb\"\n"
      "integrated = true\naddress = \"0000:00:14.0\"\n");
  const Nic& nic = node.state.nics[0];
  EXPECT_STREQ(nic.name.data(), "mlx5_0");
  EXPECT_STREQ(nic.interface_name.data(), "ens3");
  EXPECT_FALSE(nic.infiniband);
  EXPECT_FALSE(nic.up);
  EXPECT_EQ(nic.rated_gbps, 100);
  EXPECT_EQ(nic.rate_gbps, 25);
  EXPECT_EQ(nic.temperature_c, 60);
  EXPECT_EQ(node.function("nic0").class_code, 0x020000U);
  EXPECT_EQ(node.function("nic0").device_id, 0x101b);
  EXPECT_STREQ(node.state.nics[1].interface_name.data(), "ib0");
  EXPECT_EQ(node.state.nics[1].rate_gbps, 400);
  EXPECT_EQ(node.state.nvmes[0].temperature_c, 33);
  EXPECT_EQ(node.function("nvme0").cap_gen, 5);
  EXPECT_EQ(node.function("other0").width, 1);
  EXPECT_EQ(node.function("other1").kind, PortKind::integrated);
  EXPECT_EQ(node.function("other1").width, 0);
  EXPECT_EQ(node.address("other1"), "0000:00:14.0");
  EXPECT_THAT(refused("[[nic]]\ninterface = \"../x\"\n"), HasSubstr("'interface' takes"));
  EXPECT_THAT(refused("[[nic]]\nrate_gbps = 401\n"), HasSubstr("'rate_gbps' must be"));
}

TEST(ScenarioGpus, BeginAtRestAndAsleep) {
  const Node node("[[gpu]]\n[[gpu]]\nidle_gen = 0\n");
  const Gpu& gpu = node.state.gpus[0];
  EXPECT_TRUE(gpu.asleep);
  EXPECT_EQ(node.function("gpu0").gen, 1);
  EXPECT_EQ(node.function("gpu0").width, 16);
  EXPECT_EQ(node.function("gpu0").target_gen, 5);
  EXPECT_DOUBLE_EQ(gpu.temperature_c, 28 + 70 * 0.06);
  EXPECT_EQ(gpu.power_w, 70);
  EXPECT_EQ(gpu.power_limit_w, 700);
  EXPECT_EQ(gpu.clock_factor, 1);
  EXPECT_EQ(gpu.owner_process, -1);
  EXPECT_TRUE(gpu.fabric_ready);
  EXPECT_STREQ(gpu.serial.data(), "DRILL0000");
  EXPECT_STRNE(gpu.uuid.data(), node.state.gpus[1].uuid.data());
  EXPECT_FALSE(node.state.gpus[1].asleep);
  EXPECT_EQ(node.function("gpu1").gen, 5);
}

TEST(ScenarioGpus, EachKeyIsTaken) {
  const Node node(
      "[[gpu]]\nmodel = \"a100-sxm\"\nserial = \"S1\"\nproduct = \"Mine\"\nmemory_mib = 64\n"
      "fp32_tflops = 1\ntensor_tflops = 2\nmemory_gbs = 3\nto_device_gbs = 4\nfrom_device_gbs = 5\n"
      "chip_to_chip_gbs = 6\nsms = 7\nclock_mhz = 8\nmemory_clock_mhz = 9\n"
      "compute_capability = \"8.9\"\nambient_c = 30\nc_per_w = 0.1\ntau_s = 5\nidle_w = 50\n"
      "full_w = 500\nslowdown_c = 90\nshutdown_c = 99\nmemory_offset_c = 3\npower_limit_w = 450\n"
      "context_ms = 100\nteardown_ms = 101\nidle_after_ms = 102\nwake_ms = 103\nidle_gen = 2\n"
      "compute_mode = \"exclusive\"\nmig = true\nfabric_ready = false\nbusy_pid = 4711\n"
      "ecc_corrected = 11\necc_uncorrected = 12\nremapped_rows = 13\n");
  const Gpu& gpu = node.state.gpus[0];
  EXPECT_STREQ(gpu.serial.data(), "S1");
  EXPECT_STREQ(gpu.model.data(), "Mine");
  EXPECT_EQ(gpu.memory_bytes, 64U << 20);
  EXPECT_EQ(std::vector({gpu.fp32_tflops, gpu.tensor_tflops, gpu.memory_gbs, gpu.copy_gbs[0],
                         gpu.copy_gbs[1], gpu.chip_to_chip_gbs}),
            (std::vector<double>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(std::vector({gpu.sms, gpu.clock_mhz, gpu.max_clock_mhz, gpu.memory_clock_mhz,
                         gpu.compute_major, gpu.compute_minor}),
            (std::vector{7, 8, 8, 9, 8, 9}));
  const Thermal& t = gpu.thermal;
  EXPECT_EQ(std::vector({t.ambient_c, t.c_per_w, t.tau_s, t.idle_w, t.full_w, t.slowdown_c,
                         t.shutdown_c, t.memory_offset_c, gpu.power_limit_w}),
            (std::vector<double>{30, 0.1, 5, 50, 500, 90, 99, 3, 450}));
  EXPECT_EQ(std::vector({gpu.context_ms, gpu.teardown_ms, gpu.idle_after_ms, gpu.wake_ms}),
            (std::vector<std::int64_t>{100, 101, 102, 103}));
  EXPECT_EQ(gpu.idle_gen, 2);
  EXPECT_EQ(gpu.compute_mode, 3);
  EXPECT_TRUE(gpu.mig);
  EXPECT_FALSE(gpu.fabric_ready);
  EXPECT_EQ(gpu.foreign_pid, 4711);
  EXPECT_EQ(gpu.ecc_corrected + gpu.ecc_uncorrected + gpu.remapped_rows, 11U + 12 + 13);
  EXPECT_EQ(node.function("gpu0").device_id, 0x20b2);
}

TEST(ScenarioGpus, HeatOfAllIsOverriddenByHeatOfOne) {
  const Node node("[thermal]\nambient_c = 35\ntau_s = 7\n[[gpu]]\n[[gpu]]\nambient_c = 40\n");
  EXPECT_EQ(node.state.gpus[0].thermal.ambient_c, 35);
  EXPECT_EQ(node.state.gpus[1].thermal.ambient_c, 40);
  EXPECT_EQ(node.state.gpus[1].thermal.tau_s, 7);
  EXPECT_EQ(refused("[thermal]\nfull_w = 60\n[[gpu]]\nmodel = \"a10\"\n"), "taken");
  EXPECT_EQ(refused("[thermal]\nidle_w = 500\n[[gpu]]\nmodel = \"a10\"\n"),
            "'full_w' must not be below 'idle_w': test.toml:5");
  EXPECT_THAT(refused("[thermal]\nambient = 35\n"), HasSubstr("did you mean 'ambient_c'?"));
}

TEST(ScenarioGpus, WhatCannotBeIsRefused) {
  EXPECT_THAT(refused("[[gpu]]\nmodel = \"h100-smx\"\n"), HasSubstr("did you mean 'h100-sxm'?"));
  EXPECT_THAT(refused("[[gpu]]\nfull_w = 60\n"), HasSubstr("'full_w' must not be below 'idle_w'"));
  EXPECT_EQ(refused("[[gpu]]\nfull_w = 70\n"), "taken");
  EXPECT_THAT(refused("[[gpu]]\ntau_s = 0\n"), HasSubstr("'tau_s' must be a number"));
  EXPECT_THAT(refused("[[gpu]]\nc_per_w = nan\n"), HasSubstr("'c_per_w' must be a number"));
  EXPECT_THAT(refused("[[gpu]]\nwake_ms = -1\n"), HasSubstr("'wake_ms' must be"));
  EXPECT_THAT(refused("[[gpu]]\nmig = 1\n"), HasSubstr("'mig' must be true or false"));
  EXPECT_THAT(refused("[[gpu]]\nmemory_mib = 0\n"), HasSubstr("'memory_mib' must be"));
  for (const char* wrong : {"9", "9.", ".1", "9.10", "a.b", "9.0x", "2.0", ""})
    EXPECT_THAT(refused(std::string("[[gpu]]\ncompute_capability = \"") + wrong + "\"\n"),
                HasSubstr("'compute_capability' must be a text"))
        << wrong;
}

TEST(ScenarioNvlinks, GoToSwitchesOrFromEachToEach) {
  const Node node(
      "[[gpu]]\nmodel = \"a100-sxm\"\ncount = 4\n[[nvlink]]\nshape = \"mesh\"\n"
      "links = 4\nrate_gbs = 20\n[[gpu]]\nname = \"alone\"\n"
      "[[nvlink]]\ngpus = \"alone\"\nlinks = 18\n");
  const auto& links = node.state.gpus[2].nvlinks;
  EXPECT_EQ(links[3].peer_gpu, 0);
  EXPECT_EQ(links[4].peer_gpu, 1);
  EXPECT_EQ(links[11].peer_gpu, 3);
  EXPECT_TRUE(links[11].active);
  EXPECT_EQ(links[11].rate_gbs, 20);
  EXPECT_FALSE(links[12].used);
  EXPECT_EQ(node.state.gpus[4].nvlinks[17].peer_gpu, -1);
  EXPECT_THAT(refused("[[gpu]]\n[[nvlink]]\n"), HasSubstr("key 'links' is missing"));
  EXPECT_THAT(refused("[[nvlink]]\nlinks = 1\n"), HasSubstr("there is no further GPU 'gpu*'"));
  EXPECT_THAT(refused("[[gpu]]\n[[nvlink]]\nshape = \"mesh\"\nlinks = 1\n"),
              HasSubstr("at least two"));
  EXPECT_THAT(refused("[[gpu]]\ncount = 4\n[[nvlink]]\nshape = \"mesh\"\nlinks = 7\n"),
              HasSubstr("at most 18 NVLinks"));
}

}  // namespace
}  // namespace linkburn::drill
