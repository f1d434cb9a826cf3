#include "bench/worker/message.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <cerrno>
#include <nlohmann/json.hpp>

namespace linkburn {
namespace {

using nlohmann::json;

constexpr std::size_t kHeaderBytes = 5;

std::uint32_t read_u32(const char* bytes) {
  std::uint32_t value = 0;
  for (int i = 3; i >= 0; --i) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

std::string frame(const Message& message) {
  const auto length = static_cast<std::uint32_t>(message.body.size() + 1);
  std::string bytes;
  for (int i = 0; i < 4; ++i) bytes += static_cast<char>(length >> (8 * i) & 0xff);
  bytes += static_cast<char>(message.type);
  return bytes + message.body;
}

std::string dump(const json& object) {
  return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

/// Runs `fill` over the parsed body; a missing or mistyped field is one clear error.
template <class T, class Fill>
Result<T> decode(std::string_view body, const char* name, Fill fill) {
  const json object = json::parse(body, nullptr, false);
  try {
    T value;
    fill(object, value);
    return value;
  } catch (const json::exception&) {
    return Error{Code::peer, "malformed message", name, {}};
  }
}

}  // namespace

std::string encode(const Job& job) {
  return dump({{"kind", job.kind},
               {"step", job.step},
               {"workload", job.workload},
               {"component", job.component.text()},
               {"params", job.params},
               {"paths", job.paths},
               {"period_ms", job.period_ms}});
}

std::string encode(const Gate& gate) {
  return dump({{"start_ns", gate.start_ns},
               {"measure_ns", gate.measure_ns},
               {"windows", gate.windows},
               {"window_ms", gate.window_ms}});
}

std::string encode(const Doing& doing) {
  return dump({{"call", doing.call}, {"allowed_ms", doing.allowed_ms}});
}

std::string encode(const JobOutcome& outcome) {
  return dump({{"status", outcome.status}, {"reason", outcome.reason}, {"facts", outcome.facts}});
}

Result<Job> decode_job(std::string_view body) {
  return decode<Job>(body, "job", [](const json& in, Job& job) {
    in.at("kind").get_to(job.kind);
    in.at("step").get_to(job.step);
    in.at("workload").get_to(job.workload);
    job.component = ComponentId::from_evidence(in.at("component").get<std::string>());
    in.at("params").get_to(job.params);
    in.at("paths").get_to(job.paths);
    in.at("period_ms").get_to(job.period_ms);
  });
}

Result<Gate> decode_gate(std::string_view body) {
  return decode<Gate>(body, "go", [](const json& in, Gate& gate) {
    in.at("start_ns").get_to(gate.start_ns);
    in.at("measure_ns").get_to(gate.measure_ns);
    in.at("windows").get_to(gate.windows);
    in.at("window_ms").get_to(gate.window_ms);
  });
}

Result<Doing> decode_doing(std::string_view body) {
  return decode<Doing>(body, "heartbeat", [](const json& in, Doing& doing) {
    in.at("call").get_to(doing.call);
    in.at("allowed_ms").get_to(doing.allowed_ms);
  });
}

Result<JobOutcome> decode_outcome(std::string_view body) {
  return decode<JobOutcome>(body, "done", [](const json& in, JobOutcome& outcome) {
    in.at("status").get_to(outcome.status);
    in.at("reason").get_to(outcome.reason);
    in.at("facts").get_to(outcome.facts);
  });
}

Channel::Channel(Fd socket) : socket_(std::move(socket)) {
  const int flags = ::fcntl(socket_.get(), F_GETFL);
  ::fcntl(socket_.get(), F_SETFL, flags | O_NONBLOCK);
}

Status Channel::send(const Message& message, const Clock& clock, Instant deadline) {
  if (!socket_) return Error{Code::peer, "the other process is gone", "socket pair", {}};
  check(message.body.size() < kMaxBodyBytes, "message body above the limit");
  const std::string bytes = frame(message);
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    const ssize_t n = ::send(socket_.get(), bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (n > 0) {
      sent += static_cast<std::size_t>(n);
      continue;
    }
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK)
      return errno_error(errno, "cannot send", "socket pair");
    if (clock.now() >= deadline)
      return Error{Code::timeout, "the other process does not read", "socket pair", {}};
    pollfd wait{socket_.get(), POLLOUT, 0};
    const auto ready = clock.poll({&wait, 1}, deadline);
    if (!ready) return ready.error();
  }
  return {};
}

Result<bool> Channel::fill(std::size_t max_bytes) {
  if (!socket_) return false;
  if (parsed_ > 0) {
    inbox_.erase(0, parsed_);
    parsed_ = 0;
  }
  const std::size_t before = inbox_.size();
  inbox_.resize(before + max_bytes);
  const ssize_t got = ::recv(socket_.get(), inbox_.data() + before, max_bytes, MSG_DONTWAIT);
  inbox_.resize(before + static_cast<std::size_t>(got > 0 ? got : 0));
  if (got == 0) return false;
  if (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
    return errno == ECONNRESET ? Result<bool>(false)
                               : Result<bool>(errno_error(errno, "cannot receive", "socket pair"));
  if (inbox_.size() >= kHeaderBytes) {
    const std::uint32_t length = read_u32(inbox_.data());
    if (length == 0 || length > kMaxBodyBytes)
      return Error{Code::peer, "broken frame from the other process", "socket pair", {}};
  }
  return true;
}

std::optional<Message> Channel::next() {
  if (inbox_.size() - parsed_ < kHeaderBytes) return std::nullopt;
  const char* head = inbox_.data() + parsed_;
  const std::uint32_t length = read_u32(head);
  if (length == 0 || length > kMaxBodyBytes) return std::nullopt;  // fill() reports it
  if (inbox_.size() - parsed_ < 4 + static_cast<std::size_t>(length)) return std::nullopt;
  Message message{static_cast<MessageType>(head[4]), std::string(head + kHeaderBytes, length - 1)};
  parsed_ += 4 + static_cast<std::size_t>(length);
  return message;
}

}  // namespace linkburn
