#include "report/ratings/site.h"

namespace linkburn {

const SitePort* Site::port(const Port& port) const {
  for (const SitePort& expected : ports)
    if (expected.port == port.component.text() ||
        (!port.netdev.empty() && expected.port == port.netdev))
      return &expected;
  return nullptr;
}

Result<Site> read_site(std::string_view /*text*/, const std::string& file,
                       std::string_view /*host*/) {
  Site site;
  site.file = file;
  return site;
}

}  // namespace linkburn
