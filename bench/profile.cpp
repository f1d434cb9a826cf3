#include "bench/profile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/base/embedded.h"
#include "bench/base/sysroot.h"
#include "bench/base/text.h"
#include "bench/base/toml_table.h"

namespace linkburn {
namespace {

constexpr int kProfileSchema = 1;
constexpr std::string_view kSuffix = ".toml";

void read_step(TableReader& table, Profile& profile) {
  ProfileStep step;
  table.text("workload", step.workload, true);
  table.text("lanes", step.lanes, true);
  table.number("warm_up_ms", step.warm_up_ms, 0, 600'000);
  table.number("measure_ms", step.measure_ms, 100, 86'400'000);
  table.number("buffer_mib", step.buffer_mib, 0, 1 << 20);
  profile.steps.push_back(std::move(step));
}

void read_profile(TableReader& table, Profile& profile) {
  int schema = 0;
  std::vector<std::string> require;
  table.number("schema", schema, kProfileSchema, kProfileSchema, true);
  table.text("name", profile.name, true);
  table.text("purpose", profile.purpose);
  table.number("time_budget_s", profile.time_budget_s, 1, 864'000, true);
  table.number("sampling_period_ms", profile.sampling_period_ms, 1, 60'000);
  table.words("require", require, aspect_words(), true);
  for (const std::string& word : require) profile.require.push_back(*aspect_from(word));
  table.inside("phases", [&](TableReader& phases) {
    phases.number("idle_ms", profile.idle_ms, 0, 3'600'000);
    phases.number("cool_down_ms", profile.cool_down_ms, 0, 3'600'000);
  });
  table.each("step", [&](TableReader& step) { read_step(step, profile); });
}

}  // namespace

Result<Profile> parse_profile(std::string_view text, const std::string& source) {
  Profile profile;
  profile.text = text;
  const Status status =
      read_toml(text, source, [&](TableReader& table) { read_profile(table, profile); });
  if (!status) return status.error();
  if (profile.steps.empty())
    return Error{Code::invalid, "a profile needs at least one [[step]]", source, {}};
  return profile;
}

std::vector<std::string> shipped_profiles() {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : embedded_files())
    if (file.name.ends_with(kSuffix))
      names.emplace_back(file.name.substr(0, file.name.size() - kSuffix.size()));
  return names;
}

Result<Profile> load_profile(const std::string& name_or_file) {
  const bool is_file =
      name_or_file.find('/') != std::string::npos || name_or_file.ends_with(kSuffix);
  if (!is_file) {
    const std::string_view text = embedded_file(name_or_file + std::string(kSuffix));
    if (!text.empty()) return parse_profile(text, name_or_file + std::string(kSuffix));
    const auto close = nearest(name_or_file, shipped_profiles());
    return Error{Code::not_found,
                 fmt::format("no profile '{}'", printable(name_or_file, 64)),
                 {},
                 close ? fmt::format("did you mean '{}'?", *close)
                       : fmt::format("there is: {}; or give a .toml file",
                                     fmt::join(shipped_profiles(), ", "))};
  }
  const auto text = read_input_file(name_or_file, "profile", Sysroot::kMaxFileBytes);
  if (!text) return text.error();
  return parse_profile(*text, name_or_file);
}

}  // namespace linkburn
