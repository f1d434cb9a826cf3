#include "report/settling.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "bench/base/ascii.h"
#include "bench/base/text.h"

namespace linkburn {
namespace {

/// nvidia-smi's words for what the link of a GPU runs at and could [nvidia-smi --help-query-gpu].
constexpr std::string_view kWatchGpus =
    "nvidia-smi --query-gpu=index,pci.bus_id,pcie.link.gen.gpucurrent,pcie.link.gen.gpumax,"
    "pcie.link.gen.hostmax,pcie.link.width.current,pcie.link.width.max --format=csv";

constexpr std::string_view kNvidia = "0x10de";

using Commands = std::vector<std::string>;

void add(Commands& commands, std::string command) {
  if (std::find(commands.begin(), commands.end(), command) == commands.end())
    commands.push_back(std::move(command));
}

/// People paste commands into a root shell, and names come from texts of anybody.
bool is_safe(std::string_view name) {
  const bool plain = std::all_of(name.begin(), name.end(), [](char c) {
    return is_letter_or_digit(c) || std::string_view("._:@-").find(c) != std::string_view::npos;
  });
  return plain && !name.empty() && name.front() != '-' && name.size() <= 64;
}

bool is_live(const Story& story) {
  return story.start != nullptr && story.start->source == "live" && !story.is_captured();
}

/// What linkburn itself would read where it may.
void add_root_look(const Story& story, Commands& commands) {
  if (is_live(story) && !story.start->root) add(commands, "sudo linkburn inspect");
}

/// The number of "gpu3".
std::optional<int> gpu_number(const ComponentId& id) {
  constexpr std::size_t kMostDigits = 4;
  const std::string& text = id.text();
  if (!text.starts_with("gpu") || text.size() > 3 + kMostDigits) return std::nullopt;
  const auto number = parse_int(std::string_view(text).substr(3));
  return number && *number >= 0 ? std::optional(static_cast<int>(*number)) : std::nullopt;
}

bool is_gpu(const Story& story, const ComponentId& id) {
  if (gpu_number(id)) return true;
  const Component* device = story.component(id);
  const bool listed = std::any_of(story.gpus.begin(), story.gpus.end(),
                                  [&](const auto& gpu) { return gpu->component == id; });
  return listed || (device != nullptr && device->type == "gpu" &&
                    (device->vendor_id.empty() || device->vendor_id == kNvidia));
}

bool is_unnamed(const ComponentId& id) { return id.text().starts_with("unnamed"); }

/// "port/1" and "interface/1" stand for names that no text tells.
bool is_unnamed_port(const ComponentId& id) {
  return id.text().starts_with("port/") || id.text().starts_with("interface/");
}

void add_registers(Commands& commands, const ComponentId& id) {
  if (id.pci_address()) add(commands, fmt::format("sudo lspci -vvv -s {}", id.text()));
}

/// Both ends, the port as far as it is known, and of a virtual function the physical one.
void add_both_ends(const Story& story, const Finding& finding, Commands& commands) {
  const LinkStory* link = story.link_of(finding.component);
  const Component* device = story.component(finding.component);
  add_registers(commands, finding.component);
  if (device != nullptr && device->physical_function)
    add_registers(commands, *device->physical_function);
  ComponentId peer = link != nullptr ? link->link->peer : ComponentId();
  if (peer.empty() && finding.limiter) peer = *finding.limiter;
  if (!peer.empty())
    add_registers(commands, peer);
  else if (finding.component.pci_address())
    add(commands, "lspci -t");
}

Commands for_link(const Story& story, const Finding& finding) {
  Commands commands;
  add_root_look(story, commands);
  if (is_unnamed(finding.component)) return {"sudo lspci -D -vvv", "lspci -t"};
  if (finding.code == "LB-NEEDS-LOAD" || finding.missing.find("under load") != std::string::npos) {
    if (is_gpu(story, finding.component))
      add(commands, std::string(kWatchGpus) + " -l 1  # while data is copied to and from it");
    else if (finding.component.pci_address())
      add(commands, fmt::format("sudo lspci -vvv -s {}  # while it carries traffic",
                                finding.component.text()));
    if (story.link_of(finding.component) == nullptr ||
        story.link_of(finding.component)->link->kind == kLinkLoneEnd)
      add_both_ends(story, finding, commands);
    return commands;
  }
  if (finding.code == "LB-DEV-ASLEEP" && finding.component.pci_address())
    add(commands,
        fmt::format("cat /sys/bus/pci/devices/{}/power/runtime_status", finding.component.text()));
  if (gpu_number(finding.component)) add(commands, std::string(kWatchGpus));
  add_both_ends(story, finding, commands);
  if (finding.aspect == Aspect::presence || finding.aspect == Aspect::errors)
    add(commands, "sudo dmesg -T");
  return commands;
}

/// Network port or interface: what its driver says, and what is at the other end.
Commands for_port(const Story& story, const Finding& finding) {
  if (is_unnamed_port(finding.component))
    return {"ibstat", "ibv_devinfo -v", "ip -details link show"};
  Commands commands;
  add_root_look(story, commands);
  const std::string& name = finding.component.text();
  const std::string device = name.substr(0, name.find('/'));
  const auto port = std::find_if(story.ports.begin(), story.ports.end(), [&](const auto& one) {
    return one->component == finding.component;
  });
  std::string netdev = name.find('/') == std::string::npos ? name : "";
  if (port != story.ports.end()) {
    const Interface* interface = interface_of(story, **port);
    netdev = interface != nullptr ? interface->component.text() : (*port)->netdev;
  }
  const bool is_rdma = name.find('/') != std::string::npos;
  if (finding.code == "LB-PORT-GID") add(commands, "show_gids");
  if (is_rdma && is_safe(device)) {
    add(commands, fmt::format("ibstat {}", device));
    add(commands, fmt::format("ibv_devinfo -v -d {}", device));
  }
  if (is_safe(netdev)) {
    add(commands, fmt::format("sudo ethtool {}", netdev));
    if (finding.code == "LB-PORT-HOT" || finding.code == "LB-PORT-MODULE" ||
        finding.code == "LB-PORT-POWER")
      add(commands, fmt::format("sudo ethtool -m {}", netdev));
    if (finding.aspect == Aspect::errors) add(commands, fmt::format("ethtool -S {}", netdev));
  }
  const bool by_fabric = finding.code == "LB-PORT-RATE" || finding.code == "LB-PORT-WIDTH";
  if (by_fabric && is_rdma && port != story.ports.end() && (*port)->link_layer == "InfiniBand")
    add(commands, "sudo iblinkinfo");
  return commands;
}

/// An adapter whose ports nobody showed.
Commands for_adapter(const Finding& finding) {
  return {"ibstat", "ibv_devinfo -v", fmt::format("lspci -k -s {}", finding.component.text()),
          "sudo dmesg -T"};
}

Commands for_gpu_links(const Finding& finding) {
  const auto gpu = finding.gpu ? finding.gpu : gpu_number(finding.component);
  const std::string one = gpu ? fmt::format(" -i {}", *gpu) : "";
  return {"nvidia-smi nvlink -s" + one, "nvidia-smi nvlink -e" + one, "nvidia-smi topo -m"};
}

/// The command of a tool whose rates were captured, for once more.
std::string again(const Measurement& measurement) {
  const bool is_named = is_safe(measurement.test);
  if (measurement.tool == "nvbandwidth")
    return is_named ? fmt::format("nvbandwidth -t {}", measurement.test) : "nvbandwidth";
  if (measurement.tool == "bandwidthTest") return "bandwidthTest --memory=pinned --mode=shmoo";
  if (measurement.tool == "perftest" && is_named) {
    const std::string& name = measurement.component.text();
    const std::string device = name.substr(0, name.find('/'));
    return is_safe(device) && name.find('/') != std::string::npos
               ? fmt::format("{} -d {} --report_gbits", measurement.test, device)
               : fmt::format("{} --report_gbits", measurement.test);
  }
  return {};
}

/// A rate settles little alone: the state of the link while it is measured does.
Commands for_rate(const Story& story, const Finding& finding) {
  Commands commands;
  for (const auto& measurement : story.measurements)
    if (measurement->component == finding.component)
      if (std::string command = again(*measurement); !command.empty())
        add(commands, std::move(command));
  constexpr std::size_t kMost = 3;
  if (commands.size() > kMost) commands.resize(kMost);
  if (is_gpu(story, finding.component) || !story.gpus.empty())
    add(commands, std::string(kWatchGpus) + " -l 1  # at the same time");
  else if (finding.component.pci_address())
    add_both_ends(story, finding, commands);
  if (commands.empty() && story.live_run && is_safe(story.start->profile))
    add(commands, fmt::format("linkburn run {}", story.start->profile));
  return commands;
}

/// nvidia-smi itself did not come to an answer.
bool is_of_gpu_driver(const Story& story, const Finding& finding) {
  return std::any_of(story.errors.begin(), story.errors.end(), [&](const auto& error) {
    return error->source == "nvidia-smi" && error->component == finding.component &&
           error->what.find("driver") != std::string::npos;
  });
}

Commands for_node(const Story& story, const Finding& finding) {
  if (finding.aspect == Aspect::presence && is_of_gpu_driver(story, finding))
    return {"sudo dmesg -T | grep -i nvrm", "nvidia-smi"};
  if (finding.code == "LB-RATE-LOW")
    return {"sudo lspci -D -vvv  # while the copies run", "lspci -t"};
  if (finding.aspect == Aspect::ports)
    return {"ibstat", "ip -details link show", "sudo lspci -D -vvv"};
  return {"sudo lspci -D -vvv", "lspci -t", "sudo dmidecode -t slot"};
}

bool is_of_run(const Finding& finding) {
  return finding.code == "LB-STEP-INCOMPLETE" || finding.aspect == Aspect::data;
}

}  // namespace

std::vector<std::string> settling_commands(const Story& story, const Finding& finding) {
  if (finding.cls != FindingClass::undecided) return {};
  const bool is_pci = finding.component.pci_address().has_value();
  const bool of_gpu_links =
      finding.code.find("NVLINK") != std::string::npos || !finding.links.empty();
  if (is_of_run(finding))
    return story.live_run && is_safe(story.start->profile)
               ? Commands{fmt::format("linkburn run {}", story.start->profile)}
               : Commands{};
  if (finding.component == ComponentId::node()) return for_node(story, finding);
  if (of_gpu_links) return for_gpu_links(finding);
  if (finding.aspect == Aspect::rate) return for_rate(story, finding);
  if (finding.aspect == Aspect::ports && is_pci) return for_adapter(finding);
  if (is_pci || gpu_number(finding.component) || is_unnamed(finding.component))
    return for_link(story, finding);
  return for_port(story, finding);
}

}  // namespace linkburn
