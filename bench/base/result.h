// Result<T>: a value, or an Error that says what did not cooperate and what to do about it.
//
// Three kinds of trouble, three mechanisms: hardware below its rating is a Finding (report/); a
// world that does not cooperate is an Error (here); a bug is a failed check() that aborts.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace linkburn {

/// Why the world did not cooperate. The words are used in JSON and in text alike.
enum class Code {
  unsupported,  ///< this build, kernel or device cannot do it
  not_found,    ///< the file, device or symbol is not there
  permission,   ///< the caller may not
  busy,         ///< somebody else holds it
  io,           ///< a read or write failed
  timeout,      ///< a deadline passed
  peer,         ///< the other process ended or broke the protocol
  mismatch,     ///< two things that must agree do not (schema versions, data)
  invalid,      ///< the input is malformed
  interrupted,  ///< a signal asked us to stop
};

std::string_view to_string(Code code);
std::optional<Code> code_from(std::string_view word);

/// `source` is the file or call that said so; `fix` is what the reader can do. Both may be empty.
struct Error {
  Code code = Code::io;
  std::string what;
  std::string source;
  std::string fix;

  /// One line: "what: source (fix)".
  std::string line() const;
};

/// An Error from errno after a failed call; `source` names the file or the call.
Error errno_error(int error_number, std::string what, std::string source, std::string fix = {});

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const { return std::get<1>(state_); }
  T value_or(T other) const { return has_value() ? value() : std::move(other); }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT

  bool has_value() const { return !error_; }
  explicit operator bool() const { return has_value(); }
  const Error& error() const { return *error_; }

 private:
  std::optional<Error> error_;
};

using Status = Result<void>;

/// Called once by a failing check() before the process aborts; the run uses it to flush evidence.
using BugHandler = void (*)(std::string_view message);
void set_bug_handler(BugHandler handler);

/// Aborts on a bug: an invariant of ours that does not hold. Never for input or hardware.
void check(bool invariant, std::string_view message);

}  // namespace linkburn
