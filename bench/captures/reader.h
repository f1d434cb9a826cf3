// A kind of captured text: how it is told by its content, and how it is read.
//
// Texts come as people have them: several tools one after another in a file, parts of outputs, with
// words of their own in between. So a text is read line by line, and each line is either taken by
// the reader at work or begins something else.
#pragma once

#include <memory>
#include <string_view>

#include "bench/captures/draft.h"

namespace linkburn {

enum class Take {
  understood,      ///< a line of this kind, whether or not it tells something about links
  not_understood,  ///< belongs here, and cannot be read: cut, garbled, of another version
  elsewhere,       ///< no line of this kind; another reader may begin here
};

/// Reads one stretch of one kind. A stretch ends where another kind begins, and with its file.
class PartReader {
 public:
  PartReader() = default;
  PartReader(const PartReader&) = delete;
  PartReader& operator=(const PartReader&) = delete;
  virtual ~PartReader() = default;

  /// A line without its newline, carriage return, escape sequences and marks of quoting; its
  /// indentation is kept. Empty lines come too. Any bytes may come, and lines of 64 KiB at most.
  virtual Take take(std::string_view line) = 0;

  /// The stretch is over: adds what was read.
  virtual void finish(NodeDraft& node) = 0;
};

struct CaptureKind {
  std::string_view name;  ///< as in table.h: "lspci"
  std::string_view what;  ///< for people: "lspci text of any verbosity, hex dumps, -t"

  /// True when a stretch of this kind begins at `line`. It must be certain: a line that could be
  /// anything begins nothing. `next` is the line after it, empty at the end.
  bool (*begins)(std::string_view line, std::string_view next);
  std::unique_ptr<PartReader> (*make)();
};

}  // namespace linkburn
