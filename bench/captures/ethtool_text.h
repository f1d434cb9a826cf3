// What ethtool prints of one interface: link settings, driver, FEC, statistics, module. One reader
// takes all of it, since often only the first output names the interface. Internal to
// bench/captures.
#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/captures/reader.h"
#include "bench/inventory/module_memory.h"

namespace linkburn {

/// The outputs of ethtool that are read.
enum class EthtoolPart { none, settings, driver, fec, statistics, module, memory };

/// A command line or a heading that names the interface: "$ ethtool -S eth0".
struct EthtoolCommand {
  EthtoolPart part = EthtoolPart::settings;
  std::string interface;
};
std::optional<EthtoolCommand> ethtool_command(std::string_view line);

/// The part that begins at this line, and the interface where the line tells it.
struct EthtoolHeading {
  EthtoolPart part = EthtoolPart::none;
  std::string interface;
};
std::optional<EthtoolHeading> ethtool_heading(std::string_view line, std::string_view next = {});

/// One interface, as its texts come.
struct EthtoolInterface {
  Interface interface;
  bool settings = false;  ///< of its link were among the texts
  bool has_speed_line = false;
  bool has_cage = false;  ///< its port has a cable of its own: fibre, copper
  std::vector<Counter> counters;
  std::vector<std::uint8_t> memory;  ///< of its module, from a hex dump

  std::vector<std::string>* modes = nullptr;  ///< whose lines go on
  std::string last_key;
  bool pam4 = false;  ///< the encoding that the module tells
};

// One line of each part. `elsewhere`: no line of it.
Take take_ethtool_setting(std::string_view line, EthtoolInterface& to);
Take take_ethtool_driver(std::string_view line, EthtoolInterface& to);
Take take_ethtool_fec(std::string_view line, EthtoolInterface& to);
Take take_ethtool_statistic(std::string_view line, EthtoolInterface& to);
Take take_ethtool_module(std::string_view line, EthtoolInterface& to);
Take take_ethtool_memory(std::string_view line, EthtoolInterface& to);

/// What ethtool says of an answer that it did not get.
bool is_ethtool_complaint(std::string_view line);

/// The module whose memory this is, in ethtool's order of pages; nothing for bytes of other kinds.
std::optional<Module> module_of_dump(const std::vector<std::uint8_t>& bytes);

/// The part whose lines alone are certain enough to begin with: "Link detected: no".
EthtoolPart ethtool_part_of(std::string_view line);

/// A line that names what comes next belongs to the kind of what comes next.
bool ethtool_begins(std::string_view line, std::string_view next,
                    std::initializer_list<EthtoolPart> parts);

std::unique_ptr<PartReader> make_ethtool_reader();

}  // namespace linkburn
