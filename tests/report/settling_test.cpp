#include "report/settling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/verdict.h"
#include "tests/support/evidence_builder.h"

namespace linkburn {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

constexpr std::string_view kCard = "0000:17:00.0", kPort = "0000:16:00.0";

Finding undecided(std::string_view component, Aspect aspect, std::string code = "LB-NO-EVIDENCE") {
  Finding finding;
  finding.code = std::move(code);
  finding.cls = FindingClass::undecided;
  finding.aspect = aspect;
  finding.component = id(component);
  return finding;
}

std::vector<std::string> commands(const Evidence& evidence, const Finding& finding) {
  return settling_commands(Story::of(evidence), finding);
}

TEST(Settling, WhatIsDecidedNeedsNoCommand) {
  Finding finding = undecided(kCard, Aspect::width);
  const Evidence evidence = EvidenceBuilder::inspect().link(make_link(kCard, kPort)).finish();
  EXPECT_THAT(commands(evidence, finding), Not(IsEmpty()));
  for (const FindingClass cls :
       {FindingClass::healthy, FindingClass::limited, FindingClass::degraded, FindingClass::lost}) {
    finding.cls = cls;
    EXPECT_THAT(commands(evidence, finding), IsEmpty());
  }
}

TEST(Settling, BothEndsOfALink) {
  const Evidence evidence = EvidenceBuilder::inspect().link(make_link(kCard, kPort)).finish();
  EXPECT_THAT(commands(evidence, undecided(kCard, Aspect::width)),
              ElementsAre("sudo lspci -vvv -s 0000:17:00.0", "sudo lspci -vvv -s 0000:16:00.0"));
}

TEST(Settling, TheTreeWhereThePortIsNotKnown) {
  Link link = make_link(kCard, kPort);
  link.peer = {}, link.kind = kLinkLoneEnd;
  const Evidence evidence = EvidenceBuilder::inspect().link(link).finish();
  EXPECT_THAT(commands(evidence, undecided(kCard, Aspect::width)),
              ElementsAre("sudo lspci -vvv -s 0000:17:00.0", "lspci -t"));
}

TEST(Settling, APortThatAKernelLineNamed) {
  Finding finding = undecided(kCard, Aspect::speed);
  finding.limiter = id(kPort);
  EXPECT_THAT(commands(EvidenceBuilder::inspect().finish(), finding),
              ElementsAre("sudo lspci -vvv -s 0000:17:00.0", "sudo lspci -vvv -s 0000:16:00.0"));
}

TEST(Settling, ASlowLinkIsWatchedUnderLoad) {
  const Evidence gpu =
      EvidenceBuilder::inspect().device(make_device(kCard)).link(make_link(kCard, kPort)).finish();
  EXPECT_THAT(
      commands(gpu, undecided(kCard, Aspect::speed, "LB-NEEDS-LOAD")),
      ElementsAre(testing::AllOf(StartsWith("nvidia-smi --query-gpu="), HasSubstr(" -l 1"))));
  const Evidence other = EvidenceBuilder::inspect().link(make_link(kCard, kPort)).finish();
  EXPECT_THAT(commands(other, undecided(kCard, Aspect::speed, "LB-NEEDS-LOAD")),
              ElementsAre(StartsWith("sudo lspci -vvv -s 0000:17:00.0  # while")));
}

TEST(Settling, WithoutAnAddressTheOneWithAddresses) {
  EXPECT_THAT(commands(EvidenceBuilder::inspect().finish(), undecided("unnamed1", Aspect::speed)),
              ElementsAre("sudo lspci -D -vvv", "lspci -t"));
}

TEST(Settling, PortsAndInterfaces) {
  const Evidence evidence =
      EvidenceBuilder::inspect().port(make_roce_port("mlx5_0/1", kCard, "eth7")).finish();
  EXPECT_THAT(
      commands(evidence, undecided("mlx5_0/1", Aspect::ports, "LB-PORT-GID")),
      ElementsAre("show_gids", "ibstat mlx5_0", "ibv_devinfo -v -d mlx5_0", "sudo ethtool eth7"));
  EXPECT_THAT(commands(evidence, undecided("eth7", Aspect::ports)),
              ElementsAre("sudo ethtool eth7"));
  EXPECT_THAT(commands(evidence, undecided(kCard, Aspect::ports)), Contains("ibstat"));
}

TEST(Settling, APortWithoutANameIsNoNameOfADevice) {
  for (const char* name : {"port/1", "interface/2"})
    EXPECT_THAT(commands(EvidenceBuilder::inspect().finish(), undecided(name, Aspect::ports)),
                ElementsAre("ibstat", "ibv_devinfo -v", "ip -details link show"));
}

TEST(Settling, ADriverThatDoesNotAnswerIsAskedInTheLog) {
  ToolError error;
  error.component = ComponentId::node();
  error.source = "nvidia-smi";
  error.what = "it couldn't communicate with the NVIDIA driver";
  EXPECT_THAT(commands(EvidenceBuilder::inspect().record(error).finish(),
                       undecided("node", Aspect::presence)),
              ElementsAre("sudo dmesg -T | grep -i nvrm", "nvidia-smi"));
  EXPECT_THAT(
      commands(EvidenceBuilder::inspect().finish(), undecided("node", Aspect::presence)).front(),
      StartsWith("sudo lspci"));
}

TEST(Settling, LinksOfGpus) {
  Finding finding = undecided("gpu3", Aspect::presence, "LB-NVLINK-STATE");
  finding.gpu = 3;
  EXPECT_THAT(
      commands(EvidenceBuilder::inspect().finish(), finding),
      ElementsAre("nvidia-smi nvlink -s -i 3", "nvidia-smi nvlink -e -i 3", "nvidia-smi topo -m"));
}

TEST(Settling, AMeasuredRateAgainWithTheLinkWatched) {
  Measurement measurement;
  measurement.tool = "nvbandwidth", measurement.test = "host_to_device_memcpy_ce";
  measurement.component = id("gpu0");
  const Evidence evidence = EvidenceBuilder::inspect().record(measurement).finish();
  EXPECT_THAT(commands(evidence, undecided("gpu0", Aspect::rate)),
              ElementsAre("nvbandwidth -t host_to_device_memcpy_ce", HasSubstr("-l 1")));
}

TEST(Settling, ANameFromATextIsNeverAShellCommand) {
  for (const std::string_view name : {"eth0;reboot", "mlx5_0$(reboot)/1", "-rf", "eth0 `id`/1"})
    for (const std::string& command :
         commands(EvidenceBuilder::inspect().finish(), undecided(name, Aspect::ports)))
      EXPECT_THAT(command,
                  Not(testing::AnyOf(HasSubstr("reboot"), HasSubstr("`"), HasSubstr("-rf"))));
}

TEST(Settling, ALiveNodeIsLookedAtAsRootFirst) {
  RunStart start;
  start.mode = "inspect", start.source = "live";
  Evidence evidence;
  evidence.records.push_back({1, 0, start});
  evidence.records.push_back({2, 0, make_link(kCard, kPort)});
  EXPECT_EQ(commands(evidence, undecided(kCard, Aspect::width)).front(), "sudo linkburn inspect");
}

TEST(Settling, AVerdictCarriesThem) {
  Link link = make_link(kCard, kPort);
  link.device_end.max_width.reset(), link.peer_end.max_width.reset();
  const Verdict verdict = judge(EvidenceBuilder::inspect().link(link).finish());
  ASSERT_EQ(verdict.findings.size(), 1U);
  EXPECT_EQ(verdict.findings[0].cls, FindingClass::undecided);
  for (const Finding& finding : verdict.findings)
    EXPECT_EQ(finding.commands.empty(), finding.cls != FindingClass::undecided) << finding.code;
}

}  // namespace
}  // namespace linkburn
