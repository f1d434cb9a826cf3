#include "bench/drill/tree.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <filesystem>
#include <vector>

#include "bench/drill/function_files.h"
#include "bench/drill/kernel_log_file.h"
#include "bench/drill/monitor_file.h"
#include "bench/drill/nic_files.h"
#include "bench/drill/tree_files.h"

namespace linkburn::drill {
namespace {

constexpr std::uint64_t kMemoryKib = 256UL << 20;  // of each NUMA node; nothing depends on it

/// The same in each world of one seed, and no other's: a version 4 UUID.
std::string boot_id(std::uint64_t seed) {
  const auto mixed = [&seed] {  // splitmix64 [Steele, Lea, Flood 2014]
    std::uint64_t z = seed += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30U) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27U) * 0x94d049bb133111eb;
    return z ^ z >> 31U;
  };
  const std::uint64_t high = mixed(), low = mixed();
  return fmt::format("{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}", high >> 32U, high >> 16U & 0xffffU,
                     high & 0xfffU, (low >> 48U & 0x3fffU) | 0x8000U, low & 0xffffffffffffU);
}

void write_node(TreeFiles& files, const State& state) {
  files.file("proc/sys/kernel/hostname", state.host.data());
  files.file("proc/sys/kernel/random/boot_id", boot_id(state.header.seed));
  files.file("proc/version", "Linux version 6.8.0-drill (linkburn) #1 SMP");
  files.file("sys/class/dmi/id/product_name", fmt::format("drill {}", state.scenario.data()));
}

void write_memory(TreeFiles& files, const State& state) {
  int nodes = 0;
  for (int numa = 0; numa < kMaxNumas; ++numa) {
    const Numa& own = state.numas[static_cast<std::size_t>(numa)];
    if (!own.used) continue;
    const std::string folder = fmt::format("sys/devices/system/node/node{}", numa);
    files.file(folder + "/cpulist", own.cpus.data());
    files.file(folder + "/meminfo", fmt::format("Node {} MemTotal:       {} kB", numa, kMemoryKib));
    nodes = numa + 1;
  }
  if (nodes == 0) return;
  files.file("sys/devices/system/node/online", nodes == 1 ? "0" : fmt::format("0-{}", nodes - 1));
  files.file("proc/meminfo",
             fmt::format("MemTotal:       {} kB", kMemoryKib * static_cast<std::uint64_t>(nodes)));
}

/// One NVMe disk: its class folder and its temperature.
class NvmeFiles {
 public:
  NvmeFiles(TreeFiles& files, const State& state, int nvme, int monitor)
      : nvme_(nvme), monitor_(files, place(state, nvme, monitor)) {
    const std::string name = fmt::format("nvme{}", nvme);
    files.link("sys/class/nvme/" + name, "../../" + device(state, nvme).substr(4));
    files.link(device(state, nvme) + "/device", "../..");
    show(files, state);
  }

  void show(TreeFiles& files, const State& state) const {
    const Nvme& own = state.nvmes[static_cast<std::size_t>(nvme_)];
    const bool answers = !is_out_of_reach(state, own.function);
    monitor_.show(files, answers ? std::optional(own.temperature_c) : std::nullopt);
  }

 private:
  static std::string device(const State& state, int nvme) {
    return fmt::format("{}/nvme/nvme{}",
                       folder_of(state, state.nvmes[static_cast<std::size_t>(nvme)].function),
                       nvme);
  }
  static MonitorPlace place(const State& state, int nvme, int monitor) {
    constexpr double kMax = 81.85, kCritical = 84.85;
    return {monitor, device(state, nvme), "nvme", "Composite", kMax, kCritical};
  }

  int nvme_;
  MonitorFile monitor_;
};

/// Takes away the tree of an earlier drill. What is not the tree of a drill is left alone.
Status clear(const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!fs::exists(folder, error) || fs::is_empty(folder, error)) return {};
  if (!fs::exists(fmt::format("{}/{}", folder, kTreeMarker), error))
    return Error{Code::busy, "the folder for the drill's tree holds something else", folder,
                 "give the drill another folder"};
  fs::remove_all(folder, error);
  if (error) return errno_error(error.value(), "an earlier drill's tree stays", folder);
  return {};
}

Result<Fd> open_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return errno_error(error.value(), "no room for the drill's tree", folder);
  Fd opened(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!opened) return errno_error(errno, "the drill's tree cannot be made", folder);
  return opened;
}

}  // namespace

struct TreeWriter::Impl {
  explicit Impl(Fd folder) : files(std::move(folder)) {}

  /// The marker comes first: what was not finished is a drill's too.
  void write(const State& state) {
    files.file(kTreeMarker, state.scenario.data());
    write_node(files, state);
    write_memory(files, state);
    for (int i = 0; i < kMaxFunctions; ++i)
      if (state.functions[static_cast<std::size_t>(i)].used)
        functions.emplace_back(files, state, i);
    int monitors = 0;
    for (int i = 0; i < kMaxNics; ++i)
      if (state.nics[static_cast<std::size_t>(i)].used)
        nics.emplace_back(files, state, i, monitors++);
    for (int i = 0; i < kMaxNvmes; ++i)
      if (state.nvmes[static_cast<std::size_t>(i)].used)
        nvmes.emplace_back(files, state, i, monitors++);
    log.emplace(files, state);
    uptime = files.live("proc/uptime");
    show_uptime(state);
  }

  void show(const State& state) {
    for (FunctionFiles& each : functions) each.show(files, state);
    for (NicFiles& each : nics) each.show(files, state);
    for (const NvmeFiles& each : nvmes) each.show(files, state);
    log->show(files, state);
    show_uptime(state);
  }

  /// The node booted when its world began. How long its processors idled is nobody's question.
  void show_uptime(const State& state) {
    constexpr std::int64_t kNsPerHundredth = 10'000'000;
    const std::int64_t hundredths = state.header.now_ns / kNsPerHundredth;
    if (hundredths == shown_hundredths) return;
    shown_hundredths = hundredths;
    files.set(uptime, fmt::format("{}.{:02} 0.00", hundredths / 100, hundredths % 100));
  }

  TreeFiles files;
  std::vector<FunctionFiles> functions;
  std::vector<NicFiles> nics;
  std::vector<NvmeFiles> nvmes;
  std::optional<KernelLogFile> log;
  int uptime = -1;
  std::int64_t shown_hundredths = -1;
};

TreeWriter::TreeWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TreeWriter::~TreeWriter() = default;

Result<std::unique_ptr<TreeWriter>> TreeWriter::create(const State& state,
                                                       const std::string& folder) {
  if (const Status cleared = clear(folder); !cleared) return cleared.error();
  auto opened = open_folder(folder);
  if (!opened) return opened.error();
  auto impl = std::make_unique<Impl>(std::move(*opened));
  impl->write(state);
  if (const Status written = impl->files.take_trouble(); !written) return written.error();
  return std::unique_ptr<TreeWriter>(new TreeWriter(std::move(impl)));
}

Status TreeWriter::update(const State& state) {
  impl_->show(state);
  return impl_->files.take_trouble();
}

}  // namespace linkburn::drill
