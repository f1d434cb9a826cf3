#include "bench/base/result.h"

#include <fmt/core.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace linkburn {
namespace {

constexpr std::array<std::pair<Code, std::string_view>, 10> kWords{{
    {Code::unsupported, "unsupported"},
    {Code::not_found, "not_found"},
    {Code::permission, "permission"},
    {Code::busy, "busy"},
    {Code::io, "io"},
    {Code::timeout, "timeout"},
    {Code::peer, "peer"},
    {Code::mismatch, "mismatch"},
    {Code::invalid, "invalid"},
    {Code::interrupted, "interrupted"},
}};

Code code_of_errno(int error_number) {
  switch (error_number) {
    case ENOENT:
    case ENODEV:
    case ENXIO:
    case ENOTDIR:
      return Code::not_found;
    case EACCES:
    case EPERM:
      return Code::permission;
    case EBUSY:
    case EWOULDBLOCK:
      return Code::busy;
    case ETIMEDOUT:
      return Code::timeout;
    case ENOSYS:
    case EOPNOTSUPP:
      return Code::unsupported;
    case EPIPE:
    case ECONNRESET:
      return Code::peer;
    case EINVAL:
    case ENAMETOOLONG:
    case ELOOP:
      return Code::invalid;
    default:
      return Code::io;
  }
}

std::atomic<BugHandler> bug_handler{nullptr};

}  // namespace

std::string_view to_string(Code code) {
  for (const auto& [value, word] : kWords)
    if (value == code) return word;
  return "io";
}

std::optional<Code> code_from(std::string_view word) {
  for (const auto& [value, text] : kWords)
    if (text == word) return value;
  return std::nullopt;
}

std::string Error::line() const {
  std::string text = what;
  if (!source.empty()) text += fmt::format(": {}", source);
  if (!fix.empty()) text += fmt::format(" ({})", fix);
  return text;
}

Error errno_error(int error_number, std::string what, std::string source, std::string fix) {
  return {code_of_errno(error_number), fmt::format("{}: {}", what, std::strerror(error_number)),
          std::move(source), std::move(fix)};
}

void set_bug_handler(BugHandler handler) { bug_handler = handler; }

void check(bool invariant, std::string_view message) {
  if (invariant) return;
  std::fprintf(stderr, "linkburn: internal error: %.*s\n", static_cast<int>(message.size()),
               message.data());
  if (BugHandler handler = bug_handler.exchange(nullptr)) handler(message);
  std::abort();
}

}  // namespace linkburn
