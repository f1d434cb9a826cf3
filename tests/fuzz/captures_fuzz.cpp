// Any bytes as a captured text, from its lines to every format: what is kept stays bounded, nothing
// is written that is no UTF-8 or no JSON, and lines that nobody knows never make a pass.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "bench/captures/assemble.h"
#include "bench/captures/collector.h"
#include "report/render/table.h"
#include "report/verdict.h"

namespace {

using namespace linkburn;

/// 4 KiB of text tell of less.
constexpr std::size_t kMaxRecords = 100'000;

Evidence evidence_of(const NodeDraft& draft) {
  Evidence evidence;
  std::int64_t seq = 1;
  const auto add = [&](Body body) { evidence.records.push_back({seq++, 0, std::move(body)}); };
  RunStart start;
  start.mode = "inspect";
  start.node = draft.name;
  start.require = {"presence", "width", "speed", "ports"};
  add(std::move(start));
  const Inventory inventory = assemble(draft);
  for (Body& body : to_records(inventory)) add(std::move(body));
  for (Body& body : other_records(draft, inventory)) add(std::move(body));
  RunEnd end;
  end.status = "complete";
  add(std::move(end));
  return evidence;
}

bool is_anything_known(const std::vector<NodeDraft>& nodes) {
  return std::any_of(nodes.begin(), nodes.end(), [](const NodeDraft& node) {
    return std::any_of(node.parts.begin(), node.parts.end(),
                       [](const CapturePart& part) { return !part.reader.empty(); });
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Collector collector;
  collector.begin("text");
  collector.take(text.substr(0, size / 2));
  collector.take(text.substr(size / 2));
  collector.end();
  const std::vector<NodeDraft> nodes = std::move(collector).finish();
  Report report;
  std::vector<Verdict> verdicts;
  for (const NodeDraft& node : nodes) {
    report.nodes.push_back(evidence_of(node));
    if (report.nodes.back().records.size() > kMaxRecords) std::abort();
    verdicts.push_back(judge(report.nodes.back()));
  }
  report.verdict = combine(std::move(verdicts));
  if (report.verdict.outcome == Outcome::pass && !is_anything_known(nodes)) std::abort();
  for (const Renderer* renderer : renderers()) {
    const std::string out = renderer->render(report, {});
    if (out.empty()) std::abort();
    if (renderer->name == "json" && !nlohmann::json::accept(out)) std::abort();
  }
  return 0;
}
