// One thing that linkburn relies on: how it is named, what needs it, and how it is tried.
#pragma once

#include <fmt/format.h>

#include <span>
#include <string>
#include <string_view>

#include "bench/base/clock.h"
#include "kernels/driver.h"
#include "kernels/nvml.h"
#include "kernels/runtime.h"

namespace linkburn::conformance {

/// What the items try: opened libraries and the node around them.
struct Devices {
  cuda::RuntimeTable runtime;
  cuda::DriverTable driver;
  nvml::NvmlTable nvml;
  const Clock* clock = nullptr;
  std::string tree;  ///< root of the node's files; empty: none
  bool drill = false;
  int count = 0;  ///< of CUDA devices
};

/// What one item has found. The first thing that was wrong is kept.
class Probe {
 public:
  explicit Probe(const Devices& on) : on_(on) {}

  const Devices& on() const { return on_; }

  /// Notes `what` unless `holds`; returns `holds`, so that an item can stop there.
  bool expect(bool holds, std::string_view what) {
    if (!holds && failure_.empty()) failure_ = what;
    return holds;
  }

  /// A result code of a call, as it must be.
  bool result(int is, int wanted, std::string_view call) {
    return expect(is == wanted, fmt::format("{} gives {}, not {}", call, is, wanted));
  }
  bool works(int is, std::string_view call) { return result(is, 0, call); }

  /// The item cannot be tried here. A failure noted before stands.
  void skip(std::string_view reason) { reason_ = reason; }

  const std::string& failure() const { return failure_; }
  const std::string& skipped() const { return reason_; }

 private:
  const Devices& on_;
  std::string failure_, reason_;
};

struct Item {
  const char* name;     ///< what holds: "a copy runs beside the program"
  const char* used_by;  ///< what would be wrong without it
  void (*run)(Probe& probe);
  bool core = true;  ///< must have run, or the list has shown nothing
};

std::span<const Item> device_items();
std::span<const Item> memory_items();
std::span<const Item> copy_items();
std::span<const Item> stream_items();
std::span<const Item> event_items();
std::span<const Item> error_items();
std::span<const Item> driver_items();
std::span<const Item> kernel_items();
std::span<const Item> nvml_items();
std::span<const Item> link_items();

}  // namespace linkburn::conformance
