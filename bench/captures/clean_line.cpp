#include "bench/captures/clean_line.h"

#include <array>
#include <utility>

namespace linkburn {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
constexpr std::string_view kNoBreakSpace = "\xc2\xa0";
constexpr char kEscape = '\x1b';

/// Where a control sequence of a terminal ends: ESC [ parameters and a letter, ESC ] text and a
/// bell, else ESC and one character [ECMA-48, sections 5.4 and 5.6].
std::size_t after_escape(std::string_view line, std::size_t at) {
  if (++at >= line.size()) return at;
  if (line[at] == ']') {
    const std::size_t bell = line.find_first_of("\a\x1b", at);
    return bell == std::string_view::npos ? line.size() : line[bell] == '\a' ? bell + 1 : bell + 2;
  }
  if (line[at] != '[') return at + 1;
  while (++at < line.size() && (line[at] < '@' || line[at] > '~')) continue;
  return at + 1;
}

/// The character that an entity stands for, and how long the entity is.
std::pair<char, std::size_t> entity_at(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, char>, 7> kEntities{{{"&lt;", '<'},
                                                                               {"&gt;", '>'},
                                                                               {"&amp;", '&'},
                                                                               {"&quot;", '"'},
                                                                               {"&#39;", '\''},
                                                                               {"&#x27;", '\''},
                                                                               {"&nbsp;", ' '}}};
  for (const auto& [entity, c] : kEntities)
    if (text.starts_with(entity)) return {c, entity.size()};
  return {'&', 1};
}

bool has_something_to_take_out(std::string_view line) {
  return line.find(kEscape) != std::string_view::npos || line.find('&') != std::string_view::npos ||
         line.find(kNoBreakSpace) != std::string_view::npos;
}

std::string_view taken_out(std::string_view line, std::string& room) {
  room.clear();
  for (std::size_t at = 0; at < line.size();) {
    if (line[at] == kEscape) {
      at = after_escape(line, at);
    } else if (line[at] == '&') {
      const auto [c, bytes] = entity_at(line.substr(at, 8));
      room.push_back(c);
      at += bytes;
    } else if (line.substr(at).starts_with(kNoBreakSpace)) {
      room.push_back(' ');
      at += kNoBreakSpace.size();
    } else {
      room.push_back(line[at++]);
    }
  }
  return room;
}

/// Of copies of web pages: the tag before the first line of a block, and after the last.
std::string_view without_tags(std::string_view line) {
  for (const std::string_view tag : {"<pre>", "<code>"})
    if (line.starts_with(tag)) line.remove_prefix(tag.size());
  for (const std::string_view tag : {"<br>", "<br/>", "<br />", "</pre>", "</code>"})
    if (line.ends_with(tag)) line.remove_suffix(tag.size());
  return line;
}

std::string_view without_quoting(std::string_view line) {
  while (line.starts_with('>')) line.remove_prefix(line.starts_with("> ") ? 2 : 1);
  return line;
}

/// "[1,0]<stdout>:" before each line [mpirun(1), --tag-output].
std::string_view without_mpi_tag(std::string_view line) {
  constexpr std::size_t kLongestTag = 32;
  if (!line.starts_with('[')) return line;
  for (const std::string_view stream : {"]<stdout>:", "]<stderr>:"}) {
    const std::size_t at = line.substr(0, kLongestTag).find(stream);
    if (at == std::string_view::npos) continue;
    const bool numbers = line.substr(1, at - 1).find_first_not_of("0123456789,") == line.npos;
    if (numbers) line.remove_prefix(at + stream.size());
    return line;
  }
  return line;
}

}  // namespace

std::string_view clean_line(std::string_view line, std::string& room) {
  while (!line.empty() && (line.back() == '\r' || line.back() == '\n')) line.remove_suffix(1);
  if (line.empty()) return line;
  if (line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
  if (has_something_to_take_out(line)) line = taken_out(line, room);
  line = without_mpi_tag(without_quoting(line));
  if (!line.empty() && (line.front() == '<' || line.back() == '>')) line = without_tags(line);
  return line;
}

}  // namespace linkburn
