#include "bench/sensors/kernel_log.h"

#include <fcntl.h>

#include <array>
#include <cerrno>

#include "bench/base/text.h"
#include "bench/sensors/sensor.h"

namespace linkburn {
namespace {

constexpr int kMaxRecordsPerSample = 1000;  // a storm must not keep the sampler from the links

/// Fixed parts of kernel lines [linux drivers/pci/pcie/aer.c, dpc.c, pci/hotplug/pciehp_ctrl.c,
/// pci/pci.c, pci/quirks.c; NVIDIA driver "NVRM: Xid"].
constexpr std::array<std::pair<std::string_view, std::string_view>, 14> kTopics{{
    {"PCIe Bus Error: severity=", "pcie_bus_error"},
    {"DPC: containment event", "containment"},
    {"EDR event received", "containment"},
    {"Link Down", "link_down"},
    {"Card not present", "link_down"},
    {"config space inaccessible", "device_lost"},
    {"fallen off the bus", "device_lost"},
    {"giving up", "device_lost"},
    {"Link Active not set", "device_lost"},
    {"retraining non-functional downstream link", "retrain"},
    {"retraining failed", "retrain"},
    {"available PCIe bandwidth, limited by", "bandwidth_limited"},
    {"NVRM: Xid", "xid"},
    {"Detected insufficient power on the PCIe slot", "slot_power"},
}};

/// The first PCI address in a text.
std::optional<ComponentId> address_in(std::string_view text) {
  for (std::string_view word : words_of(text)) {
    while (!word.empty() && (word.back() == ':' || word.back() == ',')) word.remove_suffix(1);
    if (word.find(':') == word.rfind(':')) continue;  // needs a domain, or any "a:b.c" would do
    if (const auto address = parse_pci_address(word)) return ComponentId::pci(*address);
  }
  return std::nullopt;
}

class KernelLogSensor final : public Sensor {
 public:
  explicit KernelLogSensor(const SensorContext& context) : context_(context) {
    if (!context.root.live()) return;
    fd_ = Fd(::open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    if (fd_ && ::lseek(fd_.get(), 0, SEEK_END) >= 0) {
      context.evidence.append(Part{"kernel_log", "found", "/dev/kmsg", {}, {}, {}});
      return;
    }
    const Error error = errno_error(errno, "cannot be read", "/dev/kmsg");
    context.evidence.append(Part{
        "kernel_log", "unusable", "/dev/kmsg", {}, error.what, "run as root or with CAP_SYSLOG"});
    fd_.reset();
  }

  void sample(const Moment& moment) override {
    for (int i = 0; fd_ && i < kMaxRecordsPerSample; ++i)
      if (!read_one(moment)) return;
  }

  void boundary(const Moment& moment) override { sample(moment); }

 private:
  bool read_one(const Moment& moment) {
    std::array<char, 8192> buffer;
    const ssize_t got = ::read(fd_.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EPIPE) {
      // Overwritten before we came: lines are missing, and the story has a hole.
      context_.evidence.append(KernelLine{
          {}, "lost_lines", 4, 0, "kernel log lines were overwritten unread", moment.phase});
      return true;
    }
    if (got <= 0) return false;
    const auto record = parse_kmsg({buffer.data(), static_cast<std::size_t>(got)});
    if (!record) return true;
    if (const auto topic = topic_of(*record))
      context_.evidence.append(KernelLine{topic->component, std::string(topic->topic),
                                          record->level, record->time_us, record->text,
                                          moment.phase});
    return true;
  }

  const SensorContext context_;
  Fd fd_;
};

std::unique_ptr<Sensor> make(const SensorContext& context) {
  return std::make_unique<KernelLogSensor>(context);
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
  if (!lines.empty()) parsed.text = printable(lines[0]);
  for (const std::string_view line : lines)
    if (line.starts_with(" DEVICE=")) parsed.device = printable(trim(line.substr(8)), 256);
  return parsed;
}

std::optional<KernelTopic> topic_of(const KmsgRecord& record) {
  if (record.facility != 0) return std::nullopt;
  for (const auto& [pattern, topic] : kTopics) {
    if (record.text.find(pattern) == std::string::npos) continue;
    constexpr std::string_view kPci = "+pci:";
    if (record.device.starts_with(kPci))
      if (const auto address = parse_pci_address(record.device.substr(kPci.size())))
        return KernelTopic{topic, ComponentId::pci(*address)};
    return KernelTopic{topic, address_in(record.text)};
  }
  return std::nullopt;
}

extern const SensorInfo kernel_log_sensor;
const SensorInfo kernel_log_sensor{"kernel_log", "kernel log lines that concern links", make};

}  // namespace linkburn
