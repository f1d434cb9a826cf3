// The temperature sensor of a device in a drill's tree [linux
// Documentation/hwmon/sysfs-interface.rst]. GPUs have none: NVIDIA's driver tells temperatures only
// through its own library.
#pragma once

#include <optional>
#include <string>

#include "bench/drill/tree_files.h"

namespace linkburn::drill {

struct MonitorPlace {
  int number;          ///< of hwmonN
  std::string device;  ///< the folder of the device: "sys/devices/..."
  std::string chip, label;
  std::optional<double> max_c;
  double critical_c;
};

class MonitorFile {
 public:
  MonitorFile(TreeFiles& files, const MonitorPlace& place);

  /// Nothing: the device does not answer, and reading its temperature gives none.
  void show(TreeFiles& files, std::optional<double> celsius) const;

 private:
  int input_;
};

}  // namespace linkburn::drill
