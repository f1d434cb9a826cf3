// Bytes of captured texts in, drafts of nodes out.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench/captures/draft.h"
#include "bench/captures/reader.h"

namespace linkburn {

/// Takes texts one after another, in pieces of any size, and never holds more than a line of them.
class Collector {
 public:
  static constexpr std::size_t kMaxLineBytes = 64 * 1024;  ///< what is longer is cut
  static constexpr std::size_t kMaxExamples = 3;           ///< of lines that were not understood

  /// A text begins: a file, or a member of an archive ("bug.tgz:lspci.txt").
  void begin(const std::string& source);
  void take(std::string_view bytes);
  void end();

  /// The node that lines of the text at hand belong to.
  NodeDraft& node() { return nodes_[node_]; }

  /// Lines from here on are about this node; empty: of one whose name is not known.
  void switch_to(const std::string& node);

  std::vector<NodeDraft> finish() &&;

 private:
  void take_line(std::string_view line);
  void dispatch(std::string_view line, std::string_view next);
  bool goes_on(std::string_view line);
  void start(const CaptureKind* kind);
  void close_part();
  CapturePart& part_of(std::string_view reader);
  void count(CapturePart& part, std::string_view line, bool understood);

  std::vector<NodeDraft> nodes_{1};
  std::size_t node_ = 0;
  std::string source_;
  std::int64_t line_number_ = 0;
  std::string rest_;     ///< of a line whose end did not come yet
  std::string pending_;  ///< the latest line: it waits for the one after it
  bool has_pending_ = false;
  const CaptureKind* kind_ = nullptr;
  std::unique_ptr<PartReader> reader_;
};

}  // namespace linkburn
