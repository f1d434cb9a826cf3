// The tables in which nvbandwidth and p2pBandwidthLatencyTest print rates: numbers of devices above
// and at the left, a rate in each cell.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace linkburn {

/// One line of such a table. Its words point into the line.
struct MatrixRow {
  int row = 0;
  std::vector<std::string_view> cells;  ///< "55.37", or "N/A" where there is nothing to measure
};

/// "   0   1   2": the numbers of the columns; p2pBandwidthLatencyTest begins with "D\D". Nothing
/// when the line is no such header.
std::optional<std::vector<int>> matrix_header(std::string_view line);

/// " 0   55.37   N/A": nothing when the line is no such row.
std::optional<MatrixRow> matrix_row(std::string_view line);

/// The whole word as a rate; nothing for "N/A" and for any rest.
std::optional<double> rate_of_cell(std::string_view cell);

}  // namespace linkburn
