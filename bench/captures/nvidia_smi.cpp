// The tables of plain nvidia-smi, nvidia-smi -q whole or in parts, and what both say when a GPU or
// the driver does not answer.
#include <memory>

#include "bench/base/text.h"
#include "bench/captures/nvidia_smi.h"
#include "bench/captures/table.h"

namespace linkburn {
namespace {

class Reader : public PartReader {
 public:
  Take take(std::string_view line) override {
    if (is_smi_message(line)) return messages_.take(line);
    if (SmiTable::is_line(line)) return table_.take(line);
    return details_.take(line);
  }

  void finish(NodeDraft& node) override {
    table_.finish(node);
    details_.finish(node);
    messages_.finish(node);
  }

 private:
  SmiTable table_;
  SmiDetails details_;
  SmiMessages messages_;
};

bool begins(std::string_view line, std::string_view next) {
  return is_smi_message(line) || SmiTable::begins(line, next) || SmiDetails::begins(line);
}

std::unique_ptr<PartReader> make() { return std::make_unique<Reader>(); }

}  // namespace

const CaptureKind nvidia_smi_capture{"nvidia_smi", "nvidia-smi and nvidia-smi -q", begins, make};

}  // namespace linkburn
