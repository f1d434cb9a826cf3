// What a site expects of one of its nodes, from a site file in TOML. report/ratings/README.md has
// the format for people.
//
// Pure: takes the text, reads no file and no clock. Whether an exception has expired is decided
// with the date of the evidence.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/base/component.h"
#include "bench/base/result.h"
#include "bench/base/units.h"
#include "report/evidence/links.h"
#include "report/evidence/network.h"
#include "report/evidence/record.h"

namespace linkburn {

inline constexpr int kSiteSchema = 1;

/// How many of one kind are expected.
struct SiteCount {
  int count = 0;
  int line = 0;
};

/// What is expected in one slot, or at one PCI address.
struct SiteSlot {
  std::string slot;  ///< label or address, as written in the file
  std::string type;  ///< Component::type that has to be there: "gpu"; empty: any
  std::optional<LinkSpeed> speed;
  std::optional<LinkWidth> width;
  int line = 0;
};

/// What is expected of one port or network interface.
struct SitePort {
  std::string port;  ///< "mlx5_0/1", or an interface: "eth0"
  std::optional<double> rate_gbps;
  std::optional<bool> up;  ///< false: unused on purpose
  int line = 0;
  std::optional<bool> has_ip = {};  ///< false: has no routed address on purpose
};

/// A known shortcoming that the site lives with until a day.
struct SiteException {
  std::string component;  ///< component, slot label, or "*"
  std::string code;       ///< of the finding, or "*"
  std::string reason;
  std::string expires;  ///< "2027-01-31", the last day on which it counts
  int line = 0;
};

/// Everything in a site file that concerns one host.
struct Site {
  std::string file;  ///< empty: there is no site file
  /// Component::type, or "port" -> how many.
  std::map<std::string, SiteCount> counts;
  std::map<std::string, std::string> slot_names;  ///< address or other label -> the sticker's text
  std::vector<SiteSlot> slots;
  std::vector<SitePort> ports;
  std::vector<SiteException> exceptions;
  bool host_blocks = false;  ///< the file has [[host]] blocks
  bool host_found = false;   ///< one of them is for this host

  /// What is expected of a port; null when nothing is. Names of port and interface both count.
  const SitePort* port(const Port& port) const;

  /// What is expected at a device's slot; null when nothing is. Its address counts before its
  /// labels.
  const SiteSlot* slot(const ComponentId& device, const std::optional<Slot>& place) const;

  /// The sticker's text for a device's slot; nothing when the site gives it no name.
  std::optional<std::string> slot_name(const ComponentId& device,
                                       const std::optional<Slot>& place) const;

  /// "site file FILE:LINE".
  std::string origin(int line) const;
};

/// True when `name`, as a site writes it, means this device: its address, with or without domain
/// and function.
bool names_address(std::string_view name, const ComponentId& device);

/// True when `name` is what any source calls this place.
bool names_place(std::string_view name, const std::optional<Slot>& place);

/// The place as the site names it, with what it was called before among the others.
Slot renamed(const std::optional<Slot>& place, const std::string& sticker);

/// A site file, understood once for all of its hosts.
class SiteFile {
 public:
  /// Errors name file, line and the nearest known key.
  static Result<SiteFile> read(std::string_view text, const std::string& file);

  /// What the file says about a host.
  Site of(std::string_view host) const;

 private:
  struct Block {
    std::vector<std::string> patterns;  ///< of host names
    Site site;
  };

  Site common_;  ///< for every host
  std::vector<Block> blocks_;
};

/// What the file says about one host.
Result<Site> read_site(std::string_view text, const std::string& file, std::string_view host);

/// Reads the site files of many nodes: nearly always the same one, which is understood once.
class SiteReader {
 public:
  Result<Site> read(const SiteText& site, std::string_view host);

 private:
  SiteText last_;
  std::optional<Result<SiteFile>> understood_;
};

}  // namespace linkburn
