#include "bench/sensors/kernel_lines.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "bench/base/text.h"
#include "bench/sensors/kernel_topics.h"

namespace linkburn {
namespace {

constexpr std::size_t kFewLines = 8;        ///< kept of each kind: the first, and the densest
constexpr std::size_t kMaxKinds = 4096;     ///< a log of nonsense must not fill the evidence
constexpr std::size_t kMaxTextBytes = 512;  ///< the longest lines that are matched are half of it

/// Where firmware owns AER the kernel prints what firmware tells it of an error
/// [linux drivers/pci/pcie/aer.c, pci_print_aer].
constexpr std::string_view kFirmwareStatus = "aer_status: 0x";

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

/// A topic with the device that the line itself names.
KernelTopic named(std::string_view topic, const KmsgRecord& record) {
  if (topic == "xid" || topic == "sxid") return numbered(topic, record.text);
  constexpr std::string_view kPci = "+pci:";
  if (record.device.starts_with(kPci))
    if (auto id = pci_id(std::string_view(record.device).substr(kPci.size())))
      return KernelTopic{topic, std::move(id), {}};
  return KernelTopic{topic, address_in(record.text), {}};
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
  const std::string_view sign = sign_in(record.text);
  if (sign.empty() || is_note(sign)) return std::nullopt;
  return named(sign, record);
}

/// The topic of a line by all that went before.
std::optional<KernelTopic> KernelLines::topic_for(const KmsgRecord& record) {
  if (record.facility != 0) return std::nullopt;
  const std::string_view sign = sign_in(record.text);
  if (sign.empty()) return std::nullopt;
  if (is_note(sign)) return context_.note(sign, record.text);
  KernelTopic topic = named(sign, record);
  return context_.complete(topic, record.text) ? std::optional(std::move(topic)) : std::nullopt;
}

/// Corrected and uncorrected errors share their status line, and the severity stands one line
/// above.
std::string_view KernelLines::severity_for(const KernelTopic& topic, std::string_view text) {
  if (!topic.component) return {};
  if (text.find(kFirmwareStatus) != std::string_view::npos) return context_.firmware_severity();
  const bool severity =
      topic.topic == "aer_corrected" || topic.topic == "aer_nonfatal" || topic.topic == "aer_fatal";
  if (severity && severities_.size() < kMaxKinds)
    severities_[topic.component->text()] = topic.topic;
  const auto known = severities_.find(topic.component->text());
  return known == severities_.end() ? std::string_view() : known->second;
}

std::optional<KernelLine> KernelLines::take(const KmsgRecord& record, Phase phase) {
  auto topic = topic_for(record);
  if (!topic) return std::nullopt;
  const std::string_view severity = severity_for(*topic, record.text);
  const std::string key = kind_key(*topic, severity, record.text);
  auto found = kinds_.find(key);
  if (found == kinds_.end() && kinds_.size() >= kMaxKinds) return std::nullopt;
  if (found == kinds_.end()) found = kinds_.try_emplace(key).first;
  Kind& kind = found->second;
  KernelLine line{topic->component, std::string(topic->topic),
                  record.level,     record.time_us,
                  record.text,      phase,
                  topic->number,    record.when};
  if (topic->topic == "aer_status" && !severity.empty()) line.topic.assign(severity) += "_status";
  if (kind.total == nullptr)
    kind.total = &totals_[{line.topic, line.component ? line.component->text() : std::string()}];
  ++*kind.total;
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
    count.value = *kind.total;
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
