#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/bench/captures/lspci_texts.h"

namespace linkburn {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::string_view kGpu =
    "17:00.0 3D controller: NVIDIA Corporation GH100 [H100 SXM5 80GB] (rev a1)\n"
    "\tSubsystem: NVIDIA Corporation Device 16c1\n"
    "\tPhysical Slot: 3-1\n"
    "\tControl: I/O- Mem+ BusMaster+ SpecCycle- MemWINV- VGASnoop- ParErr- Stepping- SERR- "
    "FastB2B- "
    "DisINTx-\n"
    "\tStatus: Cap+ 66MHz- UDF- FastB2B- ParErr- DEVSEL=fast >TAbort- <TAbort- <MAbort- >SERR- "
    "<PERR- INTx-\n"
    "\tNUMA node: 1\n"
    "\tIOMMU group: 12\n"
    "\tCapabilities: [60] Express (v2) Endpoint, IntMsgNum 0\n"
    "\t\tDevCap:\tMaxPayload 256 bytes, PhantFunc 0, Latency L0s unlimited, L1 <64us\n"
    "\t\t\tExtTag+ AttnBtn- AttnInd- PwrInd- RBE+ FLReset+ SlotPowerLimit 0W TEE-IO-\n"
    "\t\tDevCtl:\tCorrErr+ NonFatalErr+ FatalErr+ UnsupReq+\n"
    "\t\t\tRlxdOrd+ ExtTag+ PhantFunc- AuxPwr- NoSnoop+ FLReset-\n"
    "\t\t\tMaxPayload 256 bytes, MaxReadReq 4096 bytes\n"
    "\t\tDevSta:\tCorrErr- NonFatalErr- FatalErr- UnsupReq- AuxPwr- TransPend-\n"
    "\t\tLnkCap:\tPort #0, Speed 32GT/s, Width x16, ASPM not supported\n"
    "\t\t\tClockPM+ Surprise- LLActRep- BwNot- ASPMOptComp+\n"
    "\t\tLnkCtl:\tASPM Disabled; RCB 64 bytes, LnkDisable- CommClk+\n"
    "\t\t\tExtSynch- ClockPM- AutWidDis- BWInt- AutBWInt- FltModeDis-\n"
    "\t\tLnkSta:\tSpeed 16GT/s (downgraded), Width x8 (downgraded)\n"
    "\t\t\tTrErr- Train- SlotClk+ DLActive- BWMgmt- ABWMgmt-\n"
    "\t\tDevCap2: Completion Timeout: Range AB, TimeoutDis+ NROPrPrP- LTR-\n"
    "\t\t\t 10BitTagComp+ 10BitTagReq+ OBFF Via message, ExtFmt+ EETLPPrefix-\n"
    "\t\tDevCtl2: Completion Timeout: 50us to 50ms, TimeoutDis-\n"
    "\t\t\t AtomicOpsCtl: ReqEn-\n"
    "\t\t\t IDOReq- IDOCompl- LTR- EmergencyPowerReductionReq-\n"
    "\t\t\t 10BitTagReq+ OBFF Disabled, EETLPPrefixBlk-\n"
    "\t\tLnkCap2: Supported Link Speeds: 2.5-32GT/s, Crosslink- Retimer+ 2Retimers+ DRS-\n"
    "\t\tLnkCtl2: Target Link Speed: 32GT/s, EnterCompliance- SpeedDis-\n"
    "\t\tLnkSta2: Current De-emphasis Level: -6dB, EqualizationComplete+ EqualizationPhase1+\n"
    "\t\t\t EqualizationPhase2+ EqualizationPhase3+ LinkEqualizationRequest-\n"
    "\t\t\t Retimer- 2Retimers- CrosslinkRes: unsupported, FltMode-\n"
    "\tCapabilities: [100 v2] Advanced Error Reporting\n"
    "\t\tUESta:\tDLP- SDES+ TLP- FCP- CmpltTO- CmpltAbrt- UnxCmplt- RxOF- MalfTLP-\n"
    "\t\t\tECRC- UnsupReq+ ACSViol- UncorrIntErr- BlockedTLP- AtomicOpBlocked- TLPBlockedErr-\n"
    "\t\tUEMsk:\tDLP- SDES- TLP- FCP- CmpltTO- CmpltAbrt- UnxCmplt- RxOF- MalfTLP-\n"
    "\t\t\tECRC- UnsupReq- ACSViol- UncorrIntErr+ BlockedTLP- AtomicOpBlocked- TLPBlockedErr-\n"
    "\t\tCESta:\tRxErr+ BadTLP+ BadDLLP- Rollover- Timeout+ AdvNonFatalErr-\n"
    "\t\tCEMsk:\tRxErr- BadTLP- BadDLLP- Rollover- Timeout- AdvNonFatalErr+\n"
    "\tCapabilities: [140 v1] Secondary PCI Express\n"
    "\t\tLnkCtl3: LnkEquIntrruptEn- PerformEqu-\n"
    "\t\tLaneErrStat: LaneErr at lane: 3 11\n"
    "\tKernel driver in use: nvidia\n"
    "\tKernel modules: nvidiafb, nouveau, nvidia_drm, nvidia\n";

TEST(LspciText, TellsAllThatConfigSpaceWould) {
  const NodeDraft draft = read(kGpu);
  const PciFunction gpu = only(draft);
  EXPECT_EQ(to_string(gpu.address), "0000:17:00.0");
  EXPECT_EQ(gpu.name, "NVIDIA Corporation GH100 [H100 SXM5 80GB]");
  EXPECT_EQ(gpu.class_code, "0x030200");
  EXPECT_EQ(gpu.vendor_id, "0x10de");
  EXPECT_EQ(gpu.subsystem_device_id, "0x16c1");
  EXPECT_EQ(gpu.type, "gpu");
  EXPECT_EQ(gpu.driver, "nvidia");
  EXPECT_EQ(gpu.numa_node, 1);
  EXPECT_EQ(ends_of(gpu), "16.0 GT/s x8 of 32.0 GT/s x16");
  EXPECT_TRUE(gpu.link_end.files);
  EXPECT_EQ(gpu.link_end.source, kFromLspci);
  ASSERT_TRUE(gpu.link_end.registers);
  const LinkRegisters& registers = *gpu.link_end.registers;
  EXPECT_EQ(registers.port_type, "endpoint");
  EXPECT_THAT(registers.supported_speeds, SizeIs(5));
  EXPECT_EQ(registers.target_speed, LinkSpeed{32000});
  EXPECT_EQ(registers.max_payload_bytes, 256);
  EXPECT_EQ(registers.max_read_request_bytes, 4096);
  EXPECT_EQ(registers.tags, 1024);
  EXPECT_EQ(registers.aspm_supported, "none");
  EXPECT_EQ(registers.aspm_enabled, "none");
  EXPECT_EQ(registers.training, std::nullopt) << "only ports train the link";
  EXPECT_EQ(registers.retimer_present, false);
  EXPECT_EQ(registers.flit_mode, false);
  EXPECT_EQ(registers.aer_correctable_status, 0x1041);
  EXPECT_EQ(registers.aer_correctable_mask, 0x2000);
  EXPECT_EQ(registers.aer_uncorrectable_status, 0x100020);
  EXPECT_EQ(registers.aer_uncorrectable_mask, 0x400000);
  EXPECT_EQ(registers.lane_errors, 0x808);
  ASSERT_THAT(draft.slots, SizeIs(1));
  EXPECT_EQ(draft.slots.front().name.label, "3-1");
  EXPECT_EQ(draft.slots.front().name.source, kSlotFromKernel);
  ASSERT_THAT(draft.parts, SizeIs(1));
  EXPECT_THAT(draft.parts.front().examples, IsEmpty());
}

TEST(LspciText, GivesNoNumbersThatAreNotThere) {
  const PciFunction gpu = only("17:00.0 3D controller: NVIDIA Corporation GH100 (rev a1)\n");
  EXPECT_FALSE(gpu.link_end.files);
  EXPECT_FALSE(gpu.link_end.registers);
  EXPECT_EQ(ends_of(gpu), "- - of - -");
  EXPECT_EQ(gpu.link_end.registers_absent, "not in this output of lspci");
}

TEST(LspciText, SaysWhyCapabilitiesAreMissing) {
  const std::string head = "17:00.0 3D controller: NVIDIA Corporation GH100 (rev a1)\n";
  EXPECT_EQ(only(head + "\tCapabilities: <access denied>\n").link_end.registers_absent,
            "needs root");
  EXPECT_EQ(only(head + "\tStatus: Cap- 66MHz- UDF-\n").link_end.registers_absent,
            "no PCI Express capability");
}

TEST(LspciText, KnowsEveryFormOfAHeader) {
  const NodeDraft draft = read(
      "0000:01:00.0 3D controller [0302]: NVIDIA Corporation GH100 [H100] [10de:2330] (rev a1)\n"
      "02:00.0 0302: 10de:2330 (rev a1)\n"
      "03:00.0 Class 0207: 15b3:1021\n"
      "10000:e1:00.0 Non-Volatile memory controller: Samsung Electronics Co Ltd Device a80a (rev "
      "01) (prog-if 02 [NVM Express])\n"
      "04:00.0 \"Ethernet controller [0200]\" \"Mellanox Technologies [15b3]\" \"MT2910 [1021]\" "
      "-p00 \"Mellanox Technologies [15b3]\" \"Device [0041]\"\n"
      "05:00.0 \"0302\" \"10de\" \"2330\" -ra1 \"10de\" \"16c1\"\n"
      "  06:00.0 VGA compatible controller: ASPEED Technology, Inc. ASPEED Graphics Family\n"
      "00:01.1/07:00.0 PCI bridge: Advanced Micro Devices, Inc. [AMD/ATI] Navi 10 XL Upstream "
      "Port\n");
  ASSERT_THAT(draft.functions, SizeIs(8));
  EXPECT_EQ(at(draft, "01:00.0").device_id, "0x2330");
  EXPECT_EQ(at(draft, "01:00.0").name, "NVIDIA Corporation GH100 [H100]");
  EXPECT_EQ(at(draft, "02:00.0").type, "gpu");
  EXPECT_EQ(at(draft, "03:00.0").type, "infiniband");
  EXPECT_EQ(at(draft, "10000:e1:00.0").class_code, "0x010802");
  EXPECT_EQ(at(draft, "10000:e1:00.0").device_id, "0xa80a");
  EXPECT_EQ(at(draft, "04:00.0").vendor_id, "0x15b3");
  EXPECT_EQ(at(draft, "04:00.0").device_id, "0x1021");
  EXPECT_EQ(at(draft, "05:00.0").type, "gpu");
  EXPECT_EQ(at(draft, "05:00.0").device_id, "0x2330");
  EXPECT_EQ(at(draft, "06:00.0").type, "other");
  EXPECT_EQ(at(draft, "07:00.0").vendor_id, "0x1002");
  EXPECT_EQ(draft.parents.at(*parse_pci_address("07:00.0")), *parse_pci_address("00:01.1"));
}

TEST(LspciText, ReadsRecords) {
  const PciFunction nic = only(
      "Slot:\t0000:41:00.0\nClass:\tEthernet controller [0200]\nVendor:\tMellanox Technologies "
      "[15b3]\nDevice:\tMT2910 Family [ConnectX-7] [1021]\nSVendor:\tMellanox Technologies "
      "[15b3]\nSDevice:\tDevice [0041]\nPhySlot:\t4\nDriver:\tmlx5_core\nModule:\tmlx5_core\n"
      "NUMANode:\t0\nIOMMUGroup:\t31\n");
  EXPECT_EQ(nic.type, "nic");
  EXPECT_EQ(nic.vendor_id, "0x15b3");
  EXPECT_EQ(nic.device_id, "0x1021");
  EXPECT_EQ(nic.subsystem_device_id, "0x0041");
  EXPECT_EQ(nic.driver, "mlx5_core");
  EXPECT_EQ(nic.numa_node, 0);
}

TEST(LspciText, IsOnlyWhatLspciPrints) {
  EXPECT_THAT(read("12:30:00.1 Error: the job failed\n30:00.1 Error: again\n").functions,
              IsEmpty());
  EXPECT_THAT(read("0000:01:00.0 'MT27800' if=eth0 drv=mlx5_core\n").functions, IsEmpty());
  EXPECT_THAT(read("00: 01 02 03\n00: zz\n").functions, IsEmpty());
}

TEST(LspciText, ReadsEveryAge) {
  const NodeDraft draft = read(
      "00:02.0 PCI bridge: Intel Corporation E7525 PCI Express Root Port (rev 0c)\n"
      "        Bus: primary=00, secondary=02, subordinate=02, sec-latency=0\n"
      "        Capabilities: [40] Express Root Port (Slot+) IRQ 0\n"
      "                Device: Supported: MaxPayload 256 bytes, PhantFunc 0, ExtTag-\n"
      "                Device: Latency L0s <64ns, L1 <1us\n"
      "                Device: RlxdOrd- ExtTag- PhantFunc- AuxPwr- NoSnoop+\n"
      "                Device: MaxPayload 128 bytes, MaxReadReq 512 bytes\n"
      "                Link: Supported Speed 2.5Gb/s, Width x16, ASPM L0s L1, Port 2\n"
      "                Link: Latency L0s <256ns, L1 <4us\n"
      "                Link: ASPM L1 Enabled RCB 64 bytes CommClk+ ExtSynch-\n"
      "                Link: Speed 2.5Gb/s, Width x8\n"
      "                Slot: AtnBtn- PwrCtrl- MRL- AtnInd- PwrInd- HotPlug- Surpise-\n"
      "                Slot: Number 1, PowerLimit 75.000000\n"
      "                Slot: Enabled AtnBtn- PwrFlt- MRL- PresDet- CmdCplt- HPIrq-\n"
      "                Root: Correctable- Non-Fatal- Fatal- PME-\n"
      "02:00.0 VGA compatible controller: nVidia Corporation G70 (rev a1)\n"
      "        Capabilities: [78] Express Endpoint, MSI 00\n"
      "                LnkCap: Port #0, Speed 2.5GT/s, Width x16, ASPM L0s L1, Latency L0 <256ns, "
      "L1 <4us\n"
      "                LnkSta: Speed 2.5GT/s, Width x8, TrErr- Train- SlotClk+ DLActive- BWMgmt- "
      "ABWMgmt-\n");
  const PciFunction port = at(draft, "00:02.0");
  EXPECT_EQ(ends_of(port), "2.5 GT/s x8 of 2.5 GT/s x16");
  EXPECT_EQ(port.port_type, PortType::root_port);
  EXPECT_EQ(port.secondary_bus, 2);
  EXPECT_EQ(port.link_end.registers->slot_number, 1);
  EXPECT_EQ(port.link_end.registers->max_payload_bytes, 128);
  EXPECT_EQ(port.link_end.registers->max_payload_supported_bytes, 256);
  EXPECT_EQ(port.link_end.registers->aspm_enabled, "L1");
  EXPECT_EQ(port.link_end.registers->card_present, std::nullopt);
  EXPECT_EQ(ends_of(at(draft, "02:00.0")), "2.5 GT/s x8 of 2.5 GT/s x16");
  EXPECT_THAT(draft.parts.front().examples, IsEmpty());
}

TEST(LspciText, TakesANumberWhateverTheRemark) {
  const auto end = [](const std::string& status) {
    return ends_of(only("LnkCap: Port #0, Speed 16GT/s, Width x16, ASPM L1\nLnkSta: " + status));
  };
  EXPECT_EQ(end("Speed 8GT/s (ok), Width x8 (ok)"), "8.0 GT/s x8 of 16.0 GT/s x16");
  EXPECT_EQ(end("Speed 8GT/s, Width x8 (downgraded)"), "8.0 GT/s x8 of 16.0 GT/s x16");
  EXPECT_EQ(end("Speed 32GT/s (overdriven), Width x16"), "32.0 GT/s x16 of 16.0 GT/s x16");
  EXPECT_EQ(end("Speed 32GT/s (strange), Width x16 (ok)"), "32.0 GT/s x16 of 16.0 GT/s x16");
  EXPECT_EQ(end("Speed unknown (downgraded), Width x16"), "- x16 of 16.0 GT/s x16");
  EXPECT_EQ(end("Speed 2.5GT/s,\n   Width x16 (ok)"), "2.5 GT/s x16 of 16.0 GT/s x16");
}

/// Without the blanks and tabs at the start of lines, as web pages show them.
std::string unindented(std::string_view text) {
  std::string out;
  bool at_start = true;
  for (const char c : text) {
    if (at_start && (c == ' ' || c == '\t')) continue;
    at_start = c == '\n';
    out.push_back(c);
  }
  return out;
}

TEST(LspciText, NeedsNoIndentation) {
  const std::string text = unindented(kGpu);
  const NodeDraft draft = read(text + "\n" + text);
  ASSERT_THAT(draft.functions, SizeIs(2));
  for (const FunctionView& view : draft.functions) {
    EXPECT_TRUE(view.has_address);
    EXPECT_EQ(ends_of(view.function), "16.0 GT/s x8 of 32.0 GT/s x16");
    EXPECT_EQ(view.function.link_end.registers->tags, 1024);
  }
  EXPECT_THAT(draft.parts.front().examples, IsEmpty());
}

TEST(LspciText, LinesThatAMailWrappedEndNoBlock) {
  const NodeDraft draft = read(
      "00:1c.0 PCI bridge: Intel Corporation Device 7ab8 (rev 11)\n"
      "         Capabilities: [40] Express (v2) Root Port (Slot+), \nIntMsgNum 0\n"
      "                 LnkCap: Port #1, Speed 8GT/s, Width x4, ASPM L1, Exit \nLatency L1 <64us\n"
      "                         ClockPM- Surprise- LLActRep+ BwNot+ \nASPMOptComp+\n"
      "                 LnkSta: Speed 5GT/s, Width x2\n"
      "                 LnkCap2: Supported Link Speeds: 2.5-8GT/s, Crosslink- \nRetimer- DRS-\n"
      "                 LnkCtl2: Target Link Speed: 8GT/s, EnterCompliance- \nSpeedDis-\n");
  const PciFunction port = only(draft);
  EXPECT_EQ(ends_of(port), "5.0 GT/s x2 of 8.0 GT/s x4");
  EXPECT_EQ(port.link_end.registers->target_speed, LinkSpeed{8000});
  EXPECT_EQ(port.link_end.registers->autonomous_speed_disabled, false);
}

TEST(LspciText, GroupsOfAFragmentAreFunctionsWithoutAddress) {
  const NodeDraft draft = read(
      "\t\tLnkCap:\tPort #0, Speed 16GT/s, Width x16, ASPM L1, Exit Latency L1 <16us\n"
      "\t\tLnkSta:\tSpeed 2.5GT/s (downgraded), Width x16\n"
      "\t\tLnkCap:\tPort #0, Speed 32GT/s, Width x4\n"
      "\t\tLnkSta:\tSpeed 32GT/s, Width x4\n"
      "\t\tLnkSta:\tSpeed 8GT/s, Width x2\n");
  ASSERT_THAT(draft.functions, SizeIs(3));
  for (const FunctionView& view : draft.functions) EXPECT_FALSE(view.has_address);
  EXPECT_EQ(ends_of(draft.functions[0].function), "2.5 GT/s x16 of 16.0 GT/s x16");
  EXPECT_EQ(ends_of(draft.functions[1].function), "32.0 GT/s x4 of 32.0 GT/s x4");
  EXPECT_EQ(ends_of(draft.functions[2].function), "8.0 GT/s x2 of - -");
}

TEST(LspciText, JoinedLinesAreTakenApart) {
  const PciFunction function = only(
      "> LnkCap: Port #0, Speed 16GT/s, Width x16, ASPM L1 LnkSta: Speed 8GT/s, Width x4 TrErr-\n");
  EXPECT_EQ(ends_of(function), "8.0 GT/s x4 of 16.0 GT/s x16");
}

TEST(LspciText, WhatGrepLeftStaysWithItsHeader) {
  const NodeDraft draft = read(
      "00:00.0 Host bridge: Intel Corporation Device 09a2 (rev 04)\n"
      "00:01.0 PCI bridge: Intel Corporation Device 352a (rev 04)\n"
      "\t\tLnkCap:\tPort #5, Speed 32GT/s, Width x16, ASPM L1\n"
      "\t\tLnkSta:\tSpeed 16GT/s, Width x16\n"
      "\t\tLnkSta2: Current De-emphasis Level: -3.5dB, EqualizationComplete+\n"
      "--\n"
      "12-01:00.0 3D controller: NVIDIA Corporation Device 2330\n"
      "13-\t\tLnkCap:\tPort #0, Speed 16GT/s, Width x16\n"
      "14:\t\tLnkSta:\tSpeed 16GT/s, Width x16\n"
      "--\n"
      "15-\t\tLnkSta:\tSpeed 8GT/s, Width x1\n");
  ASSERT_THAT(draft.functions, SizeIs(4));
  EXPECT_FALSE(at(draft, "00:00.0").link_end.files);
  EXPECT_EQ(ends_of(at(draft, "00:01.0")), "16.0 GT/s x16 of 32.0 GT/s x16");
  EXPECT_EQ(ends_of(at(draft, "01:00.0")), "16.0 GT/s x16 of 16.0 GT/s x16");
  EXPECT_FALSE(draft.functions.back().has_address) << "grep showed nothing of its header";
}

TEST(LspciText, ASecondLinkInABlockIsOfADeviceThatWasCutOut) {
  const NodeDraft draft = read(
      "01:00.0 3D controller: NVIDIA Corporation Device 2330\n"
      "\t\tLnkCap:\tPort #0, Speed 16GT/s, Width x16\n\t\tLnkSta:\tSpeed 16GT/s, Width x16\n"
      "\t\tLnkCap:\tPort #0, Speed 8GT/s, Width x4\n\t\tLnkSta:\tSpeed 2.5GT/s, Width x1\n");
  ASSERT_THAT(draft.functions, SizeIs(2));
  EXPECT_EQ(ends_of(at(draft, "01:00.0")), "16.0 GT/s x16 of 16.0 GT/s x16");
  EXPECT_FALSE(draft.functions.back().has_address);
}

TEST(LspciText, LinesAfterAListAreOfNoneOfIt) {
  const std::string link =
      "\t\tLnkCap:\tPort #0, Speed 8GT/s, Width x4\n\t\tLnkSta:\tSpeed 8GT/s, Width x4\n";
  const std::string gpu = "01:00.0 3D controller: NVIDIA Corporation Device 2330\n";
  const std::string disk = "02:00.0 Non-Volatile memory controller: Phison Electronics\n";
  EXPECT_FALSE(at(read(gpu + "\n$ lspci -vv | grep Lnk\n" + link), "01:00.0").link_end.files);
  const NodeDraft list = read(gpu + disk + "\n" + link);
  EXPECT_FALSE(at(list, "02:00.0").link_end.files);
  EXPECT_FALSE(list.functions.back().has_address);
}

TEST(LspciText, AScriptMayHavePrintedTheAddressAlone) {
  const std::string link =
      "\t\tLnkCap:\tPort #0, Speed 8GT/s, Width x4\n\t\tLnkSta:\tSpeed 8GT/s, Width x2\n";
  const NodeDraft draft =
      read("== 0000:01:00.0 ==\n" + link + "02:00.0:\n" + link +
           "0000:03:00.0 LnkSta: Speed 5GT/s, Width x1\n00000000:04:00.0\n05:00.0\n");
  ASSERT_THAT(draft.functions, SizeIs(3));
  EXPECT_EQ(ends_of(at(draft, "01:00.0")), "8.0 GT/s x2 of 8.0 GT/s x4");
  EXPECT_EQ(ends_of(at(draft, "02:00.0")), "8.0 GT/s x2 of 8.0 GT/s x4");
  EXPECT_EQ(ends_of(at(draft, "03:00.0")), "5.0 GT/s x1 of - -");
}

TEST(LspciText, KnowsAPortByItsSlotAlone) {
  const PciFunction port = only(
      "LnkCap:\tPort #3, Speed 5GT/s, Width x1, ASPM L0s L1\n"
      "\tClockPM- Surprise- LLActRep+ BwNot+ ASPMOptComp+\n"
      "LnkCtl:\tASPM Disabled; Disabled- CommClk-\n"
      "LnkSta:\tSpeed 2.5GT/s (downgraded), Width x1 (ok)\n"
      "\tTrErr- Train- SlotClk+ DLActive- BWMgmt- ABWMgmt-\n"
      "SltCap:\tAttnBtn- PwrCtrl- MRL- AttnInd- PwrInd- HotPlug- Surprise-\n"
      "\tSlot #1, PowerLimit 26.000W; Interlock- NoCompl-\n"
      "SltCtl:\tEnable: AttnBtn- PwrFlt- MRL- PresDet+ CmdCplt- HPIrq- LinkChg-\n"
      "SltSta:\tStatus: AttnBtn- PowerFlt- MRL- CmdCplt- PresDet- Interlock-\n"
      "\tChanged: MRL- PresDet+ LinkState-\n");
  EXPECT_EQ(port.type, "bridge");
  EXPECT_EQ(port.port_type, PortType::switch_downstream);
  const LinkRegisters& registers = *port.link_end.registers;
  EXPECT_EQ(registers.card_present, false);
  EXPECT_EQ(registers.data_link_active, false);
  EXPECT_EQ(registers.slot_number, 1);
  EXPECT_EQ(registers.link_disabled, false);
}

TEST(LspciText, AVirtualFunctionHasNoLink) {
  const std::string link =
      "\tCapabilities: [60] Express (v2) Endpoint, MSI 00\n"
      "\t\tLnkCap:\tPort #0, Speed 8GT/s, Width x16\n"
      "\t\tLnkSta:\tSpeed unknown (downgraded), Width x0 (downgraded)\n";
  const std::string head = "d6f5:00:02.0 Ethernet controller: Mellanox Technologies MT27800 Family";
  for (const char* name : {" [ConnectX-5 Virtual Function]", " [ConnectX-5]"}) {
    const PciFunction function = only(head + name + "\n" + link);
    EXPECT_TRUE(function.virtual_function);
    EXPECT_FALSE(function.link_end.files);
  }
  const PciFunction port = only(
      "00:01.0 PCI bridge: Intel Corporation Device 352a\n"
      "\tCapabilities: [60] Express (v2) Root Port (Slot+), MSI 00\n"
      "\t\tLnkCap:\tPort #0, Speed 8GT/s, Width x16\n"
      "\t\tLnkSta:\tSpeed unknown (downgraded), Width x0 (downgraded)\n");
  EXPECT_FALSE(port.virtual_function);
  EXPECT_EQ(ends_of(port), "- x0 of 8.0 GT/s x16");
}

TEST(LspciText, ADeviceThatDoesNotAnswerIsAllOnes) {
  const std::string gone =
      "01:00.0 VGA compatible controller: NVIDIA Corporation Device 1f95 (rev ff)";
  EXPECT_TRUE(only(gone + "\n").link_end.all_ones);
  EXPECT_TRUE(only(gone + " (prog-if ff)\n\t!!! Unknown header type 7f\n").link_end.all_ones);
  EXPECT_TRUE(only("01:00.0 3D controller: NVIDIA Corporation GH100 (rev a1)\n"
                   "\tLnkSta: Speed unknown (downgraded), Width x63 (strange)\n")
                  .link_end.all_ones);
  EXPECT_FALSE(
      only("01:00.0 3D controller: NVIDIA Corporation GH100 (rev fe)\n").link_end.all_ones);
}

TEST(LspciText, AnIntegratedEndpointHasNoLink) {
  const PciFunction part = only(
      "00:06.0 System peripheral: Intel Corporation Device 0cfe\n"
      "\tCapabilities: [40] Express (v2) Root Complex Integrated Endpoint, MSI 00\n");
  EXPECT_EQ(part.facts.at("integrated"), "yes");
  const PciFunction old = only(
      "00:1b.0 Audio device: Intel Corporation 82801G (ICH7 Family)\n"
      "\tCapabilities: [70] Express Unknown type IRQ 0\n"
      "\t\tLink: Supported Speed unknown, Width x0, ASPM unknown, Port 0\n"
      "\t\tLink: Speed unknown, Width x0\n");
  EXPECT_FALSE(old.link_end.files);
  EXPECT_FALSE(old.virtual_function);
}

TEST(LspciText, TheListOfSpeedsCountsForAnEndpointAlone) {
  const std::string link =
      "\t\tLnkCap:\tPort #0, Speed 2.5GT/s, Width x16\n\t\tLnkSta:\tSpeed 2.5GT/s, Width x16\n"
      "\t\tLnkCap2: Supported Link Speeds: 2.5-16GT/s, Crosslink-\n";
  EXPECT_EQ(ends_of(only("01:00.0 3D controller: NVIDIA Corporation TU104\n" + link)),
            "2.5 GT/s x16 of 16.0 GT/s x16");
  EXPECT_EQ(ends_of(only("00:01.0 PCI bridge: Intel Corporation Device 352a\n" + link)),
            "2.5 GT/s x16 of 2.5 GT/s x16");
}

TEST(LspciText, SaysWhatItCannotRead) {
  const NodeDraft draft = read("\t\tLnkCap:\tPort #0, Speed 16GT/s, Width x16\n\t\tLnkSta:\tSp\n");
  ASSERT_THAT(draft.parts, SizeIs(1));
  EXPECT_THAT(draft.parts.front().examples, ElementsAre("LnkSta:?Sp"));
}

}  // namespace
}  // namespace linkburn
