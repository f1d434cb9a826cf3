#include "report/catalogue.h"

#include <gtest/gtest.h>

#include <set>

#include "bench/drill/scenario.h"
#include "report/rules/table.h"
#include "tests/support/evidence_builder.h"

namespace linkburn {
namespace {

constexpr auto kCard = "0000:17:00.0";
constexpr auto kPort = "0000:16:00.0";

/// Codes are an interface: scripts and tickets know them.
const std::set<std::string> kCodes{
    "LB-HEALTHY",         "LB-DEV-LOST",        "LB-DEV-ASLEEP",    "LB-PCIE-WIDTH",
    "LB-PCIE-SPEED",      "LB-PCIE-RETRAIN",    "LB-PCIE-LIMITED",  "LB-NEEDS-LOAD",
    "LB-AER-CORRECTED",   "LB-AER-UNCORRECTED", "LB-DATA-WRONG",    "LB-PORT-STATE",
    "LB-PORT-NO-SM",      "LB-STEP-INCOMPLETE", "LB-NO-EVIDENCE",   "LB-PORT-WIDTH",
    "LB-PORT-RATE",       "LB-PORT-LIMITED",    "LB-PORT-FLAP",     "LB-PORT-ERRORS",
    "LB-PORT-HOT",        "LB-PORT-MODULE",     "LB-PORT-POWER",    "LB-PORT-GID",
    "LB-PORT-SLOT-LIMIT", "LB-EXPECT-MISSING",  "LB-EXPECT-OTHER",  "LB-EXPECT-UNKNOWN",
    "LB-ODD-ONE-OUT",     "LB-PCIE-TARGET",     "LB-PCIE-DISABLED", "LB-PCIE-LANES",
    "LB-PCIE-PATH",       "LB-DEV-DROPPED",     "LB-DEV-FAULT",     "LB-DEV-HOT",
    "LB-XID-BUS",         "LB-XID-NVLINK",      "LB-XID-DEVICE",    "LB-RATE-LOW",
    "LB-RATE-ODD",        "LB-RATE-NETWORK",    "LB-NCCL-SOCKET",   "LB-RDMA-CONNECT",
    "LB-NVLINK-DOWN",     "LB-NVLINK-RATE",     "LB-PCIE-REPLAY",   "LB-GPU-SLOWED"};

std::set<std::string> codes_of(const Evidence& evidence) {
  const Story story = Story::of(evidence);
  RuleOutput out;
  for (const Rule* rule : rules()) rule->apply(story, out);
  std::set<std::string> codes;
  for (const Finding& finding : out.findings) codes.insert(finding.code);
  return codes;
}

Link changed(void (*change)(Link&)) {
  Link link = make_link(kCard, kPort);
  change(link);
  return link;
}

/// A card on a port whose registers tell of settings and of a weak lane, below a slower uplink.
Evidence told_by_registers(bool switched_off) {
  Link link = make_link(kCard, kPort);
  LinkRegisters& port = link.peer_end.registers.emplace();
  port.target_speed = LinkSpeed{8000};
  port.lane_errors = 1;
  port.link_disabled = port.card_present = switched_off;
  link.peer_end.speed = LinkSpeed{8000};
  link.peer_end.width = LinkWidth{8};
  Component card = make_device(kCard, {kPort, "0000:15:00.0", "0000:14:00.0"});
  card.type = "nic";
  return EvidenceBuilder::inspect()
      .link(link)
      .link(make_link("0000:15:00.0", "0000:14:00.0", 8000, 8))
      .device(card)
      .finish();
}

/// All that a kernel log can say of one card.
Evidence told_by_log() {
  EvidenceBuilder builder = EvidenceBuilder::inspect().link(make_link(kCard, kPort));
  for (const char* topic : {"containment", "device_fault", "device_hot"})
    builder.record(
        KernelLine{ComponentId::from_evidence(kCard), topic, 4, 1, "", Phase::passive, {}});
  for (const int number : {48, 74, 167})
    builder.record(
        KernelLine{ComponentId::from_evidence(kCard), "xid", 4, 1, "", Phase::passive, number});
  return builder.finish();
}

/// A RoCE port of 100 Gb/s with a module, whose interface runs at `gbps`.
EvidenceBuilder port_at(double gbps, int lanes, double module_gbps) {
  Port port = make_roce_port("mlx5_0/1", kCard, "eth0");
  Interface interface = make_interface("eth0", kCard);
  interface.speed_gbps = gbps;
  interface.lanes = lanes;
  interface.supported_gbps = interface.partner_gbps = 100;
  interface.module = Module{"QSFP28", "", "", "", module_gbps, 80, 75};
  EvidenceBuilder builder = EvidenceBuilder::run();
  builder.link(make_link(kCard, kPort, 8000, 4)).port(port).record(interface);
  return builder;
}

void add_faults_of_ports(std::vector<Evidence>& all) {
  EvidenceBuilder builder = port_at(40, 4, 100);
  for (const char* topic : {"module_error", "slot_power"}) {
    KernelLine line;
    line.component = id(kCard);
    line.topic = topic;
    line.text = "error: insufficient power";
    builder.record(line);
  }
  for (const char* name : {"port/link_downed", "port/port_rcv_errors"})
    builder.counter("mlx5_0/1", name, 0, true).at(60).counter("mlx5_0/1", name, 2);
  all.push_back(builder.finish());
  all.push_back(port_at(25, 1, 100).finish());
  all.push_back(port_at(25, 1, 25).finish());
}

/// Four equal cards, one of them odd, and a site file that fits none of it.
Evidence unlike_the_site() {
  EvidenceBuilder builder = EvidenceBuilder::run();
  builder.record(SiteText{"site.toml", R"(schema = 1
[expect]
nvme = 1
[[slot]]
address = "0000:10:00.0"
type = "nic"
[[slot]]
slot = "no such label"
)"});
  for (int i = 0; i < 4; ++i) {
    const std::string card = "0000:1" + std::to_string(i) + ":00.0";
    builder.device(make_device(card));
    builder.link(make_link(card, "0000:2" + std::to_string(i) + ":00.0", 16000, i == 3 ? 8 : 16));
  }
  return builder.finish();
}

/// What other tools measured of eight GPUs and of a port, and what NCCL said.
Evidence told_by_other_tools() {
  EvidenceBuilder builder = EvidenceBuilder::inspect().port(make_port("mlx5_0/1", kCard));
  for (int i = 0; i < 8; ++i)
    for (const char* direction : {"h2d", "d2h"}) {
      Measurement copy;
      copy.direction = copy.test = direction;
      copy.component = ComponentId::gpu(i);
      copy.rate_gbs = i == 3 ? 20 : i == 2 && copy.test == "h2d" ? 40 : 50;
      builder.record(copy);
    }
  Measurement rdma;
  rdma.tool = "perftest";
  rdma.component = id("mlx5_0/1");
  rdma.rate_gbs = 5;
  builder.record(rdma);
  for (const char* quantity : {"nccl_network", "rdma_connection"}) {
    Reading reading;
    reading.component = ComponentId::node();
    reading.quantity = quantity;
    reading.text = "Socket";
    builder.record(reading);
  }
  return builder.finish();
}

/// Two GPUs of one board: one lacks an NVLink, the other has a slow one, sent packets again and is
/// slowed down.
Evidence told_by_gpu_driver() {
  EvidenceBuilder builder = EvidenceBuilder::inspect();
  for (const int index : {0, 1}) {
    Gpu gpu;
    gpu.component = ComponentId::gpu(index);
    gpu.name = "NVIDIA H100 80GB HBM3";
    gpu.links_read = true;
    for (int number = 0; number < 18; ++number) {
      const bool slow = index == 1 && number == 5;
      gpu.links.push_back({number, "active", slow ? 13.281 : 26.562, {}});
    }
    if (index == 0) gpu.links.front() = {0, "inactive", std::nullopt, {}};
    if (index == 1) gpu.replays = 100000, gpu.slowed_by = {"HW Power Brake Slowdown"};
    builder.record(gpu);
  }
  return builder.finish();
}

/// Evidence that makes the rules say everything they can.
std::vector<Evidence> one_of_each() {
  std::vector<Evidence> all;
  for (void (*change)(Link&) : {+[](Link&) {},                                                 //
                                +[](Link& l) { l.device_end.all_ones = true; },                //
                                +[](Link& l) { l.device_end.width = LinkWidth{8}; },           //
                                +[](Link& l) { l.device_end.speed = LinkSpeed{2500}; },        //
                                +[](Link& l) { l.device_end.max_width = LinkWidth{32}; },      //
                                +[](Link& l) { l.peer_end = {}; },                             //
                                +[](Link& l) { l.device_end.runtime_status = "suspended"; }})  //
    all.push_back(EvidenceBuilder::run().link(changed(change)).finish());
  for (const char* name : {"aer_correctable/Rollover", "aer_fatal/TOTAL_ERR_FATAL"})
    all.push_back(EvidenceBuilder::run()
                      .link(make_link(kCard, kPort))
                      .counter(kCard, name, 0, true)
                      .counter(kCard, name, 1)
                      .transition(kCard, "link_width", 16, 8)
                      .transition(kCard, "link_width", 8, 16)
                      .reading(kCard, "wrong_words", 1)
                      .plan_step("h2d-2", kCard)
                      .finish());
  all.push_back(EvidenceBuilder::run()
                    .link(make_link(kCard, kPort))
                    .plan_step("h2d-1", kCard, {kCard})
                    .start_step("h2d-1")
                    .reading(kCard, "link_speed", 8, Phase::measure, "h2d-1")
                    .end_step("h2d-1")
                    .finish());
  all.push_back(told_by_registers(false));
  all.push_back(told_by_registers(true));
  all.push_back(told_by_log());
  for (const char* state : {"INIT", "ARMED"}) {
    Port port = make_port("mlx5_0/1");
    port.state = state;
    all.push_back(EvidenceBuilder::run().port(port).finish());
  }
  add_faults_of_ports(all);
  all.push_back(unlike_the_site());
  all.push_back(told_by_other_tools());
  all.push_back(told_by_gpu_driver());
  return all;
}

TEST(Catalogue, RulesEmitExactlyTheCodesThatItHas) {
  std::set<std::string> emitted, rows;
  for (const Evidence& evidence : one_of_each()) emitted.merge(codes_of(evidence));
  for (const CatalogueRow& row : catalogue()) rows.emplace(row.code);
  EXPECT_EQ(emitted, kCodes);
  EXPECT_EQ(rows, kCodes);
  EXPECT_EQ(catalogue().size(), kCodes.size());
}

TEST(Catalogue, EveryRowSaysWhatItMeansAndWhatToDo) {
  for (const CatalogueRow& row : catalogue()) {
    EXPECT_EQ(&catalogue_row(row.code), &row);
    EXPECT_FALSE(row.title.empty()) << row.code;
    EXPECT_FALSE(row.meaning.empty()) << row.code;
    EXPECT_EQ(row.next.empty(), row.code == "LB-HEALTHY") << row.code;
  }
}

TEST(Rules, NamesAreUniqueAndHaveAQuestion) {
  std::set<std::string_view> names;
  for (const Rule* rule : rules()) {
    EXPECT_TRUE(names.insert(rule->name).second) << rule->name;
    EXPECT_TRUE(rule->question.ends_with('?')) << rule->name;
  }
}

TEST(Catalogue, HasEveryFindingThatAShippedDrillExpects) {
  for (const std::string& name : drill::shipped_scenarios()) {
    const auto scenario = drill::load_scenario(name);
    ASSERT_TRUE(scenario) << scenario.error().line();
    for (const drill::Expected& expected : scenario->expected)
      EXPECT_TRUE(expected.code.empty() || kCodes.count(expected.code) > 0)
          << name << " expects " << expected.code;
  }
}

}  // namespace
}  // namespace linkburn
