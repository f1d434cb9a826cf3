#include "bench/sensors/kernel_lines.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "bench/base/text.h"

namespace linkburn {
namespace {

constexpr std::size_t kFewLines = 8;        ///< kept of each kind: the first, and the densest
constexpr std::size_t kMaxKinds = 4096;     ///< a log of nonsense must not fill the evidence
constexpr std::size_t kMaxTextBytes = 512;  ///< the longest lines that are matched are half of it

/// Where firmware owns AER the kernel prints what firmware tells it of an error
/// [linux drivers/pci/pcie/aer.c, pci_print_aer].
constexpr std::string_view kFirmwareStatus = "aer_status: 0x";

/// Both parts stand in the line. An empty topic: looks like one, and is none.
struct Pattern {
  std::string_view text, also, topic;
};

/// Fixed parts of kernel lines; the first that fits counts.
constexpr std::array kPatterns = std::to_array<Pattern>({
    // [linux drivers/pci/pcie/aer.c]; "Corrected" is "Correctable" since 6.16
    {"PCIe Bus Error: severity=Correct", "", "aer_corrected"},
    {"PCIe Bus Error: severity=", "(Non-Fatal)", "aer_nonfatal"},
    {"PCIe Bus Error: severity=", "(Fatal)", "aer_fatal"},
    {"error status/mask=", "", "aer_status"},
    {kFirmwareStatus, "aer_mask: ", "aer_status"},
    {"find device of ID", "", "aer_unknown_source"},
    // [linux drivers/pci/pcie/dpc.c, edr.c]
    {"containment event", "DPC: ", "containment"},
    {"EDR event received", "", "containment"},
    // [linux drivers/pci/hotplug/pciehp_ctrl.c, pciehp_hpc.c]
    {"event ignored", "pciehp", ""},
    {"event queued", "pciehp", ""},
    {"Link Down/Up ignored", "pciehp", ""},
    {": Link Down", "pciehp", "slot_down"},
    {"Card not present", "pciehp", "slot_down"},
    {": Link Up", "pciehp", "slot_up"},
    {"Card present", "pciehp", "slot_up"},
    // [NVIDIA open-gpu-kernel-modules, nv_report_error; nvidia-nvswitch]
    {"NVRM: Xid (", "", "xid"},
    {"SXid (", "", "sxid"},
    {"fallen off the bus", "", "device_lost"},
    // [linux drivers/pci/pci.c]
    {"config space inaccessible", "", "device_lost"},
    {"device inaccessible", "power state", "device_lost"},
    {"giving up", "not ready", "device_lost"},
    {"Link Active not set", "", "link_not_active"},
    {"available PCIe bandwidth, limited by", "", "bandwidth_limited"},
    // [linux drivers/pci/quirks.c, pcie_failed_link_retrain]
    {"retraining non-functional downstream link", "", "retrain_tried"},
    {"downstream link speed restriction", "removing", "restriction_removed"},
    {"retraining failed", "", "retrain_failed"},
    // [linux drivers/net/ethernet/intel/i40e/i40e_main.c, ixgbe/ixgbe_main.c, ice/ice_main.c]
    {"bandwidth available for this device may be insufficient", "", "bandwidth_low"},
    {"not sufficient for optimal performance of this card", "", "bandwidth_low"},
    {"power requirements exceed the device's power supply", "", "module_error"},
    {"installed module is incompatible", "", "module_error"},
    // [linux drivers/net/ethernet/mellanox/mlx5/core/events.c, health.c]
    {"Port module event", "insufficient/unadvertised power", "port_power"},
    {"Port module event[error]", "", "module_error"},
    {"Port module event", "Cable unplugged", "module_unplugged"},
    {"Port module event", "Cable plugged", "module_plugged"},
    {"Detected insufficient power on the PCIe slot", "", "slot_power"},
    {"High temperature on sensors with bit set", "", "device_hot"},
    {"synd 0x10: High temperature", "", "device_hot"},
    {"PCI reads still not working", "", "device_lost"},
    {"device's health compromised", "", "device_fault"},
    // [linux drivers/net/ethernet/broadcom/bnxt/bnxt.c]
    {"Chip temperature", "thermal threshold", "device_hot"},
    // Network drivers: "NIC Link is Down" of Intel and Broadcom, "eth0: Link down" of mlx5
    {"Link is Down", "", "port_down"},
    {"Link is Up", "", "port_up"},
    {"Link is up", "", "port_up"},
    {": Link down", "", "port_down"},
    {": Link up", "", "port_up"},
});

bool fits(const Pattern& pattern, std::string_view text) {
  return text.find(pattern.text) != std::string_view::npos &&
         (pattern.also.empty() || text.find(pattern.also) != std::string_view::npos);
}

/// "0000:3b:00.0", also with ":pcie004" behind it, as port services were named up to 4.18.
std::optional<ComponentId> pci_id(std::string_view word) {
  while (!word.empty() && (word.back() == ':' || word.back() == ',')) word.remove_suffix(1);
  if (const std::size_t service = word.find(":pcie"); service != std::string_view::npos)
    word = word.substr(0, service);
  if (word.find(':') == word.rfind(':')) return std::nullopt;  // without a domain "a:b.c" would do
  const auto address = parse_pci_address(word);
  return address ? std::optional(ComponentId::pci(*address)) : std::nullopt;
}

/// The first PCI address in a text.
std::optional<ComponentId> address_in(std::string_view text) {
  for (const std::string_view word : words_of(text))
    if (auto id = pci_id(word)) return id;
  return std::nullopt;
}

/// "Xid (PCI:0000:17:00): 79, ...": the function is not named, and old drivers leave "PCI:" out.
KernelTopic numbered(std::string_view topic, std::string_view text) {
  KernelTopic found{topic, {}, {}};
  const std::size_t open = text.find("id ("), close = text.find("):", open);
  if (open == std::string_view::npos || close == std::string_view::npos) return found;
  std::string where(text.substr(open + 4, close - open - 4));
  if (where.starts_with("PCI:")) where.erase(0, 4);
  if (where.find('.') == std::string::npos) where += ".0";
  found.component = pci_id(where);
  if (const auto number = leading_number(trim(text.substr(close + 2)));
      number && *number >= 0 && *number < 1e6)
    found.number = static_cast<int>(*number);
  return found;
}

/// Lines of one kind, told apart where one of them must not hide behind the others.
std::string kind_key(const KernelTopic& topic, std::string_view severity, std::string_view text) {
  std::string key(topic.topic);
  if (topic.component) key += " " + topic.component->text();
  if (topic.number) key += " " + std::to_string(*topic.number);
  if (topic.topic == "aer_status") key += " " + std::string(severity) + std::string(text);
  return key;
}

}  // namespace

std::optional<KmsgRecord> parse_kmsg(std::string_view record) {
  const std::size_t semicolon = record.find(';');
  if (semicolon == std::string_view::npos) return std::nullopt;
  std::array<std::int64_t, 3> head{};
  std::string_view prefix = record.substr(0, semicolon);
  for (std::int64_t& field : head) {
    const std::size_t comma = prefix.find(',');
    const auto value = parse_int(prefix.substr(0, comma));
    if (!value || *value < 0) return std::nullopt;
    field = *value;
    prefix = comma == std::string_view::npos ? "" : prefix.substr(comma + 1);
  }
  KmsgRecord parsed;
  parsed.level = static_cast<int>(head[0] & 7);
  parsed.facility = static_cast<int>((head[0] >> 3) & 0xffff);
  parsed.sequence = head[1];
  parsed.time_us = head[2];
  const auto lines = lines_of(record.substr(semicolon + 1));
  if (!lines.empty()) parsed.text = printable(lines[0], kMaxTextBytes);
  for (const std::string_view line : lines)
    if (line.starts_with(" DEVICE=")) parsed.device = printable(trim(line.substr(8)), 256);
  return parsed;
}

KmsgRecord parse_dmesg(std::string_view line) {
  KmsgRecord record;
  line = trim(line);
  // A system log puts its own time and the host before.
  constexpr std::string_view kKernel = " kernel: ";
  if (const std::size_t at = line.find(kKernel); at < line.find('['))
    line = trim(line.substr(at + kKernel.size()));
  if (const std::size_t end = line.find('>'); line.starts_with('<') && end < 8) {
    if (const auto prefix = parse_int(line.substr(1, end - 1)); prefix && *prefix >= 0) {
      record.level = static_cast<int>(*prefix & 7);
      record.facility = static_cast<int>((*prefix >> 3) & 0xffff);
      line = trim(line.substr(end + 1));
    }
  }
  if (const std::size_t end = line.find(']'); line.starts_with('[') && end < 24) {
    if (const auto seconds = leading_number(trim(line.substr(1, end - 1)));
        seconds && *seconds >= 0 && *seconds < 1e10)
      record.time_us = std::llround(*seconds * 1e6);
    line = trim(line.substr(end + 1));
  }
  if (line.starts_with("kernel: ")) line = trim(line.substr(8));
  record.text = printable(line, kMaxTextBytes);
  return record;
}

std::optional<KernelTopic> topic_of(const KmsgRecord& record) {
  if (record.facility != 0) return std::nullopt;
  const auto pattern = std::find_if(kPatterns.begin(), kPatterns.end(),
                                    [&](const Pattern& known) { return fits(known, record.text); });
  if (pattern == kPatterns.end() || pattern->topic.empty()) return std::nullopt;
  if (pattern->topic == "xid" || pattern->topic == "sxid")
    return numbered(pattern->topic, record.text);
  constexpr std::string_view kPci = "+pci:";
  if (record.device.starts_with(kPci))
    if (auto id = pci_id(std::string_view(record.device).substr(kPci.size())))
      return KernelTopic{pattern->topic, std::move(id), {}};
  return KernelTopic{pattern->topic, address_in(record.text), {}};
}

/// Firmware tells of the severity in a line of its own, which names no device
/// [linux drivers/firmware/efi/cper.c; drivers/pci/pcie/aer.c, cper_severity_to_aer].
void KernelLines::note_firmware(std::string_view text) {
  constexpr std::string_view kMark = "[Hardware Error]: event severity: ";
  const std::size_t mark = text.find(kMark);
  if (mark == std::string_view::npos) return;
  const std::string_view severity = text.substr(mark + kMark.size());
  firmware_severity_ = severity.starts_with("recoverable") ? "aer_nonfatal"
                       : severity.starts_with("fatal")     ? "aer_fatal"
                                                           : "aer_corrected";
}

/// Corrected and uncorrected errors share their status line, and the severity stands one line
/// above.
std::string_view KernelLines::severity_for(const KernelTopic& topic, std::string_view text) {
  if (!topic.component) return {};
  if (text.find(kFirmwareStatus) != std::string_view::npos) return firmware_severity_;
  const bool severity =
      topic.topic == "aer_corrected" || topic.topic == "aer_nonfatal" || topic.topic == "aer_fatal";
  if (severity && severities_.size() < kMaxKinds)
    severities_[topic.component->text()] = topic.topic;
  const auto known = severities_.find(topic.component->text());
  return known == severities_.end() ? std::string_view() : known->second;
}

std::optional<KernelLine> KernelLines::take(const KmsgRecord& record, Phase phase) {
  if (record.facility == 0) note_firmware(record.text);
  auto topic = topic_of(record);
  if (!topic) return std::nullopt;
  const std::string_view severity = severity_for(*topic, record.text);
  const std::string key = kind_key(*topic, severity, record.text);
  const bool known = kinds_.count(key) > 0;
  if (!known && kinds_.size() >= kMaxKinds) return std::nullopt;
  Kind& kind = kinds_[key];
  KernelLine line{
      topic->component, std::string(topic->topic), record.level, record.time_us, record.text, phase,
      topic->number};
  if (topic->topic == "aer_status" && !severity.empty())
    line.topic = std::string(severity) + "_status";
  ++totals_[{line.topic, line.component ? line.component->text() : std::string()}];
  if (++kind.lines <= static_cast<std::int64_t>(kFewLines)) return line;
  kind.leave_out(std::move(line));
  return std::nullopt;
}

void KernelLines::Kind::leave_out(KernelLine line) {
  recent.push_back(std::move(line));
  if (recent.size() < kFewLines) return;
  if (recent.size() > kFewLines) recent.pop_front();
  const auto span = [](const auto& few) { return few.back().kernel_us - few.front().kernel_us; };
  if (densest.empty() || span(recent) < span(densest)) densest.assign(recent.begin(), recent.end());
}

std::vector<Body> KernelLines::left_out(Phase phase) {
  std::vector<Body> records;
  for (auto& [key, kind] : kinds_) {
    if (kind.recent.empty()) continue;
    const KernelLine last = kind.recent.back();
    Counter count;
    count.component = last.component.value_or(ComponentId::node());
    count.name = "kernel_log/" + last.topic;
    count.value = totals_[{last.topic, last.component ? last.component->text() : std::string()}];
    count.phase = phase;
    const bool told = !kind.densest.empty() && kind.densest.back().kernel_us == last.kernel_us;
    for (KernelLine& line : kind.densest) records.emplace_back(std::move(line));
    if (!told) records.emplace_back(last);
    records.emplace_back(std::move(count));
    kind.recent.clear();
    kind.densest.clear();
  }
  return records;
}

}  // namespace linkburn
