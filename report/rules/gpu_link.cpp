// What does the driver say of its GPUs and their PCIe links, beyond what the links' ends show? What
// the ends show is judged by link_width and link_speed.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "report/rules/equals.h"
#include "report/rules/gpu_finding.h"
#include "report/rules/table.h"

namespace linkburn {
namespace {

/// Replays since the driver was loaded. DCGM's PCIe test bears 80 of a device while it runs; a
/// counter without a time span gives no rate, so more of them are worth a warning and no fault.
constexpr std::int64_t kReplaysBorne = 80;

/// NVML counts the share of time in which a kernel ran, over a second at most [nvml.h,
/// nvmlUtilization_t]. Half of it is load, and no glimpse of a desktop.
constexpr double kBusyPercent = 50;

/// Reasons for which hardware lowers clocks [nvml.h, nvmlClocksEventReason*]. Their limits are of
/// the node: heat, and a power supply that asks for less.
constexpr std::array<std::string_view, 2> kHeat{"HW Thermal Slowdown", "SW Thermal Slowdown"};
constexpr std::string_view kPowerBrake = "HW Power Brake Slowdown";
constexpr std::string_view kHardware = "HW Slowdown";

/// P0 to P2 are states of full performance; below them the link is slow by design.
bool is_at_full_performance(const Gpu& gpu) {
  return gpu.performance_state == "P0" || gpu.performance_state == "P1" ||
         gpu.performance_state == "P2";
}

bool is_busy(const Gpu& gpu) {
  return is_at_full_performance(gpu) && gpu.utilization_percent.value_or(0) >= kBusyPercent;
}

/// On these the PCIe numbers are placeholders.
bool is_chip_to_chip(const Gpu& gpu) { return gpu.c2c_mode == "Enabled"; }

/// The driver's words for a GPU that is off the bus [nvml.h, NVML_ERROR_GPU_IS_LOST]. Its other
/// errors come also from settings and from a driver that hangs: coverage tells them.
bool says_lost(const ToolError& error) {
  return error.component && error.source == "nvidia-smi" && error.what.ends_with("GPU is lost");
}

void judge_lost(const Story& story, const Seen<ToolError>& error, RuleOutput& out) {
  Finding finding;
  finding.code = "LB-DEV-LOST";
  finding.cls = FindingClass::lost;
  finding.aspect = Aspect::presence;
  finding.component = *error->component;
  for (const auto& gpu : story.gpus)
    if (gpu->component == finding.component) finding.gpu = gpu->index;
  finding.phase = story.live_run ? Phase::idle : Phase::passive;
  finding.at_ns = error.at_ns;
  finding.evidence = {error.seq};
  finding.detail = error->what;
  out.findings.push_back(std::move(finding));
}

/// What the link could do: its own and the host's ability, else the best that the driver found.
std::optional<LinkSpeed> able_speed(const Gpu& gpu) {
  if (gpu.own_max_speed && gpu.host_max_speed)
    return std::min(*gpu.own_max_speed, *gpu.host_max_speed);
  return gpu.max_speed;
}

void fill_speeds(Finding& finding, const Gpu& gpu, LinkSpeed able) {
  finding.negotiated = quantity(gpu.speed, gpu.width);
  finding.rated = quantity(able, gpu.max_width);
  finding.limit = finding.rated;
  finding.origin = gpu.own_max_speed && gpu.host_max_speed
                       ? "the lower of what GPU and host can do, as the driver says"
                       : "the best for this GPU in this system, as the driver says";
}

/// Links of idle GPUs are slow by design, those of busy ones are not.
void judge_speed(const Story& story, const Seen<Gpu>& gpu, RuleOutput& out) {
  const auto able = able_speed(*gpu);
  if (!able) return;
  const bool trained_low =
      gpu->max_speed && *gpu->max_speed < *able && (!gpu->speed || *gpu->speed <= *gpu->max_speed);
  const bool slow = gpu->speed && *gpu->speed < *able;
  if (slow && is_busy(*gpu)) {
    Finding finding =
        gpu_finding(story, gpu, "LB-PCIE-SPEED", FindingClass::degraded, Aspect::speed);
    fill_speeds(finding, *gpu, *able);
    finding.detail =
        fmt::format("at {} while busy ({}, {:g} % utilization)", to_string(*gpu->speed),
                    gpu->performance_state, *gpu->utilization_percent);
    out.findings.push_back(std::move(finding));
  } else if (trained_low) {
    Finding finding =
        gpu_finding(story, gpu, "LB-PCIE-SPEED", FindingClass::marginal, Aspect::speed);
    fill_speeds(finding, *gpu, *able);
    finding.detail = fmt::format(
        "the driver takes {} for the best of this link, although GPU ({}) and host ({}) can do "
        "more: it trained low before the driver came",
        to_string(*gpu->max_speed), to_string(*gpu->own_max_speed),
        to_string(*gpu->host_max_speed));
    out.findings.push_back(std::move(finding));
  }
}

void judge_replays(const Story& story, const Seen<Gpu>& gpu, RuleOutput& out) {
  const std::int64_t replays = gpu->replays.value_or(0);
  const std::int64_t rollovers = gpu->replay_rollovers.value_or(0);
  if (replays <= kReplaysBorne && rollovers == 0) return;
  Finding finding =
      gpu_finding(story, gpu, "LB-PCIE-REPLAY", FindingClass::marginal, Aspect::errors);
  finding.detail = fmt::format(
      "{} replays and {} rollovers of their number since the driver was "
      "loaded, at a rate that nobody knows",
      replays, rollovers);
  out.findings.push_back(std::move(finding));
}

bool is_slowed_by(const Gpu& gpu, std::string_view reason) {
  return std::find(gpu.slowed_by.begin(), gpu.slowed_by.end(), reason) != gpu.slowed_by.end();
}

void judge_slowdown(const Story& story, const Seen<Gpu>& gpu, RuleOutput& out) {
  const bool too_hot = gpu->temperature_c && gpu->temperature_slowdown_c &&
                       *gpu->temperature_c >= *gpu->temperature_slowdown_c;
  const bool heat = too_hot || std::any_of(kHeat.begin(), kHeat.end(), [&](std::string_view why) {
                      return is_slowed_by(*gpu, why);
                    });
  const bool power = is_slowed_by(*gpu, kPowerBrake);
  const std::string warm =
      gpu->temperature_c ? fmt::format(", at {:g} C", *gpu->temperature_c) : "";
  if (heat) {
    Finding finding = gpu_finding(story, gpu, "LB-DEV-HOT", FindingClass::marginal, Aspect::errors);
    finding.detail = gpu->slowed_by.empty() ? "above its slowdown temperature" + warm
                                            : fmt::format("slowed down by: {}{}",
                                                          fmt::join(gpu->slowed_by, ", "), warm);
    out.findings.push_back(std::move(finding));
  }
  if (power || (is_slowed_by(*gpu, kHardware) && !heat)) {
    Finding finding =
        gpu_finding(story, gpu, "LB-GPU-SLOWED", FindingClass::marginal, Aspect::errors);
    finding.detail = fmt::format("slowed down by: {}{}", fmt::join(gpu->slowed_by, ", "), warm);
    out.findings.push_back(std::move(finding));
  }
}

bool is_full(const Gpu& gpu) { return gpu.width && gpu.max_width && *gpu.width >= *gpu.max_width; }

/// One of many equal GPUs, most of which have all of their lanes.
bool is_odd_width(const Story& story, const Gpu& gpu) {
  std::size_t all = 0, full = 0;
  for (const auto& other : story.gpus) {
    if (other->name != gpu.name || !other->width) continue;
    ++all;
    full += is_full(*other) && other->max_width == gpu.max_width ? 1 : 0;
  }
  return all >= kBuiltAlike && is_majority(full, all);
}

Finding known_by_number(const Story& story, const Seen<Gpu>& gpu, Aspect aspect, FindingClass cls) {
  const char* code = cls == FindingClass::healthy    ? "LB-HEALTHY"
                     : cls == FindingClass::degraded ? "LB-PCIE-WIDTH"
                                                     : "LB-NO-EVIDENCE";
  Finding finding = gpu_finding(story, gpu, code, cls, aspect);
  finding.negotiated = quantity(gpu->speed, gpu->width);
  finding.rated = quantity(able_speed(*gpu), gpu->max_width);
  finding.limit = finding.rated;
  return finding;
}

void judge_width_by_number(const Story& story, const Seen<Gpu>& gpu, RuleOutput& out) {
  if (!gpu->width) return;
  const bool odd = gpu->max_width && !is_full(*gpu) && is_odd_width(story, *gpu);
  const FindingClass cls = is_full(*gpu) ? FindingClass::healthy
                           : odd         ? FindingClass::degraded
                                         : FindingClass::undecided;
  Finding finding = known_by_number(story, gpu, Aspect::width, cls);
  if (odd) {
    finding.origin = "its equals in this node";
    finding.detail = "fewer lanes than its equals in this node, which have all of theirs";
  } else if (cls == FindingClass::undecided) {
    finding.detail = gpu->max_width ? "fewer lanes than the driver takes for the best"
                                    : "no text tells how many lanes it can have";
    finding.missing = "lspci -vvv of this GPU and of the port above it: what both can do";
  }
  out.findings.push_back(std::move(finding));
}

void judge_speed_by_number(const Story& story, const Seen<Gpu>& gpu, RuleOutput& out) {
  const auto able = able_speed(*gpu);
  if (!gpu->speed || (able && is_busy(*gpu) && *gpu->speed < *able)) return;
  const bool full = able && *gpu->speed >= *able;
  Finding finding = known_by_number(story, gpu, Aspect::speed,
                                    full ? FindingClass::healthy : FindingClass::undecided);
  if (!full) {
    finding.detail =
        able ? fmt::format("runs at {}, could do {}", to_string(*gpu->speed), to_string(*able))
             : "no text tells which speed it can have";
    finding.missing = "a reading under load: links of idle GPUs run slow by design";
  }
  out.findings.push_back(std::move(finding));
}

/// A GPU whose address no text tells has no link that another rule could judge.
void judge_by_number(const Story& story, const Seen<Gpu>& gpu, RuleOutput& out) {
  if (gpu->component.pci_address() || story.link_of(gpu->component) != nullptr) return;
  judge_width_by_number(story, gpu, out);
  judge_speed_by_number(story, gpu, out);
}

void apply(const Story& story, RuleOutput& out) {
  for (const auto& error : story.errors)
    if (says_lost(*error)) judge_lost(story, error, out);
  for (const auto& gpu : story.gpus) {
    judge_slowdown(story, gpu, out);
    if (is_chip_to_chip(*gpu)) {
      out.not_judged.push_back({"PCIe link of " + gpu->component.text(),
                                "a chip-to-chip link carries its traffic (C2C mode enabled)",
                                "nvidia-smi c2c -s",
                                {}});
      continue;
    }
    judge_speed(story, gpu, out);
    judge_replays(story, gpu, out);
    judge_by_number(story, gpu, out);
  }
}

}  // namespace

const Rule gpu_link_rule{"gpu_link", "What does the driver say of its GPUs and their PCIe links?",
                         apply};

}  // namespace linkburn
