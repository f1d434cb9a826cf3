#include "bench/drill/kernel_log_file.h"

#include <fmt/format.h>

namespace linkburn::drill {
namespace {

/// What is not printable, and the backslash itself, come as "\x0a".
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7f || c == '\\')
      out += fmt::format("\\x{:02x}", byte);
    else
      out += c;
  }
  return out;
}

}  // namespace

std::string kmsg_record(const LogLine& line, std::uint64_t number) {
  std::string record = fmt::format("{},{},{},-;{}\n", line.level & 7U, number, line.at_ns / 1000,
                                   escaped(line.text.data()));
  const std::string_view device = line.device.data();
  if (device.starts_with("+pci:")) record += " SUBSYSTEM=pci\n";
  if (!device.empty()) record += fmt::format(" DEVICE={}\n", escaped(device));
  return record;
}

KernelLogFile::KernelLogFile(TreeFiles& files, const State& state)
    : file_(files.growing("linkburn/kmsg")) {
  files.link("dev/kmsg", "../linkburn/kmsg");
  show(files, state);
}

void KernelLogFile::show(TreeFiles& files, const State& state) {
  if (written_ == state.log_count) return;
  if (state.log_count - written_ > kMaxLogLines) written_ = state.log_count - kMaxLogLines;
  std::string records;
  for (; written_ < state.log_count; ++written_)
    records += kmsg_record(state.log[written_ % kMaxLogLines], written_);
  files.append(file_, records);
}

}  // namespace linkburn::drill
