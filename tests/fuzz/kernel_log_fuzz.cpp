// Any bytes as a kernel log, of a node with one link: what is kept stays small, the rules take it,
// and a log alone never makes a pass.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "bench/base/text.h"
#include "bench/sensors/kernel_lines.h"
#include "report/verdict.h"

namespace {

using namespace linkburn;

/// A line about 1000 components of 40 topics is still below this.
constexpr std::size_t kMaxKept = 200'000;

Evidence evidence_of(std::string_view text, const Link* link) {
  Evidence evidence;
  std::int64_t seq = 1;
  const auto add = [&](Body body) { evidence.records.push_back({seq++, 0, std::move(body)}); };
  RunStart start;
  start.mode = "inspect";
  start.require = {"presence", "width", "speed"};
  add(std::move(start));
  if (link != nullptr) add(*link);
  KernelLines lines;
  for (const std::string_view line : lines_of(text)) {
    if (auto kept = lines.take(parse_dmesg(line), Phase::passive)) add(std::move(*kept));
    if (const auto record = parse_kmsg(line))
      if (auto kept = lines.take(*record, Phase::passive)) add(std::move(*kept));
  }
  for (Body& body : lines.left_out(Phase::passive)) add(std::move(body));
  RunEnd end;
  end.status = "complete";
  add(std::move(end));
  return evidence;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Link link;
  link.component = ComponentId::from_evidence("0000:17:00.0");
  link.peer = ComponentId::from_evidence("0000:16:00.0");
  link.device_end.files = link.peer_end.files = true;
  const Evidence evidence = evidence_of(text, &link);
  if (evidence.records.size() > kMaxKept) std::abort();
  if (judge(evidence).outcome == Outcome::pass) std::abort();
  (void)judge(evidence_of(text, nullptr));
  return 0;
}
