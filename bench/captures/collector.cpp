#include "bench/captures/collector.h"

#include <algorithm>

#include "bench/base/text.h"
#include "bench/captures/clean_line.h"
#include "bench/captures/discover_tree.h"
#include "bench/captures/join_logs.h"
#include "bench/captures/join_nodes.h"
#include "bench/captures/table.h"

namespace linkburn {
namespace {

bool begins_a_kind(std::string_view line, std::string_view next) {
  const auto kinds = capture_kinds();
  return std::any_of(kinds.begin(), kinds.end(),
                     [&](const CaptureKind* kind) { return kind->begins(line, next); });
}

/// "node" of "node07": nodes of one kind are numbered.
std::string_view stem_of(std::string_view host) {
  return host.substr(0, host.find_first_of("0123456789"));
}

}  // namespace

void Collector::begin(const std::string& source) {
  source_ = source;
  line_number_ = 0;
  at_begin_ = true;
  utf16_.reset();
  number_.reset();
  is_json_ = false;
  prefixes_.clear();
  before_.clear();
  log_host_.clear();
  if (!says_nothing(readers_[nameless_].draft)) nameless_ = new_reader();
  current_ = {reader_of({})};
}

void Collector::take(std::string_view bytes) {
  if (at_begin_ && !bytes.empty()) {
    // A mark of two bytes that came in two pieces is left to the lines, which show it as they may.
    if (const auto order = Utf16Decoder::order_of(bytes)) utf16_.emplace(*order);
    at_begin_ = false;
  }
  if (!utf16_) return take_text(bytes);
  decoded_.clear();
  utf16_->decode(bytes, decoded_);
  take_text(decoded_);
}

void Collector::take_text(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view piece = bytes.substr(0, end);
    if (end == std::string_view::npos) {
      rest_.append(piece.substr(0, kMaxLineBytes - std::min(kMaxLineBytes, rest_.size())));
      return;
    }
    bytes.remove_prefix(end + 1);
    if (rest_.empty()) {
      take_line(piece.substr(0, kMaxLineBytes));
      continue;
    }
    rest_.append(piece.substr(0, kMaxLineBytes - std::min(kMaxLineBytes, rest_.size())));
    take_line(rest_);
    rest_.clear();
  }
}

void Collector::end() {
  if (!rest_.empty()) take_line(rest_);
  rest_.clear();
  if (has_pending_) attribute(pending_, {});
  has_pending_ = false;
  pending_.clear();
  flush_mixed();
  for (const std::size_t reader : open_) readers_[reader].end();
  open_.clear();
}

void Collector::take_line(std::string_view raw) {
  const std::string_view line = clean_line(raw, room_);
  if (has_pending_) attribute(pending_, line);
  if (pending_.starts_with("--------"))
    before_ = pending_;
  else
    before_.clear();
  pending_.assign(line);
  has_pending_ = true;
}

/// To whom a line goes.
void Collector::attribute(std::string_view line, std::string_view next) {
  ++line_number_;
  if (take_prefixed(line, next)) return;
  if (!mixed_.empty()) flush_mixed();
  line = without_number(line, next);
  if (const auto mark = node_mark(line, before_, next)) return take_mark(*mark, next);
  if (is_markup(line)) return;
  if (const auto host = host_of_line(line); host && *host != log_host_) {
    log_host_ = *host;
    current_ = {reader_of(log_host_)};
  }
  if (line == "}") is_json_ = false;
  const auto text = is_json_ ? json_text(line) : std::nullopt;
  const auto after = is_json_ ? json_text(next) : std::nullopt;
  for (const std::size_t reader : current_)
    readers_[reader].take(text ? *text : line, after ? *after : next, line_number_);
}

bool Collector::take_prefixed(std::string_view line, std::string_view next) {
  const auto prefixed = host_prefix(line);
  if (!prefixed || !is_prefix_sure(*prefixed, next)) return false;
  const std::size_t reader = reader_of(std::string(prefixed->prefix));
  if (std::find(mixed_.begin(), mixed_.end(), reader) == mixed_.end()) mixed_.push_back(reader);
  readers_[reader].take_mixed(prefixed->rest, line_number_);
  return true;
}

/// A word and a colon may be anything. It is a host when the line after it begins so too, and what
/// stands behind the prefix is what some tool prints. From then on the text is known to have it.
bool Collector::is_prefix_sure(const Prefixed& prefixed, std::string_view next) {
  if (prefixes_.contains(prefixed.prefix)) return true;
  const auto after = host_prefix(next);
  if (!after || stem_of(after->prefix) != stem_of(prefixed.prefix)) return false;
  const bool known_stem = std::any_of(prefixes_.begin(), prefixes_.end(), [&](const auto& host) {
    return stem_of(host) == stem_of(prefixed.prefix);
  });
  const bool is_output =
      known_stem || begins_a_kind(prefixed.rest, after->rest) || begins_a_kind(after->rest, {});
  if (!is_output || prefixes_.size() >= kMaxNodes) return false;
  prefixes_.emplace(prefixed.prefix);
  prefixes_.emplace(after->prefix);
  return true;
}

/// Numbers of lines, which rise, before what some tool prints.
std::string_view Collector::without_number(std::string_view line, std::string_view next) {
  const auto numbered = number_prefix(line);
  const auto value = numbered ? parse_int(numbered->prefix) : std::nullopt;
  if (!value || (number_ && *value <= *number_)) return line;
  if (!number_) {
    const auto after = number_prefix(next);
    const auto next_value = after ? parse_int(after->prefix) : std::nullopt;
    if (!next_value || *next_value <= *value) return line;
    if (!begins_a_kind(numbered->rest, after->rest)) return line;
  }
  if (begins_a_kind(line, next)) return line;
  number_ = value;
  return numbered->rest;
}

void Collector::take_mark(const NodeMark& mark, std::string_view next) {
  log_host_.clear();
  if (mark.names_node) {
    is_json_ = mark.is_json;
    std::vector<std::size_t> readers;
    for (const std::string& node : mark.nodes) {
      const std::size_t reader = reader_of(node);
      readers_[reader].is_named(line_number_);
      if (std::find(readers.begin(), readers.end(), reader) == readers.end())
        readers.push_back(reader);
    }
    if (readers.empty()) readers.push_back(reader_of({}));
    current_ = std::move(readers);
  }
  if (mark.command.empty()) return;
  for (const std::size_t reader : current_)
    readers_[reader].take_command(mark.command, next, line_number_);
}

void Collector::flush_mixed() {
  for (const std::size_t reader : mixed_) readers_[reader].flush();
  mixed_.clear();
}

/// The reader of a node; an empty name means the one without a name of the text at hand.
std::size_t Collector::reader_of(const std::string& node) {
  std::size_t reader = nameless_;
  if (const auto known = by_name_.find(node); known != by_name_.end()) {
    reader = known->second;
  } else if (!node.empty() && by_name_.size() < kMaxNodes) {
    reader = new_reader();
    readers_[reader].draft.name = node;
    by_name_.emplace(node, reader);
  }
  readers_[reader].begin(source_);
  open_.insert(reader);
  return reader;
}

std::size_t Collector::new_reader() {
  readers_.emplace_back();
  return readers_.size() - 1;
}

void Collector::switch_to(const std::string& name) { current_ = {reader_of(name)}; }

std::vector<NodeDraft> Collector::drafts() && {
  std::vector<NodeDraft> drafts;
  for (NodeReader& reader : readers_)
    if (!says_nothing(reader.draft)) drafts.push_back(std::move(reader.draft));
  return drafts;
}

std::vector<NodeDraft> Collector::finish() && {
  std::vector<NodeDraft> nodes = join_nodes(std::move(*this).drafts());
  for (NodeDraft& node : nodes) discover_shown(node), join_logs(node);
  return nodes;
}

}  // namespace linkburn
