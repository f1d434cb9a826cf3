#include "bench/captures/node_reader.h"

#include <algorithm>

#include "bench/base/text.h"
#include "bench/captures/table.h"

namespace linkburn {
namespace {

bool is_blank(std::string_view line) {
  return std::none_of(line.begin(), line.end(),
                      [](char c) { return static_cast<unsigned char>(c) > ' '; });
}

/// Between the sections of reports that many tools wrote [nvidia-bug-report.sh].
bool is_rule(std::string_view line) {
  constexpr std::size_t kFewest = 20;
  return line.size() >= kFewest && line.find_first_not_of('_') == std::string_view::npos;
}

}  // namespace

void NodeReader::begin(const std::string& source) {
  if (source_ == source) return;
  source_ = source;
  parts_.clear();
}

void NodeReader::take(std::string_view line, std::string_view next, std::int64_t number) {
  if (goes_on(line, number) || is_blank(line)) return;
  if (is_rule(line)) return close_part();
  for (const CaptureKind* kind : capture_kinds()) {
    if (!kind->begins(line, next)) continue;
    start(kind);
    count(part_of(kind->name, number), line, reader_->take(line) == Take::understood);
    return;
  }
  // What nobody knows ends nothing: a reader may go on after words in between.
  count(part_of(kind_ != nullptr ? kind_->name : std::string_view(), number), line, false);
}

void NodeReader::take_command(std::string_view command, std::string_view next,
                              std::int64_t number) {
  flush();
  close_part();
  for (const CaptureKind* kind : capture_kinds()) {
    // A command that searches a log holds the words that it searches for.
    if (kind == &kernel_log_capture || !kind->begins(command, next)) continue;
    start(kind);
    count(part_of(kind->name, number), command, reader_->take(command) != Take::not_understood);
    return;
  }
}

void NodeReader::take_mixed(std::string_view line, std::int64_t number) {
  if (holds_) take(held_, line, held_number_);
  held_.assign(line);
  held_number_ = number;
  holds_ = true;
}

void NodeReader::flush() {
  if (holds_) take(held_, {}, held_number_);
  holds_ = false;
}

void NodeReader::end() {
  flush();
  close_part();
}

/// True when the reader at work takes the line.
bool NodeReader::goes_on(std::string_view line, std::int64_t number) {
  if (!reader_) return false;
  const Take taken = reader_->take(line);
  if (taken == Take::elsewhere) return false;
  if (!is_blank(line)) count(part_of(kind_->name, number), line, taken == Take::understood);
  return true;
}

void NodeReader::start(const CaptureKind* kind) {
  close_part();
  kind_ = kind;
  reader_ = kind->make();
}

void NodeReader::close_part() {
  if (reader_) reader_->finish(draft);
  reader_.reset();
  kind_ = nullptr;
}

/// There are as many as kinds, so that the search is short however long the text is.
CapturePart& NodeReader::part_of(std::string_view reader, std::int64_t number) {
  const auto known = std::find_if(parts_.begin(), parts_.end(),
                                  [&](const auto& part) { return part.first == reader; });
  if (known != parts_.end()) return draft.parts[known->second];
  if (draft.parts.size() < NodeDraft::kMaxItems) {
    CapturePart part;
    part.source = source_;
    part.reader = reader;
    part.first_line = number;
    draft.parts.push_back(std::move(part));
  }
  parts_.emplace_back(reader, draft.parts.size() - 1);
  return draft.parts.back();
}

void NodeReader::count(CapturePart& part, std::string_view line, bool understood) {
  constexpr std::size_t kExampleBytes = 120;
  ++part.lines;
  if (understood) return;
  ++part.not_understood;
  if (part.examples.size() < kMaxExamples)
    part.examples.push_back(printable(trim(line), kExampleBytes));
}

}  // namespace linkburn
