// What the texts say of one node, and the reader at work on it. Lines of several nodes may come
// mixed, so that each node has a reader of its own.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/captures/draft.h"
#include "bench/captures/reader.h"

namespace linkburn {

class NodeReader {
 public:
  static constexpr std::size_t kMaxExamples = 3;  ///< of lines that were not understood

  NodeDraft draft;

  /// Lines from here on come from this text.
  void begin(const std::string& source);

  /// The text at hand names this node, whether or not anything of its output follows.
  void is_named(std::int64_t number) { (void)part_of({}, number); }

  /// One line, and the one after it as far as it is known. `number` is its place in the text.
  void take(std::string_view line, std::string_view next, std::int64_t number);

  /// A command was typed: what its tool prints is another stretch. Kinds that can tell something
  /// from the command itself begin here.
  void take_command(std::string_view command, std::string_view next, std::int64_t number);

  /// A line of output where those of other nodes come in between: it waits for the next of its own.
  void take_mixed(std::string_view line, std::int64_t number);

  /// No more lines of the mix, or of the text.
  void flush();
  void end();

 private:
  bool goes_on(std::string_view line, std::int64_t number);
  void start(const CaptureKind* kind);
  void close_part();
  CapturePart& part_of(std::string_view reader, std::int64_t number);
  static void count(CapturePart& part, std::string_view line, bool understood);

  std::string source_;
  const CaptureKind* kind_ = nullptr;
  std::unique_ptr<PartReader> reader_;
  std::vector<std::pair<std::string_view, std::size_t>> parts_;  ///< of this text, by reader
  std::string held_;
  std::int64_t held_number_ = 0;
  bool holds_ = false;
};

}  // namespace linkburn
