// The catalogue: for every finding code what it means and what to do next. Codes are an interface:
// they never change their meaning.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace linkburn {

struct CatalogueRow {
  std::string_view code;               ///< "LB-PCIE-WIDTH"
  std::string_view title;              ///< "link width below rating"
  std::string_view meaning;            ///< what it means, one or two sentences
  std::vector<std::string_view> next;  ///< steps in the order to try them
};

std::span<const CatalogueRow> catalogue();

/// The row of a code. Every code that a rule emits has one (a test walks them).
const CatalogueRow& catalogue_row(std::string_view code);

}  // namespace linkburn
