// The host of a scenario: its name, its root ports, its memory.
#include <fmt/format.h>

#include "bench/base/text.h"
#include "bench/drill/scenario_draft.h"
#include "bench/drill/scenario_text.h"

namespace linkburn::drill {
namespace {

constexpr int kCpusOfNode = 32;

/// A root port of Sapphire Rapids [pci.ids 8086:352a].
Function usual_root_port() {
  Function port{};
  port.kind = PortKind::root_port, port.device = Device::bridge;
  port.vendor = 0x8086, port.device_id = 0x352a, port.class_code = 0x060400;
  port.parent = -1, port.slot_number = -1;
  port.port_gen = 5, port.port_width = 16;
  put_text(port.driver, "pcieport");
  return port;
}

void read_one_host(TableReader& table, Draft& draft) {
  std::string name = draft.state->host.data();
  read_name(table, "name", name);
  put_text(draft.state->host, name);
  int vendor = draft.root_port.vendor, device = draft.root_port.device_id;
  table.number("port_vendor", vendor, 1, 0xfffe);
  table.number("port_device", device, 0, 0xffff);
  draft.root_port.vendor = static_cast<std::uint16_t>(vendor);
  draft.root_port.device_id = static_cast<std::uint16_t>(device);
  read_byte(table, "port_gen", draft.root_port.port_gen, 1, 6);
}

void add_numa(TableReader& table, Draft& draft, const Numa& written) {
  if (draft.numas == kMaxNumas)
    return table.fail(fmt::format("more than {} NUMA nodes", kMaxNumas));
  Numa& numa = draft.state->numas[draft.numas];
  numa = written;
  if (!table.has("cpus")) {
    const int first = draft.numas * kCpusOfNode;
    put_text(numa.cpus, fmt::format("{}-{}", first, first + kCpusOfNode - 1));
  }
  numa.used = true;
  ++draft.numas;
}

void read_numa(TableReader& table, Draft& draft, Numa numa) {
  int count = 1;
  std::string cpus;
  table.number("count", count, 1, kMaxNumas);
  table.text("cpus", cpus);
  if (!cpus.empty() && (!parse_list(cpus) || cpus.size() >= numa.cpus.size()))
    return table.fail("'cpus' must be a list of processors, such as 0-15,32-47", "cpus");
  if (table.has("cpus") && count > 1)
    return table.fail("nodes with 'cpus' of their own are written one by one", "cpus");
  put_text(numa.cpus, cpus);
  read_decimal(table, "memory_gbs", numa.memory_gbs, 0.001, 1e5);
  read_decimal(table, "far_gbs", numa.far_gbs, 0.001, 1e5);
  for (int n = 0; n < count; ++n) add_numa(table, draft, numa);
}

}  // namespace

void read_host(TableReader& table, Draft& draft) {
  draft.root_port = usual_root_port();
  put_text(draft.state->host, "drill0");
  int hosts = 0;
  table.each("host", [&](TableReader& host) {
    if (++hosts > 1) host.fail("a scenario has one host");
    read_one_host(host, draft);
  });
  Numa usual{};
  usual.memory_gbs = 300, usual.far_gbs = 60;
  table.each("numa", [&](TableReader& numa) { read_numa(numa, draft, usual); });
  if (table.has("numa")) return;
  for (int n = 0; n < 2; ++n) add_numa(table, draft, usual);
}

}  // namespace linkburn::drill
