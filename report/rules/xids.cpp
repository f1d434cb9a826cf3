// What do NVIDIA GPUs and switches say in the kernel log? Only some of their numbers speak of a
// link; others speak of memory, firmware, or of the program that ran. Xid 79, a GPU off the bus, is
// judged by device_drops.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>

#include "bench/base/text.h"
#include "report/rules/log_view.h"
#include "report/rules/table.h"

namespace linkburn {
namespace {

/// About what a number speaks. `program`: what ran is at fault. `note`: no reason to act.
enum class About { bus, nvlink, memory, firmware, program, note };

struct Number {
  int first, last;
  About about;
};
// [NVIDIA open-gpu-kernel-modules, nverror.h; NVIDIA Xid catalogue]
constexpr std::array kNumbers = std::to_array<Number>({
    {8, 8, About::program},      {13, 13, About::program},    {31, 32, About::program},
    {38, 38, About::firmware},   {43, 43, About::program},    {45, 45, About::program},
    {48, 48, About::memory},     {61, 62, About::firmware},   {63, 63, About::note},
    {64, 64, About::memory},     {68, 69, About::program},    {74, 74, About::nvlink},
    {92, 92, About::note},       {94, 95, About::memory},     {109, 109, About::firmware},
    {119, 120, About::firmware}, {121, 121, About::nvlink},   {136, 137, About::nvlink},
    {140, 140, About::memory},   {143, 143, About::firmware}, {144, 150, About::nvlink},
    {154, 154, About::note},     {155, 155, About::nvlink},   {158, 158, About::firmware},
    {167, 167, About::bus},      {171, 172, About::memory},   {173, 173, About::nvlink},
    {176, 176, About::bus},
});

/// A correctable fault of the bus, and an access that the program had no right to: worth a warning.
constexpr std::array kMilder{137, 176};

std::optional<About> about(const KernelLine& line) {
  // Switches report on many errors of theirs that they got over; the fatal ones are of NVLinks.
  if (line.topic == "sxid")
    return line.text.find(", Fatal") != std::string::npos ? About::nvlink : About::note;
  const auto row = std::find_if(kNumbers.begin(), kNumbers.end(), [&](const Number& number) {
    return line.number && *line.number >= number.first && *line.number <= number.last;
  });
  return row == kNumbers.end() ? std::nullopt : std::optional(row->about);
}

bool is_mild(const KernelLine& line) {
  return line.text.find("Nonfatal") != std::string::npos ||
         (line.topic == "xid" && line.number &&
          std::find(kMilder.begin(), kMilder.end(), *line.number) != kMilder.end());
}

bool says_fatal(const Seen<KernelLine>& line) {
  return line->text.find(" fatal error") != std::string::npos ||
         line->text.find(" Fatal") != std::string::npos;
}

/// Numbers after the word "link": "fatal error detected on link 3", "Link 44 egress".
void add_links(const KernelLine& line, std::set<int>& links) {
  const std::string_view text = line.text;
  for (const std::string_view word : {" link ", " Link "}) {
    const std::size_t at = text.find(word);
    if (at == std::string_view::npos) continue;
    const auto number = leading_number(text.substr(at + word.size()));
    if (number && *number >= 0 && *number < 64) links.insert(static_cast<int>(*number));
  }
}

std::string numbers_in(const LogLines& lines) {
  std::map<std::string, int> counts;
  for (const auto& line : lines)
    ++counts[fmt::format("{} {}", line->topic == "sxid" ? "SXid" : "Xid", *line->number)];
  std::string text;
  for (const auto& [name, count] : counts)
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", name,
                        count > 1 ? fmt::format(" ({} times)", count) : "");
  return text;
}

/// Links that failed before this run may have been repaired or retrained since; that of the bus has
/// been when the device answers.
FindingClass class_of(const Story& story, const ComponentId& id, About what,
                      const LogLines& lines) {
  const bool mild =
      std::all_of(lines.begin(), lines.end(), [](const auto& line) { return is_mild(*line); });
  if (mild || what == About::memory || what == About::firmware) return FindingClass::marginal;
  // Of a log alone the last word of a link is that it failed for good.
  const bool fatal = is_log_alone(story) && std::any_of(lines.begin(), lines.end(), says_fatal);
  if (fatal && what == About::nvlink) return FindingClass::degraded;
  const bool over = !story.live_run && (what != About::bus || answers_now(story, id) == true);
  return over ? FindingClass::marginal : FindingClass::degraded;
}

Finding judge_lines(const Story& story, const ComponentId& id, About what, const LogLines& lines) {
  const std::string code = what == About::bus      ? "LB-XID-BUS"
                           : what == About::nvlink ? "LB-XID-NVLINK"
                                                   : "LB-XID-DEVICE";
  Finding finding =
      log_finding(story, id, code, class_of(story, id, what, lines), Aspect::errors, lines);
  finding.detail = fmt::format("{}; {}", numbers_in(lines), quote(*lines.front()));
  if (what != About::nvlink) return finding;
  std::set<int> links;
  const bool any_fatal = std::any_of(lines.begin(), lines.end(), says_fatal);
  for (const auto& line : lines)
    if (!any_fatal || says_fatal(line)) add_links(*line, links);
  finding.links.assign(links.begin(), links.end());
  finding.rated = finding.negotiated = {};  // those of PCIe
  return finding;
}

void judge_device(const Story& story, const ComponentId& id, const LogLines& lines,
                  RuleOutput& out) {
  std::map<About, LogLines> by_subject;
  LogLines unknown;
  for (const auto& line : lines) {
    const auto what = about(*line);
    (what ? by_subject[*what] : unknown).push_back(line);
  }
  for (const About what : {About::bus, About::nvlink}) {
    if (const auto found = by_subject.find(what); found != by_subject.end())
      out.findings.push_back(judge_lines(story, id, what, found->second));
  }
  LogLines device = by_subject[About::memory];
  const LogLines& firmware = by_subject[About::firmware];
  device.insert(device.end(), firmware.begin(), firmware.end());
  if (!device.empty()) out.findings.push_back(judge_lines(story, id, About::memory, device));
  LogLines program = by_subject[About::program];
  const LogLines& notes = by_subject[About::note];
  program.insert(program.end(), notes.begin(), notes.end());
  if (!program.empty() && is_log_alone(story))
    out.not_judged.push_back(
        {numbers_in(program) + " of " + id.text(),
         "about a program or a note, not about a link; " + quote(*program.front()),
         {},
         {}});
  if (!unknown.empty())
    out.not_judged.push_back({numbers_in(unknown) + " of " + id.text(),
                              "not known to this version; " + quote(*unknown.front()),
                              "the driver's Xid catalogue",
                              {}});
}

/// Switches say of each error in a second line where it was: "SXid (...): 20034, Severity 1 Engine
/// instance 30 ..." [NVIDIA Fabric Manager user guide, SXid].
bool continues(const KernelLine& line) {
  return line.topic == "sxid" && line.text.find(", Severity ") != std::string::npos;
}

void apply(const Story& story, RuleOutput& out) {
  const auto numbered = [](const KernelLine& line) {
    return line.number && line.number != kXidOffTheBus && !continues(line) &&
           (line.topic == "xid" || line.topic == "sxid");
  };
  for (const auto& [id, lines] : lines_by_subject(story, numbered))
    if (!is_stranger(story, id, lines, out)) judge_device(story, id, lines, out);
}

}  // namespace

const Rule xids_rule{"xids", "What do NVIDIA GPUs and switches say in the kernel log?", apply};

}  // namespace linkburn
