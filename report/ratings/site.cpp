#include "report/ratings/site.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "bench/base/text.h"
#include "bench/base/toml_table.h"
#include "report/ratings/host_pattern.h"
#include "report/ratings/rated.h"

namespace linkburn {
namespace {

constexpr int kMostExpected = 4096;         ///< of one kind on one node
constexpr double kFastestPortGbps = 10000;  ///< above any port's rate

/// What can be counted: types of components, RDMA ports, NUMA nodes.
constexpr std::array kCounted{"gpu", "accelerator", "nic", "infiniband", "nvme", "port", "numa"};

const std::vector<std::string> kSlotTypes{"gpu", "accelerator", "nic", "infiniband", "nvme"};

/// "0000:17:00.0" of an address with or without domain and function; nothing else.
std::optional<PciAddress> address_in(std::string_view name) {
  if (const auto whole = parse_pci_address(name)) return whole;
  return parse_pci_address(std::string(name) + ".0");
}

/// Two ways to write the same place.
bool same_place(const std::string& a, const std::string& b) {
  const auto address = address_in(a);
  return a == b || (address && address == address_in(b));
}

/// Exactly one of these keys says what an entry is about.
std::string one_of_keys(TableReader& table, std::initializer_list<const char*> keys) {
  std::string name;
  int given = 0;
  std::string list;
  for (const char* key : keys) {
    table.text(key, name);
    given += table.has(key) ? 1 : 0;
    list += fmt::format("{}'{}'", list.empty() ? "" : " or ", key);
  }
  if (given != 1) table.fail(fmt::format("give {}, and one of them only", list));
  if (given == 1 && trim(name).empty()) table.fail(fmt::format("{} is empty", list));
  if (table.has("address") && !address_in(name))
    table.fail(fmt::format("'{}' is no PCI address", printable(name, 64)), "address");
  return name;
}

void read_counts(TableReader& table, Site& block) {
  for (const char* type : kCounted) {
    std::optional<int> count;
    table.number(type, count, 0, kMostExpected);
    if (count) block.counts[type] = {*count, table.line_of(type)};
  }
}

std::optional<LinkSpeed> read_speed(TableReader& table) {
  std::optional<double> gts;
  table.decimal("speed_gts", gts, 0, 1000);
  if (!gts) return std::nullopt;
  for (int generation = 1; generation <= kPcieGenerations; ++generation)
    if (speed_of_generation(generation)->gts() == *gts) return speed_of_generation(generation);
  table.fail("'speed_gts' must be 2.5, 5, 8, 16, 32 or 64", "speed_gts");
  return std::nullopt;
}

std::optional<LinkWidth> read_width(TableReader& table) {
  std::optional<int> lanes;
  table.number("width", lanes, 1, 32);
  if (!lanes) return std::nullopt;
  if (!is_lane_count({*lanes})) table.fail("'width' must be 1, 2, 4, 8, 12, 16 or 32", "width");
  return LinkWidth{*lanes};
}

void read_slot(TableReader& table, Site& block) {
  SiteSlot slot;
  std::vector<std::string> type;
  std::string name;
  slot.slot = one_of_keys(table, {"slot", "address"});
  slot.line = table.line();
  table.text("type", slot.type);
  if (!slot.type.empty() &&
      std::find(kSlotTypes.begin(), kSlotTypes.end(), slot.type) == kSlotTypes.end()) {
    const auto close = nearest(slot.type, kSlotTypes);
    table.fail(fmt::format("unknown type '{}'{}", printable(slot.type, 32),
                           close ? fmt::format(", did you mean '{}'?", *close) : ""),
               "type");
  }
  slot.speed = read_speed(table);
  slot.width = read_width(table);
  table.text("name", name);
  for (const SiteSlot& other : block.slots)
    if (same_place(other.slot, slot.slot))
      table.fail(fmt::format("slot '{}' was already described on line {}", printable(slot.slot, 64),
                             other.line));
  if (!name.empty()) block.slot_names[slot.slot] = name;
  block.slots.push_back(std::move(slot));
}

/// "mlx5_0/1": a name without its number would be looked for among the interfaces, in vain.
bool is_rdma_port(std::string_view name) {
  const std::size_t slash = name.rfind('/');
  return slash != std::string_view::npos && slash > 0 && parse_int(name.substr(slash + 1)) > 0;
}

void read_port(TableReader& table, Site& block) {
  SitePort port;
  std::string expect, ip;
  port.port = one_of_keys(table, {"port", "interface"});
  port.line = table.line();
  if (table.has("port") && !is_rdma_port(port.port))
    table.fail(fmt::format("'{}' is no RDMA port, such as mlx5_0/1", printable(port.port, 64)),
               "port");
  if (table.has("interface") && port.port.find('/') != std::string::npos)
    table.fail(fmt::format("'{}' is no network interface, such as eth0", printable(port.port, 64)),
               "interface");
  table.decimal("rate_gbps", port.rate_gbps, 0.1, kFastestPortGbps);
  table.text("expect", expect);
  if (expect == "up" || expect == "down")
    port.up = expect == "up";
  else if (table.has("expect"))
    table.fail("'expect' must be \"up\" or \"down\"", "expect");
  table.text("ip", ip);
  if (ip == "routed" || ip == "none")
    port.has_ip = ip == "routed";
  else if (table.has("ip"))
    table.fail("'ip' must be \"routed\" or \"none\"", "ip");
  for (const SitePort& other : block.ports)
    if (other.port == port.port)
      table.fail(fmt::format("port '{}' was already described on line {}", printable(port.port, 64),
                             other.line));
  block.ports.push_back(std::move(port));
}

void read_exception(TableReader& table, Site& block) {
  SiteException exception;
  exception.component = one_of_keys(table, {"component", "slot", "address"});
  exception.line = table.line();
  table.text("code", exception.code, true);
  if (exception.code != "*" && !exception.code.starts_with("LB-"))
    table.fail("'code' must be the code of a finding, such as LB-PCIE-WIDTH, or \"*\"", "code");
  table.text("reason", exception.reason, true);
  if (table.has("reason") && trim(exception.reason).empty())
    table.fail("'reason' is empty", "reason");
  table.day("expires", exception.expires, true);
  block.exceptions.push_back(std::move(exception));
}

void read_slot_names(TableReader& table, Site& block) {
  std::map<std::string, TextAt> names;
  table.all_texts(names);
  for (const auto& [place, sticker] : names) {
    if (trim(sticker.text).empty()) table.fail(fmt::format("the name of '{}' is empty", place));
    block.slot_names[place] = sticker.text;
  }
}

/// What the outermost table and each [[host]] can hold.
void read_block(TableReader& table, Site& block) {
  table.inside("expect", [&](TableReader& counts) { read_counts(counts, block); });
  table.each("slot", [&](TableReader& slot) { read_slot(slot, block); });
  table.each("port", [&](TableReader& port) { read_port(port, block); });
  table.each("exception", [&](TableReader& exception) { read_exception(exception, block); });
  table.inside("slot_names", [&](TableReader& names) { read_slot_names(names, block); });
}

std::vector<std::string> read_match(TableReader& table) {
  std::vector<std::string> patterns;
  table.texts("match", patterns, true);
  if (table.has("match") && patterns.empty()) table.fail("'match' is empty", "match");
  for (const std::string& pattern : patterns)
    if (const Status status = check_host_pattern(pattern); !status)
      table.fail(status.error().what, "match");
  return patterns;
}

void override_with(SiteSlot& slot, const SiteSlot& later) {
  if (!later.type.empty()) slot.type = later.type;
  if (later.speed) slot.speed = later.speed;
  if (later.width) slot.width = later.width;
  slot.line = later.line;
}

void override_with(SitePort& port, const SitePort& later) {
  if (later.rate_gbps) port.rate_gbps = later.rate_gbps;
  if (later.up) port.up = later.up;
  if (later.has_ip) port.has_ip = later.has_ip;
  port.line = later.line;
}

/// A later block says more, or says it better.
void add_block(Site& site, const Site& block) {
  for (const auto& [type, count] : block.counts) site.counts[type] = count;
  for (const auto& [place, name] : block.slot_names) site.slot_names[place] = name;
  for (const SiteSlot& slot : block.slots) {
    const auto known = std::find_if(site.slots.begin(), site.slots.end(), [&](const auto& other) {
      return same_place(other.slot, slot.slot);
    });
    if (known == site.slots.end())
      site.slots.push_back(slot);
    else
      override_with(*known, slot);
  }
  for (const SitePort& port : block.ports) {
    const auto known = std::find_if(site.ports.begin(), site.ports.end(),
                                    [&](const auto& other) { return other.port == port.port; });
    if (known == site.ports.end())
      site.ports.push_back(port);
    else
      override_with(*known, port);
  }
  for (const SiteException& exception : block.exceptions) site.exceptions.push_back(exception);
}

}  // namespace

bool names_address(std::string_view name, const ComponentId& device) {
  const auto wanted = address_in(name);
  auto address = device.pci_address();
  if (!wanted || !address) return false;
  // Without a function it is the device, whichever of its functions stands for it.
  if (!parse_pci_address(name)) address->function = 0;
  return *wanted == *address;
}

bool names_place(std::string_view name, const std::optional<Slot>& place) {
  if (!place) return false;
  return place->label == name ||
         std::any_of(place->others.begin(), place->others.end(),
                     [&](const SlotName& other) { return other.label == name; });
}

Slot renamed(const std::optional<Slot>& place, const std::string& sticker) {
  Slot slot{sticker, "site", place ? place->others : std::vector<SlotName>{}};
  if (place && place->source != "site" && place->label != sticker)
    slot.others.insert(slot.others.begin(), {place->label, place->source});
  return slot;
}

const SitePort* Site::port(const Port& port) const {
  for (const SitePort& expected : ports)
    if (expected.port == port.component.text() ||
        (!port.netdev.empty() && expected.port == port.netdev))
      return &expected;
  return nullptr;
}

const SiteSlot* Site::slot(const ComponentId& device, const std::optional<Slot>& place) const {
  for (const SiteSlot& expected : slots)
    if (names_address(expected.slot, device)) return &expected;
  for (const SiteSlot& expected : slots)
    if (names_place(expected.slot, place)) return &expected;
  return nullptr;
}

std::optional<std::string> Site::slot_name(const ComponentId& device,
                                           const std::optional<Slot>& place) const {
  for (const auto& [name, sticker] : slot_names)
    if (names_address(name, device)) return sticker;
  for (const auto& [name, sticker] : slot_names)
    if (names_place(name, place)) return sticker;
  return std::nullopt;
}

std::string Site::origin(int line) const { return fmt::format("site file {}:{}", file, line); }

Result<SiteFile> SiteFile::read(std::string_view text, const std::string& file) {
  SiteFile site;
  site.common_.file = file;
  const Status status = read_toml(text, file, [&](TableReader& table) {
    int schema = 0;
    table.number("schema", schema, kSiteSchema, kSiteSchema, true);
    read_block(table, site.common_);
    table.each("host", [&](TableReader& host) {
      Block block{read_match(host), {}};
      read_block(host, block.site);
      site.blocks_.push_back(std::move(block));
    });
  });
  if (!status) return status.error();
  return site;
}

Site SiteFile::of(std::string_view host) const {
  Site site = common_;
  site.host_blocks = !blocks_.empty();
  for (const Block& block : blocks_) {
    const auto names_it = [&](const std::string& pattern) { return matches_host(pattern, host); };
    if (std::none_of(block.patterns.begin(), block.patterns.end(), names_it)) continue;
    site.host_found = true;
    add_block(site, block.site);
  }
  return site;
}

Result<Site> read_site(std::string_view text, const std::string& file, std::string_view host) {
  const auto site = SiteFile::read(text, file);
  if (!site) return site.error();
  return site->of(host);
}

Result<Site> SiteReader::read(const SiteText& site, std::string_view host) {
  if (!understood_ || last_.file != site.file || last_.text != site.text) {
    last_ = site;
    understood_ = SiteFile::read(site.text, site.file);
  }
  if (!*understood_) return understood_->error();
  return (*understood_)->of(host);
}

}  // namespace linkburn
