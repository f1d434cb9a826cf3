#include "report/rules/log_view.h"

#include <fmt/core.h>

#include <algorithm>

#include "report/rules/link_view.h"

namespace linkburn {
namespace {

constexpr std::size_t kMaxQuoteBytes = 160;

/// True when the last that the log says of a device is that it answers again.
std::optional<bool> answers_by_log(const Story& story, const ComponentId& id) {
  const LinkStory* link = story.link_of(id);
  const auto is_of = [&](const ComponentId& other) {
    return other == id || (link != nullptr && story.link_of(other) == link);
  };
  std::optional<std::pair<std::int64_t, std::int64_t>> gone, back;
  for (const auto& line : story.kernel_lines) {
    if (!line->component || !is_of(*line->component)) continue;
    const std::pair when(line->kernel_us, line.seq);
    if (says_gone(*line)) gone = std::max(gone.value_or(when), when);
    if (line->topic == "device_answers") back = std::max(back.value_or(when), when);
  }
  return gone && back && *back > *gone ? std::optional(true) : std::nullopt;
}

}  // namespace

ComponentId subject_of(const Story& story, const ComponentId& id) {
  if (const LinkStory* link = story.link_of(id)) return link->link->component;
  std::optional<PciAddress> below;
  for (const auto& [other, component] : story.components) {
    if (component->path.size() < 2 || component->path[1] != id) continue;
    auto address = other.pci_address();
    if (!address) continue;
    address->function = 0;
    if (below && *below != *address) return id;
    below = address;
  }
  return below ? ComponentId::pci(*below) : id;
}

std::map<ComponentId, LogLines> lines_by_subject(const Story& story,
                                                 bool (*wanted)(const KernelLine& line)) {
  std::map<ComponentId, LogLines> subjects;
  std::map<ComponentId, ComponentId> known;
  for (const auto& line : story.kernel_lines) {
    if (!line->component || !wanted(*line)) continue;
    const auto [subject, added] = known.try_emplace(*line->component);
    if (added) subject->second = subject_of(story, *line->component);
    subjects[subject->second].push_back(line);
  }
  for (auto& [subject, lines] : subjects)
    std::stable_sort(lines.begin(), lines.end(),
                     [](const auto& a, const auto& b) { return a->kernel_us < b->kernel_us; });
  return subjects;
}

bool says_gone(const KernelLine& line) {
  return (line.topic == "xid" && line.number == kXidOffTheBus) || line.topic == "device_lost" ||
         line.topic == "containment" || line.topic == "slot_down";
}

bool is_log_alone(const Story& story) {
  if (story.links.empty() && story.components.empty()) return true;
  const auto is_of_log = [](const auto& part) {
    return part->reader == "kernel_log" || part->reader.empty();
  };
  return story.is_captured() &&
         std::all_of(story.capture_parts.begin(), story.capture_parts.end(), is_of_log);
}

bool may_lack_devices(const Story& story) { return story.is_captured() || is_log_alone(story); }

bool is_listed(const Story& story, const ComponentId& id) {
  return story.component(id) != nullptr || story.link_of(id) != nullptr;
}

bool is_stranger(const Story& story, const ComponentId& id, const LogLines& lines,
                 RuleOutput& out) {
  if (is_listed(story, id) || may_lack_devices(story)) return false;
  out.not_judged.push_back({"what the kernel log says of " + id.text(),
                            "no such device in this inventory; " + quote(*lines.front()),
                            {},
                            {}});
  return true;
}

std::optional<bool> answers_now(const Story& story, const ComponentId& id) {
  const LinkStory* link = story.link_of(id);
  if (link == nullptr) return answers_by_log(story, id);
  if (is_asleep(*link)) return std::nullopt;
  const Link& seen = *link->link;
  if (is_silent(seen)) return false;
  const auto& port = seen.peer_end.registers;
  if (port && port->data_link_active == false) return false;
  const LinkEnd& device = seen.device_end;
  if (device.width.value_or(LinkWidth{}).lanes > 0 || device.speed) return true;
  return answers_by_log(story, id);
}

std::string quote(const KernelLine& line) {
  const std::string when =
      !line.when.empty() ? ", " + line.when
      : line.kernel_us > 0
          ? fmt::format(", {:.0f} s after boot", static_cast<double>(line.kernel_us) / 1e6)
          : "";
  const bool cut = line.text.size() > kMaxQuoteBytes;
  return fmt::format("kernel log{}: {}{}", when, line.text.substr(0, kMaxQuoteBytes),
                     cut ? "..." : "");
}

Finding log_finding(const Story& story, const ComponentId& id, std::string code, FindingClass cls,
                    Aspect aspect, const LogLines& lines) {
  Finding finding;
  if (const LinkStory* link = story.link_of(id); link != nullptr && link->link->component == id) {
    finding = link_finding(story, *link, std::move(code), cls, aspect);
  } else {
    finding.code = std::move(code);
    finding.cls = cls;
    finding.aspect = aspect;
    finding.component = id;
  }
  for (const auto& gpu : story.gpus)
    if (gpu->component == finding.component) finding.gpu = gpu->index;
  finding.limit = {};
  finding.origin.clear();
  finding.phase = lines.front()->phase;
  finding.at_ns = lines.front().at_ns;
  for (const auto& line : lines) finding.evidence.push_back(line.seq);
  return finding;
}

}  // namespace linkburn
