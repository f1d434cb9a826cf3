#include "report/rules/measured_finding.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace linkburn {
namespace {

const JudgedCopy& lowest(const std::vector<JudgedCopy>& rates) {
  return *std::min_element(
      rates.begin(), rates.end(),
      [](const JudgedCopy& a, const JudgedCopy& b) { return a.rate_gbs < b.rate_gbs; });
}

}  // namespace

void add_evidence(std::vector<std::int64_t>& all, const std::vector<std::int64_t>& more) {
  constexpr std::size_t kMost = 64;
  for (const std::int64_t seq : more)
    if (all.size() < kMost) all.push_back(seq);
}

std::string_view words_of_direction(const CopySeries& series) {
  if (series.direction == "h2d") return "host to device";
  return series.direction == "d2h" ? "device to host" : "to and from its peers";
}

std::string describe(const std::vector<JudgedCopy>& rates) {
  std::string text;
  for (const JudgedCopy& judged : rates) {
    text += fmt::format("{}{} {:.1f} GB/s{}", text.empty() ? "" : ", ",
                        words_of_direction(*judged.series), judged.rate_gbs,
                        judged.series->method == "kernel" ? " by a kernel" : "");
    const auto& usual = judged.series->usual_gbs;
    if (usual && judged.by_equals != CopyLevel::fine)
      text += fmt::format(" ({:.1f} GB/s of {} equals)", *usual, judged.series->agreeing);
    constexpr std::size_t kEnough = 200;
    if (text.size() > kEnough) return text + ", ...";
  }
  return text;
}

Finding copy_finding(const GpuCopies& copies, const std::vector<JudgedCopy>& rates,
                     std::string code, FindingClass cls) {
  Finding finding;
  finding.code = std::move(code);
  finding.cls = cls;
  finding.aspect = Aspect::rate;
  finding.component = copies.gpu;
  finding.gpu = copies.index;
  finding.phase = Phase::passive;
  const JudgedCopy& worst = lowest(rates);
  finding.achieved.rate_gbs = worst.rate_gbs;
  finding.achieved.text = fmt::format("{:.1f} GB/s", worst.rate_gbs);
  if (worst.series->usual_gbs) {
    finding.limit.rate_gbs = *worst.series->usual_gbs * kLowCopy;
    finding.origin = fmt::format("{:.2f} of what its equals in this node reach", kLowCopy);
  }
  if (copies.expected && worst.by_rating) {
    finding.rated.text = copies.expected->text;
    finding.rated.rate_gbs = copies.expected->rated_gbs;
    finding.limit.rate_gbs = copies.expected->rated_gbs * kCopyEfficiency * kLowCopy;
    finding.origin = fmt::format("{:.2f} of what copies get of {}; {}", kLowCopy,
                                 copies.expected->text, copies.expected->origin);
  }
  if (finding.limit.rate_gbs)
    finding.limit.text = fmt::format("{:.1f} GB/s", *finding.limit.rate_gbs);
  for (const JudgedCopy& judged : rates) add_evidence(finding.evidence, judged.evidence);
  finding.detail = describe(rates);
  return finding;
}

std::string how_to_settle(const GpuCopies& copies, bool peers) {
  if (peers) return "; run the test again, and look at nvidia-smi nvlink -s and nvidia-smi topo -m";
  const std::string where =
      copies.gpu.pci_address() ? fmt::format(" -s {}", copies.gpu.text()) : "";
  return fmt::format("; run the test again, and sudo lspci -vvv{} while it runs", where);
}

/// What only one direction shows is seldom the link, which is as wide and as fast in both.
std::string other_reasons(const std::vector<JudgedCopy>& rates) {
  bool up = false, down = false;
  for (const JudgedCopy& judged : rates) {
    const bool low = judged.by_equals.value_or(CopyLevel::fine) != CopyLevel::fine ||
                     judged.by_rating.value_or(CopyLevel::fine) != CopyLevel::fine;
    (judged.series->direction == "h2d" ? up : down) |= low;
  }
  if (up && !down)
    return "; one direction alone is seldom the link: memory of another NUMA node, an IOMMU and "
           "few outstanding reads slow reads of the host's memory";
  if (down && !up)
    return "; one direction alone is seldom the link: ordering and the host's way of writing slow "
           "writes to its memory";
  return "; a buffer or process on another NUMA node, an IOMMU, a virtual machine or other traffic "
         "slow healthy links too";
}

}  // namespace linkburn
