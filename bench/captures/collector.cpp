#include "bench/captures/collector.h"

#include <algorithm>

#include "bench/base/text.h"
#include "bench/captures/clean_line.h"
#include "bench/captures/discover_tree.h"
#include "bench/captures/table.h"

namespace linkburn {

void Collector::begin(const std::string& source) {
  source_ = source;
  line_number_ = 0;
}

void Collector::take(std::string_view bytes) {
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
  if (has_pending_) dispatch(pending_, {});
  has_pending_ = false;
  close_part();
}

void Collector::take_line(std::string_view line) {
  if (has_pending_) dispatch(pending_, line);
  pending_.assign(line);
  has_pending_ = true;
}

void Collector::dispatch(std::string_view raw, std::string_view next) {
  ++line_number_;
  std::string room, next_room;
  const std::string_view line = clean_line(raw, room);
  const bool blank = trim(line).empty();
  if (goes_on(line) || blank) return;
  const std::string_view after = clean_line(next, next_room);
  for (const CaptureKind* kind : capture_kinds()) {
    if (!kind->begins(line, after)) continue;
    start(kind);
    count(part_of(kind->name), line, reader_->take(line) == Take::understood);
    return;
  }
  // What nobody knows ends nothing: a reader may go on after words in between.
  count(part_of(kind_ != nullptr ? kind_->name : std::string_view()), line, false);
}

/// True when the reader at work takes the line.
bool Collector::goes_on(std::string_view line) {
  if (!reader_) return false;
  const Take taken = reader_->take(line);
  if (taken == Take::elsewhere) return false;
  if (!trim(line).empty()) count(part_of(kind_->name), line, taken == Take::understood);
  return true;
}

void Collector::start(const CaptureKind* kind) {
  close_part();
  kind_ = kind;
  reader_ = kind->make();
}

void Collector::close_part() {
  if (reader_) reader_->finish(node());
  reader_.reset();
  kind_ = nullptr;
}

CapturePart& Collector::part_of(std::string_view reader) {
  auto& parts = node().parts;
  // Those of the text at hand are the latest: a look at all would take long after many texts.
  for (auto part = parts.rbegin(); part != parts.rend() && part->source == source_; ++part)
    if (part->reader == reader) return *part;
  CapturePart part;
  part.source = source_;
  part.reader = reader;
  part.first_line = line_number_;
  if (parts.size() < NodeDraft::kMaxItems) parts.push_back(std::move(part));
  return parts.back();
}

void Collector::count(CapturePart& part, std::string_view line, bool understood) {
  constexpr std::size_t kExampleBytes = 120;
  ++part.lines;
  if (understood) return;
  ++part.not_understood;
  if (part.examples.size() < kMaxExamples)
    part.examples.push_back(printable(trim(line), kExampleBytes));
}

void Collector::switch_to(const std::string& name) {
  if (node().name == name) return;
  close_part();
  const auto found = std::find_if(nodes_.begin(), nodes_.end(),
                                  [&](const NodeDraft& draft) { return draft.name == name; });
  node_ = static_cast<std::size_t>(found - nodes_.begin());
  if (found != nodes_.end() || nodes_.size() >= NodeDraft::kMaxItems) return;
  nodes_.emplace_back();
  nodes_.back().name = name;
}

std::vector<NodeDraft> Collector::finish() && {
  for (NodeDraft& draft : nodes_) discover_shown(draft);
  std::erase_if(nodes_,
                [](const NodeDraft& draft) { return draft.parts.empty() && draft.trees.empty(); });
  return std::move(nodes_);
}

}  // namespace linkburn
