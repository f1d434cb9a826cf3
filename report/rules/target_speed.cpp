// Does a setting of the port above hold a link down? The target link speed of the upper port is
// what the link may train to [PCI Express Base Specification 6.0, section 7.5.3.19]; that of the
// device end means nothing.
//
// The kernel's cooling device of a port (Link::cooling_state) is no witness: the kernel derives its
// state from the speed that the link has, whoever lowered it [linux drivers/thermal/pcie_cooling.c,
// pcie_cooling_get_cur_level]. A governor acts through the target link speed too, so its state is
// told along with a target that holds the link, and changes no judgement.
#include <fmt/core.h>

#include <map>

#include "report/rules/link_view.h"
#include "report/rules/speed_view.h"
#include "report/rules/table.h"

namespace linkburn {
namespace {

Finding held(const Story& story, const LinkStory& link, const SpeedCap& cap) {
  const Link& seen = *link.link;
  Finding finding =
      link_finding(story, link, "LB-PCIE-TARGET", FindingClass::misconfigured, Aspect::speed);
  finding.negotiated = quantity(cap.target, negotiated_width(seen).value);
  finding.limiter = seen.peer;
  finding.detail =
      fmt::format("held at {} by the target link speed of {}, rated {}", to_string(cap.target),
                  seen.peer.text(), to_string(link.rating.speed->value));
  if (cap.by_kernel)
    finding.detail += "; the kernel set it when the link looked dead: caused by software";
  if (seen.cooling_state.value_or(0) > 0)
    finding.detail +=
        fmt::format("; thermal control may have set it: cooling state {}{}", *seen.cooling_state,
                    seen.cooling_max_state ? fmt::format(" of {}", *seen.cooling_max_state) : "");
  finding.evidence.insert(finding.evidence.end(), cap.evidence.begin(), cap.evidence.end());
  return finding;
}

Finding switched_off(const Story& story, const LinkStory& link) {
  Finding finding =
      link_finding(story, link, "LB-PCIE-DISABLED", FindingClass::misconfigured, Aspect::presence);
  finding.negotiated = {};
  finding.limiter = link.link->peer;
  finding.detail =
      fmt::format("a card is plugged in and {} has its link switched off", link.link->peer.text());
  return finding;
}

/// Links whose registers could not be read, by the reason.
using Unread = std::map<std::string, int>;

void judge_link(const Story& story, const LinkStory& link, Unread& unread, RuleOutput& out) {
  const Link& seen = *link.link;
  if (is_switched_off(seen)) return out.findings.push_back(switched_off(story, link));
  if (is_silent(seen) || without_files(seen) || is_asleep(link)) return;
  if (!not_a_plain_link(story, seen).empty()) return;
  if (!seen.peer_end.registers) {
    const std::string& why = seen.peer_end.registers_absent;
    ++unread[why.empty() ? "config space was not read" : why];
    return;
  }
  const auto cap = speed_cap(story, link);
  if (cap && cap->proven) out.findings.push_back(held(story, link, *cap));
}

void apply(const Story& story, RuleOutput& out) {
  Unread unread;
  for (const LinkStory& link : story.links) judge_link(story, link, unread, out);
  for (const auto& [why, links] : unread)
    out.not_judged.push_back(
        {fmt::format("target speed and lane errors of {} link{}", links, links == 1 ? "" : "s"),
         why,
         "run as root on the host: only root may read all of config space",
         {}});
}

}  // namespace

const Rule target_speed_rule{"target_speed", "Does a setting of the port above hold a link down?",
                             apply};

}  // namespace linkburn
