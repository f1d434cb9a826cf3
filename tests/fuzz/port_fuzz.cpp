// What drivers say of ports, GIDs, interfaces and modules may be any bytes: inventory must take
// them, and what it makes of them must be within the bounds that rules rely on. The folders are
// made once; each input is what their files hold, separated by '|'.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "bench/inventory/ethtool_text.h"
#include "bench/inventory/inventory.h"
#include "bench/inventory/module_memory.h"

namespace {

using namespace linkburn;
namespace fs = std::filesystem;

constexpr const char* kPort = "sys/class/infiniband/mlx5_0/ports/1";

/// Names are what the inventory lists; contents come from the input.
const Sysroot& folders() {
  static const Sysroot root = [] {
    std::string pattern = (fs::temp_directory_path() / "linkburn-port-fuzz-XXXXXX").string();
    const fs::path at = ::mkdtemp(pattern.data());
    const auto add = [&](const std::string& file) {
      fs::create_directories((at / file).parent_path());
      std::ofstream(at / file) << "";
    };
    for (const char* file : {"gids/0", "gids/1", "gids/255", "gid_attrs/types/0",
                             "counters/symbol_error", "hw_counters/out_of_sequence"})
      add(std::string(kPort) + "/" + file);
    fs::create_directories(at / "sys/class/net/eth0/device");
    add("sys/class/net/bond0/bonding/mode");
    add("sys/class/net/eth0.5/lower_eth0");
    auto opened = Sysroot::open(at.string());
    if (!opened) std::abort();
    return std::move(*opened);
  }();
  return root;
}

std::vector<std::string> parts_of(std::string_view input) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = input.find('|');
    parts.emplace_back(input.substr(0, end));
    if (end == std::string_view::npos) return parts;
    input.remove_prefix(end + 1);
  }
}

void require(bool holds) {
  if (!holds) std::abort();
}

void check_bounds(const Inventory& inventory) {
  for (const Port& port : inventory.ports) {
    require(!port.lanes || (*port.lanes > 0 && *port.lanes <= 64));
    require(!port.rate_gbps || std::isfinite(*port.rate_gbps));
    require(!port.lid || (*port.lid >= 0 && *port.lid <= 0xffff));
    for (const Gid& gid : port.gids) require(gid.index >= 0 && gid.index < 4096);
  }
  for (const Interface& interface : inventory.interfaces) {
    require(!interface.speed_gbps || *interface.speed_gbps > 0);
    require(!interface.vlan_id || (*interface.vlan_id >= 0 && *interface.vlan_id < 4096));
    require(interface.module.has_value() || !interface.module_absent.empty() ||
            interface.type != "physical");
  }
  for (const Counter& counter : inventory.counters) require(counter.value.value_or(0) >= 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::vector<std::string> parts = parts_of(input);
  std::size_t next = 0;
  const Inventory inventory =
      discover(folders(), [&](const std::string& path) -> Result<std::string> {
        const std::string& text = parts[next++ % parts.size()];
        if (text == "!") return Error{Code::io, "input/output error", "/" + path, {}};
        return text;
      });
  check_bounds(inventory);
  (void)to_records(inventory);
  Interface interface;
  std::vector<Counter> counters;
  take_ethtool_text(input, interface, counters);
  ModuleMemory memory;
  memory.lower.assign(data, data + std::min<std::size_t>(size, 128));
  memory.page0.assign(data + memory.lower.size(), data + size);
  memory.page2 = memory.page3 = memory.diagnostics = memory.page0;
  if (const auto module = decode_module(memory))
    require(!module->rate_gbps || *module->rate_gbps > 0);
  (void)bytes_of_hex(input);
  return 0;
}
