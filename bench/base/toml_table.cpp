#include "bench/base/toml_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <toml++/toml.h>
#include <algorithm>
#include <cerrno>
#include <fstream>

#include "bench/base/text.h"

namespace linkburn {
namespace {

const toml::table& as_table(const void* table) { return *static_cast<const toml::table*>(table); }

int line_of_node(const toml::node& node) { return static_cast<int>(node.source().begin.line); }

std::optional<double> number_of(const toml::node& node) {
  if (const auto whole = node.value_exact<std::int64_t>()) return static_cast<double>(*whole);
  return node.value_exact<double>();
}

}  // namespace

/// The file that is read, and the first thing that is wrong with it.
struct TableReader::File {
  std::string source;
  std::optional<Error> error;
};

/// What a key holds; null when it is not there.
struct TableReader::Node {
  const toml::node* node = nullptr;
};

void TableReader::text(const char* key, std::string& out, bool needed) {
  const auto [node] = look_up(key, needed);
  if (node == nullptr) return;
  const auto value = node->value_exact<std::string>();
  if (!value) return fail(fmt::format("'{}' must be a text", key), key);
  out = *value;
}

void TableReader::number(const char* key, std::optional<int>& out, int lowest, int highest) {
  const auto [node] = look_up(key, false);
  if (node == nullptr) return;
  const auto value = node->value_exact<std::int64_t>();
  if (!value || *value < lowest || *value > highest)
    return fail(fmt::format("'{}' must be a whole number from {} to {}", key, lowest, highest),
                key);
  out = static_cast<int>(*value);
}

void TableReader::number(const char* key, int& out, int lowest, int highest, bool needed) {
  look_up(key, needed);
  std::optional<int> value;
  number(key, value, lowest, highest);
  if (value) out = *value;
}

void TableReader::decimal(const char* key, std::optional<double>& out, double lowest,
                          double highest) {
  const auto [node] = look_up(key, false);
  if (node == nullptr) return;
  const auto value = number_of(*node);
  // Written so that a NaN is refused too.
  if (!value || !(*value >= lowest && *value <= highest))
    return fail(fmt::format("'{}' must be a number from {} to {}", key, lowest, highest), key);
  out = *value;
}

void TableReader::day(const char* key, std::string& out, bool needed) {
  const auto [node] = look_up(key, needed);
  if (node == nullptr) return;
  std::string value = node->value_exact<std::string>().value_or("");
  if (const auto date = node->value_exact<toml::date>())
    value = fmt::format("{:04}-{:02}-{:02}", date->year, date->month, date->day);
  if (!is_day(value)) return fail(fmt::format("'{}' must be a day, such as 2027-01-31", key), key);
  out = value;
}

void TableReader::flag(const char* key, bool& out) {
  const auto [node] = look_up(key, false);
  if (node == nullptr) return;
  const auto value = node->value_exact<bool>();
  if (!value) return fail(fmt::format("'{}' must be true or false", key), key);
  out = *value;
}

void TableReader::texts(const char* key, std::vector<std::string>& out, bool needed) {
  const auto [node] = look_up(key, needed);
  if (node == nullptr) return;
  const toml::array* array = node->as_array();
  if (array == nullptr) return fail(fmt::format("'{}' must be a list of texts", key), key);
  for (const toml::node& item : *array) {
    const auto value = item.value_exact<std::string>();
    if (!value) return fail_at(line_of_node(item), fmt::format("'{}' must hold texts", key));
    out.push_back(*value);
  }
}

void TableReader::text_or_texts(const char* key, std::vector<std::string>& out) {
  const auto [node] = look_up(key, false);
  if (node == nullptr || node->is_array()) return texts(key, out);
  const auto value = node->value_exact<std::string>();
  if (!value) return fail(fmt::format("'{}' must be a text or a list of texts", key), key);
  out.push_back(*value);
}

void TableReader::words(const char* key, std::vector<std::string>& out,
                        const std::vector<std::string>& known, bool needed) {
  std::vector<std::string> values;
  texts(key, values, needed);
  for (std::string& value : values) {
    if (std::find(known.begin(), known.end(), value) == known.end())
      return fail(fmt::format("'{}' takes the words {}", key, fmt::join(known, ", ")), key);
    out.push_back(std::move(value));
  }
}

void TableReader::inside(const char* key, const Read& read) {
  const auto [node] = look_up(key, false);
  if (node == nullptr) return;
  const toml::table* table = node->as_table();
  if (table == nullptr) return fail(fmt::format("[{}] must be a table", key), key);
  read_child(table, read);
}

void TableReader::each(const char* key, const Read& read) {
  const auto [node] = look_up(key, false);
  if (node == nullptr) return;
  const toml::array* array = node->as_array();
  if (array == nullptr) return fail(fmt::format("write [[{}]] with two brackets", key), key);
  for (const toml::node& item : *array) {
    const toml::table* table = item.as_table();
    if (table == nullptr)
      return fail_at(line_of_node(item), fmt::format("each [[{}]] must be a table", key));
    read_child(table, read);
  }
}

void TableReader::all_texts(std::map<std::string, TextAt>& out) {
  for (const auto& [key, node] : as_table(table_)) {
    known_.emplace_back(key.str());
    const auto value = node.value_exact<std::string>();
    if (!value) return fail_at(line_of_node(node), fmt::format("'{}' must be a text", key.str()));
    out[std::string(key.str())] = {*value, line_of_node(node)};
  }
}

void TableReader::fail(std::string what, const char* key) {
  fail_at(key == nullptr ? line() : line_of(key), std::move(what));
}

bool TableReader::has(const char* key) const { return as_table(table_).contains(key); }

int TableReader::line() const { return line_of_node(as_table(table_)); }

int TableReader::line_of(const char* key) const {
  const toml::node* node = as_table(table_).get(key);
  return node == nullptr ? line() : line_of_node(*node);
}

TableReader::Node TableReader::look_up(const char* key, bool needed) {
  known_.emplace_back(key);
  const toml::node* node = as_table(table_).get(key);
  if (node == nullptr && needed) fail_at(line(), fmt::format("key '{}' is missing", key));
  return {node};
}

void TableReader::fail_at(int line, std::string what) {
  if (file_.error) return;
  file_.error = Error{Code::invalid, std::move(what), fmt::format("{}:{}", file_.source, line), {}};
}

void TableReader::reject_other_keys() {
  for (const auto& [key, node] : as_table(table_)) {
    const std::string name(key.str());
    if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
    const auto close = nearest(name, known_);
    return fail_at(line_of_node(node),
                   fmt::format("unknown key '{}'{}", printable(name, 64),
                               close ? fmt::format(", did you mean '{}'?", *close) : ""));
  }
}

void TableReader::read_child(const void* table, const Read& read) {
  TableReader child(file_, table);
  read(child);
  child.reject_other_keys();
}

Status read_toml(std::string_view text, const std::string& source, const TableReader::Read& read) {
  try {
    const toml::table table = toml::parse(text, source);
    TableReader::File file{source, {}};
    TableReader(file, &table).read_child(&table, read);
    if (file.error) return *file.error;
    return {};
  } catch (const toml::parse_error& error) {
    return Error{Code::invalid,
                 std::string(error.description()),
                 fmt::format("{}:{}", source, error.source().begin.line),
                 {}};
  }
}

bool is_day(std::string_view text) {
  constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (i != 4 && i != 7 && (text[i] < '0' || text[i] > '9')) return false;
  const auto year = *parse_int(text.substr(0, 4));
  const auto month = *parse_int(text.substr(5, 2));
  const auto day = *parse_int(text.substr(8, 2));
  if (month < 1 || month > 12) return false;
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return day >= 1 && day <= kDays[month - 1] + (leap && month == 2 ? 1 : 0);
}

Result<std::string> read_input_file(const std::string& path, std::string_view what,
                                    std::size_t max_bytes) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return errno_error(errno, fmt::format("cannot open the {}", what), path,
                       "check name and permissions");
  std::string text(max_bytes + 1, '\0');
  errno = 0;
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (file.bad() || (text.empty() && !file.eof()))
    return errno_error(errno != 0 ? errno : EIO, fmt::format("cannot read the {}", what), path,
                       "give a TOML file");
  if (text.size() > max_bytes)
    return Error{Code::invalid, fmt::format("the {} is longer than {} KiB", what, max_bytes / 1024),
                 path, "give a TOML file"};
  return text;
}

}  // namespace linkburn
