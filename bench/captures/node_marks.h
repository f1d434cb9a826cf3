// What a line tells about the node that texts are about: prompts, headings, prefixes. All of these
// are asked of each line of texts of any size, so that they give up at the first bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace linkburn {

struct NodeMark {
  /// The lines that follow are about these; empty: the mark names no node.
  std::vector<std::string> nodes;
  bool names_node = true;  ///< false: a prompt without a host, the node stays the same
  std::string command;     ///< of a prompt: "$ lspci -vv", whatever the prompt looked like
  bool is_json = false;    ///< the lines that follow are texts in a list: see json_text()
};

/// The mark that `line` is: a prompt ("user@node07:~$ lspci"), a heading ("=== node07 ==="), the
/// head of ansible's or clush's output, a line of uname or hostnamectl. The lines around it tell
/// the head of a block from a list.
std::optional<NodeMark> node_mark(std::string_view line, std::string_view before,
                                  std::string_view next);

/// The host that one line of a system log or of NCCL names; the next line may be of another one.
std::optional<std::string_view> host_of_line(std::string_view line);

/// The text of a line that is one text of a list in JSON: what `"ok\tit is",` says.
std::optional<std::string> json_text(std::string_view line);

/// A line with something in front that tools or people put before each line.
struct Prefixed {
  std::string_view prefix;  ///< "node07", "12"
  std::string_view rest;
};

/// "node07: text", as pdsh and clush print it. Whether it is one, only more lines can tell.
std::optional<Prefixed> host_prefix(std::string_view line);

/// "12:text", "12-text" of grep -n and "   12 <tab>text" of cat -n.
std::optional<Prefixed> number_prefix(std::string_view line);

/// Fences and tags of formatted text alone on a line, and what sudo and script(1) say, which are
/// nobody's output.
bool is_markup(std::string_view line);

}  // namespace linkburn
