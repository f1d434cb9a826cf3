#include "bench/drill/function_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "bench/drill/aer_text.h"

namespace linkburn::drill {
namespace {

/// [linux drivers/pci/probe.c, pci_speed_string]
std::string speed_text(unsigned gen) {
  constexpr std::array kSpeeds{"", "2.5", "5.0", "8.0", "16.0", "32.0", "64.0"};
  if (gen == 0 || gen >= kSpeeds.size()) return "Unknown";
  return fmt::format("{} GT/s PCIe", kSpeeds[gen]);
}

/// The processors of a NUMA node; of none given: all of the machine.
std::string cpus_of(const State& state, int numa) {
  if (numa >= 0 && numa < kMaxNumas) return state.numas[static_cast<std::size_t>(numa)].cpus.data();
  std::string all;
  for (const Numa& each : state.numas)
    if (each.used && each.cpus[0] != '\0')
      all += fmt::format("{}{}", all.empty() ? "" : ",", each.cpus.data());
  return all;
}

void write_identity(TreeFiles& files, const State& state, const Function& own,
                    const std::string& folder) {
  const auto put = [&](const char* name, std::string_view text) {
    files.file(fmt::format("{}/{}", folder, name), text);
  };
  put("class", fmt::format("0x{:06x}", own.class_code));
  put("vendor", fmt::format("0x{:04x}", own.vendor));
  put("device", fmt::format("0x{:04x}", own.device_id));
  put("subsystem_vendor", fmt::format("0x{:04x}", own.subsystem_vendor));
  put("subsystem_device", fmt::format("0x{:04x}", own.subsystem_device));
  put("numa_node", fmt::format("{}", own.numa));
  put("local_cpulist", cpus_of(state, own.numa));
  // The kernel keeps these two from when it found the device [linux drivers/pci/pci-sysfs.c]; 255
  // is what it says where there is no link.
  const bool down = leads_down(own);
  const unsigned gen = down ? own.port_gen : own.cap_gen;
  const unsigned width = down ? own.port_width : own.cap_width;
  put("max_link_speed", has_link(own) ? speed_text(gen) : "Unknown");
  put("max_link_width", fmt::format("{}", has_link(own) ? width : 255));
}

/// "../" for each folder of a path below sys, to lead from it to sys.
std::string way_up(const std::string& folder) {
  std::string up;
  for (const char c : folder)
    if (c == '/') up += "../";
  return up;
}

/// A folder name may hold anything but a slash.
std::string slot_name(const Function& port) {
  std::string name = port.slot_label[0] != '\0' ? std::string(port.slot_label.data())
                                                : fmt::format("{}", port.slot_number);
  std::replace(name.begin(), name.end(), '/', '-');
  return name;
}

void write_places(TreeFiles& files, const State& state, int function, int below,
                  const std::string& folder) {
  const Function& own = state.functions[static_cast<std::size_t>(function)];
  const std::string address = to_string(address_of(own));
  files.link("sys/bus/pci/devices/" + address, "../../../devices/" + place_of(state, function));
  if (own.driver[0] != '\0') {
    const std::string driver = fmt::format("bus/pci/drivers/{}", own.driver.data());
    files.folder("sys/" + driver);
    files.link(folder + "/driver", way_up(folder) + driver);
  }
  if (!leads_down(own) || own.slot_number < 0 || below < 0) return;
  const std::string card = to_string(address_of(state.functions[static_cast<std::size_t>(below)]));
  files.file(fmt::format("sys/bus/pci/slots/{}/address", slot_name(own)),
             card.substr(0, card.rfind('.')));
}

}  // namespace

std::string folder_of(const State& state, int function) {
  return "sys/devices/" + place_of(state, function);
}

FunctionFiles::FunctionFiles(TreeFiles& files, const State& state, int function)
    : function_(function),
      below_(first_below(state, function)),
      buses_(buses_below(state, function)) {
  const std::string folder = folder_of(state, function);
  files.folder(folder);
  write_identity(files, state, state.functions[static_cast<std::size_t>(function)], folder);
  write_places(files, state, function, below_, folder);
  const auto live = [&](const char* name) {
    return files.live(fmt::format("{}/{}", folder, name));
  };
  config_ = live("config");
  speed_ = live("current_link_speed"), width_ = live("current_link_width");
  status_ = live("power/runtime_status"), power_state_ = live("power_state");
  correctable_ = live("aer_dev_correctable");
  nonfatal_ = live("aer_dev_nonfatal"), fatal_ = live("aer_dev_fatal");
  show(files, state);
}

void FunctionFiles::show(TreeFiles& files, const State& state) {
  const ShownFunction now = show_function(state, function_, below_);
  if (last_ && *last_ == now) return;
  const Function& own = state.functions[static_cast<std::size_t>(function_)];
  files.set_bytes(config_, config_bytes(own, now, buses_));
  // Of a register that reads as all ones: a speed that nobody knows, and six bits of width.
  constexpr unsigned kAllOnesWidth = 63;
  files.set(speed_, now.all_ones ? "Unknown" : speed_text(now.gen));
  files.set(width_, fmt::format("{}", now.all_ones ? kAllOnesWidth : now.width));
  files.set(status_, now.suspended ? "suspended" : "active");
  files.set(power_state_, now.suspended ? "D3hot" : "D0");
  if (!last_ || last_->errors != now.errors) {
    files.set_bytes(correctable_, aer_correctable_text(now.errors));
    files.set_bytes(nonfatal_, aer_nonfatal_text(now.errors));
    files.set_bytes(fatal_, aer_fatal_text(now.errors));
  }
  last_ = now;
}

}  // namespace linkburn::drill
