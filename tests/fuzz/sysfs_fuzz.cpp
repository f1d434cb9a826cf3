// A small node whose files hold whatever the input says: inventory, sensors' parsers and the judge
// must take any bytes, and an unreadable node must never pass.
#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "bench/inventory/inventory.h"
#include "bench/sensors/aer.h"
#include "bench/sensors/kernel_lines.h"
#include "report/verdict.h"

namespace {

using namespace linkburn;

constexpr const char* kPort = "sys/devices/pci0000:16/0000:16:01.0";
constexpr const char* kDevice = "sys/devices/pci0000:16/0000:16:01.0/0000:17:00.0";
constexpr const char* kFiles[] = {"class",
                                  "vendor",
                                  "device",
                                  "numa_node",
                                  "local_cpulist",
                                  "current_link_speed",
                                  "current_link_width",
                                  "max_link_speed",
                                  "max_link_width",
                                  "aer_dev_correctable"};

/// The tree is made once; each input rewrites its files in place.
class FuzzNode {
 public:
  FuzzNode() {
    // Each input writes some thirty files: in memory where that is possible.
    const std::filesystem::path memory = "/dev/shm";
    std::string pattern =
        ((std::filesystem::exists(memory) ? memory : std::filesystem::temp_directory_path()) /
         "linkburn-fuzz-XXXXXX")
            .string();
    root_ = ::mkdtemp(pattern.data());
    for (const char* folder : {kPort, kDevice})
      for (const char* file : kFiles) add(std::string(folder) + "/" + file);
    add("sys/devices/system/node/node0/cpulist");
    add("sys/devices/system/node/node0/meminfo");
    add("sys/bus/pci/slots/1/address");
    add("proc/version");
    add("proc/uptime");
    const std::string port = std::string(kDevice) + "/infiniband/mlx5_0/ports/1";
    for (const char* file : {"/state", "/phys_state", "/rate", "/link_layer"}) add(port + file);
    for (const char* folder : {kPort, kDevice}) add(std::string(folder) + "/config");
    add("sys/firmware/dmi/tables/DMI");
    const std::filesystem::path at(root_);
    std::filesystem::create_directories(at / "sys/bus/pci/devices");
    std::filesystem::create_directories(at / "sys/class/infiniband");
    std::filesystem::create_symlink(std::string("../../../../") + kPort,
                                    at / "sys/bus/pci/devices/0000:16:01.0");
    std::filesystem::create_symlink(std::string("../../../../") + kDevice,
                                    at / "sys/bus/pci/devices/0000:17:00.0");
    std::filesystem::create_symlink(std::string("../../../") + kDevice + "/infiniband/mlx5_0",
                                    at / "sys/class/infiniband/mlx5_0");
  }
  ~FuzzNode() { std::filesystem::remove_all(root_); }

  const std::string& root() const { return root_; }

  void fill(std::string_view input) {
    for (const std::string& file : files_) {
      const std::size_t end = input.find('|');
      write(file, input.substr(0, end));
      input = end == std::string_view::npos ? "" : input.substr(end + 1);
    }
  }

 private:
  void add(const std::string& file) {
    std::filesystem::create_directories((std::filesystem::path(root_) / file).parent_path());
    files_.push_back(root_ + "/" + file);
    write(files_.back(), "");
  }

  static void write(const std::string& file, std::string_view text) {
    const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (fd < 0 || ::write(fd, text.data(), text.size()) < 0) std::abort();
    ::close(fd);
  }

  std::string root_;
  std::vector<std::string> files_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static FuzzNode node;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  node.fill(text);
  const auto root = Sysroot::open(node.root());
  if (!root) std::abort();
  const Inventory inventory = discover(*root, read_directly(*root));
  Evidence evidence;
  RunStart start;
  start.mode = "inspect";
  start.require = {"presence", "width", "speed", "ports"};
  std::int64_t seq = 1;
  evidence.records.push_back({seq++, 0, start});
  for (Body& body : to_records(inventory)) evidence.records.push_back({seq++, 0, std::move(body)});
  for (Counter& counter : aer_counters(*root, inventory, Phase::passive, {}, false))
    evidence.records.push_back({seq++, 0, std::move(counter)});
  // Without a run_end the run was killed: whatever the files say, this is no pass.
  if (judge(evidence).outcome == Outcome::pass) std::abort();
  KernelLines lines;
  if (const auto record = parse_kmsg(text)) (void)lines.take(*record, Phase::passive);
  (void)lines.take(parse_dmesg(text), Phase::passive);
  return 0;
}
