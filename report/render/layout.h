// Layout of text for a terminal or a mail: clean words, wrapped lines, aligned tables. ASCII only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/rules/finding.h"
#include "report/verdict.h"

namespace linkburn {

/// Printable ASCII without surrounding white space. Every other character becomes '?', and a text
/// longer than `max_bytes` ends in "...": a kernel log or a device name may hold anything.
std::string plain(std::string_view text, std::size_t max_bytes = 1000);

/// At most `width` bytes: what does not fit is taken out of the middle and replaced by "..".
std::string shortened(std::string text, std::size_t width);

/// Appends `lead` and `text`, broken at blanks into lines of at most `columns`; the following lines
/// are indented to the end of the lead. Wider gaps within a line stay. Only a word that is longer
/// than a line is broken itself.
void wrap(std::string& out, std::string_view lead, std::string_view text, std::size_t columns);

/// ANSI colours for words of the result vocabulary; with `on` false the words as they are.
struct Paint {
  bool on = false;
  std::string operator()(std::string_view word, FindingClass cls) const;
  std::string operator()(std::string_view word, Outcome outcome) const;
};

/// Columns as wide as their cells. When they do not fit, the widest are shortened first, none below
/// its `least` as long as that is enough. The last column may be painted.
class Table {
 public:
  struct Column {
    std::string_view title;
    std::size_t least = 4;
  };
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// One cell for each column; an empty cell shows as "-".
  void add(std::vector<std::string> cells);

  /// The same with a last cell in the colour of a class.
  void add(std::vector<std::string> cells, FindingClass last);

  void append_to(std::string& out, std::size_t columns, Paint paint) const;

 private:
  struct Row {
    std::vector<std::string> cells;
    std::optional<FindingClass> last;
  };
  std::vector<std::size_t> widths(std::size_t columns) const;

  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

}  // namespace linkburn
