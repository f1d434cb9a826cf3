// Site files: any text is either a site whose numbers are within their bounds, or an error with a
// place. Whatever the patterns are, matching them comes to an end.
#include <cstdint>
#include <cstdlib>

#include "bench/base/toml_table.h"
#include "report/ratings/host_pattern.h"
#include "report/ratings/rated.h"
#include "report/ratings/site.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace linkburn;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)matches_host(text, "gpu007.cluster.example");
  if (!check_host_pattern(text) && matches_host(text, "gpu007")) std::abort();
  const auto site = read_site(text, "site.toml", "gpu007");
  if (!site) {
    if (!site.error().source.starts_with("site.toml:")) std::abort();
    return 0;
  }
  for (const auto& count : site->counts)
    if (count.second.count < 0) std::abort();
  for (const SiteSlot& slot : site->slots)
    if (slot.slot.empty() || (slot.width && !is_lane_count(*slot.width))) std::abort();
  for (const SitePort& port : site->ports)
    if (port.port.empty() || (port.rate_gbps && !(*port.rate_gbps > 0))) std::abort();
  for (const SiteException& exception : site->exceptions)
    if (!is_day(exception.expires) || exception.reason.empty()) std::abort();
  return 0;
}
