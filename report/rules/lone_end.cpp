// What does one end of a link tell, where its port was not captured? At its own full width and
// speed a link is as good as it can be, whatever the port. Below that, the port may be built for
// less, or the link may have lost what it had: the port's capability decides, and is not there.
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "report/rules/equals.h"
#include "report/rules/link_view.h"
#include "report/rules/lone_view.h"
#include "report/rules/table.h"

namespace linkburn {
namespace {

/// What one aspect of the link comes to.
struct Answer {
  Aspect aspect = Aspect::width;
  FindingClass cls = FindingClass::healthy;
  std::string code = "LB-HEALTHY", detail, missing;
  Quantity rated;
  std::string origin;
};

Answer undecided(Aspect aspect, std::string detail, std::string missing) {
  return {
      aspect, FindingClass::undecided, "LB-NO-EVIDENCE", std::move(detail), std::move(missing), {},
      {}};
}

std::string port_missing(const LoneEnd& lone) {
  if (lone.nameless) return "lspci -vv of this device with its address, and of the port above it";
  return fmt::format("the capability of the port above {} (LnkCap)",
                     lone.link->link->component.text());
}

std::string full_equals(std::size_t full, const Equals& equals, std::string_view what) {
  if (equals.all < 2) return {};
  return fmt::format("; of {} equal devices here, {} run{} at full {}", equals.all, full,
                     full == 1 ? "s" : "", what);
}

/// The clear majority of many equal GPUs has all lanes in use.
bool is_odd_width(const LoneEnd& lone) {
  return lone.is_gpu && lone.equals.all >= kBuiltAlike &&
         is_majority(lone.equals.full_width, lone.equals.all);
}

Answer narrow(const LoneEnd& lone) {
  const std::string seen = fmt::format("runs at {}, the device could do {}", to_string(*lone.width),
                                       to_string(*lone.own_width));
  const std::string equals = full_equals(lone.equals.full_width, lone.equals, "width");
  if (!is_odd_width(lone))
    return undecided(Aspect::width,
                     seen + ": the port may have no more lanes, or some are lost" + equals,
                     port_missing(lone));
  return {Aspect::width,
          FindingClass::degraded,
          "LB-PCIE-WIDTH",
          seen + equals,
          {},
          quantity(lone.own_speed, lone.own_width),
          "its equals in this node"};
}

/// The driver of a GPU tells the best of this GPU in this system: all lanes that the slot has, or
/// all that came up. Its equals tell which.
bool has_equals(const LoneEnd& lone) {
  return lone.is_gpu && lone.equals.all >= kFewestEquals &&
         lone.link->link->device_end.source == "nvidia-smi";
}

bool is_narrower_than_equals(const LoneEnd& lone) {
  return has_equals(lone) && lone.equals.usual_width && *lone.width < *lone.equals.usual_width;
}

bool is_slower_than_equals(const LoneEnd& lone) {
  return has_equals(lone) && lone.equals.usual_maximum &&
         *lone.own_speed < *lone.equals.usual_maximum;
}

Answer below_its_equals(const LoneEnd& lone, Aspect aspect, const std::string& has,
                        const std::string& usual) {
  const std::string seen =
      fmt::format("{} is the best that its driver found; most of {} equal devices here have {}",
                  has, lone.equals.all, usual);
  if (lone.equals.all < kBuiltAlike)
    return undecided(aspect, seen + ": its slot may be built for less", port_missing(lone));
  const bool width = aspect == Aspect::width;
  return {aspect,
          FindingClass::degraded,
          width ? "LB-PCIE-WIDTH" : "LB-PCIE-SPEED",
          seen,
          {},
          width ? quantity(lone.own_speed, lone.equals.usual_width)
                : quantity(lone.equals.usual_maximum, lone.own_width),
          "its equals in this node"};
}

Answer by_site_width(const LoneEnd& lone, const Rated<LinkWidth>& rated) {
  const bool below = *lone.width < rated.value;
  return {Aspect::width,
          below ? FindingClass::degraded : FindingClass::healthy,
          below ? "LB-PCIE-WIDTH" : "LB-HEALTHY",
          below
              ? fmt::format("runs at {}, rated {}", to_string(*lone.width), to_string(rated.value))
              : "",
          {},
          quantity({}, rated.value),
          rated.origin};
}

Answer judge_width(const LoneEnd& lone) {
  const Link& seen = *lone.link->link;
  if (seen.device_end.width && seen.device_end.width->lanes == 0)
    return undecided(Aspect::width, "link width 0: no link negotiated, or a virtual function",
                     "the link of the physical function, seen from the host");
  if (!lone.width)
    return undecided(Aspect::width, "its link width is not known", "its link status (LnkSta)");
  if (const auto& rated = lone.link->rating.width; rated && rated->from_site)
    return by_site_width(lone, *rated);
  if (!lone.own_width)
    return undecided(
        Aspect::width,
        fmt::format("runs at {}, and what it could do is not known", to_string(*lone.width)),
        "its link capability (LnkCap)");
  if (*lone.width > *lone.own_width)
    return undecided(Aspect::width,
                     fmt::format("runs at {}, above its capability of {}: one of them is wrong",
                                 to_string(*lone.width), to_string(*lone.own_width)),
                     port_missing(lone));
  if (lone.views && lone.views->width_open)
    return undecided(Aspect::width, lone.views->words, "both ends of the link, read once more");
  if (*lone.width < *lone.own_width) return narrow(lone);
  if (!is_narrower_than_equals(lone)) return {};
  return below_its_equals(lone, Aspect::width, to_string(*lone.width),
                          to_string(*lone.equals.usual_width));
}

/// The best that this GPU can get in this node, as its driver says.
std::optional<LinkSpeed> best_here(const LoneEnd& lone) {
  if (lone.gpu == nullptr) return std::nullopt;
  const auto& host = lone.gpu->host_max_speed;
  return host ? std::min(host, lone.own_speed) : lone.gpu->max_speed;
}

Answer slow(const LoneEnd& lone, LinkSpeed wanted) {
  const std::string seen =
      fmt::format("runs at {}, {} {}", to_string(*lone.speed),
                  lone.own_speed == wanted ? "the device could do" : "rated", to_string(wanted));
  const auto here = best_here(lone);
  if (here && lone.gpu->host_max_speed && *lone.speed >= *here)
    return {Aspect::speed,
            FindingClass::limited,
            "LB-PCIE-LIMITED",
            fmt::format("{}; the host gives no more, as its driver says", seen),
            {},
            quantity(here, {}),
            "the host's maximum, as the driver of the GPU says"};
  Answer answer = undecided(Aspect::speed,
                            seen + ": idle links run slow by design" +
                                full_equals(lone.equals.full_speed, lone.equals, "speed"),
                            "a reading under load; " + port_missing(lone));
  answer.code = "LB-NEEDS-LOAD";
  return answer;
}

Answer judge_speed(const LoneEnd& lone) {
  Answer healthy;
  healthy.aspect = Aspect::speed;
  if (!lone.speed)
    return undecided(Aspect::speed, "its link speed is not known", "its link status (LnkSta)");
  if (const auto& rated = lone.link->rating.speed; rated && rated->from_site) {
    healthy.rated = quantity(rated->value, {}), healthy.origin = rated->origin;
    return *lone.speed < rated->value ? slow(lone, rated->value) : healthy;
  }
  if (!lone.own_speed)
    return undecided(
        Aspect::speed,
        fmt::format("runs at {}, and what it could do is not known", to_string(*lone.speed)),
        "its link capability (LnkCap)");
  if (*lone.speed > *lone.own_speed)
    healthy.detail = fmt::format("runs at {}, above what it says it can do ({}): no fault",
                                 to_string(*lone.speed), to_string(*lone.own_speed));
  if (*lone.speed >= *lone.own_speed && lone.views && lone.views->speed_open)
    return undecided(Aspect::speed, lone.views->words, "both ends of the link, read once more");
  if (*lone.speed < *lone.own_speed) return slow(lone, *lone.own_speed);
  if (!is_slower_than_equals(lone)) return healthy;
  return below_its_equals(lone, Aspect::speed, to_string(*lone.own_speed),
                          to_string(*lone.equals.usual_maximum));
}

void add_detail(std::string& detail, const std::string& more) {
  if (!more.empty() && detail.find(more) == std::string::npos)
    detail += (detail.empty() ? "" : "; ") + more;
}

Finding finding_of(const Story& story, const LoneEnd& lone, const Answer& answer) {
  Finding finding = link_finding(story, *lone.link, answer.code, answer.cls, answer.aspect);
  finding.rated = answer.rated;
  finding.origin = answer.origin;
  if (answer.cls == FindingClass::healthy && answer.rated.empty()) {
    finding.rated = quantity(lone.own_speed, lone.own_width);
    finding.origin = lone.own_origin;
  }
  finding.limit = finding.rated;
  finding.negotiated = quantity(lone.speed, lone.width);
  finding.detail = answer.detail;
  finding.missing = answer.missing;
  if (lone.views) add_detail(finding.detail, lone.views->words);
  if (lone.gpu != nullptr) finding.gpu = lone.gpu->index;
  return finding;
}

/// The line is about this link, or about one above it.
void add_line(const LoneEnd& lone, Finding& finding) {
  if (lone.line == nullptr) return;
  finding.limiter = lone.line->latest.port;
  add_detail(finding.detail, in_words(lone.line->latest));
  for (const auto& line : lone.line->lines) finding.evidence.push_back(line.seq);
}

/// A link that is well now, and a path that was narrower when the kernel looked. A speed alone may
/// be that of the moment; lanes that the device has are missing elsewhere.
void note_line(const Story& story, const LoneEnd& lone, RuleOutput& out) {
  if (lone.line == nullptr) return;
  const Bottleneck& found = lone.line->latest;
  const bool narrower = found.width && lone.own_width && *found.width < *lone.own_width;
  Answer answer = undecided(narrower ? Aspect::width : Aspect::rate, "its own link is well",
                            fmt::format("the link registers of {}", found.port.text()));
  if (is_all_of_port(story, found))
    answer = {Aspect::rate,
              FindingClass::limited,
              "LB-PCIE-PATH",
              "its own link is well, and the port gives all that it can",
              {},
              {},
              {}};
  Finding finding = finding_of(story, lone, answer);
  add_line(lone, finding);
  out.findings.push_back(std::move(finding));
}

/// Of a piece of text nobody knows which device it is about: it proves nothing of any.
void judge_nameless(const Story& story, const LoneEnd& lone, const std::array<Answer, 2>& answers,
                    RuleOutput& out) {
  const auto open = std::find_if(answers.begin(), answers.end(), [](const Answer& answer) {
    return answer.cls != FindingClass::healthy;
  });
  Answer answer = undecided(open == answers.end() ? Aspect::presence : open->aspect, {},
                            "lspci -vv of this device with its address, and of the port above it");
  for (const Answer& each : answers) add_detail(answer.detail, each.detail);
  if (is_silent(*lone.link->link))
    answer = undecided(Aspect::presence, "its registers read as all ones: asleep or gone",
                       answer.missing);
  else if (open == answers.end())
    add_detail(answer.detail, "runs at its full width and speed");
  add_detail(answer.detail, "nothing tells which device this is");
  out.findings.push_back(finding_of(story, lone, answer));
}

bool any(const std::array<Answer, 2>& answers, FindingClass cls) {
  return std::any_of(answers.begin(), answers.end(),
                     [&](const Answer& answer) { return answer.cls == cls; });
}

/// What is proven goes before what is open, and takes it along: one link, one finding.
void judge_named(const Story& story, const LoneEnd& lone, const std::array<Answer, 2>& answers,
                 RuleOutput& out) {
  Answer present;
  present.aspect = Aspect::presence;
  out.findings.push_back(finding_of(story, lone, present));
  const bool degraded = any(answers, FindingClass::degraded);
  const bool open = !degraded && any(answers, FindingClass::undecided);
  const FindingClass worst = degraded ? FindingClass::degraded : FindingClass::undecided;
  for (const Answer& answer : answers) {
    if ((degraded || open) && answer.cls != worst && answer.cls != FindingClass::healthy) continue;
    Finding finding = finding_of(story, lone, answer);
    if (answer.cls == worst) {
      for (const Answer& other : answers)
        if (other.cls != worst && other.cls != FindingClass::healthy)
          add_detail(finding.detail, other.detail);
      // Both are one gap, of one link.
      if (open && answers[0].cls == worst) finding.code = "LB-NO-EVIDENCE";
    }
    if (answer.cls != FindingClass::healthy) add_line(lone, finding);
    out.findings.push_back(std::move(finding));
  }
  if (!degraded && !open && !any(answers, FindingClass::limited)) note_line(story, lone, out);
}

void apply(const Story& story, RuleOutput& out) {
  const auto lines = bottlenecks_of(story);
  for (const LoneEnd& lone : lone_ends(story, lines)) {
    const Link& seen = *lone.link->link;
    // Presence speaks for those with a name.
    if (!lone.nameless && is_silent(seen)) continue;
    if (without_files(seen) || is_asleep(*lone.link)) continue;
    const std::array answers{judge_width(lone), judge_speed(lone)};
    if (lone.nameless)
      judge_nameless(story, lone, answers, out);
    else
      judge_named(story, lone, answers, out);
  }
}

}  // namespace

const Rule lone_end_rule{
    "lone_end", "What does one end of a link tell, where its port was not captured?", apply};

}  // namespace linkburn
