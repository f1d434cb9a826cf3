// For people: the verdict on the first line, then what is wrong and what to do about it, then the
// facts.
#include <fmt/core.h>

#include <algorithm>

#include "report/render/text_parts.h"

namespace linkburn {
namespace {

constexpr std::size_t kFewestColumns = 60;
constexpr std::size_t kMostColumns = 1000;

/// Reports over more nodes than this print tables only for nodes with something to say.
constexpr std::size_t kNodesInFull = 16;

std::string counts_text(std::span<const Finding* const> findings, std::size_t not_judged) {
  std::string text;
  for (const auto& [cls, count] : class_counts(findings))
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, to_string(cls));
  if (text.empty()) text = "nothing judged";
  if (not_judged > 0) text += fmt::format(", {} not judged", not_judged);
  return text;
}

std::string name_of(const NodeView& node) {
  const std::string name = plain(node.name, 64);
  return name.empty() ? "node without a name" : name;
}

/// The profile of a run, or what was done instead of one.
std::string run_name(const NodeView& node) {
  if (!node.start) return {};
  return plain(node.start->profile.empty() ? node.start->mode : node.start->profile, 40);
}

void append_head(std::string& out, const Report& report, const ReportView& view,
                 const TextStyle& style) {
  std::vector<const Finding*> findings;
  for (const Finding& finding : report.verdict.findings) findings.push_back(&finding);
  const std::string word(to_string(report.verdict.outcome));
  std::string text;
  if (view.nodes.size() == 1)
    text += name_of(view.nodes.front()) + "  ";
  else
    text += fmt::format("{} nodes  ", view.nodes.size());
  const std::string run = view.nodes.empty() ? "" : run_name(view.nodes.front());
  if (!run.empty()) text += run + "  ";
  text += counts_text(findings, report.verdict.not_judged.size());
  // Before the verdict: nobody, and no script that looks at the first word, takes it for another.
  const std::string drill = view.drill ? "DRILL " : "";
  std::string head;
  wrap(head, drill + word + "  ", text, style.columns);
  out +=
      drill + style.paint(word, report.verdict.outcome) + head.substr(drill.size() + word.size());
  if (view.drill)
    wrap(
        out, "DRILL  ",
        "Software devices with injected faults were tested. This says nothing about real hardware.",
        style.columns);
}

bool is_all_well(const NodeView& node) {
  return std::all_of(node.findings.begin(), node.findings.end(),
                     [](const Finding* finding) { return finding->cls == FindingClass::healthy; });
}

/// What the reader must know before any number: nothing to judge, or not the live node.
void append_plain_words(std::string& out, const NodeView& node, const TextStyle& style) {
  if (!node.evidence)
    wrap(out, "", fmt::format("There is no evidence of {}.", name_of(node)), style.columns);
  else if (node.links.empty() && !node.captures.empty() && is_all_well(node))
    wrap(out, "", "No captured text tells of a PCIe link: nothing can be said about slots.",
         style.columns);
  else if (node.links.empty() && node.captures.empty() && node.end)
    wrap(out, "",
         fmt::format("No PCIe link was found on {}: nothing can be said about its slots.",
                     name_of(node)),
         style.columns);
  else if (node.links.empty() && node.captures.empty())
    wrap(out, "",
         fmt::format("The evidence of {} ends before any PCIe link was found.", name_of(node)),
         style.columns);
  if (node.start && !node.start->source.empty() && node.start->source != "live")
    wrap(out, "",
         fmt::format(
             "{} {}, not a live node.",
             node.captures.empty() ? "This is the captured tree" : "These are captured texts:",
             plain(node.start->source, 200)),
         style.columns);
}

void append_reasons(std::string& out, const Verdict& verdict, const TextStyle& style) {
  if (verdict.reasons.empty()) return;
  out += verdict.outcome == Outcome::incomplete ? "Why it is INCOMPLETE\n" : "Also incomplete\n";
  for (const std::string& reason : verdict.reasons)
    if (!reason.empty()) wrap(out, "  - ", plain(reason), style.columns);
  out += '\n';
}

/// Who measured when, what could not have been seen, and where the evidence lies.
void append_origin(std::string& out, const NodeView& node, const TextStyle& style) {
  if (const RunStart* start = node.start) {
    std::string text =
        fmt::format("Evidence of {} {}", plain(start->tool, 40), plain(start->version, 40));
    if (!start->started.empty()) text += fmt::format(", started {}", plain(start->started, 40));
    if (start->sampling_period_ms)
      text += fmt::format(", link state sampled every {} ms (shorter events can have been missed)",
                          *start->sampling_period_ms);
    wrap(out, "", text, style.columns);
  }
  if (node.evidence && !node.evidence->file.empty())
    out += fmt::format("evidence: {}\n", plain(node.evidence->file));
}

void append_facts(std::string& out, const NodeView& node, const TextStyle& style) {
  append_links(out, node, style);
  append_ports(out, node, style);
  append_memory(out, node, style);
  append_gpus(out, node, style);
  append_measurements(out, node, style);
  append_captures(out, node, style);
  append_not_judged(out, node, style);
  append_origin(out, node, style);
}

bool all_healthy(const NodeView& node) {
  return node.evidence && !node.findings.empty() &&
         node.findings.front()->cls == FindingClass::healthy;
}

void append_node(std::string& out, const NodeView& node, bool in_full, const TextStyle& style) {
  wrap(out, "== ",
       fmt::format("{}{}  {}", node.start && node.start->drill ? "DRILL " : "", name_of(node),
                   counts_text(node.findings, node.not_judged.size())),
       style.columns);
  if (!in_full) return;
  append_plain_words(out, node, style);
  out += '\n';
  append_findings(out, node, style);
  append_facts(out, node, style);
  out += '\n';
}

/// Nodes with the worst finding first; nodes without evidence before nodes where all is well.
std::vector<const NodeView*> worst_first(const ReportView& view) {
  const auto weight = [](const NodeView* node) {
    if (node->findings.empty()) return FindingClass::undecided;
    return node->findings.front()->cls;
  };
  std::vector<const NodeView*> nodes;
  for (const NodeView& node : view.nodes) nodes.push_back(&node);
  std::stable_sort(nodes.begin(), nodes.end(),
                   [&](const NodeView* a, const NodeView* b) { return weight(a) > weight(b); });
  return nodes;
}

std::string render_text(const Report& report, const RenderOptions& options) {
  const ReportView view = ReportView::of(report);
  const auto columns = static_cast<std::size_t>(std::max(options.columns, 0));
  const TextStyle style{std::clamp(columns, kFewestColumns, kMostColumns), {options.colour}};
  std::string out;
  append_head(out, report, view, style);
  if (view.nodes.empty()) wrap(out, "", "There is no evidence of any node.", style.columns);
  if (view.nodes.size() == 1) append_plain_words(out, view.nodes.front(), style);
  out += '\n';
  if (view.nodes.size() == 1) {
    append_findings(out, view.nodes.front(), style);
    append_reasons(out, report.verdict, style);
    append_facts(out, view.nodes.front(), style);
    return out;
  }
  append_reasons(out, report.verdict, style);
  const bool all_in_full = view.nodes.size() <= kNodesInFull;
  for (const NodeView* node : worst_first(view))
    append_node(out, *node, all_in_full || !all_healthy(*node), style);
  return out;
}

}  // namespace

extern const Renderer text_renderer;
const Renderer text_renderer{"text", "for people: verdict first, then what to do about it",
                             render_text};

}  // namespace linkburn
