#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <span>

#include "report/render/text_parts.h"

namespace linkburn {
namespace {

constexpr std::size_t kMostEvidence = 12;  ///< record numbers shown; JSON has all

std::string upper(std::string_view word) {
  std::string out(word);
  for (char& c : out)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 32);
  return out;
}

/// Adds a part to a list of parts of a line; empty parts leave no trace.
void join(std::string& line, std::string_view separator, std::string_view part) {
  if (part.empty()) return;
  if (!line.empty()) line += separator;
  line += part;
}

std::string phase_text(Phase phase) {
  switch (phase) {
    case Phase::passive:
      return "phase passive (nothing was loaded)";
    case Phase::idle:
      return "phase idle (before the load)";
    case Phase::warm_up:
      return "phase warm_up (load, not yet settled)";
    case Phase::measure:
      return "phase measure (under load)";
    case Phase::cool_down:
      return "phase cool_down (after the load)";
  }
  return {};
}

/// Place, address, device name and the device's own numbers.
std::string where(const Finding& finding, const NodeView& node) {
  const Component* device = node.component(finding.component);
  const std::optional<Slot>& place = finding.place || !device ? finding.place : device->slot;
  std::string line = place ? place_text(*place) : "";
  join(line, "  ", plain(finding.component.text(), 80));
  if (device) join(line, "  ", plain(device->name, 60));
  if (finding.gpu) join(line, "  ", fmt::format("GPU {}", *finding.gpu));
  if (!finding.links.empty())
    join(line, "  ",
         fmt::format("link{} {}", finding.links.size() == 1 ? "" : "s",
                     fmt::join(finding.links, ", ")));
  return line;
}

/// Negotiated and achieved against rated.
std::string numbers(const Finding& finding) {
  std::string line;
  const auto add = [&](std::string_view name, const Quantity& quantity) {
    if (!quantity.empty()) join(line, ", ", fmt::format("{} {}", name, plain(quantity.text, 120)));
  };
  add("negotiated", finding.negotiated);
  add("achieved", finding.achieved);
  add("rated", finding.rated);
  return line;
}

std::string seen(const Finding& finding) {
  std::string line = plain(finding.when, 40);
  if (line.empty() && finding.at_ns)
    line = fmt::format("{:.1f} s after the start", static_cast<double>(*finding.at_ns) / 1e9);
  if (finding.phase) join(line, ", ", phase_text(*finding.phase));
  if (finding.evidence.empty()) return line;
  const auto shown = std::min(finding.evidence.size(), kMostEvidence);
  const std::span<const std::int64_t> first(finding.evidence.data(), shown);
  std::string records = fmt::format("evidence records {}", fmt::join(first, ", "));
  if (shown < finding.evidence.size())
    records += fmt::format(" and {} more", finding.evidence.size() - shown);
  join(line, ", ", records);
  return line;
}

std::string limit(const Finding& finding) {
  std::string line = plain(finding.limit.empty() ? finding.rated.text : finding.limit.text, 120);
  const std::string origin = plain(finding.origin, 300);
  if (line.empty()) return origin;
  return origin.empty() ? line : fmt::format("{}, from: {}", line, origin);
}

/// The lines below a block's head. A label stands once, its further lines are indented.
class Lines {
 public:
  Lines(std::string& out, std::size_t columns) : out_(out), columns_(columns) {}
  void add(std::string_view label, std::string_view text, std::string_view bullet = {}) {
    if (text.empty()) return;
    const bool same = label == label_;
    wrap(out_, fmt::format("  {:<7}{}", same ? "" : label, bullet), text, columns_);
    label_ = label;
  }
  /// To be copied: as it stands, however long.
  void add_command(std::string_view command) {
    constexpr std::size_t kMostBytes = 400;
    out_ += fmt::format("           {}\n", plain(command, kMostBytes));
  }

 private:
  std::string& out_;
  std::size_t columns_;
  std::string label_;
};

/// What the catalogue said further up: the code, and the component it was said for.
using Explained = std::map<std::string, std::string>;

void add_next_steps(Lines& lines, const CatalogueRow& row) {
  int number = 0;
  for (std::string_view step : row.next)
    lines.add("next", plain(step), fmt::format("{}. ", ++number));
}

void append_block(std::string& out, const Finding& finding, const NodeView& node,
                  const TextStyle& style, Explained& explained) {
  const std::string word = upper(to_string(finding.cls));
  std::string head;
  wrap(head, word + "  ", where(finding, node), style.columns);
  out += style.paint(word, finding.cls) + head.substr(word.size());

  const CatalogueRow* row = row_of(finding.code);
  const std::string code = plain(finding.code, 40);
  const std::string component = plain(finding.component.text(), 80);
  const auto [known, is_new] = explained.emplace(finding.code, component);
  Lines lines(out, style.columns);
  lines.add("what", row ? fmt::format("{} ({})", plain(row->title), code) : code);
  lines.add("what", numbers(finding));
  if (finding.limiter)
    lines.add("what", fmt::format("held back by {}", plain(finding.limiter->text(), 80)));
  if (row && is_new) lines.add("what", plain(row->meaning));
  lines.add("seen", plain(finding.detail));
  lines.add("seen", seen(finding));
  lines.add("limit", limit(finding));
  lines.add("needs", plain(finding.missing));
  if (!finding.commands.empty()) lines.add("needs", "settle it with:");
  for (const std::string& command : finding.commands) lines.add_command(command);
  if (!finding.accepted.empty())
    lines.add("known", plain("accepted by the site " + finding.accepted));
  if (row && is_new)
    add_next_steps(lines, *row);
  else if (row && !row->next.empty())
    lines.add("next", fmt::format("as for {} above", known->second));
  out += '\n';
}

}  // namespace

std::string place_text(const Slot& slot) {
  const std::string label = plain(slot.label, 40);
  const std::string source = plain(slot.source, 40);
  const bool says_slot = upper(label).starts_with("SLOT");
  std::string text = says_slot ? label : fmt::format("slot {}", label);
  if (!source.empty()) text += fmt::format(" [{}]", source);
  for (const SlotName& other : slot.others)
    text += fmt::format(", but {} says {}", plain(other.source, 40), plain(other.label, 40));
  return label.empty() ? "" : text;
}

void append_findings(std::string& out, const NodeView& node, const TextStyle& style) {
  Explained explained;
  for (const Finding* finding : node.findings)
    if (finding->cls != FindingClass::healthy) append_block(out, *finding, node, style, explained);
}

}  // namespace linkburn
