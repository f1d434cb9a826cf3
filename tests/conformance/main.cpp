// gpu_conformance: whether GPU libraries and devices behave as linkburn relies on, soft or real.
//
//   gpu_conformance [--libraries soft|real|FILE] [--only WORD] [--list]
//
// soft: the software devices of this build, in a drill of its own. real: those of this node. FILE:
// other software devices, one library with all three interfaces. Exit code: 0 all that was tried
// holds, and nothing that counts was left out; 1 something does not hold; 2 wrong usage; 3 nothing
// was shown.
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "kernels/libraries.h"
#include "tests/conformance/item.h"
#include "tests/support/drill_state.h"
#include "tests/support/living_drill.h"

namespace linkburn::conformance {
namespace {

constexpr int kHolds = 0, kFails = 1, kUsage = 2, kNothingShown = 3;
constexpr std::uint64_t kSeed = 5;

struct Options {
  std::string libraries = "soft", only;
  bool list = false;
};

bool read_options(std::span<char*> words, Options& options) {
  for (std::size_t n = 1; n < words.size(); ++n) {
    const std::string word = words[n];
    if (word == "--list") {
      options.list = true;
    } else if ((word == "--libraries" || word == "--only") && n + 1 < words.size()) {
      (word == "--only" ? options.only : options.libraries) = words[++n];
    } else {
      fmt::print(stderr,
                 "usage: gpu_conformance [--libraries soft|real|FILE] [--only WORD] [--list]\n");
      return false;
    }
  }
  return true;
}

std::vector<Item> all_items() {
  std::vector<Item> all;
  for (const auto part :
       {device_items(), memory_items(), copy_items(), stream_items(), event_items(), error_items(),
        driver_items(), kernel_items(), nvml_items(), link_items()})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

struct Tally {
  int ok = 0, failed = 0, skipped = 0, core_skipped = 0;
};

void try_item(const Devices& devices, const Item& item, std::size_t number, Tally& tally) {
  Probe probe(devices);
  devices.runtime.cudaSetDevice(0);
  item.run(probe);
  // What an item leaves behind must not be blamed on the next one.
  const int left = devices.runtime.cudaGetLastError();
  probe.result(left, 0, "an error is left behind: cudaGetLastError");
  std::string outcome = "ok";
  if (!probe.failure().empty()) {
    ++tally.failed;
    outcome = "FAIL: " + probe.failure();
  } else if (!probe.skipped().empty()) {
    ++tally.skipped;
    tally.core_skipped += item.core ? 1 : 0;
    outcome = "skip: " + probe.skipped();
  } else {
    ++tally.ok;
  }
  fmt::print("{:3}  {} [{}]  {}\n", number, item.name, item.used_by, outcome);
  std::fflush(stdout);
}

int run_items(const Devices& devices, const std::string& only) {
  Tally tally;
  std::size_t number = 0;
  for (const Item& item : all_items()) {
    ++number;
    if (std::string_view(item.name).find(only) != std::string_view::npos)
      try_item(devices, item, number, tally);
  }
  fmt::print("{} ok, {} failed, {} skipped\n", tally.ok, tally.failed, tally.skipped);
  if (tally.failed > 0) return kFails;
  return tally.ok > 0 && tally.core_skipped == 0 ? kHolds : kNothingShown;
}

int nothing_shown(std::string_view why) {
  fmt::print("nothing was shown: {}\n", why);
  return kNothingShown;
}

/// Opens and starts the libraries, and tries all items on their devices.
int run_on(const GpuLibraryPaths& paths, const Clock& clock, const std::string& tree,
           const Options& options) {
  auto libraries = open_gpu_libraries(paths, clock);
  if (!libraries) return nothing_shown(libraries.error().line());
  for (const LibraryChoice& choice : libraries->choices) {
    if (choice.file.empty()) return nothing_shown(choice.why + " (" + choice.fix + ")");
    fmt::print("{}: {}\n", choice.part, choice.file);
  }
  if (!libraries->counted) return nothing_shown(libraries->counted.error().line());
  if (libraries->gpus == 0) return nothing_shown("no GPU");
  Devices devices{*libraries->runtime, *libraries->driver, *libraries->nvml, &clock, tree,
                  libraries->drill,    libraries->gpus};
  if (const int result = devices.driver.cuInit(0); result != 0)
    return nothing_shown(fmt::format("cuInit gives {}", result));
  if (const int result = devices.nvml.nvmlInit_v2(); result != 0)
    return nothing_shown(fmt::format("nvmlInit gives {}", result));
  const int code = run_items(devices, options.only);
  devices.nvml.nvmlShutdown();
  return code;
}

int run_soft(const std::string& file, const Options& options) {
  fmt::print("DRILL: software devices\n");
  auto drill = test::LivingDrill::start(test::small_drill_scenario(), kSeed);
  if (!drill) return nothing_shown(drill.error().line());
  const int code = run_on({file, file, file, {}}, (*drill)->clock(), (*drill)->tree(), options);
  fmt::print("DRILL: nothing here is about hardware\n");
  return code;
}

int run(const Options& options) {
  if (options.list) {
    std::size_t number = 0;
    for (const Item& item : all_items())
      fmt::print("{:3}  {} [{}]\n", ++number, item.name, item.used_by);
    return kHolds;
  }
  if (options.libraries == "real") return run_on(gpu_library_paths({}), real_clock(), "/", options);
  if (options.libraries == "soft") return run_soft(test::soft_gpu_library(), options);
  return run_soft(options.libraries, options);
}

}  // namespace
}  // namespace linkburn::conformance

int main(int argc, char** argv) {
  linkburn::conformance::Options options;
  if (!read_options({argv, static_cast<std::size_t>(argc)}, options))
    return linkburn::conformance::kUsage;
  return linkburn::conformance::run(options);
}
