#include <fmt/core.h>
#include <gtest/gtest.h>

#include "tests/report/rules/apply_rule.h"
#include "tests/support/evidence_builder.h"

namespace linkburn {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr auto kNic = "0000:17:00.0";
constexpr auto kPort = "mlx5_0/1";

/// 400 Gb/s with error correction: 2.4e13 bits in a minute.
Port ndr_port() {
  Port port = make_port(kPort, kNic);
  port.lanes = 4;
  port.speed_name = "NDR";
  return port;
}

/// 56 Gb/s without: 3.4e12 bits in a minute.
Port fdr_port() {
  Port port = make_port(kPort, kNic);
  port.rate_gbps = 56;
  port.rate_text = "56 Gb/sec (4X FDR)";
  port.lanes = 4;
  port.speed_name = "FDR";
  return port;
}

Finding over_run(const Port& port, const char* name, int from, int to, double seconds = 60) {
  return only_finding(port_errors_rule, EvidenceBuilder::run()
                                            .port(port)
                                            .counter(kPort, name, from, true, Phase::idle)
                                            .at(seconds)
                                            .counter(kPort, name, to)
                                            .finish());
}

Finding since_boot(const Port& port, const char* name, int value, const char* uptime_s = "86400") {
  return only_finding(port_errors_rule, EvidenceBuilder::inspect()
                                            .port(port)
                                            .part("uptime", "found", uptime_s)
                                            .counter(kPort, name, value, false, Phase::passive)
                                            .finish());
}

TEST(PortErrors, AbsentCountersAreUnknownAndNeverZero) {
  const RuleOutput out =
      apply_rule(port_errors_rule, EvidenceBuilder::run()
                                       .port(ndr_port())
                                       .counter(kPort, "port/symbol_error", {}, true)
                                       .at(60)
                                       .counter(kPort, "port/symbol_error", {})
                                       .finish());
  EXPECT_TRUE(out.findings.empty());
  ASSERT_EQ(out.not_judged.size(), 1U);
  EXPECT_EQ(out.not_judged[0].what, "errors and lost links of mlx5_0/1");
}

TEST(PortErrors, SinceBootNeedsTheTimeSinceBoot) {
  const RuleOutput out = apply_rule(
      port_errors_rule,
      EvidenceBuilder::inspect().port(ndr_port()).counter(kPort, "port/symbol_error", 9).finish());
  EXPECT_TRUE(out.findings.empty());
  EXPECT_EQ(out.not_judged.size(), 1U);
}

TEST(PortErrors, OldErrorsAreNotThoseOfTheRun) {
  EXPECT_THAT(over_run(ndr_port(), "port/symbol_error", 500, 500),
              Is("LB-HEALTHY", FindingClass::healthy));
}

TEST(PortErrors, SymbolErrorsAfterCorrectionAreAFaultWhenTheyRepeat) {
  EXPECT_THAT(over_run(ndr_port(), "port/symbol_error", 0, 1),
              Is("LB-PORT-ERRORS", FindingClass::marginal));
  const Finding finding = over_run(ndr_port(), "port/symbol_error", 0, 2);
  EXPECT_THAT(finding, Is("LB-PORT-ERRORS", FindingClass::degraded));
  EXPECT_THAT(finding.detail, HasSubstr("2 symbol errors (8e-14 per bit) in 60 s"));
  EXPECT_EQ(finding.component, id(kPort));
  EXPECT_EQ(finding.phase, Phase::measure);
  EXPECT_THAT(over_run(ndr_port(), "port/symbol_error", 0, 2, 36000),
              Is("LB-PORT-ERRORS", FindingClass::marginal))
      << "two in ten hours are within what a link may lose";
}

TEST(PortErrors, WithoutCorrectionOneErrorInManyBitsIsNormal) {
  EXPECT_THAT(over_run(fdr_port(), "port/symbol_error", 0, 3),
              Is("LB-HEALTHY", FindingClass::healthy));
  EXPECT_THAT(over_run(fdr_port(), "port/symbol_error", 0, 4),
              Is("LB-PORT-ERRORS", FindingClass::degraded));
}

TEST(PortErrors, WhatIsAFaultAtOnceAndWhatWhenItRepeats) {
  for (const char* name : {"port/local_link_integrity_errors",
                           "port/excessive_buffer_overrun_errors", "hw/rx_icrc_encapsulated"})
    EXPECT_THAT(over_run(ndr_port(), name, 0, 1), Is("LB-PORT-ERRORS", FindingClass::degraded))
        << name;
  for (const char* name : {"port/link_error_recovery", "port/port_rcv_errors"}) {
    EXPECT_THAT(over_run(ndr_port(), name, 0, 1), Is("LB-PORT-ERRORS", FindingClass::marginal))
        << name;
    EXPECT_THAT(over_run(ndr_port(), name, 0, 2), Is("LB-PORT-ERRORS", FindingClass::degraded))
        << name;
  }
}

TEST(PortErrors, CongestionIsNoFault) {
  EvidenceBuilder builder = EvidenceBuilder::run();
  builder.port(ndr_port()).counter(kPort, "port/symbol_error", 0, true);
  for (const char* name : {"port/port_xmit_wait", "port/port_xmit_discards", "hw/np_cnp_sent",
                           "hw/out_of_sequence", "port/VL15_dropped"})
    builder.counter(kPort, name, 0, true);
  builder.at(60).counter(kPort, "port/symbol_error", 0);
  for (const char* name : {"port/port_xmit_wait", "port/port_xmit_discards", "hw/np_cnp_sent",
                           "hw/out_of_sequence", "port/VL15_dropped"})
    builder.counter(kPort, name, 1000000);
  EXPECT_THAT(only_finding(port_errors_rule, builder.finish()),
              Is("LB-HEALTHY", FindingClass::healthy));
}

TEST(PortErrors, ACounterThatWasClearedOrIsFullSaysAtLeast) {
  EXPECT_THAT(over_run(ndr_port(), "port/port_rcv_errors", 9, 3).detail,
              HasSubstr("at least 3 bad packets"));
  EXPECT_THAT(over_run(ndr_port(), "port/symbol_error", 65000, 65535).detail,
              HasSubstr("at least 535 symbol errors"));
}

TEST(PortErrors, AFullCounterCannotCount) {
  const RuleOutput out =
      apply_rule(port_errors_rule, EvidenceBuilder::run()
                                       .port(ndr_port())
                                       .counter(kPort, "port/symbol_error", 65535, true)
                                       .at(60)
                                       .counter(kPort, "port/symbol_error", 65535)
                                       .finish());
  EXPECT_TRUE(out.findings.empty());
  ASSERT_EQ(out.not_judged.size(), 1U);
  EXPECT_EQ(out.not_judged[0].what, "port/symbol_error of mlx5_0/1");
}

TEST(PortErrors, SinceBootNothingIsMoreThanAWarning) {
  const auto judge = [](const char* name, int value, const char* uptime_s) {
    return since_boot(ndr_port(), name, value, uptime_s).cls;
  };
  EXPECT_EQ(judge("port/link_error_recovery", 10, "600"), FindingClass::healthy);
  EXPECT_EQ(judge("port/link_error_recovery", 11, "600"), FindingClass::marginal);
  EXPECT_EQ(judge("port/link_error_recovery", 100, "864000"), FindingClass::healthy);
  EXPECT_EQ(judge("port/link_error_recovery", 101, "864000"), FindingClass::marginal);
  EXPECT_EQ(judge("hw/rx_icrc_encapsulated", 1, "600"), FindingClass::healthy);
  EXPECT_EQ(judge("hw/rx_icrc_encapsulated", 2, "600"), FindingClass::marginal);
  // 400 Gb/s over a day: 3.456e16 bits.
  EXPECT_THAT(since_boot(ndr_port(), "port/symbol_error", 34),
              Is("LB-HEALTHY", FindingClass::healthy));
  EXPECT_THAT(since_boot(ndr_port(), "port/symbol_error", 35),
              Is("LB-PORT-ERRORS", FindingClass::marginal));
  EXPECT_THAT(since_boot(ndr_port(), "port/symbol_error", 65535).detail,
              HasSubstr("at least 65535"));
}

/// Corrected blocks of each lane, over one minute.
Evidence lanes(const std::vector<int>& gains) {
  EvidenceBuilder builder = EvidenceBuilder::run();
  builder.port(make_roce_port(kPort, kNic, "eth0")).record(make_interface("eth0", kNic));
  const auto add = [&](std::size_t lane, int value, bool baseline) {
    builder.counter("eth0", fmt::format("fec/lane{}_corrected_blocks", lane), value, baseline);
  };
  for (std::size_t lane = 0; lane < gains.size(); ++lane) add(lane, 1000, true);
  builder.at(60);
  for (std::size_t lane = 0; lane < gains.size(); ++lane) add(lane, 1000 + gains[lane], false);
  return builder.finish();
}

TEST(PortErrors, ALaneFarAboveTheOthersIsNamed) {
  const Finding finding = only_finding(port_errors_rule, lanes({9, 10, 10001, 11}));
  EXPECT_THAT(finding, Is("LB-PORT-ERRORS", FindingClass::marginal));
  EXPECT_EQ(finding.component, id(kPort));
  EXPECT_THAT(finding.detail,
              AllOf(HasSubstr("lane 2"), HasSubstr("10001 blocks, the others of 10"),
                    Not(HasSubstr("lane 1"))));
}

TEST(PortErrors, BothSidesOfTheLaneLimits) {
  const std::vector<std::vector<int>> even{
      {10, 10, 1000, 10}, {0, 0, 999, 0}, {900000, 1000000, 1100000, 950000}};
  for (const auto& gains : even)
    EXPECT_THAT(only_finding(port_errors_rule, lanes(gains)),
                Is("LB-HEALTHY", FindingClass::healthy));
  EXPECT_THAT(only_finding(port_errors_rule, lanes({0, 0, 10000, 0})),
              Is("LB-PORT-ERRORS", FindingClass::marginal));
}

TEST(PortErrors, OneLaneAloneCannotBeCompared) {
  EXPECT_TRUE(apply_rule(port_errors_rule, lanes({500000})).findings.empty());
}

TEST(PortErrors, CountersOfTheInterfaceAreThoseOfThePort) {
  const auto judge = [](const char* fec) {
    Interface interface = make_interface("eth0", kNic);
    interface.fec = fec;
    interface.speed_gbps = 25;
    EvidenceBuilder builder = EvidenceBuilder::run();
    builder.port(make_roce_port(kPort, kNic, "eth0")).record(interface);
    builder.counter("eth0", "ethtool/rx_pcs_symbol_err_phy", 0, true).at(60);
    return only_finding(port_errors_rule,
                        builder.counter("eth0", "ethtool/rx_pcs_symbol_err_phy", 1).finish());
  };
  EXPECT_THAT(judge("RS"), Is("LB-PORT-ERRORS", FindingClass::marginal));
  EXPECT_EQ(judge("RS").component, id(kPort));
  EXPECT_THAT(judge("off"), Is("LB-HEALTHY", FindingClass::healthy));
}

}  // namespace
}  // namespace linkburn
