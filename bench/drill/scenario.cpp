#include "bench/drill/scenario.h"

#include "bench/base/shipped.h"
#include "bench/base/toml_table.h"
#include "bench/drill/scenario_draft.h"
#include "bench/drill/scenario_text.h"

namespace linkburn::drill {
namespace {

constexpr int kScenarioSchema = 1;
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

std::vector<std::string> shipped_scenarios() { return shipped_names(embedded_scenarios()); }

Result<Scenario> load_scenario(const std::string& name_or_file) {
  const auto named = read_named_text("scenario", name_or_file, embedded_scenarios(), kMostBytes);
  if (!named) return named.error();
  return parse_scenario(named->text, named->source);
}

}  // namespace linkburn::drill
