#include "bench/sensors/aer.h"

#include <array>

#include "bench/base/text.h"
#include "bench/sensors/sensor.h"

namespace linkburn {
namespace {

constexpr std::array<std::pair<const char*, const char*>, 3> kFiles{
    {{"aer_correctable", "aer_dev_correctable"},
     {"aer_nonfatal", "aer_dev_nonfatal"},
     {"aer_fatal", "aer_dev_fatal"}}};

/// Counters at every phase boundary; between boundaries there is nothing to see that a delta
/// misses.
class AerSensor final : public Sensor {
 public:
  explicit AerSensor(const SensorContext& context) : context_(context) {}

  void sample(const Moment& /*moment*/) override {}

  void boundary(const Moment& moment) override {
    for (Counter& counter :
         aer_counters(context_.root, context_.inventory, moment.phase, moment.step, first_))
      context_.evidence.append(std::move(counter));
    first_ = false;
  }

 private:
  const SensorContext context_;
  bool first_ = true;
};

std::unique_ptr<Sensor> make(const SensorContext& context) {
  return std::make_unique<AerSensor>(context);
}

}  // namespace

std::vector<AerCount> parse_aer(std::string_view group, std::string_view text) {
  std::vector<AerCount> counts;
  for (const std::string_view line : lines_of(text)) {
    const std::string_view whole = trim(line);
    const std::size_t blank = whole.find_last_of(" \t");
    if (blank == std::string_view::npos) continue;
    const auto value = parse_int(whole.substr(blank + 1));
    if (!value || *value < 0) continue;
    counts.push_back(
        {std::string(group) + "/" + printable(trim(whole.substr(0, blank)), 64), *value});
  }
  return counts;
}

std::vector<AerCount> read_aer(const Sysroot& root, const std::string& folder) {
  std::vector<AerCount> counts;
  const auto device = root.below(folder);
  if (!device) return counts;
  for (const auto& [group, file] : kFiles)
    if (const auto text = device->read(file))
      for (AerCount& count : parse_aer(group, *text)) counts.push_back(std::move(count));
  return counts;
}

std::vector<Counter> aer_counters(const Sysroot& root, const Inventory& inventory, Phase phase,
                                  const std::string& step, bool baseline) {
  std::vector<Counter> counters;
  for (const Link& link : inventory.links) {
    for (const ComponentId& end : {link.component, link.peer}) {
      const auto address = end.pci_address();
      const PciFunction* function = address ? inventory.function(*address) : nullptr;
      if (function == nullptr) continue;
      for (const AerCount& count : read_aer(root, function->folder))
        counters.push_back({end, count.name, count.value, baseline, phase, step});
    }
  }
  return counters;
}

extern const SensorInfo aer_sensor;
const SensorInfo aer_sensor{"aer", "PCIe error counters at both ends of every link, per phase",
                            make};

}  // namespace linkburn
