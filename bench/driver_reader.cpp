#include "bench/driver_reader.h"

#include <fmt/format.h>

#include "bench/interrupts.h"

namespace linkburn {
namespace {

constexpr int kMaxHangs = 2;

SupervisorLimits reader_limits() {
  SupervisorLimits limits;
  limits.silence = std::chrono::seconds(3);  // on top of the allowance that each read announces
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
  if (const auto* reading = std::get_if<Reading>(&record.body);
      reading != nullptr && reading->unit == wanted_)
    answer_ = reading->text;
  if (const auto* error = std::get_if<ToolError>(&record.body);
      error != nullptr && error->source == wanted_)
    answer_ = Error{code_from(error->code).value_or(Code::io), error->what, "/" + error->source,
                    error->fix};
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
  if (hangs_ >= kMaxHangs)
    return Error{Code::timeout, "not read: other driver files have not returned", "/" + path, {}};
  if (const auto ready = ensure_worker(); !ready) return ready.error();
  wanted_ = path;
  answer_.reset();
  Job request;
  request.kind = "read";
  request.paths = {path};
  supervisor_.send(*worker_, MessageType::job, encode(request));
  supervisor_.pump(clock_.now() + kPatience, [&] {
    return answer_ || supervisor_.worker(*worker_).state != WorkerState::running;
  });
  if (answer_) return *answer_;
  if (Interrupts::signal() != 0)
    return Error{Code::interrupted, "not read: the command was stopped", "/" + path, {}};
  ++hangs_;
  const Worker worker = supervisor_.worker(*worker_);
  supervisor_.stop_all("a file did not return");
  worker_.reset();
  if (worker.has_outcome) return Error{Code::peer, worker.outcome.reason, "/" + path, {}};
  return Error{Code::timeout,
               fmt::format("read has not returned for {} s",
                           std::chrono::duration_cast<std::chrono::seconds>(kPatience).count()),
               "/" + path, "the device's driver or firmware hangs"};
}

DriverFiles DriverReader::files() {
  return [this](const std::string& path) { return read(path); };
}

void DriverReader::close() {
  if (worker_) supervisor_.send(*worker_, MessageType::release);
  if (worker_) supervisor_.finish(*worker_, clock_.now() + std::chrono::seconds(2));
  worker_.reset();
}

}  // namespace linkburn
