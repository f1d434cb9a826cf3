// Bytes of captured texts in, drafts of nodes out.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "bench/captures/node_marks.h"
#include "bench/captures/node_reader.h"
#include "bench/captures/utf16.h"

namespace linkburn {

/// Takes texts one after another, in pieces of any size, and never holds more than a few lines of
/// them. Lines go to the node that prompts, headings and prefixes name; lines of a text before any
/// of these go to a node without a name, and join_nodes() says whose they are.
class Collector {
 public:
  static constexpr std::size_t kMaxLineBytes = 64 * 1024;  ///< what is longer is cut
  static constexpr std::size_t kMaxNodes = 16384;  ///< more named ones are taken for one nameless

  /// A text begins: a file, or a member of an archive ("bug.tgz:lspci.txt").
  void begin(const std::string& source);
  void take(std::string_view bytes);
  void end();

  /// The node that lines of the text at hand belong to.
  NodeDraft& node() { return readers_[current_.front()].draft; }

  /// Lines from here on are about this node; empty: of one whose name is not known.
  void switch_to(const std::string& name);

  /// One for each name and one for each text without one.
  std::vector<NodeDraft> drafts() &&;

  /// The same, put together: one for each node.
  std::vector<NodeDraft> finish() &&;

 private:
  void take_text(std::string_view bytes);
  void take_line(std::string_view raw);
  void attribute(std::string_view line, std::string_view next);
  bool take_prefixed(std::string_view line, std::string_view next);
  bool is_prefix_sure(const Prefixed& prefixed, std::string_view next);
  std::string_view without_number(std::string_view line, std::string_view next);
  void take_mark(const NodeMark& mark, std::string_view next);
  void flush_mixed();
  std::size_t reader_of(const std::string& node);
  std::size_t new_reader();

  std::deque<NodeReader> readers_{1};
  std::map<std::string, std::size_t, std::less<>> by_name_;
  std::vector<std::size_t> current_{0};  ///< several: a block of output that is equal on all
  std::size_t nameless_ = 0;             ///< of the text at hand
  std::set<std::size_t> open_;           ///< those that lines of this text went to

  std::string source_;
  std::int64_t line_number_ = 0;
  bool at_begin_ = true;  ///< no byte of the text came yet
  std::optional<Utf16Decoder> utf16_;
  std::string decoded_;
  std::string rest_;      ///< of a line whose end did not come yet
  std::string log_host_;  ///< whom the last line of a log named
  std::string before_;    ///< the line before the pending one, where it is a rule of dashes
  std::string pending_;   ///< the latest line: it waits for the one after it
  bool has_pending_ = false;
  std::string room_;
  std::set<std::string, std::less<>> prefixes_;  ///< hosts that stand before lines of this text
  std::vector<std::size_t> mixed_;               ///< readers that hold a line
  bool is_json_ = false;                         ///< lines are texts in a list
  std::optional<std::int64_t> number_;           ///< of the last line, where lines are numbered
};

}  // namespace linkburn
