#include <gtest/gtest.h>

#include "report/verdict.h"
#include "tests/report/rules/apply_rule.h"
#include "tests/support/evidence_builder.h"

namespace linkburn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
constexpr auto kCard = "0000:17:00.0";
constexpr auto kPort = "0000:16:00.0";

KernelLine line(const char* where, std::string topic, std::string text = "x") {
  return {id(where), std::move(topic), 4, 100'000'000, std::move(text), Phase::passive, {}};
}

RuleOutput say(EvidenceBuilder builder, std::vector<KernelLine> lines) {
  builder.link(make_link(kCard, kPort)).device(make_device(kCard, {kPort}));
  builder.device(make_device("0000:17:00.1", {kPort}));
  for (KernelLine& each : lines) builder.record(std::move(each));
  return apply_rule(kernel_log_rule, builder.finish());
}

TEST(KernelLog, DriversSpeakOfTheirDevices) {
  struct Case {
    const char *topic, *code;
    FindingClass since_boot, in_run;
  };
  for (const Case& each :
       {Case{"device_hot", "LB-DEV-HOT", FindingClass::marginal, FindingClass::marginal},
        Case{"device_fault", "LB-DEV-FAULT", FindingClass::marginal, FindingClass::degraded}}) {
    EXPECT_THAT(say(EvidenceBuilder::inspect(), {line(kCard, each.topic)}).findings,
                ElementsAre(Is(each.code, each.since_boot)));
    EXPECT_THAT(say(EvidenceBuilder::run(), {line(kCard, each.topic)}).findings,
                ElementsAre(Is(each.code, each.in_run)));
  }
}

TEST(KernelLog, AllFunctionsAreOneCard) {
  EXPECT_EQ(say(EvidenceBuilder::inspect(),
                {line(kCard, "device_hot"), line("0000:17:00.1", "device_hot")})
                .findings.size(),
            1U);
}

TEST(KernelLog, OfHeatAtANetworkPortItsOwnRuleTells) {
  EvidenceBuilder builder = EvidenceBuilder::inspect().port(make_port("mlx5_0/1", kCard));
  EXPECT_THAT(say(builder, {line(kCard, "device_hot")}).findings, IsEmpty());
}

TEST(KernelLog, StrangersAndOverwrittenLinesAreMentioned) {
  const RuleOutput out = say(EvidenceBuilder::inspect(),
                             {line("0000:aa:00.0", "device_hot"), line(kCard, "lost_lines")});
  EXPECT_THAT(out.findings, IsEmpty());
  ASSERT_EQ(out.not_judged.size(), 2U);
  EXPECT_THAT(out.not_judged[0].what, HasSubstr("0000:aa:00.0"));
  EXPECT_THAT(out.not_judged[1].what, HasSubstr("parts of the kernel log"));
}

constexpr auto kHalved =
    "pci 0000:17:00.0: 63.008 Gb/s available PCIe bandwidth, limited by 8.0 GT/s PCIe x8 link at "
    "0000:16:00.0 (capable of 126.016 Gb/s with 8.0 GT/s PCIe x16 link)";
constexpr auto kAllOnes =
    "pcieport 0000:17:00.0: 31.504 Gb/s available PCIe bandwidth, limited by 8.0 GT/s PCIe x4 link "
    "at 0000:16:00.0 (capable of 1984.941 Gb/s with 32.0 GT/s PCIe x63 link)";

TEST(KernelLog, ABottleneckInALogAloneIsUndecided) {
  for (const auto& [text, aspect] :
       {std::pair(kHalved, Aspect::width), std::pair(kAllOnes, Aspect::presence)}) {
    const Evidence evidence =
        EvidenceBuilder::inspect().record(line(kCard, "bandwidth_limited", text)).finish();
    const Finding finding = only_finding(kernel_log_rule, evidence);
    EXPECT_THAT(finding, Is("LB-NO-EVIDENCE", FindingClass::undecided));
    EXPECT_EQ(finding.aspect, aspect);
    EXPECT_EQ(finding.component, id(kCard));
    EXPECT_EQ(judge(evidence).exit, 3);
  }
}

TEST(KernelLog, RegistersSayMoreThanTheLine) {
  EXPECT_THAT(say(EvidenceBuilder::inspect(), {line(kCard, "bandwidth_limited", kHalved)}).findings,
              IsEmpty());
}

TEST(KernelLog, CapturesOfOtherDevicesSayNothingOfTheLimitingLink) {
  const auto say_of = [](std::string_view device) {
    return apply_rule(kernel_log_rule, EvidenceBuilder::inspect()
                                           .record(CapturePart{})
                                           .link(make_link(device, "0000:20:00.0"))
                                           .record(line(kCard, "bandwidth_limited", kHalved))
                                           .finish())
        .findings;
  };
  EXPECT_THAT(say_of("0000:21:00.0"), ElementsAre(Is("LB-NO-EVIDENCE", FindingClass::undecided)));
  EXPECT_EQ(say_of("0000:21:00.0")[0].limiter, id(kPort));
  EXPECT_EQ(say_of(kCard).size(), 1U) << "a hop further up limits";
  Evidence read = EvidenceBuilder::inspect()
                      .record(CapturePart{})
                      .link(make_link(kCard, kPort))
                      .record(line(kCard, "bandwidth_limited", kHalved))
                      .finish();
  EXPECT_THAT(apply_rule(kernel_log_rule, read).findings, IsEmpty());
}

TEST(KernelLog, ALineOfAnOldKernelAndATunnelAreUnderstood) {
  const Evidence evidence =
      EvidenceBuilder::inspect()
          .record(line(kCard, "bandwidth_limited",
                       "8.000 Gb/s available PCIe bandwidth, limited by 2.5 GT/s x4 link at "
                       "0000:16:00.0 (capable of 31.504 Gb/s with 8 GT/s x4 link)"))
          .finish();
  const Finding finding = only_finding(kernel_log_rule, evidence);
  EXPECT_EQ(finding.aspect, Aspect::speed);
  EXPECT_THAT(finding.detail, HasSubstr("tunnel"));
}

TEST(KernelLog, InATunnelTheLineIsOnlyTold) {
  Component controller = make_device(kCard);
  controller.facts["thunderbolt"] = "yes";
  const auto say_of = [&](std::string_view link) {
    const std::string text = "limited by " + std::string(link) +
                             " link at 0000:16:00.0 (capable of 31.504 Gb/s with 8 GT/s x4 link)";
    return apply_rule(kernel_log_rule, EvidenceBuilder::inspect()
                                           .device(controller)
                                           .record(line(kCard, "bandwidth_limited", text))
                                           .finish());
  };
  EXPECT_THAT(say_of("2.5 GT/s x4").findings, IsEmpty());
  EXPECT_EQ(say_of("2.5 GT/s x4").not_judged.size(), 1U);
  EXPECT_EQ(say_of("2.5 GT/s x2").findings.size(), 1U);
}

TEST(KernelLog, ACutLineSaysNothing) {
  for (const char* text : {"", "limited by ", "limited by 8.0 GT/s link (capable of x with )"})
    EXPECT_THAT(
        apply_rule(
            kernel_log_rule,
            EvidenceBuilder::inspect().record(line(kCard, "bandwidth_limited", text)).finish())
            .findings,
        IsEmpty());
}

}  // namespace
}  // namespace linkburn
