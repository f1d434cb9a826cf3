#include "tests/support/drill_state.h"

namespace linkburn::test {
namespace {

using drill::Device, drill::Function, drill::PortKind, drill::State;

struct Place {
  std::uint8_t bus, slot;
};

int add_function(State& state, std::string_view name, PortKind kind, Device device, Place place,
                 int parent, int numa) {
  int index = 0;
  while (state.functions[index].used) ++index;
  Function& f = state.functions[index];
  f.kind = kind, f.device = device, f.bus = place.bus, f.slot = place.slot;
  f.parent = parent, f.numa = numa, f.slot_number = -1;
  set_text(f.name, name);
  f.cap_gen = f.port_gen = 5, f.cap_width = f.port_width = 16;
  const bool has_link = parent >= 0 && kind != PortKind::switch_downstream;
  if (has_link) f.gen = f.target_gen = 5, f.width = 16;
  f.drift = 1;
  f.class_code = device == Device::bridge ? 0x060400 : device == Device::gpu ? 0x030200 : 0x020700;
  f.vendor = device == Device::gpu ? 0x10de : device == Device::nic ? 0x15b3 : 0x1000;
  f.device_id = device == Device::gpu ? 0x2330 : device == Device::nic ? 0x1021 : 0xc030;
  f.used = true;
  return index;
}

void add_gpu(State& state, int number, Place place, int parent, int numa, int slot) {
  const std::string name = "gpu" + std::to_string(number);
  drill::Gpu& gpu = state.gpus[number];
  gpu.function = add_function(state, name, PortKind::endpoint, Device::gpu, place, parent, numa);
  state.functions[parent].slot_number = slot;
  set_text(state.functions[gpu.function].driver, "nvidia");
  gpu.numa = numa;
  set_text(gpu.model, "Soft H100"), set_text(gpu.serial, "S000" + std::to_string(number));
  set_text(gpu.uuid, "GPU-00000000-0000-0000-0000-00000000000" + std::to_string(number));
  gpu.memory_bytes = 16 << 20;
  gpu.fp32_tflops = 60, gpu.tensor_tflops = 600, gpu.memory_gbs = 3000;
  gpu.sms = 132, gpu.clock_mhz = gpu.max_clock_mhz = 1980, gpu.memory_clock_mhz = 2619;
  gpu.compute_major = 9;
  gpu.thermal = {28, 0.085, 12, 70, 700, 87, 95, 6};
  gpu.temperature_c = 28 + 70 * 0.085, gpu.power_w = 70, gpu.power_limit_w = 700;
  gpu.context_ms = 2000, gpu.teardown_ms = 400, gpu.idle_after_ms = 500, gpu.wake_ms = 20;
  gpu.idle_gen = 1, gpu.clock_factor = 1, gpu.fabric_ready = true, gpu.owner_process = -1;
  gpu.used = true;
}

}  // namespace

std::shared_ptr<State> small_drill_state() {
  auto state = std::make_shared<State>();
  State& s = *state;
  set_text(s.host, "drill0"), set_text(s.scenario, "small");
  for (int n = 0; n < 2; ++n) {
    s.numas[n].used = true, s.numas[n].memory_gbs = 300, s.numas[n].far_gbs = 60;
    set_text(s.numas[n].cpus, n == 0 ? "0-15" : "16-31");
  }
  const auto bridge = [&](std::string_view name, PortKind kind, Place place, int parent, int numa) {
    const int index = add_function(s, name, kind, Device::bridge, place, parent, numa);
    set_text(s.functions[index].driver, "pcieport");
    return index;
  };
  const int root0 = bridge("root0", PortKind::root_port, {0, 1}, -1, 0);
  const int root1 = bridge("root1", PortKind::root_port, {0, 2}, -1, 1);
  const int uplink = bridge("uplink1", PortKind::switch_upstream, {0x40, 0}, root1, 1);
  const int down1 = bridge("down1", PortKind::switch_downstream, {0x41, 0}, uplink, 1);
  const int down2 = bridge("down2", PortKind::switch_downstream, {0x41, 1}, uplink, 1);
  const int down3 = bridge("down3", PortKind::switch_downstream, {0x41, 2}, uplink, 1);
  add_gpu(s, 0, {0x17, 0}, root0, 0, 1);
  add_gpu(s, 1, {0x42, 0}, down1, 1, 2);
  add_gpu(s, 2, {0x43, 0}, down2, 1, 3);
  drill::Nic& nic = s.nics[0];
  nic.function = add_function(s, "nic0", PortKind::endpoint, Device::nic, {0x44, 0}, down3, 1);
  set_text(s.functions[nic.function].driver, "mlx5_core");
  set_text(nic.name, "mlx5_0"), set_text(nic.interface_name, "ib0");
  nic.infiniband = nic.up = true, nic.rated_gbps = nic.rate_gbps = 400, nic.temperature_c = 45;
  nic.used = true;
  s.copy_efficiency = 0.87, s.jitter = 0.002, s.tick_ns = 50'000'000;
  return state;
}

drill::Scenario small_drill_scenario() {
  drill::Scenario scenario;
  scenario.name = "small";
  scenario.state = small_drill_state();
  return scenario;
}

int function_of(const State& state, std::string_view name) {
  for (int i = 0; i < drill::kMaxFunctions; ++i)
    if (state.functions[i].used && name == state.functions[i].name.data()) return i;
  return -1;
}

drill::Fault& add_fault(State& state, drill::FaultKind kind, drill::Trigger trigger) {
  int index = 0;
  while (state.faults[index].used) ++index;
  drill::Fault& fault = state.faults[index];
  fault.kind = kind, fault.trigger = trigger;
  fault.function = fault.gpu = fault.nic = fault.after = -1;
  fault.for_ns = drill::kNever, fault.repeats = 1;
  set_text(fault.id, "fault" + std::to_string(index));
  fault.used = true;
  return fault;
}

}  // namespace linkburn::test
