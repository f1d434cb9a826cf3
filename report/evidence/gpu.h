// The GPU part of the vocabulary of evidence, as its driver tells it (NVML, nvidia-smi).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/base/component.h"
#include "bench/base/units.h"

namespace linkburn {

/// One link between GPUs, or from a GPU to a switch of such links.
struct GpuLink {
  int number = 0;
  std::string state;               ///< "active", "inactive"; empty: not said
  std::optional<double> rate_gbs;  ///< of an active one, per direction, as its driver rates it
  std::string remote;              ///< what is at the other end, in the driver's words
  template <class Fields>
  void fields(Fields& f) {
    f("number", number), f("state", state), f("rate_gbs", rate_gbs), f("remote", remote);
  }
};

/// What the driver, or a tool that asked it, says of one GPU. Absent: not asked, or "N/A".
/// PCIe fields as in NVML [nvml.h]: `max_speed` and `max_width` are the best for this GPU in this
/// system, `own_max_speed` the GPU's own, `host_max_speed` that of what it is plugged into. The
/// current ones are lower while the GPU is idle.
struct Gpu {
  static constexpr std::string_view kKind = "gpu";
  ComponentId component;     ///< its PCI function; "gpu3" where no address is told
  std::optional<int> index;  ///< as the driver counts
  std::string name, uuid, serial, driver_version, source;  ///< source: the tool, "nvidia-smi"
  std::optional<LinkSpeed> speed, max_speed, own_max_speed, host_max_speed;
  std::optional<LinkWidth> width, max_width;
  std::optional<std::int64_t> replays, replay_rollovers;
  std::string c2c_mode;           ///< "Enabled": a chip-to-chip link carries the traffic
  std::string performance_state;  ///< "P0" to "P15"
  std::optional<double> utilization_percent;
  std::optional<double> temperature_c, temperature_slowdown_c;
  std::vector<std::string> slowed_by;  ///< reasons for lowered clocks, in the driver's words
  std::string mig_mode, fabric_state;
  std::vector<GpuLink> links;
  bool links_read = false;  ///< the links were listed; empty then means none
  template <class Fields>
  void fields(Fields& f) {
    f("component", component), f("index", index), f("name", name), f("uuid", uuid);
    f("serial", serial), f("driver_version", driver_version), f("source", source);
    f("speed_gts", speed), f("max_speed_gts", max_speed), f("own_max_speed_gts", own_max_speed);
    f("host_max_speed_gts", host_max_speed), f("width", width), f("max_width", max_width);
    f("replays", replays), f("replay_rollovers", replay_rollovers), f("c2c_mode", c2c_mode);
    f("performance_state", performance_state), f("utilization_percent", utilization_percent);
    f("temperature_c", temperature_c), f("temperature_slowdown_c", temperature_slowdown_c);
    f("slowed_by", slowed_by), f("mig_mode", mig_mode), f("fabric_state", fabric_state);
    f("links", links), f("links_read", links_read);
  }
};

}  // namespace linkburn
