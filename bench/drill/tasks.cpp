#include "bench/drill/tasks.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <optional>

#include "bench/base/fd.h"
#include "bench/base/text.h"

namespace linkburn::drill {
namespace {

/// The text of a file in /proc; nothing when whom it describes is not there. A file that cannot be
/// read for another reason is empty: not knowing is no death.
std::optional<std::string> read_proc(const std::string& path) {
  std::string text(4096, '\0');
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const ssize_t got = file ? ::read(file.get(), text.data(), text.size()) : -1;
  if (got < 0 && (errno == ENOENT || errno == ESRCH)) return std::nullopt;
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

struct ProcessFacts {
  bool ended = false;
  std::uint64_t start = 0;
};

/// The fields of /proc/PID/stat behind the name, which may hold anything: state is the first of
/// them, num_threads the 18th, starttime the 20th [proc(5)].
std::optional<ProcessFacts> process_facts(pid_t pid) {
  const auto text = read_proc(fmt::format("/proc/{}/stat", pid));
  if (!text) return std::nullopt;
  const std::size_t name_end = text->rfind(')');
  if (name_end == std::string::npos) return ProcessFacts{};
  const auto fields = words_of(std::string_view(*text).substr(name_end + 1));
  if (fields.size() < 20) return ProcessFacts{};
  const bool zombie = fields[0] == "Z" || fields[0] == "X";
  // The first thread of a process is a zombie while others still run.
  return ProcessFacts{zombie && parse_int(fields[17]).value_or(0) <= 1,
                      static_cast<std::uint64_t>(parse_int(fields[19]).value_or(0))};
}

}  // namespace

std::uint64_t start_time(pid_t pid) {
  const auto facts = process_facts(pid);
  return facts ? facts->start : 0;
}

bool is_gone(pid_t pid, std::uint64_t start) {
  const auto facts = process_facts(pid);
  if (!facts || facts->ended) return true;
  return start != 0 && facts->start != 0 && facts->start != start;
}

ThreadFacts thread_facts(pid_t pid, pid_t tid) {
  const auto text = read_proc(fmt::format("/proc/{}/task/{}/status", pid, tid));
  if (!text) return {true, false, 0};
  ThreadFacts facts;
  for (const std::string_view line : lines_of(*text)) {
    const auto words = words_of(line);
    if (words.size() < 2) continue;
    if (words[0] == "State:") {
      facts.gone = words[1] == "Z" || words[1] == "X";
      facts.asleep = words[1] != "R" && !facts.gone;
    }
    if (words[0] == "voluntary_ctxt_switches:")
      facts.sleeps = static_cast<std::uint64_t>(parse_int(words[1]).value_or(0));
  }
  return facts;
}

}  // namespace linkburn::drill
