// Temperatures from /sys/class/hwmon [linux Documentation/hwmon/sysfs-interface.rst].
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "bench/base/text.h"
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

/// The function whose folder a path leads through; the deepest one, as ports lie above devices.
const PciFunction* function_of(const std::string& path, const std::vector<PciFunction>& functions) {
  const PciFunction* deepest = nullptr;
  for (const PciFunction& function : functions)
    if (!function.folder.empty() && path.starts_with(function.folder + "/") &&
        (deepest == nullptr || deepest->folder.size() < function.folder.size()))
      deepest = &function;
  return deepest;
}

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

std::string sensor_name(const Chip& chip, const DriverFiles& read, const std::string& sensor) {
  if (chip.has(sensor + "_label"))
    if (const auto label = read(fmt::format("{}/{}_label", chip.folder, sensor)))
      return fmt::format("{} {}", chip.name, printable(trim(*label), 64));
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

void read_chip(const Chip& chip, const DriverFiles& read, std::vector<Reading>& readings) {
  static constexpr std::array<std::pair<const char*, const char*>, 2> kLimits{
      {{"temperature_max", "_max"}, {"temperature_critical", "_crit"}}};
  for (const int number : sensors_of(chip)) {
    const std::string sensor = fmt::format("temp{}", number);
    const std::string name = sensor_name(chip, read, sensor);
    // Each core's own sensor takes an interrupt of that core; the package has the highest of them
    // [linux drivers/hwmon/coretemp.c].
    if (name.starts_with("coretemp Core ")) continue;
    const std::string file = fmt::format("{}/{}", chip.folder, sensor);
    readings.push_back(reading_of(chip, name, "temperature", read(file + "_input")));
    for (const auto& [quantity, ending] : kLimits) {
      if (!chip.has(sensor + ending)) continue;
      // Without a number there is no limit, which is nothing to tell.
      Reading limit = reading_of(chip, name, quantity, read(file + ending));
      if (limit.value) readings.push_back(std::move(limit));
    }
  }
}

}  // namespace

std::vector<Reading> read_temperatures(const Sysroot& root, const DriverFiles& driver_files,
                                       const std::vector<PciFunction>& functions) {
  std::vector<Reading> readings;
  for (const std::string& entry : root.list(kFolder).value_or({})) {
    const auto folder = root.resolve(fmt::format("{}/{}", kFolder, entry));
    if (!folder) continue;
    Chip chip{*folder, {}, device_name(*folder), root.list(*folder).value_or({})};
    const PciFunction* function = function_of(*folder, functions);
    if (function != nullptr) chip.component = ComponentId::pci(function->address);
    if (sensors_of(chip).empty()) continue;
    if (function != nullptr && function->link_end.runtime_status == "suspended") {
      readings.push_back({chip.component,
                          "temperature",
                          "C",
                          {},
                          "asleep, and not woken to read it",
                          Phase::passive,
                          {}});
      continue;
    }
    const auto name = driver_files(*folder + "/name");
    if (name) chip.name = printable(trim(*name), 64);
    if (chip.name.empty()) chip.name = entry;
    if (!disturbs(chip.name)) read_chip(chip, driver_files, readings);
  }
  return readings;
}

}  // namespace linkburn
