// Kernel logs: dmesg with and without times, journalctl, system logs, records of /dev/kmsg.
#include "bench/base/text.h"
#include "bench/captures/table.h"
#include "bench/sensors/kernel_lines.h"

namespace linkburn {
namespace {

KmsgRecord record_of(std::string_view line) {
  if (!line.empty() && line.front() >= '0' && line.front() <= '9')
    if (auto record = parse_kmsg(line)) return *record;
  return parse_dmesg(line);
}

class KernelLogReader : public PartReader {
 public:
  Take take(std::string_view line) override {
    const KmsgRecord record = record_of(line);
    const bool is_line = record.time_us > 0 || topic_of(record);
    if (!is_line) return Take::elsewhere;
    if (auto kept = lines_.take(record, Phase::passive)) records_.emplace_back(std::move(*kept));
    return Take::understood;
  }

  void finish(NodeDraft& node) override {
    for (Body& body : lines_.left_out(Phase::passive)) records_.push_back(std::move(body));
    for (Body& body : records_) node.add(node.records, std::move(body));
  }

 private:
  KernelLines lines_;
  std::vector<Body> records_;
};

bool begins(std::string_view line, std::string_view) {
  const KmsgRecord record = record_of(line);
  return record.time_us > 0 || topic_of(record);
}

std::unique_ptr<PartReader> make() { return std::make_unique<KernelLogReader>(); }

}  // namespace

const CaptureKind kernel_log_capture{"kernel_log", "kernel logs (dmesg, journalctl, syslog, kmsg)",
                                     begins, make};

}  // namespace linkburn
