// Evidence onto disk: every record is one line, written as it happens.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "bench/base/clock.h"
#include "bench/base/fd.h"
#include "bench/base/result.h"
#include "report/evidence/record.h"

namespace linkburn {

/// One writer per run. append() may be called from any thread; a thread writes each record at once,
/// another calls fdatasync, so that neither laps nor samples wait for the disk.
///
/// When the disk cannot keep up, readings and transitions of readings are dropped and counted; all
/// other records wait, but never longer than kMaxWait: a dead disk must not hang a run. When the
/// disk is full the run goes on in memory, and trouble() says so.
class EvidenceWriter {
 public:
  static constexpr std::size_t kQueueRecords = 4096;
  static constexpr Duration kMaxWait = std::chrono::seconds(2);

  /// A writer without a file: records are kept in memory only (inspect without --evidence).
  explicit EvidenceWriter(const Clock& clock);

  /// Creates `path`. Refuses to overwrite a regular file: evidence is never lost by a rerun.
  static Result<std::unique_ptr<EvidenceWriter>> create(const std::string& path,
                                                        const Clock& clock);

  EvidenceWriter(const EvidenceWriter&) = delete;
  EvidenceWriter& operator=(const EvidenceWriter&) = delete;
  ~EvidenceWriter();

  /// Stamps the record with its number and time and writes it. Returns its number.
  std::int64_t append(Body body);

  /// Time since the start of the run, as stamped on records.
  std::int64_t run_ns(Instant at) const { return (at - start_).count(); }
  Instant start() const { return start_; }

  /// Waits until all that was appended is on disk, then closes. Records appended later are kept in
  /// memory only.
  void close();

  /// For the bug handler: writes what is queued from the calling thread, without waiting for locks.
  void flush_after_bug();

  std::int64_t dropped_samples() const;
  std::int64_t lost_records() const;

  /// What kept evidence from reaching the disk, if anything did.
  std::optional<Error> trouble() const;

  const std::string& path() const { return path_; }

  /// All records so far, in order. Meant for the judge, after close().
  Evidence evidence() const;

 private:
  EvidenceWriter(Fd file, std::string path, const Clock& clock);

  void write_loop();
  void sync_loop();
  void write_line(const Record& record);
  void note_trouble(int error_number, const char* call);

  const Clock& clock_;
  const Instant start_;
  const std::string path_;
  Fd file_;
  bool regular_file_ = false;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Record> queue_;
  std::vector<Record> kept_;
  std::int64_t next_seq_ = 1;
  std::int64_t dropped_ = 0;
  std::int64_t lost_ = 0;
  std::optional<Error> trouble_;
  bool closing_ = false;
  bool written_ = true;  ///< the queue is empty and its last record is in the file
  bool dirty_ = false;   ///< written since the last fdatasync

  std::int64_t good_bytes_ =
      0;               ///< length of the file up to the last whole line; writer thread only
  bool torn_ = false;  ///< a cut line could not be taken back; writer thread only

  std::jthread writer_;
  std::jthread syncer_;
};

}  // namespace linkburn
