#include "bench/drill/monitor_file.h"

#include <fmt/format.h>

#include <cmath>

namespace linkburn::drill {
namespace {

std::string thousandths(double celsius) { return fmt::format("{}", std::lround(celsius * 1000)); }

}  // namespace

MonitorFile::MonitorFile(TreeFiles& files, const MonitorPlace& place) {
  const std::string name = fmt::format("hwmon/hwmon{}", place.number);
  const std::string folder = fmt::format("{}/{}", place.device, name);
  files.link("sys/class/" + name, "../../" + folder.substr(folder.find('/') + 1));
  files.file(folder + "/name", place.chip);
  files.file(folder + "/temp1_label", place.label);
  if (place.max_c) files.file(folder + "/temp1_max", thousandths(*place.max_c));
  files.file(folder + "/temp1_crit", thousandths(place.critical_c));
  input_ = files.live(folder + "/temp1_input");
}

void MonitorFile::show(TreeFiles& files, std::optional<double> celsius) const {
  files.set(input_, celsius ? thousandths(*celsius) : std::string());
}

}  // namespace linkburn::drill
