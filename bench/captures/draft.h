// What captured texts say of one node, before it is put together: readers add to it, assemble()
// makes an inventory and records of it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/captures/shown_files.h"
#include "bench/inventory/inventory.h"

namespace linkburn {

/// Sources of what is said of an end of a link, the most trusted first: LinkEnd::source, EndView.
inline constexpr std::string_view kFromBytes = "config";  ///< bytes of config space
inline constexpr std::string_view kFromLspci = "lspci";   ///< what lspci made of such bytes
inline constexpr std::string_view kFromFiles = "files";   ///< of sysfs
inline constexpr std::string_view kFromNvidiaSmi = "nvidia-smi";
inline constexpr std::string_view kFromKernelLog = "kernel log";

/// What one source says of one PCI function.
struct FunctionView {
  PciFunction function;  ///< link_end.source names the source
  /// False: the text tells no address, and function.address means nothing.
  bool has_address = true;
};

/// What one stretch of a kernel log says, and its clock: join_logs() makes records of all of them.
struct CapturedLog {
  std::vector<Body> records;
  bool has_year = true;          ///< its wall times tell the year
  bool has_both_clocks = false;  ///< some of its lines
  std::optional<std::int64_t> first_wall_us, last_wall_us;
  std::optional<std::int64_t> booted_at_us;  ///< by its wall clock
};

/// One node. Adding is bounded: a text of any size gives a draft of bounded size.
struct NodeDraft {
  static constexpr std::size_t kMaxItems = 65536;  ///< of one kind

  std::string name;  ///< host name; empty: the texts do not tell it
  NodeFacts facts;
  std::vector<Inventory> trees;  ///< from sysfs, captured whole or in part
  ShownFiles shown;              ///< of sysfs, in texts: discover_shown() makes a tree of them
  std::vector<FunctionView> functions;
  /// Device to the port above it, where a text tells so: lspci -t, a kernel log.
  std::map<PciAddress, PciAddress> parents;
  std::vector<NamedSlot> slots;
  std::vector<Gpu> gpus;
  std::vector<Port> ports;
  std::vector<Interface> interfaces;
  std::vector<Measurement> measurements;
  std::vector<CapturedLog> logs;
  std::vector<Body> records;  ///< kernel lines, counters, readings, parts: as they are
  std::vector<CapturePart> parts;
  std::int64_t dropped = 0;  ///< items above the limit

  template <class T>
  void add(std::vector<T>& list, T item) {
    if (list.size() < kMaxItems)
      list.push_back(std::move(item));
    else
      ++dropped;
  }
};

}  // namespace linkburn
