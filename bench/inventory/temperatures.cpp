// Temperatures from /sys/class/hwmon [linux Documentation/hwmon/sysfs-interface.rst].
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "bench/base/text.h"
#include "bench/inventory/network.h"
#include "bench/inventory/sources.h"

namespace linkburn {
namespace {

constexpr const char* kFolder = "sys/class/hwmon";
constexpr std::size_t kMaxSensors = 64;  // of one chip
/// Beyond these a number is no temperature: NVMe disks without a limit show 65261 C.
constexpr double kLowestC = -100, kHighestC = 300;

/// Monitors whose reading disturbs what it reads: a disk that is asked for its temperature starts
/// its idle time anew [linux Documentation/hwmon/drivetemp.rst].
bool disturbs(std::string_view chip) { return chip == "drivetemp"; }

/// One chip: its folder, what it is called, and whose temperature it shows.
struct Chip {
  std::string folder, name, device;
  std::vector<std::string> files;
  ComponentId component = ComponentId::node();

  bool has(const std::string& file) const {
    return std::binary_search(files.begin(), files.end(), file);
  }
};

/// The name of the device that a chip belongs to: ".../i2c-0/0-0018/hwmon/hwmon5" is of "0-0018".
std::string device_name(const std::string& path) {
  const std::size_t end = path.rfind("/hwmon/");
  if (end == std::string::npos) return {};
  const std::size_t start = path.rfind('/', end - 1);
  return start == std::string::npos ? "" : printable(path.substr(start + 1, end - start - 1), 64);
}

/// The numbers of the temperature sensors of a chip.
std::vector<int> sensors_of(const Chip& chip) {
  std::vector<int> numbers;
  for (const std::string& file : chip.files) {
    if (!file.starts_with("temp") || !file.ends_with("_input")) continue;
    const auto number = parse_int(std::string_view(file).substr(4, file.size() - 10));
    if (number && *number >= 0 && *number < 1000 && numbers.size() < kMaxSensors)
      numbers.push_back(static_cast<int>(*number));
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

std::string sensor_name(const Chip& chip, const DriverFiles& files, const std::string& sensor) {
  if (chip.has(sensor + "_label"))
    if (const std::string label =
            short_text(files, fmt::format("{}/{}_label", chip.folder, sensor));
        !label.empty())
      return fmt::format("{} {}", chip.name, label);
  if (chip.component == ComponentId::node() && !chip.device.empty())
    return fmt::format("{} {} {}", chip.name, chip.device, sensor);
  return fmt::format("{} {}", chip.name, sensor);
}

/// One value of a sensor; files are in thousandths of a degree.
Reading reading_of(const Chip& chip, const std::string& name, const char* quantity,
                   const Result<std::string>& text) {
  Reading reading{chip.component, quantity, "C", {}, name, Phase::passive, {}};
  const auto number = text ? parse_int(*text) : std::nullopt;
  const double celsius = static_cast<double>(number.value_or(0)) / 1000;
  if (number && celsius > kLowestC && celsius < kHighestC)
    reading.value = celsius;
  else if (!text)
    reading.text += ": " + text.error().what;
  else
    reading.text += fmt::format(": shows '{}'", printable(trim(*text), 32));
  return reading;
}

/// The quantities of a sensor, and how the names of their files end.
constexpr std::array<std::pair<const char*, const char*>, 3> kQuantities{
    {{"temperature", "_input"}, {"temperature_max", "_max"}, {"temperature_critical", "_crit"}}};

void read_chip(const Chip& chip, const DriverFiles& files, std::vector<Reading>& readings) {
  std::vector<std::string> labels;
  std::vector<std::string> values;
  for (const std::string& file : chip.files)
    if (file.starts_with("temp") && file.ends_with("_label"))
      labels.push_back(fmt::format("{}/{}", chip.folder, file));
  files.expect(labels);
  std::vector<std::pair<std::string, std::string>> sensors;  // "temp1" and its name
  for (const int number : sensors_of(chip)) {
    const std::string sensor = fmt::format("temp{}", number);
    const std::string name = sensor_name(chip, files, sensor);
    // Each core's own sensor takes an interrupt of that core; the package has the highest of them
    // [linux drivers/hwmon/coretemp.c].
    if (name.starts_with("coretemp Core ")) continue;
    sensors.emplace_back(sensor, name);
    for (const auto& [quantity, ending] : kQuantities)
      if (chip.has(sensor + ending))
        values.push_back(fmt::format("{}/{}{}", chip.folder, sensor, ending));
  }
  files.expect(values);
  for (const auto& [sensor, name] : sensors)
    for (const auto& [quantity, ending] : kQuantities) {
      if (!chip.has(sensor + ending)) continue;
      const auto text = files(fmt::format("{}/{}{}", chip.folder, sensor, ending));
      Reading reading = reading_of(chip, name, quantity, text);
      // A limit without a number is no limit, which is nothing to tell.
      if (reading.value || std::string_view(ending) == "_input")
        readings.push_back(std::move(reading));
    }
}

}  // namespace

void read_temperatures(const Sysroot& root, const DriverFiles& files, Inventory& inventory) {
  for (const std::string& entry : root.list(kFolder).value_or({})) {
    const auto below = root.below(fmt::format("{}/{}", kFolder, entry));
    const auto folder = below ? below->resolve(".") : Result<std::string>(below.error());
    if (!folder) continue;
    Chip chip{*folder, {}, device_name(*folder), below->list(".").value_or({})};
    if (sensors_of(chip).empty()) continue;
    chip.component = pci_of(*below).value_or(ComponentId::node());
    const auto address = chip.component.pci_address();
    const PciFunction* function = address ? inventory.function(*address) : nullptr;
    if (function != nullptr && function->link_end.runtime_status == "suspended") {
      inventory.readings.push_back({chip.component,
                                    "temperature",
                                    "C",
                                    {},
                                    "asleep, and not woken to read it",
                                    Phase::passive,
                                    {}});
      continue;
    }
    chip.name = short_text(files, *folder + "/name");
    if (chip.name.empty()) chip.name = entry;
    if (!disturbs(chip.name)) read_chip(chip, files, inventory.readings);
  }
}

}  // namespace linkburn
