#include "bench/profile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <toml++/toml.h>
#include <algorithm>
#include <climits>
#include <fstream>
#include <sstream>

#include "bench/base/embedded.h"
#include "bench/base/sysroot.h"
#include "bench/base/text.h"

namespace linkburn {
namespace {

constexpr int kProfileSchema = 1;
constexpr std::string_view kSuffix = ".toml";

/// Reads one table of a profile and remembers the first thing that is wrong with it.
class TableReader {
 public:
  TableReader(const toml::table& table, std::string source)
      : table_(table), source_(std::move(source)) {}

  void text(const char* key, std::string& out, bool needed = false) {
    const toml::node* node = look_up(key, needed);
    if (node == nullptr) return;
    const auto value = node->value_exact<std::string>();
    if (!value) return fail(*node, fmt::format("'{}' must be a text", key));
    out = *value;
  }

  void number(const char* key, int& out, int lowest, int highest, bool needed = false) {
    const toml::node* node = look_up(key, needed);
    if (node == nullptr) return;
    const auto value = node->value_exact<std::int64_t>();
    if (!value || *value < lowest || *value > highest)
      return fail(*node,
                  fmt::format("'{}' must be a whole number from {} to {}", key, lowest, highest));
    out = static_cast<int>(*value);
  }

  void aspects(const char* key, std::vector<Aspect>& out) {
    const toml::node* node = look_up(key, true);
    if (node == nullptr) return;
    const toml::array* array = node->as_array();
    if (array == nullptr) return fail(*node, fmt::format("'{}' must be a list of words", key));
    for (const toml::node& item : *array) {
      const auto word = item.value_exact<std::string>();
      const auto aspect = word ? aspect_from(*word) : std::nullopt;
      if (!aspect)
        return fail(item,
                    fmt::format("'{}' takes the words {}", key, fmt::join(aspect_words(), ", ")));
      out.push_back(*aspect);
    }
  }

  const toml::node* child(const char* key) { return look_up(key, false); }

  /// After all keys were asked for: anything else in the table is a mistake.
  void reject_other_keys() {
    for (const auto& [key, node] : table_) {
      const std::string name(key.str());
      if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
      const auto close = nearest(name, known_);
      return fail(node, fmt::format("unknown key '{}'{}", name,
                                    close ? fmt::format(", did you mean '{}'?", *close) : ""));
    }
  }

  void fail(const toml::node& at, std::string what) {
    if (error_) return;
    error_ = Error{
        Code::invalid, std::move(what), fmt::format("{}:{}", source_, at.source().begin.line), {}};
  }
  void take_error(TableReader& other) {
    if (!error_) error_ = other.error_;
  }
  const std::optional<Error>& error() const { return error_; }

 private:
  const toml::node* look_up(const char* key, bool needed) {
    known_.emplace_back(key);
    const toml::node* node = table_.get(key);
    if (node == nullptr && needed && !error_)
      error_ = Error{Code::invalid, fmt::format("key '{}' is missing", key), source_, {}};
    return node;
  }

  const toml::table& table_;
  std::string source_;
  std::vector<std::string> known_;
  std::optional<Error> error_;
};

void read_step(const toml::node& node, const std::string& source, Profile& profile,
               TableReader& parent) {
  const toml::table* table = node.as_table();
  if (table == nullptr) return parent.fail(node, "each [[step]] must be a table");
  TableReader reader(*table, source);
  ProfileStep step;
  reader.text("workload", step.workload, true);
  reader.text("lanes", step.lanes, true);
  reader.number("warm_up_ms", step.warm_up_ms, 0, 600'000);
  reader.number("measure_ms", step.measure_ms, 100, 86'400'000);
  reader.number("buffer_mib", step.buffer_mib, 0, 1 << 20);
  reader.reject_other_keys();
  parent.take_error(reader);
  profile.steps.push_back(std::move(step));
}

void read_phases(const toml::node& node, const std::string& source, Profile& profile,
                 TableReader& parent) {
  const toml::table* table = node.as_table();
  if (table == nullptr) return parent.fail(node, "[phases] must be a table");
  TableReader reader(*table, source);
  reader.number("idle_ms", profile.idle_ms, 0, 3'600'000);
  reader.number("cool_down_ms", profile.cool_down_ms, 0, 3'600'000);
  reader.reject_other_keys();
  parent.take_error(reader);
}

Result<Profile> from_table(const toml::table& table, const std::string& source) {
  Profile profile;
  int schema = 0;
  TableReader reader(table, source);
  reader.number("schema", schema, kProfileSchema, kProfileSchema, true);
  reader.text("name", profile.name, true);
  reader.text("purpose", profile.purpose);
  reader.number("time_budget_s", profile.time_budget_s, 1, 864'000, true);
  reader.number("sampling_period_ms", profile.sampling_period_ms, 1, 60'000);
  reader.aspects("require", profile.require);
  if (const toml::node* phases = reader.child("phases"))
    read_phases(*phases, source, profile, reader);
  if (const toml::node* steps = reader.child("step")) {
    const toml::array* array = steps->as_array();
    if (array == nullptr) reader.fail(*steps, "write [[step]] with two brackets");
    for (std::size_t i = 0; array != nullptr && i < array->size(); ++i)
      read_step(*array->get(i), source, profile, reader);
  }
  reader.reject_other_keys();
  if (reader.error()) return *reader.error();
  if (profile.steps.empty())
    return Error{Code::invalid, "a profile needs at least one [[step]]", source, {}};
  return profile;
}

}  // namespace

Result<Profile> parse_profile(std::string_view text, const std::string& source) {
  try {
    auto profile = from_table(toml::parse(text, source), source);
    if (profile) profile->text = text;
    return profile;
  } catch (const toml::parse_error& error) {
    return Error{Code::invalid,
                 std::string(error.description()),
                 fmt::format("{}:{}", source, error.source().begin.line),
                 {}};
  }
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
  std::ifstream file(name_or_file, std::ios::binary);
  if (!file)
    return errno_error(errno, "cannot open the profile", name_or_file,
                       "check name and permissions");
  std::string text(Sysroot::kMaxFileBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > Sysroot::kMaxFileBytes)
    return Error{Code::invalid, "the profile is longer than 64 KiB", name_or_file,
                 "give a TOML profile"};
  return parse_profile(text, name_or_file);
}

}  // namespace linkburn
