#include "bench/driver_reader.h"

#include <fmt/core.h>

#include <utility>

#include "bench/interrupts.h"

namespace linkburn {
namespace {

constexpr int kMaxHangs = 2;
constexpr std::size_t kBatch = 256;  // paths in one message

SupervisorLimits reader_limits() {
  SupervisorLimits limits;
  limits.silence = std::chrono::seconds(3);  // on top of the allowance that the reads announce
  // A message per file, and a node with eight ports has some thousand small ones.
  limits.messages_per_s = 100'000;
  return limits;
}

}  // namespace

DriverReader::DriverReader(const Clock& clock, std::vector<std::string> worker_command, int wake_fd)
    : clock_(clock),
      supervisor_(
          clock, std::move(worker_command),
          [this](const Worker&, const Record& record) { take(record); }, reader_limits(), wake_fd) {
}

void DriverReader::take(const Record& record) {
  if (answered_ >= batch_.size()) return;
  const std::string& wanted = batch_[answered_];
  if (const auto* reading = std::get_if<Reading>(&record.body);
      reading != nullptr && reading->unit == wanted) {
    answers_.insert_or_assign(wanted, reading->text);
    ++answered_;
  }
  if (const auto* error = std::get_if<ToolError>(&record.body);
      error != nullptr && error->source == wanted) {
    answers_.insert_or_assign(wanted, Error{code_from(error->code).value_or(Code::io), error->what,
                                            "/" + error->source, error->fix});
    ++answered_;
  }
}

Status DriverReader::ensure_worker() {
  if (worker_ && supervisor_.worker(*worker_).state == WorkerState::running) return {};
  Job job;
  job.kind = "read";
  const auto started = supervisor_.start("file reader", std::move(job));
  if (!started) return started.error();
  worker_ = *started;
  return {};
}

Result<std::string> DriverReader::read(const std::string& path) {
  if (!answers_.contains(path)) fetch({path});
  auto kept = answers_.extract(path);
  check(!kept.empty(), "a file that was fetched has no answer");
  return std::move(kept.mapped());
}

void DriverReader::fetch(const std::vector<std::string>& paths) {
  std::vector<std::string> batch;
  for (const std::string& path : paths) {
    batch.push_back(path);
    if (batch.size() == kBatch) fetch_batch(std::exchange(batch, {}));
  }
  fetch_batch(std::move(batch));
}

/// Asks for all, and after a file that does not return again for those behind it.
void DriverReader::fetch_batch(std::vector<std::string> paths) {
  batch_ = std::move(paths);
  answered_ = 0;
  while (!batch_.empty()) {
    std::optional<Error> trouble;
    if (Interrupts::signal() != 0)
      trouble = Error{Code::interrupted, "not read: the command was stopped", {}, {}};
    else if (hangs_ >= kMaxHangs)
      trouble = Error{Code::timeout, "not read: other driver files have not returned", {}, {}};
    else if (const auto ready = ensure_worker(); !ready)
      trouble = ready.error();
    else if (!all_answered())
      trouble = why_unanswered();
    batch_.erase(batch_.begin(), batch_.begin() + static_cast<std::ptrdiff_t>(answered_));
    answered_ = 0;
    if (!trouble) return;
    if (batch_.empty()) return;
    trouble->source = "/" + batch_.front();
    answers_.insert_or_assign(batch_.front(), std::move(*trouble));
    batch_.erase(batch_.begin());
  }
}

/// True when the whole batch has come; no single file is waited for longer than kPatience.
bool DriverReader::all_answered() {
  Job request;
  request.kind = "read";
  request.paths = batch_;
  supervisor_.send(*worker_, MessageType::job, encode(request));
  while (answered_ < batch_.size()) {
    const std::size_t before = answered_;
    const bool alive = supervisor_.pump(clock_.now() + kPatience, [&] {
      return answered_ > before || supervisor_.worker(*worker_).state != WorkerState::running;
    });
    if (!alive || answered_ == before) return false;
  }
  return true;
}

/// The file that the worker was at when it went silent, and a new worker for the next one.
Error DriverReader::why_unanswered() {
  if (Interrupts::signal() != 0)
    return Error{Code::interrupted, "not read: the command was stopped", {}, {}};
  ++hangs_;
  // What it died of may be known only once it is reaped.
  const bool silent = supervisor_.worker(*worker_).state == WorkerState::running;
  supervisor_.stop_all("a file did not return");
  const Worker worker = supervisor_.worker(*worker_);
  worker_.reset();
  if (!silent && worker.has_outcome) return Error{Code::peer, worker.outcome.reason, {}, {}};
  return Error{Code::timeout,
               fmt::format("read has not returned for {} s",
                           std::chrono::duration_cast<std::chrono::seconds>(kPatience).count()),
               {},
               "the device's driver or firmware hangs"};
}

DriverFiles DriverReader::files() {
  return DriverFiles([this](const std::string& path) { return read(path); },
                     [this](const std::vector<std::string>& paths) { fetch(paths); });
}

void DriverReader::close() {
  if (worker_) supervisor_.send(*worker_, MessageType::release);
  if (worker_) supervisor_.finish(*worker_, clock_.now() + std::chrono::seconds(2));
  worker_.reset();
  answers_.clear();
}

}  // namespace linkburn
