// Dumps of config space decode to what the installed lspci prints of them. The dumps of dumps/ are
// made by the scripts beside them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "tests/bench/captures/read_text.h"

namespace linkburn {
namespace {

namespace fs = std::filesystem;
using Views = std::map<PciAddress, PciFunction>;

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// What a program prints; empty when it is not there.
std::string output_of(const std::string& command) {
  std::string text;
  FILE* pipe = popen(command.c_str(), "r");  // NOLINT(cert-env33-c): a fixed command
  if (pipe == nullptr) return text;
  char piece[4096];
  for (std::size_t got = 0; (got = fread(piece, 1, sizeof piece, pipe)) > 0;)
    text.append(piece, got);
  pclose(pipe);
  return text;
}

Views views_of(const NodeDraft& draft, std::string_view source) {
  Views views;
  for (const FunctionView& view : draft.functions)
    if (view.has_address && view.function.link_end.source == source)
      views[view.function.address] = view.function;
  return views;
}

/// What both sources have to say alike, as text.
std::map<std::string, std::string> told(const PciFunction& function) {
  std::map<std::string, std::string> told;
  const LinkEnd& end = function.link_end;
  const auto number = [&](const char* name, const auto& value) {
    std::ostringstream text;
    if (value) text << *value;
    told[name] = text.str();
  };
  const auto speed = [](const std::optional<LinkSpeed>& s) {
    return s ? std::optional(s->mts) : std::nullopt;
  };
  const auto width = [](const std::optional<LinkWidth>& w) {
    return w ? std::optional(w->lanes) : std::nullopt;
  };
  told["port type"] = to_string(function.port_type);
  told["ids"] = function.vendor_id + " " + function.device_id + " " + function.type;
  told["files"] = end.files ? "yes" : "no";
  number("secondary bus", function.secondary_bus);
  number("speed", speed(end.speed)), number("max speed", speed(end.max_speed));
  number("width", width(end.width)), number("max width", width(end.max_width));
  if (!end.registers) return told;
  const LinkRegisters& r = *end.registers;
  told["type"] = r.port_type;
  told["aspm"] = r.aspm_supported + " / " + r.aspm_enabled;
  number("target", speed(r.target_speed)), number("disabled", r.link_disabled);
  number("training", r.training), number("active", r.data_link_active);
  number("card", r.card_present), number("slot", r.slot_number);
  number("speed disabled", r.autonomous_speed_disabled);
  number("width disabled", r.autonomous_width_disabled);
  number("managed", r.bandwidth_managed), number("changed", r.bandwidth_changed_autonomously);
  number("payload", r.max_payload_bytes), number("supported", r.max_payload_supported_bytes);
  number("request", r.max_read_request_bytes), number("tags", r.tags);
  number("lanes", r.lane_errors), number("retimer", r.retimer_present);
  // Older versions of lspci leave out bits that newer ones name.
  constexpr std::int64_t kShown = 0x3ff030, kCorrectable = 0x31c1;
  const auto bits = [](const std::optional<std::int64_t>& value, std::int64_t shown) {
    return value ? std::optional(*value & shown) : std::nullopt;
  };
  number("correctable", bits(r.aer_correctable_status, kCorrectable));
  number("correctable mask", bits(r.aer_correctable_mask, kCorrectable));
  number("uncorrectable", bits(r.aer_uncorrectable_status, kShown));
  number("uncorrectable mask", bits(r.aer_uncorrectable_mask, kShown));
  for (const LinkSpeed supported : r.supported_speeds) told["speeds"] += to_string(supported) + " ";
  return told;
}

class Dump : public testing::TestWithParam<std::string> {};

TEST_P(Dump, DecodesToWhatLspciPrints) {
  const fs::path file = fs::path(LINKBURN_DUMPS_DIR) / GetParam();
  const std::string printed = output_of("lspci -F '" + file.string() + "' -nn -vvv 2>/dev/null");
  if (printed.empty()) GTEST_SKIP() << "lspci is not installed, or refuses the dump";
  const NodeDraft from_bytes = read(text_of(file)), from_text = read(printed);
  const Views bytes = views_of(from_bytes, kFromBytes), text = views_of(from_text, kFromLspci);
  ASSERT_GT(bytes.size(), 0U);
  ASSERT_EQ(bytes.size(), text.size());
  for (const auto& [address, function] : bytes) {
    SCOPED_TRACE(to_string(address));
    ASSERT_TRUE(text.contains(address));
    auto expected = told(text.at(address));
    auto actual = told(function);
    // lspci calls a target of 0, of an end that has none, 2.5 GT/s.
    if (actual["target"].empty()) expected["target"].clear();
    EXPECT_EQ(actual, expected);
  }
  for (const CapturePart& part : from_text.parts) {
    EXPECT_EQ(part.reader, "lspci");
    EXPECT_THAT(part.examples, testing::IsEmpty());
  }
  for (const CapturePart& part : from_bytes.parts) EXPECT_THAT(part.examples, testing::IsEmpty());
}

std::vector<std::string> dumps() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(LINKBURN_DUMPS_DIR))
    if (entry.path().extension() == ".txt") names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string name_of(const testing::TestParamInfo<std::string>& dump) {
  return fs::path(dump.param).stem().string();
}

INSTANTIATE_TEST_SUITE_P(Lspci, Dump, testing::ValuesIn(dumps()), name_of);

}  // namespace
}  // namespace linkburn
