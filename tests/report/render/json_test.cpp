#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "report/catalogue.h"
#include "tests/report/render/samples.h"

namespace linkburn {
namespace {

using nlohmann::json;
using samples::device;

json parsed(const Report& report) {
  json document = json::parse(samples::rendered("json", report), nullptr, false);
  EXPECT_TRUE(document.is_object());
  return document;
}

json schema_document() {
  std::ifstream file(LINKBURN_REPORT_SCHEMA);
  return json::parse(file, nullptr, false);
}

/// Empty when the document is as the schema says, else what is wrong.
std::string violations(const json& document) {
  const json text = schema_document();
  valijson::Schema schema;
  valijson::SchemaParser parser(valijson::SchemaParser::kDraft7);
  parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(text), schema);
  valijson::Validator validator;
  valijson::ValidationResults results;
  validator.validate(schema, valijson::adapters::NlohmannJsonAdapter(document), &results);
  std::ostringstream out;
  for (const auto& error : results) {
    for (const std::string& part : error.context) out << part;
    out << ": " << error.description << '\n';
  }
  return out.str();
}

const json& link_of(const json& document, int bus) {
  for (const json& link : document["links"])
    if (link["component"] == device(bus).text()) return link;
  ADD_FAILURE() << "no link " << bus;
  return document;
}

/// The link 1b:00.0 after these records were added to a run that passed.
json link_after(std::vector<Body> bodies) {
  Report report = samples::pass();
  for (Body& body : bodies) samples::add(report.nodes[0], std::move(body));
  return link_of(parsed(report), 0x1b);
}

TEST(Json, EveryReportIsAsTheSchemaSays) {
  for (const Report& report :
       {Report{}, samples::pass(), samples::fail(), samples::incomplete(), samples::drill(),
        samples::no_links(), samples::several_nodes(), samples::captured(), samples::hostile()})
    EXPECT_EQ(violations(parsed(report)), "");
}

TEST(Json, TheSchemaRefusesWhatIsWrong) {
  const json good = parsed(samples::fail());
  for (const auto& [pointer, value] :
       std::vector<std::pair<const char*, json>>{{"/verdict", "GOOD"},
                                                 {"/exit", "1"},
                                                 {"/findings/0/class", "broken"},
                                                 {"/findings/0/phase", "hot"},
                                                 {"/findings/0/evidence", {"12"}},
                                                 {"/findings/0/place", "7"},
                                                 {"/links/0/width", 0},
                                                 {"/links/0/speed_gts", nullptr},
                                                 {"/ports/0/rate_gbps", "200"},
                                                 {"/not_judged/0/why", 7},
                                                 {"/memory/0/rate_gbs", nullptr}}) {
    json bad = good;
    bad[json::json_pointer(pointer)] = value;
    EXPECT_NE(violations(bad), "") << pointer;
  }
  json more = good;
  more["findings"][0]["a_later_key"] = 1;
  EXPECT_EQ(violations(more), "");
}

TEST(Json, AFindingHoldsAllThatIsKnown) {
  const json document = parsed(samples::fail());
  EXPECT_EQ(document["verdict"], "FAIL");
  EXPECT_EQ(document["exit"], 1);
  EXPECT_EQ(document["node"], "gpu017");
  json finding = document["findings"][0];
  for (const char* from_catalogue : {"title", "meaning", "next"}) finding.erase(from_catalogue);
  EXPECT_EQ(finding, json::parse(R"({
    "code": "LB-PCIE-WIDTH", "class": "degraded", "component": "0000:1b:00.0", "node": "gpu017",
    "aspect": "width", "place": {"label": "7", "source": "kernel"},
    "rated": {"text": "16.0 GT/s x16", "speed_gts": 16.0, "width": 16},
    "negotiated": {"text": "16.0 GT/s x8", "speed_gts": 16.0, "width": 8},
    "limit": {"text": "x16", "width": 16}, "origin": "lower capability of the two ends",
    "phase": "measure", "when": "2026-11-30T21:09:12Z", "detail": "Width 8 in 3 of 3 readings.",
    "evidence": [12, 15]})"));
}

TEST(Json, WhatTheSiteAcceptsIsSaid) {
  Report report = samples::fail();
  report.verdict.findings.front().accepted = "until 2027-01-31: on order (site.toml:7)";
  const json document = parsed(report);
  EXPECT_EQ(violations(document), "");
  EXPECT_EQ(document["findings"][0]["accepted"], "until 2027-01-31: on order (site.toml:7)");
}

TEST(Json, WordsComeFromTheCatalogue) {
  const json document = parsed(samples::fail());
  const CatalogueRow& row = catalogue_row("LB-PCIE-WIDTH");
  const json& finding = document["findings"][0];
  EXPECT_EQ(finding["title"], row.title);
  EXPECT_EQ(finding["meaning"], row.meaning);
  EXPECT_EQ(finding["next"], json(row.next));
  EXPECT_FALSE(document["findings"][1].contains("next"));
}

TEST(Json, AnUndecidedFindingSaysWhatIsMissing) {
  const json document = parsed(samples::incomplete());
  EXPECT_EQ(document["findings"][0]["missing"], "load on the link: linkburn run smoke");
}

TEST(Json, ACodeOfANewerVersionIsKept) {
  Report report = samples::fail();
  report.verdict.findings[0].code = "LB-NOT-YET-KNOWN";
  const json document = parsed(report);
  EXPECT_EQ(document["findings"][0]["code"], "LB-NOT-YET-KNOWN");
  EXPECT_FALSE(document["findings"][0].contains("title"));
}

TEST(Json, ALinkHasItsNegotiatedStateAndItsRating) {
  json link = link_of(parsed(samples::pass()), 0x1b);
  EXPECT_EQ(link, json::parse(R"({
    "component": "0000:1b:00.0", "peer": "0000:2b:00.0", "node": "gpu017",
    "port_type": "root_port", "kind": "pcie", "speed_gts": 16.0, "width": 16,
    "max_speed_gts": 16.0, "max_width": 16, "slot": {"label": "7", "source": "kernel"},
    "class": "healthy"})"));
}

TEST(Json, TheLastReadingWinsOverDiscovery) {
  const auto width = [](double lanes) {
    return samples::reading(device(0x1b), "link_width", lanes, Phase::measure);
  };
  EXPECT_EQ(link_after({width(8)})["width"], 8);
  EXPECT_EQ(link_after({width(8), width(16)})["width"], 16);
  Transition fell;
  fell.component = device(0x1b);
  fell.quantity = "link_speed";
  fell.from = 16, fell.to = 8;
  fell.phase = Phase::measure;
  EXPECT_EQ(link_after({fell})["speed_gts"], 8.0);
  EXPECT_EQ(link_after({fell})["speed_phase"], "measure");
}

TEST(Json, OfTwoEndsThatAnswerTheLowerOneCounts) {
  const auto width = [](int bus, double lanes) {
    return samples::reading(device(bus), "link_width", lanes, Phase::measure);
  };
  EXPECT_EQ(link_after({width(0x1b, 16), width(0x2b, 8)})["width"], 8);
  EXPECT_EQ(link_after({width(0x1b, 8), width(0x2b, 16)})["width"], 8);
}

TEST(Json, AnUnreadableValueLeavesTheLastOneStanding) {
  Reading unreadable = samples::reading(device(0x1b), "link_width", 0, Phase::measure);
  unreadable.value.reset();
  EXPECT_EQ(link_after({unreadable})["width"], 16);
}

TEST(Json, ADeviceThatDoesNotAnswerHasNoNegotiatedState) {
  const json link = link_after({samples::reading(device(0x1b), "link_width", 63, Phase::measure)});
  EXPECT_FALSE(link.contains("width"));
  EXPECT_FALSE(link.contains("speed_gts"));
  EXPECT_EQ(link["max_width"], 16);
}

TEST(Json, TheRatingNeedsBothEnds) {
  Link one_end = samples::link(0x1b);
  one_end.peer_end = {};
  const json link = link_after({one_end});
  EXPECT_FALSE(link.contains("max_width"));
  EXPECT_FALSE(link.contains("max_speed_gts"));
  EXPECT_EQ(link["width"], 16);
}

TEST(Json, APortThatIsDownHasNoRate) {
  Report report = samples::pass();
  EXPECT_EQ(parsed(report)["ports"][0]["rate_gbps"], 200.0);
  Port down;
  down.component = ComponentId::port("mlx5_0", 1);
  down.state = "DOWN";
  down.rate_gbps = 10;
  samples::add(report.nodes[0], down);
  const json document = parsed(report);
  ASSERT_EQ(document["ports"].size(), 1U);
  EXPECT_EQ(document["ports"][0]["state"], "DOWN");
  EXPECT_FALSE(document["ports"][0].contains("rate_gbps"));
}

TEST(Json, APortHasItsRatingItsInterfaceAndTheGidToUse) {
  Report report = samples::pass();
  samples::add_roce(report.nodes[0]);
  report.verdict.findings.push_back(samples::slow_port());
  const json document = parsed(report);
  ASSERT_EQ(document["ports"].size(), 2U);
  const json& port = document["ports"][1];
  EXPECT_EQ(port["component"], "mlx5_1/1");
  EXPECT_EQ(port["rate_gbps"], 25.0);
  EXPECT_EQ(port["rated_gbps"], 100.0);
  EXPECT_EQ(port["netdev"], "eth1");
  EXPECT_EQ(port["recommended_gid_index"], 3);
  EXPECT_EQ(port["recommended_gid"], "192.0.2.6");
  EXPECT_EQ(port["class"], "degraded");
  EXPECT_FALSE(document["ports"][0].contains("recommended_gid_index"));
}

TEST(Json, InterfacesSayWhatIsKnownOfThem) {
  Report report = samples::pass();
  samples::add_roce(report.nodes[0]);
  const json document = parsed(report);
  EXPECT_EQ(document["interfaces"], json::parse(R"([
    {"component": "bond0", "node": "gpu017", "type": "bond", "carrier": true, "speed_gbps": 25.0,
     "bond_mode": "802.3ad", "members": ["eth1"]},
    {"component": "eno1", "node": "gpu017", "device": "0000:1b:00.0", "type": "physical",
     "carrier": false, "supported_gbps": 10.0, "link_detail": "No cable"},
    {"component": "eth1", "node": "gpu017", "device": "0000:1c:00.0", "type": "physical",
     "carrier": true, "speed_gbps": 25.0, "bond": "bond0",
     "module": {"identifier": "QSFP28", "vendor": "Acme", "part_number": "C1", "rate_gbps": 100.0}}
  ])"));
  EXPECT_EQ(parsed(samples::fail())["interfaces"], json::array());
}

TEST(Json, MemoryRatesAreTheMedianOfTheCommonInterval) {
  const json document = parsed(samples::pass());
  EXPECT_EQ(document["memory"], json::parse(R"([{"component": "numa0->numa1", "node": "gpu017",
    "step": "host_copy-1", "rate_gbs": 11.0, "min_rate_gbs": 10.0, "laps": 6}])"));
}

TEST(Json, FindingsStandUnderTheirNode) {
  const json document = parsed(samples::several_nodes());
  EXPECT_FALSE(document.contains("node"));
  EXPECT_EQ(document["nodes"].size(), 2U);
  EXPECT_EQ(document["links"].size(), 4U);
  for (const json& finding : document["findings"])
    EXPECT_EQ(finding["node"], finding["class"] == "healthy" ? "gpu016" : "gpu017");
}

TEST(Json, ANodeWithoutEvidenceIsListed) {
  Report report = samples::several_nodes();
  report.verdict.not_judged = {{"gpu018", "it left no evidence", "its evidence file", "gpu018"}};
  const json document = parsed(report);
  EXPECT_EQ(document["nodes"].size(), 3U);
  EXPECT_EQ(document["nodes"][2], json::parse(R"({"name": "gpu018"})"));
}

TEST(Json, WhatWasCapturedStandsAtItsNode) {
  const json document = parsed(samples::captured());
  const json& node = document["nodes"][0];
  EXPECT_EQ(node["captures"][0]["kind"], "lspci");
  EXPECT_EQ(node["captures"][1], json::parse(R"({"source": "notes.txt", "kind": "",
      "first_line": 1, "lines": 12, "not_understood": 12, "examples": ["hello"]})"));
  EXPECT_EQ(node["gpus"][1]["links"][2], json::parse(R"({"number": 2, "state": "inactive"})"));
  EXPECT_EQ(node["measurements"][0]["rate_gbs"], 12.5);
  EXPECT_EQ(document["links"][0]["peer"], "");
  EXPECT_EQ(document["findings"][0]["commands"],
            json::parse(R"(["sudo lspci -vvv -s 0000:1b:00.0", "lspci -t"])"));
  EXPECT_FALSE(parsed(samples::pass())["nodes"][0].contains("captures"));
}

TEST(Json, NothingIsNull) {
  for (const Report& report : {Report{}, samples::fail(), samples::hostile()})
    EXPECT_THAT(samples::rendered("json", report), testing::Not(testing::HasSubstr(": null")));
}

TEST(Json, TheDocumentIsIndentedByTwo) {
  EXPECT_THAT(samples::rendered("json", samples::pass()),
              testing::StartsWith("{\n  \"schema\": 1,\n  \"tool\": \"linkburn\",\n"));
}

}  // namespace
}  // namespace linkburn
