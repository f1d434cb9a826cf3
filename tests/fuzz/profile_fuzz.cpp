// Profiles: any text is either a profile whose numbers are within their bounds, or an error with a
// place.
#include <cstdint>
#include <cstdlib>

#include "bench/profile.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace linkburn;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto profile = parse_profile(text, "input.toml");
  if (!profile) {
    if (profile.error().source.empty()) std::abort();
    return 0;
  }
  if (profile->steps.empty() || profile->time_budget_s < 1) std::abort();
  for (const ProfileStep& step : profile->steps)
    if (step.measure_ms < 100) std::abort();
  return 0;
}
