#include "bench/captures/clean_line.h"

namespace linkburn {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
constexpr char kEscape = '\x1b';

/// Control sequences of terminals: ESC [ parameters, and a letter [ECMA-48, section 5.4].
std::string_view without_escapes(std::string_view line, std::string& room) {
  if (line.find(kEscape) == std::string_view::npos) return line;
  room.clear();
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] != kEscape) {
      room.push_back(line[at]);
      continue;
    }
    if (at + 1 < line.size() && line[at + 1] == '[') {
      ++at;
      while (at + 1 < line.size() && (line[at + 1] < '@' || line[at + 1] > '~')) ++at;
    }
    ++at;
  }
  return room;
}

}  // namespace

std::string_view clean_line(std::string_view line, std::string& room) {
  while (!line.empty() && (line.back() == '\r' || line.back() == '\n')) line.remove_suffix(1);
  if (line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
  line = without_escapes(line, room);
  while (line.starts_with("> ") || line.starts_with(">>"))
    line.remove_prefix(line[1] == ' ' ? 2 : 1);
  if (line == ">") line = {};
  return line;
}

}  // namespace linkburn
