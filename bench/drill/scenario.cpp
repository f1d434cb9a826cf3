#include "bench/drill/scenario.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/base/embedded.h"
#include "bench/base/text.h"
#include "bench/base/toml_table.h"
#include "bench/drill/scenario_draft.h"
#include "bench/drill/scenario_text.h"

namespace linkburn::drill {
namespace {

constexpr int kScenarioSchema = 1;
constexpr std::string_view kSuffix = ".toml";
constexpr std::size_t kMostBytes = 1 << 20;

void read_head(TableReader& table, Draft& draft) {
  int schema = 0;
  std::optional<int> seed;
  Scenario& scenario = draft.scenario;
  State& state = *draft.state;
  table.number("schema", schema, kScenarioSchema, kScenarioSchema, true);
  table.text("name", scenario.name, true);
  if (table.has("name")) read_name(table, "name", scenario.name);
  table.text("purpose", scenario.purpose);
  read_decimal(table, "minutes", scenario.minutes, 0.01, kLongestSeconds / 60);
  table.number("seed", seed, 0, std::numeric_limits<int>::max());
  if (seed) scenario.seed = static_cast<std::uint64_t>(*seed);
  put_text(state.scenario, scenario.name);
  state.copy_efficiency = 0.87, state.jitter = 0.002;
  read_decimal(table, "copy_efficiency", state.copy_efficiency, 0.01, 1);
  read_decimal(table, "jitter", state.jitter, 0, 0.5);
  int tick_ms = 50;
  table.number("tick_ms", tick_ms, 1, 60'000);
  state.tick_ns = std::int64_t{tick_ms} * 1'000'000;
}

/// Devices after what they hang below, faults after what they happen to.
void read_scenario(TableReader& table, Draft& draft) {
  read_head(table, draft);
  read_host(table, draft);
  read_bridges(table, draft);
  read_gpus(table, draft);
  read_nvlinks(table, draft);
  read_adapters(table, draft);
  read_faults(table, draft);
}

}  // namespace

Result<Scenario> parse_scenario(std::string_view text, const std::string& source) {
  Draft draft;
  draft.source = source;
  draft.state = empty_state();
  const Status read =
      read_toml(text, source, [&](TableReader& table) { read_scenario(table, draft); });
  if (!read) return read.error();
  if (const Status laid_out = lay_out(draft); !laid_out) return laid_out.error();
  if (const Status connected = connect_faults(draft); !connected) return connected.error();
  draft.scenario.state = std::move(draft.state);
  return std::move(draft.scenario);
}

std::vector<std::string> shipped_scenarios() {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : embedded_scenarios())
    names.emplace_back(file.name.substr(0, file.name.size() - kSuffix.size()));
  return names;
}

Result<Scenario> load_scenario(const std::string& name_or_file) {
  const bool is_file =
      name_or_file.find('/') != std::string::npos || name_or_file.ends_with(kSuffix);
  if (is_file) {
    const auto text = read_input_file(name_or_file, "scenario", kMostBytes);
    if (!text) return text.error();
    return parse_scenario(*text, name_or_file);
  }
  const std::string file = name_or_file + std::string(kSuffix);
  const std::string_view text = embedded_file(embedded_scenarios(), file);
  if (!text.empty()) return parse_scenario(text, file);
  const auto close = nearest(name_or_file, shipped_scenarios());
  return Error{Code::not_found,
               fmt::format("no scenario '{}'", printable(name_or_file, 64)),
               {},
               close ? fmt::format("did you mean '{}'?", *close)
                     : fmt::format("there is: {}; or give a .toml file",
                                   fmt::join(shipped_scenarios(), ", "))};
}

}  // namespace linkburn::drill
