#include "bench/captures/nvbandwidth_json.h"

#include <algorithm>

#include "bench/base/ascii.h"
#include "bench/base/text.h"

namespace linkburn {
namespace {

// Names as in nvbandwidth json_output.cpp.
constexpr std::string_view kTitle = "\"nvbandwidth\"";
constexpr std::string_view kMatrix = "bandwidth_matrix";
constexpr std::string_view kDescription = "bandwidth_description";
constexpr std::string_view kName = "name";

constexpr std::size_t kMaxTables = 4096;
constexpr std::size_t kMaxCells = 1024;  ///< in a row, and rows in a matrix
constexpr std::size_t kMaxText = 256;

bool is_word(char c) {
  return is_letter_or_digit(c) || c == '.' || c == '-' || c == '+' || c == '/';
}

/// A line of other text ends the JSON, also where its end was cut.
bool can_be_json(std::string_view line) {
  constexpr std::string_view kStarts = "{}[]\",";
  if (line.empty() || kStarts.find(line.front()) != std::string_view::npos) return true;
  for (const std::string_view word : {"true", "false", "null"})
    if (line.starts_with(word)) return true;
  return line.find_first_not_of("0123456789.+-eE, \t]}") == std::string_view::npos;
}

/// The end of a string that begins at `from`, after its quote; escaped quotes do not end it.
std::size_t end_of_string(std::string_view line, std::size_t from) {
  while (from < line.size() && line[from] != '"') from += line[from] == '\\' ? 2 : 1;
  return std::min(from, line.size());
}

}  // namespace

bool NvbandwidthJson::begins(std::string_view line) {
  if (line.starts_with('{')) line = trim(line.substr(1));
  if (line.starts_with(kTitle)) return trim(line.substr(kTitle.size())).starts_with(':');
  return line.starts_with("\"bandwidth_matrix\"") ||
         (line.starts_with("\"bandwidth_description\"") &&
          line.find("memcpy") != std::string_view::npos);
}

Take NvbandwidthJson::take(std::string_view line) {
  if (!can_be_json(line)) {
    close_table();
    open_ = false;
    return Take::elsewhere;
  }
  open_ = true;
  for (std::size_t at = 0; at < line.size();) {
    const char c = line[at];
    if (c == '"') {
      const std::size_t end = end_of_string(line, at + 1);
      take_string(line.substr(at + 1, end - at - 1));
      at = end + 1;
    } else if (is_word(c)) {
      std::size_t end = at;
      while (end < line.size() && is_word(line[end])) ++end;
      take_word(line.substr(at, end - at));
      at = end;
    } else {
      if (c == ':') after_colon_ = true;
      if (c == ',' && matrix_depth_ == 0) after_colon_ = false;
      if (c == '[') open_bracket();
      if (c == ']') close_bracket();
      if (c == '{') ++depth_, after_colon_ = false;
      if (c == '}') --depth_, close_table();
      ++at;
    }
  }
  if (depth_ <= 0 && line.find('}') != std::string_view::npos) open_ = false;
  return Take::understood;
}

void NvbandwidthJson::take_string(std::string_view text) {
  text = text.substr(0, kMaxText);
  if (matrix_depth_ > 0) return take_word(text);
  if (!after_colon_) {
    key_ = text;
    return;
  }
  after_colon_ = false;
  if (key_ == kName) table_.test = printable(text, kMaxText);
  if (key_ == kDescription) table_.title = printable(trim(text), kMaxText);
}

void NvbandwidthJson::take_word(std::string_view text) {
  if (matrix_depth_ == 0 || table_.rows.empty()) return;
  auto& cells = table_.rows.back().cells;
  if (cells.size() < kMaxCells) cells.emplace_back(text.substr(0, kMaxText));
}

void NvbandwidthJson::open_bracket() {
  if (key_ != kMatrix || !after_colon_) {
    after_colon_ = false;
    return;
  }
  ++matrix_depth_;
  if (matrix_depth_ == 2 && table_.rows.size() < kMaxCells)
    table_.rows.push_back({static_cast<int>(table_.rows.size()), {}});
}

void NvbandwidthJson::close_bracket() {
  if (matrix_depth_ == 0) return;
  --matrix_depth_;
  if (matrix_depth_ == 0) after_colon_ = false;
}

void NvbandwidthJson::close_table() {
  matrix_depth_ = 0;
  after_colon_ = false;
  key_.clear();
  if (!table_.rows.empty() && tables_.size() < kMaxTables) {
    std::size_t columns = 0;
    for (const NvbandwidthRow& row : table_.rows) columns = std::max(columns, row.cells.size());
    for (std::size_t i = 0; i < columns; ++i) table_.columns.push_back(static_cast<int>(i));
    tables_.push_back(std::move(table_));
  }
  table_ = {};
}

std::vector<NvbandwidthTable> NvbandwidthJson::finish() {
  close_table();
  return std::move(tables_);
}

}  // namespace linkburn
