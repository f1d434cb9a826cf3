#include "bench/sensors/log_context.h"

#include "bench/base/text.h"
#include "bench/sensors/kernel_topics.h"

namespace linkburn {
namespace {

constexpr std::size_t kMaxNames = 4096;  ///< a log of nonsense must not fill the memory
constexpr int kOffTheBus = 79;           ///< [NVIDIA open-gpu-kernel-modules, nverror.h]

std::string_view after(std::string_view text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  return at == std::string_view::npos ? std::string_view() : text.substr(at + mark.size());
}

/// "nvme0" of "nvme nvme0: ..."; empty for other texts.
std::string_view controller_in(std::string_view text) {
  constexpr std::string_view kDriver = "nvme nvme";
  if (!text.starts_with(kDriver)) return {};
  const std::string_view name = text.substr(kDriver.size() - 4);
  return name.substr(0, name.find_first_of(": "));
}

/// The hexadecimal digits behind "status: 0x".
std::string_view status_in(std::string_view text) {
  const std::string_view rest = after(text, "status: 0x");
  return rest.substr(0, rest.find_first_of(", "));
}

}  // namespace

std::optional<KernelTopic> LogContext::note(std::string_view sign, std::string_view text) {
  if (sign == kNoteFound) return answers(address_in(text));
  if (sign == kNoteDevice) return firmware_device(text);
  if (sign == kNoteStatus) return firmware_status(text);
  if (sign == kNoteGpu) gpu_ = address_in(text);
  if (sign == kNoteSection) of_pcie_ = text.find("PCIe error") != std::string_view::npos;
  if (sign == kNoteSeverity) {
    // [linux drivers/firmware/efi/cper.c; drivers/pci/pcie/aer.c, cper_severity_to_aer]
    const std::string_view severity = after(text, "event severity: ");
    severity_ = severity.starts_with("recoverable") ? "aer_nonfatal"
                : severity.starts_with("fatal")     ? "aer_fatal"
                                                    : "aer_corrected";
    of_pcie_ = false;
    reporter_.reset();
  }
  if (sign == kNoteNvme && nvme_.size() < kMaxNames)
    if (const auto name = controller_in(text); !name.empty())
      if (auto address = address_in(after(text, ": pci function ")))
        nvme_.insert_or_assign(std::string(name), std::move(*address));
  return std::nullopt;
}

/// The section names its device once; its vendor's number for the device stands in another line.
std::optional<KernelTopic> LogContext::firmware_device(std::string_view text) {
  auto device = address_in(after(text, " device_id: "));
  if (!device || !of_pcie_ || severity_.empty()) return std::nullopt;
  reporter_ = device;
  return KernelTopic{severity_, std::move(device), {}};
}

std::optional<KernelTopic> LogContext::firmware_status(std::string_view text) {
  const bool corrected = text.find("aer_cor_status") != std::string_view::npos;
  const std::string_view status = status_in(text);
  if (!reporter_ || corrected != (severity_ == "aer_corrected")) return std::nullopt;
  if (parse_int(status, 16).value_or(0) == 0) return std::nullopt;
  told_ = reporter_->text() + " " + std::string(status);
  return KernelTopic{"aer_status", reporter_, {}};
}

/// Worth a word only of a device that was gone.
std::optional<KernelTopic> LogContext::answers(std::optional<ComponentId> device) const {
  if (!device || !gone_.contains(*device)) return std::nullopt;
  return KernelTopic{"device_answers", std::move(device), {}};
}

bool LogContext::complete(KernelTopic& topic, std::string_view text) {
  if (!topic.component) {
    if (const std::string_view name = controller_in(text); !name.empty()) {
      const auto known = nvme_.find(name);
      topic.component = known != nvme_.end() ? known->second : ComponentId::from_evidence(name);
    } else if (topic.topic == "device_lost" && text.starts_with("NVRM: ")) {
      topic.component = gpu_;
    }
  }
  if (!topic.component) return true;
  const bool gone = topic.topic == "device_lost" || topic.topic == "slot_down" ||
                    (topic.topic == "xid" && topic.number == kOffTheBus);
  if (gone && gone_.size() < kMaxNames) gone_.insert(*topic.component);
  if (topic.topic == "device_answers") return gone_.contains(*topic.component);
  if (topic.topic != "aer_status" || told_.empty()) return true;
  // The kernel handles what firmware told, and says the same of it [linux ghes.c, aer.c].
  const bool again = told_ == topic.component->text() + " " + std::string(status_in(text));
  if (again && text.find("Hardware Error") == std::string_view::npos) {
    told_.clear();
    return false;
  }
  return true;
}

}  // namespace linkburn
