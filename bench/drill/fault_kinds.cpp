#include "bench/drill/fault_kinds.h"

#include <fmt/format.h>

#include <algorithm>

#include "bench/drill/scenario_text.h"

namespace linkburn::drill {
namespace {

void read_nothing(TableReader&, const Draft&, Fault&) {}

void read_retrain(TableReader& table, const Draft& draft, Fault& fault) {
  if (!table.has("gen") && !table.has("width"))
    table.fail("'retrain' needs 'gen' or 'width', or both");
  int gen = 6, width = 16;
  if (fault.function >= 0) {
    const Function& device = draft.function(fault.function);
    const Function& port = draft.function(device.parent);
    gen = std::min(device.cap_gen, port.port_gen);
    width = std::min(device.cap_width, port.port_width);
  }
  read_byte(table, "gen", fault.gen, 1, gen);
  read_lanes(table, "width", fault.width);
  if (fault.width > width)
    table.fail(fmt::format("the link has no more than {} lanes", width), "width");
}

void read_hang(TableReader& table, const Draft&, Fault& fault) {
  std::string call;
  table.text("call", call, true);
  if (table.has("call") && !is_name(call, fault.text.size() - 1))
    table.fail("'call' is the name of a driver's function, such as cudaMemcpyAsync", "call");
  put_text(fault.text, call);
}

void read_flip(TableReader& table, const Draft&, Fault& fault) {
  const std::vector<std::string> places{"copy", "burn"};
  if (const auto place = read_word(table, "in", places, true))
    put_text(fault.text, places[static_cast<std::size_t>(*place)]);
}

/// Bits of nvmlDeviceGetCurrentClocksEventReasons [nvml.h].
void read_throttle(TableReader& table, const Draft&, Fault& fault) {
  constexpr std::int64_t kBits[] = {0x08, 0x04, 0x20, 0x40, 0x80};
  const auto reason = read_word(
      table, "reason", {"hw_slowdown", "sw_power_cap", "sw_thermal", "hw_thermal", "power_brake"});
  fault.number = kBits[reason.value_or(0)];
  fault.amount = 0.5;
  read_decimal(table, "clock_factor", fault.amount, 0.01, 1);
}

/// A rate that the fault cannot do without.
void read_amount(TableReader& table, const char* key, double& out, double lowest, double highest) {
  if (!table.has(key)) table.fail(fmt::format("key '{}' is missing", key));
  read_decimal(table, key, out, lowest, highest);
}

void read_errors(TableReader& table, const Draft&, Fault& fault) {
  read_amount(table, "errors_per_s", fault.amount, 1e-6, 1e6);
  fault.number = read_word(table, "end", {"device", "port"}).value_or(0);
}

void read_replays(TableReader& table, const Draft&, Fault& fault) {
  read_amount(table, "replays_per_s", fault.amount, 1e-6, 1e6);
}

void read_drift(TableReader& table, const Draft&, Fault& fault) {
  read_amount(table, "share_per_hour", fault.amount, 1e-6, 1e4);
}

void read_port_rate(TableReader& table, const Draft&, Fault& fault) {
  read_amount(table, "rate_gbps", fault.amount, 0.001, 1e4);
}

void read_ambient(TableReader& table, const Draft&, Fault& fault) {
  read_amount(table, "ambient_c", fault.amount, -40, 100);
}

/// A whole number that the fault cannot do without.
void read_count(TableReader& table, const char* key, std::int64_t& out, int lowest, int highest) {
  int value = lowest;
  table.number(key, value, lowest, highest, true);
  out = value;
}

void read_xid(TableReader& table, const Draft&, Fault& fault) {
  read_count(table, "xid", fault.number, 1, 9999);
}

void read_busy(TableReader& table, const Draft&, Fault& fault) {
  read_count(table, "pid", fault.number, 1, 1 << 22);
}

void read_ecc(TableReader& table, const Draft&, Fault& fault) {
  read_count(table, "errors", fault.number, 1, 1 << 30);
}

void read_nvlink_down(TableReader& table, const Draft& draft, Fault& fault) {
  read_count(table, "nvlink", fault.number, 0, kMaxNvlinks - 1);
  if (fault.gpu >= 0 &&
      !draft.state->gpus[fault.gpu].nvlinks[static_cast<std::size_t>(fault.number)].used)
    table.fail(fmt::format("the GPU has no NVLink {}", fault.number), "nvlink");
}

constexpr FaultWord kWords[] = {
    {"retrain", FaultKind::retrain, FaultTarget::link, read_retrain},
    {"off_bus", FaultKind::off_bus, FaultTarget::card, read_nothing},
    {"hang", FaultKind::hang, FaultTarget::gpu, read_hang},
    {"flip", FaultKind::flip, FaultTarget::gpu, read_flip},
    {"throttle", FaultKind::throttle, FaultTarget::gpu, read_throttle},
    {"errors", FaultKind::errors, FaultTarget::link, read_errors},
    {"replays", FaultKind::replays, FaultTarget::link, read_replays},
    {"failed_wake", FaultKind::failed_wake, FaultTarget::gpu, read_nothing},
    {"drift", FaultKind::drift, FaultTarget::link, read_drift},
    {"xid", FaultKind::xid, FaultTarget::gpu, read_xid},
    {"busy", FaultKind::busy, FaultTarget::gpu, read_busy},
    {"ecc", FaultKind::ecc, FaultTarget::gpu, read_ecc},
    {"nvlink_down", FaultKind::nvlink_down, FaultTarget::gpu, read_nvlink_down},
    {"port_rate", FaultKind::port_rate, FaultTarget::nic, read_port_rate},
    {"port_down", FaultKind::port_down, FaultTarget::nic, read_nothing},
    {"ambient", FaultKind::ambient, FaultTarget::gpu, read_ambient},
};

}  // namespace

const FaultWord* read_fault_kind(TableReader& table) {
  std::vector<std::string> words;
  for (const FaultWord& word : kWords) words.emplace_back(word.word);
  const auto kind = read_word(table, "kind", words, true);
  return kind ? &kWords[*kind] : nullptr;
}

}  // namespace linkburn::drill
