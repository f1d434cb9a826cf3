#include "bench/captures/node_marks.h"

#include <algorithm>
#include <array>

#include "bench/base/text.h"
#include "bench/captures/host_name.h"
#include "bench/captures/kernel_log_line.h"
#include "bench/captures/nccl_debug.h"

namespace linkburn {
namespace {

constexpr std::size_t kMaxPromptBytes = 300;   ///< user, host and folder
constexpr std::size_t kMaxHeadingBytes = 200;  ///< longer lines are text

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

NodeMark mark_of(std::string_view host) {
  NodeMark mark;
  if (is_host_name(host)) mark.nodes.emplace_back(host);
  return mark;
}

/// How far the characters of a host name, a user or a folder go.
std::size_t token_end(std::string_view line) {
  const std::size_t most = std::min(line.size(), kMaxHostBytes);
  std::size_t end = 0;
  while (end < most && (is_host_character(line[end]) || line[end] == '_')) ++end;
  return end;
}

bool is_prompt_sign(char c) { return c == '$' || c == '#' || c == '%'; }

/// What is typed after the folder of a prompt: "~]# lspci" gives "lspci". Nothing when this is no
/// prompt.
std::optional<std::string_view> command_after_folder(std::string_view rest) {
  const std::string_view shown = rest.substr(0, kMaxPromptBytes);
  std::size_t end = 0;
  while (end < shown.size() && !is_prompt_sign(shown[end])) {
    const char c = shown[end++];
    if (!is_host_character(c) && std::string_view("~/_ ]+@()").find(c) == std::string_view::npos)
      return std::nullopt;
  }
  if (end == shown.size()) return std::nullopt;
  const std::string_view command = rest.substr(end + 1);
  if (!command.empty() && command.front() != ' ') return std::nullopt;
  return trim(command);
}

std::optional<NodeMark> prompt_of(std::string_view host, std::string_view rest) {
  const auto command = command_after_folder(rest);
  if (!command) return std::nullopt;
  NodeMark mark = mark_of(host);
  mark.command = "$ " + std::string(*command);
  return mark;
}

/// "root@node07:~# lspci", "[root@node07 ~]# lspci", "(base) ml@node07:/data$ lspci".
std::optional<NodeMark> user_prompt(std::string_view line) {
  if (line.starts_with('(')) {
    const std::size_t close = line.substr(0, kMaxPromptBytes).find(") ");
    if (close == std::string_view::npos) return std::nullopt;
    line.remove_prefix(close + 2);
  }
  const bool bracket = line.starts_with('[');
  if (bracket) line.remove_prefix(1);
  const std::size_t at = token_end(line);
  if (at == 0 || at >= line.size() || line[at] != '@') return std::nullopt;
  line.remove_prefix(at + 1);
  const std::string_view host = line.substr(0, token_end(line));
  const std::string_view rest = line.substr(host.size());
  if (host.empty() || rest.size() < 2) return std::nullopt;
  const bool folder_follows = rest[1] == '~' || rest[1] == '/';
  const bool begins =
      rest[0] == ':' ? folder_follows : rest[0] == ' ' && (bracket || folder_follows);
  if (!begins && !(bracket && rest[0] == ']')) return std::nullopt;
  return prompt_of(host, rest.substr(rest[0] == ':' ? 1 : 0));
}

/// "node07:~ # lspci", "node07$ lspci".
std::optional<NodeMark> host_prompt(std::string_view host, std::string_view rest) {
  if (rest.size() > 1 && rest[0] == ':' && (rest[1] == '~' || rest[1] == '/') && is_host_name(host))
    return prompt_of(host, rest.substr(1));
  if (rest.size() > 1 && is_prompt_sign(rest[0]) && rest[1] == ' ' && is_surely_host(host))
    return prompt_of(host, rest);
  return std::nullopt;
}

/// "node07 | CHANGED | rc=0 >>" [ansible, lib/ansible/plugins/callback/minimal.py].
std::optional<NodeMark> ansible_head(std::string_view host, std::string_view rest) {
  static constexpr std::array<std::string_view, 5> kStates{"CHANGED", "SUCCESS", "FAILED",
                                                           "UNREACHABLE", "UNREACHABLE!"};
  if (!rest.starts_with(" | ")) return std::nullopt;
  const auto words = words_of(rest.substr(3, 40));
  if (words.empty() || std::find(kStates.begin(), kStates.end(), words[0]) == kStates.end())
    return std::nullopt;
  NodeMark mark;
  mark.nodes.emplace_back(host);  // also an address, if that is what the inventory calls it
  return mark;
}

/// "ok: [node07] => {" [ansible, lib/ansible/plugins/callback/default.py].
std::optional<NodeMark> ansible_task(std::string_view word, std::string_view rest) {
  static constexpr std::array<std::string_view, 4> kStates{"ok", "changed", "failed", "fatal"};
  if (!rest.starts_with(": [") || rest.size() > kMaxHeadingBytes ||
      std::find(kStates.begin(), kStates.end(), word) == kStates.end())
    return std::nullopt;
  const std::string_view host = rest.substr(3, token_end(rest.substr(3)));
  if (host.empty() || !rest.substr(3 + host.size()).starts_with(']')) return std::nullopt;
  NodeMark mark;
  mark.nodes.emplace_back(host);
  mark.is_json = rest.ends_with("{");
  return mark;
}

bool equal_but_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return (x | 0x20) == (y | 0x20); });
}

/// "hostname: node07", "Static hostname: node07" [hostnamectl], "Host: node07".
std::optional<NodeMark> named_value(std::string_view line) {
  const std::size_t end = line.find_first_of(":=");
  if (end == std::string_view::npos || line.size() > kMaxHeadingBytes) return std::nullopt;
  const std::string_view key = trim(line.substr(0, end));
  const std::string_view value = trim(line.substr(end + 1));
  static constexpr std::array<std::string_view, 4> kCertain{"hostname", "host name",
                                                            "static hostname", "nodename"};
  static constexpr std::array<std::string_view, 2> kLikely{"host", "node"};
  const auto is_key = [&](std::string_view known) { return equal_but_case(key, known); };
  if (std::any_of(kCertain.begin(), kCertain.end(), is_key) && is_host_name(value))
    return mark_of(value);
  if (std::any_of(kLikely.begin(), kLikely.end(), is_key) && is_surely_host(value))
    return mark_of(value);
  return std::nullopt;
}

/// "Linux node07 5.15.0-91-generic #101-Ubuntu SMP ...": uname -a.
std::optional<NodeMark> uname_line(std::string_view line) {
  if (line.starts_with("uname: ")) line.remove_prefix(7);
  if (!line.starts_with("Linux ")) return std::nullopt;
  const auto words = words_of(line.substr(0, 2 * kMaxHostBytes));
  const bool fits = words.size() > 2 && is_host_name(words[1]) && words[1] != "version" &&
                    is_digit(words[2].front()) && words[2].find('.') != std::string_view::npos;
  return fits ? std::optional(mark_of(words[1])) : std::nullopt;
}

/// "=== node07 ===", "### node07", "--- host node07 ---", "==> node07 <==".
std::optional<NodeMark> heading(std::string_view line) {
  line = trim(line);
  if (line.size() > kMaxHeadingBytes) return std::nullopt;
  constexpr std::string_view kRules = "=#-*+<>";
  const std::size_t left = line.find_first_not_of(kRules);
  if (left == std::string_view::npos || left < 2) return std::nullopt;
  const std::size_t right = line.size() - 1 - line.find_last_not_of(kRules);
  const bool may_be_open = line.front() == '=' || line.front() == '#';
  if (right < 2 && !(right == 0 && may_be_open)) return std::nullopt;
  std::string_view name = trim(line.substr(left, line.size() - left - right));
  if (auto mark = named_value(name)) return mark;
  for (const std::string_view word : {"host ", "node ", "Host ", "Node "})
    if (name.starts_with(word)) name = trim(name.substr(word.size()));
  if (name.ends_with(':')) name.remove_suffix(1);
  return is_surely_host(name) ? std::optional(mark_of(name)) : std::nullopt;
}

/// A line of dashes and nothing else, as around the host list of clush -b and dshbak.
bool is_rule(std::string_view line) {
  line = trim(line);
  constexpr std::size_t kFewest = 8;
  return line.size() >= kFewest && line.find_first_not_of('-') == std::string_view::npos;
}

std::optional<NodeMark> block_head(std::string_view line, std::string_view before,
                                   std::string_view next) {
  if (!is_rule(before) || !is_rule(next)) return std::nullopt;
  NodeMark mark;
  mark.nodes = hosts_of_list(line);
  return mark.nodes.empty() ? std::nullopt : std::optional(mark);
}

/// "$ lspci -vv": somebody typed that, no matter where.
std::optional<NodeMark> bare_prompt(std::string_view line) {
  if (!line.starts_with("$ ") || line.size() < 3 || !(is_letter(line[2]) || line[2] == '/'))
    return std::nullopt;
  return NodeMark{{}, false, std::string(line)};
}

/// Lines that begin with a word.
std::optional<NodeMark> mark_after_word(std::string_view line) {
  const std::string_view word = line.substr(0, token_end(line));
  if (word.size() == line.size()) return std::nullopt;
  const std::string_view rest = line.substr(word.size());
  switch (rest.front()) {
    case '@':
      return user_prompt(line);
    case '$':
    case '#':
    case '%':
      return host_prompt(word, rest);
    case ':':
    case '=':
      if (auto mark = host_prompt(word, rest)) return mark;
      if (auto mark = ansible_task(word, rest)) return mark;
      return word == "uname" ? uname_line(line) : named_value(line);
    case ' ':
      if (rest.starts_with(" | ")) return ansible_head(word, rest);
      if (word == "Linux") return uname_line(line);
      return equal_but_case(word, "host") || equal_but_case(word, "static") ? named_value(line)
                                                                            : std::nullopt;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<NodeMark> node_mark(std::string_view line, std::string_view before,
                                  std::string_view next) {
  if (line.empty()) return std::nullopt;
  if (before.starts_with("--------"))
    if (auto mark = block_head(line, before, next)) return mark;
  switch (line.front()) {
    case '$':
      return bare_prompt(line);
    case '[':  // of a kernel log, a number follows
      return line.size() > 1 && is_letter(line[1]) ? user_prompt(line) : std::nullopt;
    case '(':
      return user_prompt(line);
    case '=':
    case '#':
    case '-':
    case '*':
    case '+':
    case '<':
      return heading(line);
    case ' ':
      return trim(line.substr(0, 40)).starts_with("Static hostname") ? named_value(line)
                                                                     : std::nullopt;
    default:
      return mark_after_word(line);
  }
}

std::optional<std::string> json_text(std::string_view line) {
  line = trim(line);
  if (line.ends_with(',')) line.remove_suffix(1);
  if (line.size() < 2 || line.front() != '"' || line.back() != '"') return std::nullopt;
  std::string text;
  for (std::size_t at = 1; at + 1 < line.size(); ++at) {
    if (line[at] == '"') return std::nullopt;
    if (line[at] != '\\') {
      text.push_back(line[at]);
      continue;
    }
    if (++at + 1 >= line.size()) return std::nullopt;
    text.push_back(line[at] == 't' ? '\t' : line[at]);
  }
  return text;
}

std::optional<Prefixed> host_prefix(std::string_view line) {
  if (line.empty() || !is_letter(line.front())) return std::nullopt;
  const std::size_t end = token_end(line);
  if (end >= line.size() || line[end] != ':') return std::nullopt;
  std::string_view rest = line.substr(end + 1);
  if (!rest.empty() && rest.front() != ' ') return std::nullopt;
  if (!rest.empty()) rest.remove_prefix(1);
  const std::string_view host = line.substr(0, end);
  const bool is_letter_and_number =
      end > 1 && std::all_of(host.begin() + 1, host.end(), is_digit);  // "n07"
  if (!is_surely_host(host) && !is_letter_and_number) return std::nullopt;
  return Prefixed{host, rest};
}

std::optional<Prefixed> number_prefix(std::string_view line) {
  std::size_t begin = 0;
  while (begin < line.size() && line[begin] == ' ') ++begin;
  std::size_t end = begin;
  constexpr std::size_t kMostDigits = 9;
  while (end < line.size() && end - begin < kMostDigits && is_digit(line[end])) ++end;
  if (end == begin || end >= line.size() || line[begin] == '0') return std::nullopt;
  const char mark = line[end];
  const bool of_grep = begin == 0 && (mark == ':' || mark == '-');
  const bool of_cat = begin > 0 && mark == '\t';
  if (!of_grep && !of_cat) return std::nullopt;
  return Prefixed{line.substr(begin, end - begin), line.substr(end + 1)};
}

std::optional<std::string_view> host_of_line(std::string_view line) {
  auto host = host_of_log_line(line);
  if (!host) host = host_of_nccl_line(line);
  return host && is_host_name(*host) ? host : std::nullopt;
}

bool is_markup(std::string_view line) {
  line = trim(line);
  for (const std::string_view begin :
       {"[sudo] password for ", "Script started on ", "Script done on "})
    if (line.starts_with(begin)) return true;
  if (line.empty() || (line.front() != '`' && line.front() != '<' && line.front() != '~'))
    return false;
  if (line.starts_with("```") || line.starts_with("~~~"))
    return line.find_first_of(" \t:") == std::string_view::npos;
  static constexpr std::array<std::string_view, 12> kTags{
      "<pre>", "</pre>", "<code>",    "</code>",    "<pre><code>", "</code></pre>",
      "<p>",   "</p>",   "<details>", "</details>", "<div>",       "</div>"};
  return std::find(kTags.begin(), kTags.end(), line) != kTags.end();
}

}  // namespace linkburn
