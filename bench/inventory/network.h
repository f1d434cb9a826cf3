// What the readers of ports and interfaces share. Internal to bench/inventory.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/inventory/inventory.h"

namespace linkburn {

/// The file's text without surrounding white space; empty when it cannot be read.
std::string short_text(const DriverFiles& files, const std::string& path,
                       std::size_t max_bytes = 64);

/// The file's number (0x... as well); nothing when it cannot be read or is none.
std::optional<std::int64_t> file_number(const DriverFiles& files, const std::string& path);

/// The number of a folder's file as a counter; no record when there is no number.
void add_counter(const DriverFiles& files, const std::string& path, const ComponentId& component,
                 std::string name, std::vector<Counter>& counters);

/// The PCI function that a class folder belongs to: the last address in the path of itself or of
/// its device. `folder` is the tree seen from it.
std::optional<ComponentId> pci_of(const Sysroot& folder);

/// The name of the driver of a class folder's device.
std::string driver_of(const Sysroot& folder);

/// Reading a sleeping device's files can wake it.
bool is_suspended(const Sysroot& folder);

/// A port of an RDMA device.
struct PortPlace {
  std::string device;  ///< "mlx5_0"
  int number = 0;
  Sysroot device_folder;  ///< the tree seen from the device's class folder

  /// Paths from the root, for the reader of driver files.
  std::string device_path() const { return "sys/class/infiniband/" + device; }
  std::string path() const { return device_path() + "/" + inside(); }
  /// The port's folder as seen from the device's.
  std::string inside() const { return "ports/" + std::to_string(number); }
};

/// Rate, lanes and speed of "400 Gb/sec (4X NDR)"; old kernels leave out SDR: "10 Gb/sec (4X)"
/// [linux drivers/infiniband/core/sysfs.c, rate_show].
void take_rate(const std::string& text, Port& port);

/// The non-zero entries of a port's GID table.
void read_gids(const DriverFiles& files, const PortPlace& place, Port& port);

/// Files of both counter folders of a port that tell something: path and name, "port/symbol_error".
struct PortCounter {
  std::string path, name;
};
std::vector<PortCounter> port_counters(const PortPlace& place);

}  // namespace linkburn
