// For a scheduler's drain reason and a monitor's message: one line, the essence first. `sinfo -R`
// shows the first 20 characters of a reason [slurm.schedmd.com/sinfo.html, "-R"], the Kubernetes
// node-problem-detector 80 bytes of a message [node-problem-detector, custom plugin monitor,
// max_output_length].
#include <fmt/core.h>

#include <algorithm>

#include "report/render/layout.h"
#include "report/render/view.h"

namespace linkburn {
namespace {

constexpr std::size_t kMostBytes = 79;  ///< 80 with the newline
constexpr std::size_t kShownBySinfo = 20;
constexpr std::string_view kPrefix = "lb ";

/// Three digits are enough in a line; no exponents.
std::string digits(double value) {
  return value < 100 ? fmt::format("{:.3g}", value) : fmt::format("{:.0f}", value);
}

/// Measured against rated in few characters: "x8<x16", "8<16GT/s", "25<100Gb/s".
std::string shortfall(const Finding& finding) {
  const Quantity& has = finding.achieved.empty() ? finding.negotiated : finding.achieved;
  const Quantity& wants = finding.limit.empty() ? finding.rated : finding.limit;
  const Quantity& negotiated = finding.negotiated;
  const Quantity& rated = finding.rated;
  if (finding.aspect == Aspect::width && negotiated.width && rated.width)
    return fmt::format("x{}<x{}", *negotiated.width, *rated.width);
  if (finding.aspect == Aspect::speed && negotiated.speed_gts && rated.speed_gts)
    return fmt::format("{:g}<{:g}GT/s", *negotiated.speed_gts, *rated.speed_gts);
  if (!has.rate_gbs || !wants.rate_gbs) return {};
  if (finding.aspect == Aspect::ports)
    return fmt::format("{}<{}Gb/s", digits(*has.rate_gbs * 8), digits(*wants.rate_gbs * 8));
  return fmt::format("{}<{}GB/s", digits(*has.rate_gbs), digits(*wants.rate_gbs));
}

std::string trouble(const Finding& finding) {
  if (finding.cls == FindingClass::lost) return "LOST";
  if (finding.cls == FindingClass::misconfigured) return "MISCONFIG";
  if (finding.aspect == Aspect::data) return "WRONG DATA";
  const std::string numbers = shortfall(finding);
  return numbers.empty() ? "DEGRADED" : numbers;
}

/// "slot7", "PCIE7"; nothing for a label with blanks, which is a sentence and no label.
std::string slot_word(const Finding& finding) {
  if (!finding.place) return {};
  const std::string label = plain(finding.place->label, 20);
  if (label.empty() || label.find(' ') != std::string::npos) return {};
  return label[0] >= '0' && label[0] <= '9' ? "slot" + label : label;
}

/// The slot where a person walks to, if place and trouble fit what sinfo shows; else the address
/// without its domain, or the name.
std::string where(const Finding& finding, std::string_view what) {
  const std::string slot = slot_word(finding);
  if (!slot.empty() && kPrefix.size() + slot.size() + 1 + what.size() <= kShownBySinfo) return slot;
  const std::string id = plain(finding.component.text(), 40);
  return finding.component.pci_address() ? id.substr(id.find(':') + 1) : id;
}

std::string essence(const Finding& finding) {
  const std::string what = trouble(finding);
  return fmt::format("{} {}", where(finding, what), what);
}

/// The worst first.
std::vector<const Finding*> failures(const Verdict& verdict) {
  std::vector<const Finding*> found;
  for (const Finding& finding : verdict.findings)
    if (fails(finding)) found.push_back(&finding);
  std::stable_sort(found.begin(), found.end(),
                   [](const Finding* a, const Finding* b) { return a->cls > b->cls; });
  return found;
}

std::string rest_of(const Finding& finding, std::size_t others) {
  std::string text = fmt::format(" {} {}", plain(finding.component.text(), 30), finding.code);
  if (others > 0) text += fmt::format(" +{} more", others);
  return text;
}

std::string fail_line(const Verdict& verdict, const ReportView& view) {
  const std::vector<const Finding*> found = failures(verdict);
  if (found.empty()) return "FAIL";
  const Finding& worst = *found.front();
  const std::string rest = rest_of(worst, found.size() - 1);
  if (view.drill && view.nodes.size() == 1) return fmt::format("FAIL {}{}", essence(worst), rest);
  if (view.nodes.size() == 1) return fmt::format("{} FAIL{}", essence(worst), rest);
  std::size_t bad_nodes = 0;
  for (const NodeView& node : view.nodes)
    if (std::any_of(node.findings.begin(), node.findings.end(),
                    [](const Finding* finding) { return fails(*finding); }))
      ++bad_nodes;
  return fmt::format("FAIL {}/{} nodes {} {}{}", bad_nodes, view.nodes.size(),
                     plain(worst.node, 30), essence(worst), rest);
}

std::string incomplete_line(const Verdict& verdict, const ReportView& view) {
  std::size_t links = 0;
  bool all_ended = true;
  for (const NodeView& node : view.nodes) {
    links += node.links.size();
    all_ended = all_ended && node.end;
  }
  if (view.nodes.empty()) return "INCOMPLETE no evidence";
  if (links == 0 && all_ended) return "INCOMPLETE no PCIe links";
  if (!verdict.reasons.empty())
    return fmt::format("INCOMPLETE {}", plain(verdict.reasons.front(), 80));
  return "INCOMPLETE nothing judged";
}

std::string counted(std::size_t count, std::string_view thing) {
  return fmt::format(" {} {}{}", count, thing, count == 1 ? "" : "s");
}

std::string pass_line(const Verdict& verdict, const ReportView& view) {
  std::size_t links = 0, ports = 0, marginal = 0;
  for (const NodeView& node : view.nodes) links += node.links.size(), ports += node.ports.size();
  for (const Finding& finding : verdict.findings)
    if (finding.cls == FindingClass::marginal) ++marginal;
  std::string text = "PASS" + counted(links, "link");
  if (marginal > 0) text += fmt::format(" {} marginal", marginal);
  if (ports > 0) text += counted(ports, "port");
  if (view.nodes.size() > 1) text += counted(view.nodes.size(), "node");
  if (!verdict.not_judged.empty()) text += fmt::format(" {} not judged", verdict.not_judged.size());
  return text;
}

/// At most `most` bytes, without half a word at the end.
std::string cut(std::string line, std::size_t most) {
  if (line.size() <= most) return line;
  const std::size_t blank = line.rfind(' ', most);
  line.resize(blank == std::string::npos || blank < kShownBySinfo ? most : blank);
  return line;
}

std::string render_oneline(const Report& report, const RenderOptions&) {
  const ReportView view = ReportView::of(report);
  std::string line(kPrefix);
  if (view.drill) line += "DRILL ";
  switch (report.verdict.outcome) {
    case Outcome::fail:
      line += fail_line(report.verdict, view);
      break;
    case Outcome::pass:
      line += pass_line(report.verdict, view);
      break;
    case Outcome::incomplete:
      line += incomplete_line(report.verdict, view);
      break;
  }
  return cut(plain(line), kMostBytes) + "\n";
}

}  // namespace

extern const Renderer oneline_renderer;
const Renderer oneline_renderer{
    "oneline", "for a drain reason: 80 bytes, the essence in the first 20", render_oneline};

}  // namespace linkburn
