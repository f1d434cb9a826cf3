// What the tools of Debian 12 print in a QEMU guest with a switch, disks, adapters and soft-RoCE:
// every text is recognised, nearly all of its lines are understood, and nothing in it is a fault.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "bench/captures/assemble.h"
#include "bench/captures/open.h"
#include "report/verdict.h"

namespace linkburn {
namespace {

std::vector<std::string> guest_texts() {
  std::vector<std::string> texts;
  for (const auto& entry : std::filesystem::directory_iterator(LINKBURN_GUEST_DIR))
    if (entry.path().extension() == ".txt") texts.push_back(entry.path().string());
  std::sort(texts.begin(), texts.end());
  return texts;
}

Verdict verdict_of(const NodeDraft& draft) {
  Evidence evidence;
  const auto append = [&](Body body) {
    const auto seq = static_cast<std::int64_t>(evidence.records.size()) + 1;
    evidence.records.push_back({seq, 0, std::move(body)});
  };
  const Inventory inventory = assemble(draft);
  RunStart start;
  start.mode = "inspect";
  append(std::move(start));
  for (Body& body : to_records(inventory)) append(std::move(body));
  for (Body& body : other_records(draft, inventory)) append(std::move(body));
  RunEnd end;
  end.status = "complete";
  append(std::move(end));
  return judge(evidence);
}

class GuestText : public testing::TestWithParam<std::string> {};

TEST_P(GuestText, IsUnderstoodAndHoldsNoFault) {
  const auto captured = read_captures({GetParam()});
  ASSERT_TRUE(captured) << captured.error().line();
  ASSERT_EQ(captured->nodes.size(), 1U);
  for (const CapturePart& part : captured->nodes[0].parts)
    EXPECT_LE(part.not_understood, 3 + part.lines / 20)
        << part.reader << ": " << testing::PrintToString(part.examples);
  for (const Finding& finding : verdict_of(captured->nodes[0]).findings)
    EXPECT_FALSE(is_failure(finding.cls)) << finding.code << " " << finding.component.text();
}

std::string name_of(const testing::TestParamInfo<std::string>& info) {
  std::string name = std::filesystem::path(info.param).stem().string();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Debian12, GuestText, testing::ValuesIn(guest_texts()), name_of);

}  // namespace
}  // namespace linkburn
