#include "report/settling.h"

#include <fmt/format.h>

namespace linkburn {

std::vector<std::string> settling_commands(const Story& story, const Finding& finding) {
  const bool of_link = finding.aspect == Aspect::width || finding.aspect == Aspect::speed;
  if (!of_link || !finding.component.pci_address()) return {};
  std::vector<std::string> commands{fmt::format("sudo lspci -vvv -s {}", finding.component.text())};
  const LinkStory* link = story.link_of(finding.component);
  if (link != nullptr && !link->link->peer.empty())
    commands.push_back(fmt::format("sudo lspci -vvv -s {}", link->link->peer.text()));
  return commands;
}

}  // namespace linkburn
