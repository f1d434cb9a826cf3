// Evidence onto disk: every record is one line, written as it happens.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "bench/base/clock.h"
#include "bench/base/clock_thread.h"
#include "bench/base/fd.h"
#include "bench/base/result.h"
#include "report/evidence/record.h"

namespace linkburn {

/// One writer per run. append() may be called from any thread; a thread writes each record at once,
/// another calls fdatasync, so that neither laps nor samples wait for the disk.
///
/// When the disk cannot keep up, sensor readings are dropped and counted; all other records wait,
/// but never longer than kMaxWait: a dead disk must not hang a run. When the disk is full the run
/// goes on in memory, and trouble() says so.
class EvidenceWriter {
 public:
  static constexpr std::size_t kQueueRecords = 4096;
  static constexpr Duration kMaxWait = std::chrono::seconds(2);
  static constexpr Duration kMaxCloseWait = std::chrono::seconds(10);

  /// A writer without a file: records are kept in memory only (inspect without --evidence).
  explicit EvidenceWriter(const Clock& clock);

  /// Creates `path`. Refuses to overwrite a regular file: evidence is never lost by a rerun.
  static Result<std::unique_ptr<EvidenceWriter>> create(const std::string& path,
                                                        const Clock& clock);

  EvidenceWriter(const EvidenceWriter&) = delete;
  EvidenceWriter& operator=(const EvidenceWriter&) = delete;
  ~EvidenceWriter();

  /// Stamps the record with its number and time and writes it. Returns its number; 0 when dropped.
  std::int64_t append(Body body);

  /// Time since the start of the run, as stamped on records.
  std::int64_t run_ns(Instant at) const { return (at - start_).count(); }

  /// Waits until all that was appended is on disk, for kMaxCloseWait at most, then lets go of the
  /// file. Records appended later are kept in memory only.
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
  struct Core;

  EvidenceWriter(Fd file, std::string path, const Clock& clock);

  const Clock& clock_;
  const Instant start_;
  const std::string path_;
  /// Shared with the two threads: one that is stuck in a call to a dead disk is left behind, not
  /// waited for, and must not lose the ground under its feet.
  std::shared_ptr<Core> core_;
  ClockThread writer_, syncer_;
};

}  // namespace linkburn
