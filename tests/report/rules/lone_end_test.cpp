#include <gtest/gtest.h>

#include "report/verdict.h"
#include "tests/report/rules/apply_rule.h"
#include "tests/support/evidence_builder.h"

namespace linkburn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
constexpr auto kCard = "0000:17:00.0";

/// The lower end alone, at 16.0 GT/s x16 of as much.
Link lone(std::string_view device = kCard, int mts = 16000, int lanes = 16) {
  Link link = make_link(device, "");
  link.peer = {};
  link.peer_end = {};
  link.port_type.clear();
  link.kind = kLinkLoneEnd;
  link.kind_reason = "the port above it was not captured";
  link.device_end.speed = LinkSpeed{mts};
  link.device_end.width = LinkWidth{lanes};
  link.device_end.source = "lspci";
  return link;
}

EvidenceBuilder capture() {
  CapturePart part;
  part.source = "lspci.txt";
  part.reader = "lspci";
  return EvidenceBuilder::inspect().record(part);
}

Verdict verdict_of(const Link& link) { return judge(capture().link(link).finish()); }

const Finding& only(const Verdict& verdict) {
  EXPECT_EQ(verdict.findings.size(), 1U);
  static const Finding nothing;
  return verdict.findings.empty() ? nothing : verdict.findings.front();
}

TEST(LoneEnd, WithoutNumbersNothingIsSettled) {
  Link link = lone();
  link.device_end.speed = link.device_end.max_speed = {};
  link.device_end.width = link.device_end.max_width = {};
  const Verdict verdict = verdict_of(link);
  EXPECT_THAT(only(verdict), Is("LB-NO-EVIDENCE", FindingClass::undecided));
  EXPECT_EQ(verdict.exit, 3);
}

TEST(LoneEnd, AtItsOwnFullWidthAndSpeedItIsHealthy) {
  const Verdict verdict = verdict_of(lone());
  EXPECT_THAT(only(verdict), Is("LB-HEALTHY", FindingClass::healthy));
  EXPECT_EQ(verdict.exit, 0);
  EXPECT_EQ(only(verdict).rated.text, "16.0 GT/s x16");
}

TEST(LoneEnd, NarrowIsThePortsWiringOrLostLanes) {
  const Verdict verdict = verdict_of(lone(kCard, 16000, 8));
  EXPECT_THAT(only(verdict), Is("LB-NO-EVIDENCE", FindingClass::undecided));
  EXPECT_EQ(only(verdict).aspect, Aspect::width);
  EXPECT_THAT(only(verdict).missing, HasSubstr("port above"));
  EXPECT_EQ(verdict.exit, 3);
}

TEST(LoneEnd, SlowNeedsLoad) {
  const Verdict verdict = verdict_of(lone(kCard, 2500));
  EXPECT_THAT(only(verdict), Is("LB-NEEDS-LOAD", FindingClass::undecided));
  EXPECT_EQ(verdict.exit, 3);
}

TEST(LoneEnd, NarrowAndSlowIsOneGap) {
  const Verdict verdict = verdict_of(lone(kCard, 2500, 8));
  EXPECT_THAT(only(verdict), Is("LB-NO-EVIDENCE", FindingClass::undecided));
  EXPECT_THAT(only(verdict).detail, HasSubstr("x8"));
  EXPECT_THAT(only(verdict).detail, HasSubstr("2.5 GT/s"));
}

TEST(LoneEnd, FasterThanItsCapabilityIsNoFault) {
  Link link = lone();
  link.device_end.max_speed = LinkSpeed{8000};
  EXPECT_THAT(only(verdict_of(link)), Is("LB-HEALTHY", FindingClass::healthy));
}

TEST(LoneEnd, WiderThanItsCapabilityCannotBe) {
  Link link = lone();
  link.device_end.max_width = LinkWidth{8};
  EXPECT_EQ(only(verdict_of(link)).cls, FindingClass::undecided);
}

TEST(LoneEnd, WithoutACapabilityNothingSaysWhatItShouldBe) {
  for (const bool of_width : {false, true}) {
    Link link = lone();
    if (of_width)
      link.device_end.max_width.reset();
    else
      link.device_end.max_speed.reset();
    EXPECT_EQ(only(verdict_of(link)).cls, FindingClass::undecided);
  }
}

TEST(LoneEnd, WidthZeroIsNoLink) {
  Link link = lone(kCard, 16000, 0);
  link.device_end.speed.reset();
  EXPECT_EQ(only(verdict_of(link)).cls, FindingClass::undecided);
}

TEST(LoneEnd, AllOnesAreALostDeviceUnlessItSleptOrAnswered) {
  Link link = lone();
  link.device_end.all_ones = true;
  link.device_end.speed = {};
  link.device_end.width = {};
  EXPECT_THAT(only(verdict_of(link)), Is("LB-DEV-LOST", FindingClass::lost));
  Link answered = link;
  answered.device_end.views = {{"lspci", {}, {}, {}, {}},
                               {"nvidia-smi", LinkSpeed{16000}, {}, LinkWidth{16}, {}}};
  EXPECT_EQ(only(verdict_of(answered)).cls, FindingClass::undecided);
  link.device_end.runtime_status = "suspended";
  EXPECT_THAT(verdict_of(link).findings, IsEmpty());
  EXPECT_EQ(verdict_of(link).exit, 3);
}

TEST(LoneEnd, ANamelessOneIsNeverMoreThanUndecided) {
  Link silent = lone("unnamed1");
  silent.device_end.all_ones = true;
  for (const Link& link : {lone("unnamed1"), lone("unnamed1", 2500), lone("unnamed1", 16000, 8),
                           lone("unnamed1", 32000, 1), silent}) {
    const Verdict verdict = verdict_of(link);
    EXPECT_EQ(only(verdict).cls, FindingClass::undecided);
    EXPECT_EQ(verdict.exit, 3);
  }
}

/// `narrow` GPUs at x8 and the others at x16, all of them able to do x16.
Evidence gpus(int all, int narrow) {
  EvidenceBuilder builder = capture();
  for (int i = 0; i < all; ++i) {
    const std::string name = "0000:" + std::to_string(10 + i) + ":00.0";
    Component device = make_device(name);
    device.device_id = "0x9999";  // no product
    builder.device(device).link(lone(name, 16000, i < narrow ? 8 : 16));
  }
  return builder.finish();
}

TEST(LoneEnd, OneOfManyEqualGpusIsDegraded) {
  struct Case {
    int all, narrow;
    FindingClass cls;
  };
  for (const Case& each : {Case{8, 1, FindingClass::degraded}, Case{8, 2, FindingClass::degraded},
                           Case{8, 3, FindingClass::undecided}, Case{7, 1, FindingClass::undecided},
                           Case{8, 8, FindingClass::undecided}}) {
    const Verdict verdict = judge(gpus(each.all, each.narrow));
    EXPECT_EQ(verdict.findings[0].cls, each.cls) << each.all << " " << each.narrow;
    EXPECT_THAT(verdict.findings[0].detail, HasSubstr("equal devices"));
  }
}

TEST(LoneEnd, EqualsThatAreNoGpusProveNothing) {
  EvidenceBuilder builder = capture();
  for (int i = 0; i < 9; ++i) {
    const std::string name = "0000:" + std::to_string(10 + i) + ":00.0";
    Component device = make_device(name);
    device.type = "nic";
    device.device_id = "0x9999";
    builder.device(device).link(lone(name, 16000, i < 1 ? 8 : 16));
  }
  EXPECT_EQ(judge(builder.finish()).findings[0].cls, FindingClass::undecided);
}

Gpu driver_says(int mts, int host_mts) {
  Gpu gpu;
  gpu.component = id(kCard);
  gpu.index = 3;
  gpu.speed = LinkSpeed{mts};
  gpu.own_max_speed = LinkSpeed{16000};
  gpu.host_max_speed = LinkSpeed{host_mts};
  return gpu;
}

Finding with_driver(int mts, Gpu gpu) {
  return only(judge(capture().link(lone(kCard, mts)).record(std::move(gpu)).finish()));
}

TEST(LoneEnd, TheHostMayGiveNoMoreAsTheDriverSays) {
  const Finding finding = with_driver(8000, driver_says(8000, 8000));
  EXPECT_THAT(finding, Is("LB-PCIE-LIMITED", FindingClass::limited));
  EXPECT_EQ(finding.gpu, 3);
  EXPECT_EQ(with_driver(2500, driver_says(2500, 8000)).cls, FindingClass::undecided) << "idle";
}

TEST(LoneEnd, AnotherMomentAtFullSpeedShowsThatItCan) {
  Link link = lone(kCard, 2500);
  link.device_end.views = {{"lspci", LinkSpeed{2500}, LinkSpeed{16000}, LinkWidth{16}, {}},
                           {"nvidia-smi", LinkSpeed{16000}, LinkSpeed{16000}, LinkWidth{16}, {}}};
  EXPECT_EQ(only(verdict_of(link)).cls, FindingClass::healthy);
}

Body kernel_line(std::string_view link) {
  KernelLine line;
  line.component = id(kCard);
  line.topic = "bandwidth_limited";
  line.text = "limited by " + std::string(link) +
              " link at 0000:00:01.0 (capable of 252.048 Gb/s with 16.0 GT/s PCIe x16 link)";
  return line;
}

TEST(LoneEnd, AKernelLineAndTheEndAreOneFinding) {
  const Verdict verdict =
      judge(capture().link(lone(kCard, 2500, 8)).record(kernel_line("16.0 GT/s PCIe x8")).finish());
  EXPECT_EQ(only(verdict).limiter, id("0000:00:01.0"));
  EXPECT_THAT(only(verdict).detail, HasSubstr("the kernel found"));
  EXPECT_EQ(verdict.exit, 3);
}

TEST(LoneEnd, OfALinkThatIsWellNowAnEarlierSpeedIsOnlyTold) {
  const Verdict verdict =
      judge(capture().link(lone()).record(kernel_line("2.5 GT/s PCIe x16")).finish());
  EXPECT_THAT(only(verdict), Is("LB-HEALTHY", FindingClass::healthy));
  EXPECT_THAT(verdict.not_judged,
              testing::Contains(
                  testing::Field(&NotJudged::why, HasSubstr("the kernel found 2.5 GT/s x16"))));
  EXPECT_EQ(verdict.exit, 0);
}

TEST(LoneEnd, LanesThatAreMissingElsewhereAreOpen) {
  const Verdict verdict =
      judge(capture().link(lone()).record(kernel_line("16.0 GT/s PCIe x8")).finish());
  EXPECT_EQ(only(verdict).cls, FindingClass::undecided);
  EXPECT_EQ(only(verdict).limiter, id("0000:00:01.0"));
}

TEST(LoneEnd, SourcesThatDisagreeAreTold) {
  Link link = lone(kCard, 16000, 16);
  link.device_end.source = "config";
  link.device_end.views = {
      {"config", LinkSpeed{16000}, LinkSpeed{16000}, LinkWidth{16}, LinkWidth{16}},
      {"lspci", LinkSpeed{16000}, LinkSpeed{16000}, LinkWidth{8}, LinkWidth{16}}};
  const Finding believed = only(verdict_of(link));
  EXPECT_EQ(believed.cls, FindingClass::healthy);
  EXPECT_THAT(believed.detail, HasSubstr("the bytes of config space"));
  link.device_end.views[0].source = "files";
  EXPECT_EQ(only(verdict_of(link)).cls, FindingClass::undecided) << "as good as each other";
}

TEST(LoneEnd, ASiteFileKnowsWhatItShouldBe) {
  const auto with_site = [](const Link& link) {
    SiteText site{"site.toml",
                  "schema = 1\n[[host]]\nmatch = [\"n1\"]\n[[host.slot]]\n"
                  "address = \"0000:17:00.0\"\nwidth = 8\nspeed_gts = 16\n"};
    return judge(capture().device(make_device(kCard)).link(link).record(site).finish());
  };
  EXPECT_EQ(with_site(lone(kCard, 16000, 8)).findings[0].cls, FindingClass::healthy);
  EXPECT_EQ(with_site(lone(kCard, 16000, 4)).findings[0].cls, FindingClass::degraded);
}

}  // namespace
}  // namespace linkburn
