#include "bench/base/units.h"

#include <fmt/core.h>

#include <array>
#include <cmath>

#include "bench/base/text.h"

namespace linkburn {
namespace {

constexpr std::array<int, kPcieGenerations> kSpeedsMts{2500, 5000, 8000, 16000, 32000, 64000};

double coding_efficiency(LinkSpeed speed) {
  if (speed.mts <= 5000) return 0.8;
  if (speed.mts <= 32000) return 128.0 / 130.0;
  return 242.0 / 256.0;
}

}  // namespace

std::optional<LinkSpeed> speed_of_generation(int generation) {
  if (generation < 1 || generation > kPcieGenerations) return std::nullopt;
  return LinkSpeed{kSpeedsMts[static_cast<std::size_t>(generation - 1)]};
}

std::optional<int> generation_of(LinkSpeed speed) {
  for (std::size_t i = 0; i < kSpeedsMts.size(); ++i)
    if (kSpeedsMts[i] == speed.mts) return static_cast<int>(i) + 1;
  return std::nullopt;
}

Rate link_rate(LinkSpeed speed, LinkWidth width) {
  return {speed.gts() * 1e9 * width.lanes * coding_efficiency(speed) / 8};
}

std::optional<LinkSpeed> parse_link_speed(std::string_view text) {
  const std::optional<double> gts = leading_number(text);
  // The upper bound keeps a corrupt file from becoming a number that no int holds.
  if (!gts || *gts <= 0 || *gts > 1024) return std::nullopt;
  return LinkSpeed{static_cast<int>(std::lround(*gts * 1000))};
}

std::string to_string(LinkSpeed speed) { return fmt::format("{:.1f} GT/s", speed.gts()); }

std::string to_string(LinkWidth width) { return fmt::format("x{}", width.lanes); }

std::string to_string(LinkSpeed speed, LinkWidth width) {
  return fmt::format("{} {}", to_string(speed), to_string(width));
}

std::string to_string(Rate rate) { return fmt::format("{:.1f} GB/s", rate.gb_per_s()); }

}  // namespace linkburn
