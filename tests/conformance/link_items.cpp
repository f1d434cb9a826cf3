// The link of each GPU as NVML, the kernel and a copy see it; NVLink and the counters of both.
#include <algorithm>
#include <array>
#include <vector>

#include "bench/base/sysroot.h"
#include "bench/base/text.h"
#include "bench/base/units.h"
#include "tests/conformance/holders.h"
#include "tests/conformance/nvml_devices.h"

namespace linkburn::conformance {
namespace {

struct Link {
  long long generation = 0, width = 0;
  bool operator==(const Link&) const = default;
};

Link link_now(Probe& p, const NvmlDevice& device) {
  const auto& nvml = p.on().nvml;
  return {reading(p, nvml.nvmlDeviceGetCurrPcieLinkGeneration, device, "the link's generation"),
          reading(p, nvml.nvmlDeviceGetCurrPcieLinkWidth, device, "the link's width")};
}

Link best_link(Probe& p, const NvmlDevice& device) {
  const auto& nvml = p.on().nvml;
  return {reading(p, nvml.nvmlDeviceGetMaxPcieLinkGeneration, device, "the best generation"),
          reading(p, nvml.nvmlDeviceGetMaxPcieLinkWidth, device, "the best width")};
}

std::string words(const Link& link) {
  return fmt::format("gen{} x{}", link.generation, link.width);
}

void links_stay_within_their_bounds(Probe& p) {
  for (const NvmlDevice& device : nvml_devices(p)) {
    const Link now = link_now(p, device), best = best_link(p, device);
    p.expect(now.generation >= 1 && now.generation <= best.generation && now.width >= 1 &&
                 now.width <= best.width,
             fmt::format("{}: {} of {}", device.address, words(now), words(best)));
    const auto own = p.on().nvml.nvmlDeviceGetGpuMaxPcieLinkGeneration;
    if (own == nullptr) continue;
    const auto most = reading(p, own, device, "the GPU's own best generation");
    p.expect(best.generation <= most, fmt::format("best gen{} of gen{}", best.generation, most));
  }
}

/// While copies run a link is awake, whatever it does at rest.
void links_are_full_under_load(Probe& p) {
  constexpr std::size_t kBytes = 4 << 20;
  for (const NvmlDevice& device : nvml_devices(p)) {
    const CurrentDevice on(p, device.ordinal);
    const PinnedMemory host(p, kBytes);
    const DeviceMemory memory(p, kBytes);
    const OwnStream stream(p);
    if (!host || !memory || !stream) return;
    const Link best = best_link(p, device);
    Link seen;
    const Instant give_up = p.on().clock->now() + std::chrono::seconds(5);
    while (seen != best && p.on().clock->now() < give_up) {
      for (int n = 0; n < 64; ++n)
        copy(p, memory.at(), host.at(), kBytes, cuda::kCopyHostToDevice, stream);
      seen = link_now(p, device);
      if (!stream.wait()) return;
    }
    p.expect(seen == best, fmt::format("{}: {} of {} while copies run", device.address, words(seen),
                                       words(best)));
  }
}

void the_kernel_sees_the_same_link(Probe& p) {
  if (p.on().tree.empty()) return p.skip("no files of the kernel");
  const auto root = Sysroot::open(p.on().tree);
  if (!p.expect(root.has_value(), root ? "" : root.error().line())) return;
  for (const NvmlDevice& device : nvml_devices(p)) {
    const std::string folder = "/sys/bus/pci/devices/" + device.address;
    bool agreed = false;
    std::string last;
    // A link may change between two readings, but not every time.
    for (int n = 0; n < 20 && !agreed; ++n) {
      const auto speed = root->read(folder + "/current_link_speed");
      const auto width = root->read(folder + "/current_link_width");
      if (!p.expect(speed && width, folder + " cannot be read")) return;
      const Link now = link_now(p, device);
      const auto parsed = parse_link_speed(*speed);
      agreed = parsed && generation_of(*parsed) == static_cast<int>(now.generation) &&
               std::stoll(*width) == now.width;
      last = fmt::format("{}: {}, in files {} x{}", device.address, words(now), trim(*speed),
                         trim(*width));
    }
    p.expect(agreed, last);
  }
}

/// Each field has its own result, and one that is not supported spoils no other.
void fields_answer_one_by_one(Probe& p) {
  constexpr unsigned kFields[] = {nvml::kFieldMemoryTemperature, nvml::kFieldNvlinkCount,
                                  nvml::kFieldReplays,           nvml::kFieldReplayRollovers,
                                  nvml::kFieldRecoveries,        nvml::kFieldC2cLinkCount,
                                  nvml::kFieldCorrectableErrors, nvml::kFieldReceiverErrors,
                                  nvml::kFieldBadTlps,           nvml::kFieldNaksSent};
  for (const NvmlDevice& device : nvml_devices(p)) {
    std::array<nvml::FieldValue, std::size(kFields)> values{};
    for (std::size_t n = 0; n < values.size(); ++n)
      values[n].field = kFields[n], values[n].result = -1;
    const auto count = static_cast<int>(values.size());
    p.works(p.on().nvml.nvmlDeviceGetFieldValues(device.handle, count, values.data()),
            "nvmlDeviceGetFieldValues");
    int told = 0;
    for (const nvml::FieldValue& value : values) {
      p.expect(value.result >= 0, fmt::format("field {} has no result", value.field));
      told += value.result == nvml::kSuccess ? 1 : 0;
      p.expect(value.result != nvml::kSuccess || value.value_type <= nvml::kTypeUshort,
               fmt::format("field {} has type {}", value.field, value.value_type));
    }
    p.expect(told > 0, "not one field is told");
  }
}

unsigned long long number_in(const nvml::FieldValue& value) {
  const bool is_short = value.value_type == nvml::kTypeUnsigned;
  return is_short ? value.value.u : value.value.ull;
}

void replays_are_counted_alike(Probe& p) {
  for (const NvmlDevice& device : nvml_devices(p)) {
    nvml::FieldValue field{};
    field.field = nvml::kFieldReplays;
    const auto& nvml = p.on().nvml;
    const auto before = reading(p, nvml.nvmlDeviceGetPcieReplayCounter, device, "the replays");
    p.works(nvml.nvmlDeviceGetFieldValues(device.handle, 1, &field), "nvmlDeviceGetFieldValues");
    const auto after = reading(p, nvml.nvmlDeviceGetPcieReplayCounter, device, "the replays");
    if (field.result == nvml::kNotSupported) continue;
    const auto between = static_cast<long long>(number_in(field));
    p.expect(before <= between && between <= after,
             fmt::format("{}, {} and {}", before, between, after));
  }
}

void a_call_for_no_fields_is_refused(Probe& p) {
  for (const NvmlDevice& device : nvml_devices(p))
    p.result(p.on().nvml.nvmlDeviceGetFieldValues(device.handle, 1, nullptr),
             nvml::kInvalidArgument, "nvmlDeviceGetFieldValues into null");
}

void nvlinks_agree_with_their_count(Probe& p) {
  for (const NvmlDevice& device : nvml_devices(p)) {
    nvml::FieldValue field{};
    field.field = nvml::kFieldNvlinkCount;
    p.works(p.on().nvml.nvmlDeviceGetFieldValues(device.handle, 1, &field),
            "nvmlDeviceGetFieldValues");
    unsigned long long links = 0;
    for (unsigned link = 0; link < 18; ++link) {
      int active = 0;
      const int result = p.on().nvml.nvmlDeviceGetNvLinkState(device.handle, link, &active);
      if (result == nvml::kSuccess) ++links;
      p.expect(result == nvml::kSuccess || result == nvml::kNotSupported ||
                   result == nvml::kInvalidArgument,
               fmt::format("link {} gives {}", link, result));
    }
    const auto told = field.result == nvml::kSuccess ? number_in(field) : 0;
    p.expect(links == told, fmt::format("{} links told, {} have a state", told, links));
  }
}

constexpr Item kItems[] = {
    {"a link runs within the bounds of the system and of the GPU", "link findings",
     links_stay_within_their_bounds},
    {"a link is at its best while copies run", "link findings", links_are_full_under_load},
    {"the kernel's files and NVML tell the same link", "link findings",
     the_kernel_sees_the_same_link, false},
    {"fields answer one by one", "counters of the link", fields_answer_one_by_one},
    {"replays are counted alike in both calls", "counters of the link", replays_are_counted_alike},
    {"a call for fields into null is refused", "mistakes of ours", a_call_for_no_fields_is_refused},
    {"as many NVLinks have a state as are told", "NVLink findings", nvlinks_agree_with_their_count},
};

}  // namespace

std::span<const Item> link_items() { return kItems; }

}  // namespace linkburn::conformance
