#include "bench/profile.h"

#include "bench/base/shipped.h"
#include "bench/base/sysroot.h"
#include "bench/base/toml_table.h"

namespace linkburn {
namespace {

constexpr int kProfileSchema = 1;

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

std::vector<std::string> shipped_profiles() { return shipped_names(embedded_files()); }

Result<Profile> load_profile(const std::string& name_or_file) {
  const auto named =
      read_named_text("profile", name_or_file, embedded_files(), Sysroot::kMaxFileBytes);
  if (!named) return named.error();
  return parse_profile(named->text, named->source);
}

}  // namespace linkburn
