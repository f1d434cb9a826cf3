// The files of one network adapter in a drill's tree: its RDMA device with one port, the interface
// of an Ethernet one, and its temperature.
#pragma once

#include <optional>
#include <string>

#include "bench/drill/monitor_file.h"
#include "bench/drill/state.h"

namespace linkburn::drill {

class NicFiles {
 public:
  /// `monitor` is the number of its hwmon folder.
  NicFiles(TreeFiles& files, const State& state, int nic, int monitor);

  void show(TreeFiles& files, const State& state);

 private:
  struct Shown {
    bool up = false, answers = false;
    std::int64_t rate_mbps = 0, thousandths_c = 0;
    bool operator==(const Shown&) const = default;
  };

  void write_port(TreeFiles& files, const Nic& nic, const std::string& device);
  void write_interface(TreeFiles& files, const Nic& nic, const std::string& device);
  void show_port(TreeFiles& files, const Shown& now) const;
  void show_interface(TreeFiles& files, const Shown& now) const;

  int nic_, function_;
  bool infiniband_;
  std::string mac_;
  MonitorFile monitor_;
  int state_ = -1, phys_state_ = -1, rate_ = -1, lid_ = -1, sm_lid_ = -1, link_downed_ = -1;
  int operstate_ = -1, carrier_ = -1, speed_ = -1;
  int changes_ = -1, up_count_ = -1, down_count_ = -1;
  int ups_ = 1, downs_ = 0;  ///< how often its link came up and went down
  std::optional<Shown> last_;
};

}  // namespace linkburn::drill
