#include "report/evidence/reader.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>

#include "bench/base/fd.h"
#include "report/evidence/codec.h"

namespace linkburn {
namespace {

constexpr std::size_t kMaxLineBytes = 4UL << 20;  // far above any record; bounds a hostile file

/// Takes the bytes of a file piece by piece and makes records of its lines.
class LineParser {
 public:
  explicit LineParser(std::string name) { evidence_.file = std::move(name); }

  void take(std::string_view bytes) {
    while (!bytes.empty()) {
      const std::size_t end = bytes.find('\n');
      add(bytes.substr(0, end));
      if (end == std::string_view::npos) return;
      finish_line();
      bytes.remove_prefix(end + 1);
    }
  }

  Result<Evidence> finish() {
    if (!line_.empty() || too_long_) {
      // Every record is written with its newline, so a line without one was cut. It may still be
      // whole when only the newline is missing.
      evidence_.torn_tail = true;
      const auto record = decode(line_);
      if (record && !too_long_) evidence_.records.push_back(*record);
    }
    if (evidence_.records.empty())
      return Error{Code::invalid, "no evidence in this file", evidence_.file,
                   "give a .jsonl file written by linkburn --evidence"};
    const auto* start = std::get_if<RunStart>(&evidence_.records.front().body);
    if (start == nullptr)
      return Error{Code::invalid, "evidence does not begin with a run_start record", evidence_.file,
                   "the beginning of the file is missing"};
    if (start->schema != kEvidenceSchema)
      return Error{Code::mismatch,
                   fmt::format("evidence has schema version {}, this linkburn reads version {}",
                               start->schema, kEvidenceSchema),
                   evidence_.file, "use the linkburn version that wrote it, or a newer one"};
    return std::move(evidence_);
  }

 private:
  void add(std::string_view piece) {
    if (line_.size() + piece.size() > kMaxLineBytes) too_long_ = true;
    if (!too_long_) line_ += piece;
  }

  void finish_line() {
    auto record = too_long_ ? Result<Record>(Error{}) : decode(line_);
    if (record)
      evidence_.records.push_back(std::move(*record));
    else
      ++evidence_.bad_lines;
    line_.clear();
    too_long_ = false;
  }

  Evidence evidence_;
  std::string line_;
  bool too_long_ = false;
};

}  // namespace

Result<Evidence> parse_evidence(std::string_view text, const std::string& name) {
  LineParser parser(name);
  parser.take(text);
  return parser.finish();
}

Result<Evidence> read_evidence(const std::string& path) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd)
    return errno_error(errno, "cannot open evidence", path,
                       errno == ENOENT ? "check the name" : "check its permissions");
  struct stat entry {};
  if (::fstat(fd.get(), &entry) != 0 || !S_ISREG(entry.st_mode))
    return Error{Code::invalid, "evidence is not a regular file", path, "give a .jsonl file"};
  LineParser parser(path);
  std::array<char, 1 << 16> chunk{};
  while (true) {
    const ssize_t got = ::read(fd.get(), chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno_error(errno, "cannot read evidence", path);
    if (got == 0) return parser.finish();
    parser.take({chunk.data(), static_cast<std::size_t>(got)});
  }
}

}  // namespace linkburn
