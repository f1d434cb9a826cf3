#include "report/render/layout.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "bench/base/text.h"

namespace linkburn {
namespace {

constexpr std::string_view kGap = "  ";
constexpr std::string_view kIndent = "  ";

/// "Select Graphic Rendition" of ECMA-48, section 8.3.117.
constexpr std::string_view kBoldRed = "1;31", kGreen = "32", kYellow = "33", kCyan = "36";

std::string painted(std::string_view word, std::string_view sgr) {
  return fmt::format("\x1b[{}m{}\x1b[0m", sgr, word);
}

}  // namespace

std::string plain(std::string_view text, std::size_t max_bytes) {
  // A character takes at most four bytes; the cut before cleaning keeps huge texts cheap.
  text = trim(text).substr(0, 4 * max_bytes + 4);
  const std::string clean = printable(text, text.size());
  std::string out;
  for (const char c : clean) {
    const auto byte = static_cast<unsigned char>(c);
    const bool continuation = (byte & 0xc0) == 0x80;
    if (!continuation) out += byte < 0x80 ? c : '?';
  }
  if (out.size() <= max_bytes) return out;
  out.resize(max_bytes > 3 ? max_bytes - 3 : 0);
  return out + "...";
}

std::string shortened(std::string text, std::size_t width) {
  if (text.size() <= width) return text;
  if (width < 8) return text.substr(0, width);
  const std::size_t tail = (width - 2) / 2;
  const std::size_t head = width - 2 - tail;
  return text.substr(0, head) + ".." + text.substr(text.size() - tail);
}

void wrap(std::string& out, std::string_view lead, std::string_view text, std::size_t columns) {
  constexpr std::size_t kLeastRoom = 16;
  const std::size_t room = std::max(columns, lead.size() + kLeastRoom) - lead.size();
  out += lead;
  std::size_t used = 0;
  const auto next_line = [&] {
    out.erase(out.find_last_not_of(' ') + 1);
    out += '\n';
    out.append(lead.size(), ' ');
    used = 0;
  };
  const char* end = text.data();
  for (std::string_view word : words_of(text)) {
    const auto gap = used > 0 ? static_cast<std::size_t>(word.data() - end) : 0;
    end = word.data() + word.size();
    if (used > 0 && used + gap + word.size() > room)
      next_line();
    else
      out.append(gap, ' '), used += gap;
    for (; word.size() > room; word.remove_prefix(room)) {
      out += word.substr(0, room);
      next_line();
    }
    out += word;
    used += word.size();
  }
  out.erase(out.find_last_not_of(' ') + 1);
  out += '\n';
}

std::string Paint::operator()(std::string_view word, FindingClass cls) const {
  if (!on) return std::string(word);
  if (is_failure(cls)) return painted(word, kBoldRed);
  if (cls == FindingClass::healthy) return painted(word, kGreen);
  return painted(word, cls == FindingClass::limited ? kCyan : kYellow);
}

std::string Paint::operator()(std::string_view word, Outcome outcome) const {
  if (!on) return std::string(word);
  if (outcome == Outcome::fail) return painted(word, kBoldRed);
  return painted(word, outcome == Outcome::pass ? kGreen : kYellow);
}

void Table::add(std::vector<std::string> cells) {
  for (std::string& cell : cells)
    if (cell.empty()) cell = "-";
  rows_.push_back({std::move(cells), std::nullopt});
}

void Table::add(std::vector<std::string> cells, FindingClass last) {
  add(std::move(cells));
  rows_.back().last = last;
}

std::vector<std::size_t> Table::widths(std::size_t columns) const {
  std::vector<std::size_t> width, least;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    width.push_back(columns_[i].title.size());
    for (const Row& row : rows_) width[i] = std::max(width[i], row.cells[i].size());
    least.push_back(std::max(columns_[i].least, columns_[i].title.size()));
  }
  const std::size_t fixed = kIndent.size() + kGap.size() * (columns_.size() - 1);
  const auto shrink_to = [&](const std::vector<std::size_t>& floor) {
    while (fixed + std::accumulate(width.begin(), width.end(), std::size_t{0}) > columns) {
      std::size_t widest = columns_.size();
      for (std::size_t i = 0; i < columns_.size(); ++i)
        if (width[i] > floor[i] && (widest == columns_.size() || width[i] > width[widest]))
          widest = i;
      if (widest == columns_.size()) return;
      --width[widest];
    }
  };
  shrink_to(least);
  shrink_to(std::vector<std::size_t>(columns_.size(), 4));
  return width;
}

void Table::append_to(std::string& out, std::size_t columns, Paint paint) const {
  const std::vector<std::size_t> width = widths(columns);
  const auto line = [&](const auto& cells, std::optional<FindingClass> last) {
    std::string text(kIndent);
    for (std::size_t i = 0; i + 1 < width.size(); ++i)
      text += fmt::format("{:<{}}{}", shortened(std::string(cells[i]), width[i]), width[i], kGap);
    const std::string end = shortened(std::string(cells.back()), width.back());
    text += last ? paint(end, *last) : end;
    out += text + '\n';
  };
  std::vector<std::string_view> titles;
  for (const Column& column : columns_) titles.push_back(column.title);
  line(titles, std::nullopt);
  for (const Row& row : rows_) line(row.cells, row.last);
}

}  // namespace linkburn
