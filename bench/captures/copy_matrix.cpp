#include "bench/captures/copy_matrix.h"

#include <charconv>
#include <cmath>

#include "bench/base/text.h"

namespace linkburn {
namespace {

/// Far more than the devices of any node; a longer line is no table of theirs.
constexpr std::size_t kMaxColumns = 1024;
constexpr int kMaxDevice = 65535;

std::optional<int> device_number(std::string_view word) {
  const auto number = parse_int(word);
  if (!number || *number < 0 || *number > kMaxDevice) return std::nullopt;
  return static_cast<int>(*number);
}

}  // namespace

std::optional<double> rate_of_cell(std::string_view cell) {
  double value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error != std::errc{} || end != cell.data() + cell.size()) return std::nullopt;
  if (!std::isfinite(value) || value < 0) return std::nullopt;
  return value;
}

std::optional<std::vector<int>> matrix_header(std::string_view line) {
  std::vector<std::string_view> words = words_of(trim(line));
  if (!words.empty() && words.front() == "D\\D") words.erase(words.begin());
  if (words.empty() || words.size() > kMaxColumns) return std::nullopt;
  std::vector<int> columns;
  for (const std::string_view word : words) {
    const auto number = device_number(word);
    if (!number || (!columns.empty() && *number <= columns.back())) return std::nullopt;
    columns.push_back(*number);
  }
  return columns;
}

std::optional<MatrixRow> matrix_row(std::string_view line) {
  std::vector<std::string_view> words = words_of(trim(line));
  if (words.size() < 2 || words.size() > kMaxColumns + 1) return std::nullopt;
  MatrixRow row;
  const auto number = device_number(words.front());
  if (!number) return std::nullopt;
  row.row = *number;
  row.cells.assign(words.begin() + 1, words.end());
  for (const std::string_view cell : row.cells)
    if (cell != "N/A" && !rate_of_cell(cell)) return std::nullopt;
  return row;
}

}  // namespace linkburn
