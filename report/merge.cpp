#include "report/merge.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

namespace linkburn {
namespace {

/// Codes about one link or port that are one fault when they come together, the one that names it
/// first.
constexpr std::array<std::string_view, 26> kLinkFaults{
    "LB-DEV-LOST",      "LB-PCIE-DISABLED", "LB-PCIE-WIDTH", "LB-PCIE-TARGET", "LB-PCIE-SPEED",
    "LB-DEV-DROPPED",   "LB-PCIE-RETRAIN",  "LB-DEV-FAULT",  "LB-XID-BUS",     "LB-AER-UNCORRECTED",
    "LB-AER-CORRECTED", "LB-PCIE-REPLAY",   "LB-PCIE-LANES", "LB-PORT-STATE",  "LB-PORT-NO-SM",
    "LB-PORT-WIDTH",    "LB-PORT-RATE",     "LB-PORT-FLAP",  "LB-PORT-ERRORS", "LB-PORT-MODULE",
    "LB-PORT-HOT",      "LB-PORT-POWER",    "LB-PORT-GID",   "LB-ODD-ONE-OUT", "LB-RATE-LOW",
    "LB-RATE-ODD"};

std::size_t precedence(const Finding& finding) {
  return static_cast<std::size_t>(std::find(kLinkFaults.begin(), kLinkFaults.end(), finding.code) -
                                  kLinkFaults.begin());
}

bool is_link_fault(const Finding& finding) {
  return (is_failure(finding.cls) || finding.cls == FindingClass::marginal) &&
         precedence(finding) < kLinkFaults.size();
}

/// The worst class names a fault, but of a fault and the setting that causes it the setting does.
int gravity(const Finding& finding) {
  return static_cast<int>(finding.cls == FindingClass::misconfigured ? FindingClass::degraded
                                                                     : finding.cls);
}

bool is_limit(const Finding& finding) { return finding.cls == FindingClass::limited; }

/// What a finding is about: the device end of the link when it has one. Ports and functions of a
/// device are things of their own unless the link is meant.
ComponentId subject(const Story& story, const ComponentId& id) {
  const LinkStory* link = story.link_of(id);
  return link != nullptr ? link->link->component : id;
}

bool is_below(const Story& story, const ComponentId& id, const ComponentId& hop) {
  const Component* component = story.component(id);
  if (component == nullptr || id == hop) return false;
  return std::find(component->path.begin(), component->path.end(), hop) != component->path.end();
}

/// True when `id` is the lost device, a function or port of it, or reached through it.
bool goes_with(const Story& story, const ComponentId& id, const ComponentId& lost) {
  const ComponentId& device = device_behind(story, id);
  return subject(story, device) == lost || is_below(story, device, lost) ||
         is_below(story, subject(story, device), lost);
}

void add_detail(std::string& detail, const std::string& more) {
  if (more.empty() || detail.find(more) != std::string::npos) return;
  detail += (detail.empty() ? "" : "; ") + more;
}

/// Sentences that are several things, of which some are said already.
void add_parts(std::string& text, std::string_view more) {
  constexpr std::string_view kBetween = "; ";
  while (!more.empty()) {
    const std::size_t end = std::min(more.find(kBetween), more.size());
    add_detail(text, std::string(more.substr(0, end)));
    more.remove_prefix(std::min(end + kBetween.size(), more.size()));
  }
}

void add_evidence(Finding& into, const Finding& from) {
  for (const std::int64_t seq : from.evidence)
    if (std::find(into.evidence.begin(), into.evidence.end(), seq) == into.evidence.end())
      into.evidence.push_back(seq);
}

/// Joins all findings that `take` accepts into one per component; `before` says which one names it.
template <class Take, class Before>
void join(const Story& story, std::vector<Finding>& findings, Take take, Before before) {
  std::map<ComponentId, std::vector<Finding>> groups;
  std::vector<Finding> rest;
  for (Finding& finding : findings) {
    if (take(finding))
      groups[subject(story, finding.component)].push_back(std::move(finding));
    else
      rest.push_back(std::move(finding));
  }
  for (auto& [component, group] : groups) {
    std::stable_sort(group.begin(), group.end(), before);
    Finding joined = group.front();
    for (const Finding& other : group) {
      add_parts(joined.detail, other.detail);
      add_parts(joined.missing, other.missing);
      add_evidence(joined, other);
      if (!joined.limiter) joined.limiter = other.limiter;
    }
    rest.push_back(std::move(joined));
  }
  findings = std::move(rest);
}

/// What cannot be told of one link for want of evidence is one gap, however many aspects it
/// touches.
bool is_gap(const Finding& finding) {
  return finding.cls == FindingClass::undecided && finding.code == "LB-NO-EVIDENCE";
}

/// Findings that say the same about the same thing, such as "asleep" for each aspect.
void merge_equal(std::vector<Finding>& findings) {
  using Words = std::tuple<ComponentId, std::string, FindingClass, std::string>;
  std::vector<Finding> kept;
  std::map<Words, std::size_t> places;
  for (Finding& finding : findings) {
    if (finding.cls != FindingClass::healthy) {
      const auto [known, is_new] = places.try_emplace(
          {finding.component, finding.code, finding.cls, finding.detail}, kept.size());
      if (!is_new) {
        add_evidence(kept[known->second], finding);
        continue;
      }
    }
    kept.push_back(std::move(finding));
  }
  findings = std::move(kept);
}

/// A link that is limited while its equals are not is told once, as the odd one out.
void absorb_limits(const Story& story, std::vector<Finding>& findings) {
  std::set<ComponentId> odd;
  for (const Finding& finding : findings)
    if (finding.code == "LB-ODD-ONE-OUT") odd.insert(subject(story, finding.component));
  std::erase_if(findings, [&](const Finding& finding) {
    return is_limit(finding) && odd.count(subject(story, finding.component)) > 0;
  });
}

/// A rate that is what the register says, below the rating, is a reading under load.
bool proves_speed(const Finding& finding) {
  return finding.code == "LB-PCIE-SPEED" ||
         (finding.code == "LB-RATE-LOW" && !finding.negotiated.empty());
}

/// What another rule proved of a link's speed is undecided no more.
void absorb_settled(const Story& story, std::vector<Finding>& findings) {
  std::set<ComponentId> slow;
  for (const Finding& finding : findings)
    if (is_failure(finding.cls) && proves_speed(finding))
      slow.insert(subject(story, finding.component));
  std::erase_if(findings, [&](const Finding& finding) {
    return finding.cls == FindingClass::undecided && finding.aspect == Aspect::speed &&
           slow.count(subject(story, finding.component)) > 0;
  });
}

/// The kernel's line about an NVLink that is down is told with that link.
void absorb_nvlink_lines(std::vector<Finding>& findings) {
  const auto tells_of = [](const Finding& down, const Finding& line) {
    const auto has = [&](int number) {
      return std::find(down.links.begin(), down.links.end(), number) != down.links.end();
    };
    return down.component == line.component && fails(down) &&
           (down.code == "LB-NVLINK-DOWN" || down.code == "LB-NVLINK-RATE") &&
           (line.links.empty() || down.links.empty() ||
            std::any_of(line.links.begin(), line.links.end(), has));
  };
  std::vector<Finding> lines;
  const auto first =
      std::stable_partition(findings.begin(), findings.end(),
                            [](const Finding& finding) { return finding.code != "LB-XID-NVLINK"; });
  std::move(first, findings.end(), std::back_inserter(lines));
  findings.erase(first, findings.end());
  for (Finding& line : lines) {
    const auto down = std::find_if(findings.begin(), findings.end(),
                                   [&](const Finding& finding) { return tells_of(finding, line); });
    if (down == findings.end()) {
      findings.push_back(std::move(line));
      continue;
    }
    add_detail(down->detail, line.detail);
    add_evidence(*down, line);
  }
}

std::size_t links_below(const Story& story, const ComponentId& lost) {
  return static_cast<std::size_t>(std::count_if(
      story.links.begin(), story.links.end(),
      [&](const LinkStory& link) { return is_below(story, link.link->component, lost); }));
}

/// A healthy finding of a link says all that is known of it, whichever rule made it.
Finding join_healthy(const std::vector<Finding>& group) {
  Finding joined = group.front();
  std::set<Aspect> aspects;
  std::string details;
  for (const Finding& other : group) {
    aspects.insert(other.aspect);
    add_detail(details, other.detail);
    add_evidence(joined, other);
    if (joined.rated.empty()) joined.rated = other.rated;
    // The speed rule has seen the link under load, discovery may have seen it idle.
    if (joined.negotiated.empty() || other.aspect == Aspect::speed)
      joined.negotiated = other.negotiated;
  }
  std::string words;
  for (const Aspect aspect : aspects)
    words += fmt::format("{}{}", words.empty() ? "" : ", ", to_string(aspect));
  joined.detail = "judged: " + words;
  add_detail(joined.detail, details);
  return joined;
}

}  // namespace

void absorb_lost(const Story& story, std::vector<Finding>& findings) {
  const auto is_lost = [](const Finding& finding) { return finding.cls == FindingClass::lost; };
  std::vector<ComponentId> lost;
  for (const Finding& finding : findings)
    // What the site misses on the node as a whole takes nothing with it.
    if (is_lost(finding) && finding.component != ComponentId::node())
      lost.push_back(finding.component);
  for (const ComponentId& device : lost) {
    const auto keeper = std::find_if(findings.begin(), findings.end(), [&](const Finding& finding) {
      return is_lost(finding) && finding.component == device;
    });
    if (keeper == findings.end()) continue;  // it went with a device above
    Finding kept = *keeper;
    for (const Finding& finding : findings) {
      if (goes_with(story, finding.component, device) && is_failure(finding.cls))
        add_evidence(kept, finding);
      if (is_lost(finding) && finding.component == device) add_detail(kept.detail, finding.detail);
    }
    std::erase_if(findings, [&](const Finding& finding) {
      return goes_with(story, finding.component, device);
    });
    if (const std::size_t below = links_below(story, device); below > 0)
      add_detail(kept.detail,
                 fmt::format("{} link{} below it went with it", below, below == 1 ? "" : "s"));
    findings.push_back(std::move(kept));
  }
}

void merge_faults(const Story& story, std::vector<Finding>& findings) {
  absorb_settled(story, findings);
  absorb_nvlink_lines(findings);
  join(story, findings, is_link_fault, [](const Finding& a, const Finding& b) {
    // What the site accepts must not hide what it does not.
    return std::tuple(!fails(a), -gravity(a), precedence(a)) <
           std::tuple(!fails(b), -gravity(b), precedence(b));
  });
  // What it means for the ports says more than the link; of the link, the speed rule has seen it
  // under load, so its numbers are the ones to show.
  join(story, findings, is_limit, [](const Finding& a, const Finding& b) {
    const auto rank = [](const Finding& finding) {
      return std::pair(finding.aspect != Aspect::ports, finding.aspect != Aspect::speed);
    };
    return rank(a) < rank(b);
  });
  absorb_limits(story, findings);
  join(story, findings, is_gap,
       [](const Finding& a, const Finding& b) { return a.aspect < b.aspect; });
  merge_equal(findings);
}

void merge_healthy(const Story& story, std::vector<Finding>& findings) {
  std::map<ComponentId, std::vector<Finding>> healthy;
  std::vector<Finding> kept;
  std::set<ComponentId> others;
  for (Finding& finding : findings) {
    const ComponentId about = subject(story, finding.component);
    if (finding.cls == FindingClass::healthy) {
      healthy[about].push_back(std::move(finding));
    } else {
      others.insert(about);
      kept.push_back(std::move(finding));
    }
  }
  for (const auto& [component, group] : healthy)
    if (others.count(component) == 0) kept.push_back(join_healthy(group));
  findings = std::move(kept);
}

void sort_findings(std::vector<Finding>& findings) {
  constexpr std::array kOrder{FindingClass::lost,          FindingClass::degraded,
                              FindingClass::misconfigured, FindingClass::marginal,
                              FindingClass::undecided,     FindingClass::limited,
                              FindingClass::healthy};
  // An accepted failure stands where what is limited stands: known, and no reason to act.
  const auto rank = [&](const Finding& finding) {
    const FindingClass cls = finding.accepted.empty() ? finding.cls : FindingClass::limited;
    return std::find(kOrder.begin(), kOrder.end(), cls) - kOrder.begin();
  };
  std::stable_sort(findings.begin(), findings.end(), [&](const Finding& a, const Finding& b) {
    return std::pair(rank(a), std::tie(a.node, a.component, a.code)) <
           std::pair(rank(b), std::tie(b.node, b.component, b.code));
  });
}

}  // namespace linkburn
