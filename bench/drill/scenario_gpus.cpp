// GPUs of a scenario, and how warm they get.
#include <fmt/format.h>

#include <charconv>

#include "bench/drill/scenario_cards.h"

namespace linkburn::drill {
namespace {

constexpr double kMostMs = 600e3;

struct Decimal {
  const char* key;
  double& out;
  double lowest, highest;
};

void read_all(TableReader& table, std::initializer_list<Decimal> decimals) {
  for (const Decimal& decimal : decimals)
    read_decimal(table, decimal.key, decimal.out, decimal.lowest, decimal.highest);
}

void read_thermal(TableReader& table, Thermal& thermal) {
  read_all(table, {{"ambient_c", thermal.ambient_c, -40, 100},
                   {"c_per_w", thermal.c_per_w, 0, 10},
                   {"tau_s", thermal.tau_s, 0.01, 1e5},
                   {"idle_w", thermal.idle_w, 0, 1e4},
                   {"full_w", thermal.full_w, 0, 1e4},
                   {"slowdown_c", thermal.slowdown_c, 0, 300},
                   {"shutdown_c", thermal.shutdown_c, 0, 300},
                   {"memory_offset_c", thermal.memory_offset_c, -50, 100}});
}

void read_speed(TableReader& table, Gpu& gpu) {
  read_all(table, {{"fp32_tflops", gpu.fp32_tflops, 1e-6, 1e5},
                   {"tensor_tflops", gpu.tensor_tflops, 1e-6, 1e5},
                   {"memory_gbs", gpu.memory_gbs, 1e-3, 1e6},
                   {"to_device_gbs", gpu.copy_gbs[0], 0, 1e5},
                   {"from_device_gbs", gpu.copy_gbs[1], 0, 1e5},
                   {"chip_to_chip_gbs", gpu.chip_to_chip_gbs, 0, 1e5}});
  table.number("sms", gpu.sms, 1, 1024);
  table.number("clock_mhz", gpu.clock_mhz, 1, 10'000);
  gpu.max_clock_mhz = gpu.clock_mhz;
  table.number("memory_clock_mhz", gpu.memory_clock_mhz, 1, 100'000);
  int memory_mib = static_cast<int>(gpu.memory_bytes >> 20);
  table.number("memory_mib", memory_mib, 1, 1 << 20);
  gpu.memory_bytes = static_cast<std::uint64_t>(memory_mib) << 20;
}

void read_habits(TableReader& table, Gpu& gpu) {
  struct Time {
    const char* key;
    std::int64_t& out;
  };
  for (const auto& [key, out] :
       {Time{"context_ms", gpu.context_ms}, Time{"teardown_ms", gpu.teardown_ms},
        Time{"idle_after_ms", gpu.idle_after_ms}, Time{"wake_ms", gpu.wake_ms}}) {
    int ms = static_cast<int>(out);
    table.number(key, ms, 0, static_cast<int>(kMostMs));
    out = ms;
  }
  read_byte(table, "idle_gen", gpu.idle_gen, 0, 6);
}

void read_use(TableReader& table, Gpu& gpu) {
  constexpr std::int32_t kModes[] = {0, 2, 3};  // nvmlComputeMode_t; 1 is gone since CUDA 8
  const auto mode = read_word(table, "compute_mode", {"default", "prohibited", "exclusive"});
  gpu.compute_mode = kModes[mode.value_or(0)];
  table.flag("mig", gpu.mig);
  table.flag("fabric_ready", gpu.fabric_ready);
  table.number("busy_pid", gpu.foreign_pid, 1, 1 << 22);
  int corrected = 0, uncorrected = 0, remapped = 0;
  table.number("ecc_corrected", corrected, 0, 1 << 30);
  table.number("ecc_uncorrected", uncorrected, 0, 1 << 30);
  table.number("remapped_rows", remapped, 0, 1 << 20);
  gpu.ecc_corrected = static_cast<std::uint64_t>(corrected);
  gpu.ecc_uncorrected = static_cast<std::uint64_t>(uncorrected);
  gpu.remapped_rows = static_cast<std::uint64_t>(remapped);
}

/// "9.0"
void read_compute(TableReader& table, Gpu& gpu) {
  std::string text;
  table.text("compute_capability", text);
  if (!table.has("compute_capability")) return;
  int major = 0, minor = 0;
  const char* end = text.data() + text.size();
  const auto [dot, first] = std::from_chars(text.data(), end, major);
  const bool whole = first == std::errc() && dot != end && *dot == '.';
  const auto [rest, second] = std::from_chars(whole ? dot + 1 : end, end, minor);
  const bool right = whole && second == std::errc() && rest == end;
  if (!right || major < 3 || major > 99 || minor < 0 || minor > 9)
    return table.fail("'compute_capability' must be a text such as \"9.0\"", "compute_capability");
  gpu.compute_major = major, gpu.compute_minor = minor;
}

/// As it is some time after boot: at rest, its link asleep.
void add_gpu(Draft& draft, Gpu gpu, const std::string& serial) {
  Function& function = draft.state->functions[gpu.function];
  const int number = draft.gpus++;
  gpu.numa = function.numa;
  put_text(gpu.serial, serial.empty() ? fmt::format("DRILL{:04}", number) : serial);
  put_text(gpu.uuid, fmt::format("GPU-00000000-0000-0000-0000-{:012}", number));
  gpu.power_w = gpu.thermal.idle_w;
  gpu.temperature_c = gpu.thermal.ambient_c + gpu.thermal.idle_w * gpu.thermal.c_per_w;
  gpu.asleep = gpu.idle_gen > 0 && gpu.idle_gen < function.gen;
  if (gpu.asleep) {
    function.full_gen = function.gen, function.full_width = function.width;
    function.gen = gpu.idle_gen;
  }
  gpu.used = true;
  draft.state->gpus[number] = gpu;
}

void read_group(TableReader& table, TableReader& all, Draft& draft) {
  const GpuModel& model = read_model(table, gpu_models());
  const Cards cards = read_cards_of(table, draft, model.card, kMaxGpus);
  Gpu gpu = gpu_of_model(model);
  const auto serials = one_each(table, "serial", cards.count, is_label, kLabelRule);
  const auto products = one_each(table, "product", cards.count, is_label, kLabelRule);
  all.inside("thermal", [&](TableReader& thermal) { read_thermal(thermal, gpu.thermal); });
  read_thermal(table, gpu.thermal);
  if (gpu.thermal.full_w < gpu.thermal.idle_w) table.fail("'full_w' must not be below 'idle_w'");
  gpu.power_limit_w = gpu.thermal.full_w;
  read_decimal(table, "power_limit_w", gpu.power_limit_w, 1, 1e4);
  read_speed(table, gpu);
  read_habits(table, gpu);
  read_use(table, gpu);
  read_compute(table, gpu);
  for (int n = 0; n < cards.count; ++n) {
    if (draft.gpus == kMaxGpus) return table.fail(fmt::format("more than {} GPUs", kMaxGpus));
    gpu.function = place_card(draft, table, cards, n, fmt::format("gpu{}", draft.gpus));
    if (gpu.function < 0) return;
    const auto item = static_cast<std::size_t>(n);
    if (!products.empty()) put_text(gpu.model, products[item]);
    add_gpu(draft, gpu, serials.empty() ? "" : serials[item]);
  }
}

}  // namespace

void read_gpus(TableReader& table, Draft& draft) {
  Thermal unused{};
  table.inside("thermal", [&](TableReader& thermal) { read_thermal(thermal, unused); });
  table.each("gpu", [&](TableReader& gpu) { read_group(gpu, table, draft); });
}

}  // namespace linkburn::drill
