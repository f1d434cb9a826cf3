#include "kernels/libraries.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <climits>

#include "bench/base/drill_mark.h"
#include "kernels/cuda_error.h"

namespace linkburn {
namespace {

/// Newest first [CUDA Toolkit release notes].
constexpr const char* kRuntimeSonames[] = {"libcudart.so.13", "libcudart.so.12"};
/// [NVIDIA driver installation guide]
constexpr const char* kDriverSoname = "libcuda.so.1";
constexpr const char* kNvmlSoname = "libnvidia-ml.so.1";

constexpr const char* kInstallDriver = "install the NVIDIA driver";
constexpr const char* kNoLoad = "GPU links cannot be loaded";

std::string version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

/// What one call of open_gpu_libraries() works on.
struct Opening {
  const GpuLibraryPaths& paths;
  const Clock& clock;
  GpuLibraries libraries;
  Status allowed;  ///< the first library that has no place here: none is used then
};

/// Fills `table` and the file's side of `choice`; the Error says why the library cannot be used.
template <class Table>
Status open_one(const std::string& name, Opening& opening, LibraryChoice& choice,
                std::optional<Table>& table) {
  if (!opening.allowed) return opening.allowed;
  const auto library = open_library(name, opening.clock);
  if (!library && library.error().code == Code::mismatch) opening.allowed = library.error();
  if (!library) return library.error();
  Table filled;
  auto without = load_table(*library, filled);
  if (!without) return without.error();
  choice.file = library->path;
  choice.without = std::move(*without);
  choice.drill = library->software;
  table = filled;
  return {};
}

void set_absent(LibraryChoice& choice, std::string_view effect, std::string_view reason,
                std::string_view fix) {
  choice.file.clear();
  choice.why = fmt::format("{} ({})", effect, reason);
  choice.fix = fix;
}

void open_driver(Opening& opening) {
  GpuLibraries& out = opening.libraries;
  LibraryChoice choice;
  choice.part = "cuda_driver";
  const std::string name = opening.paths.driver.empty() ? kDriverSoname : opening.paths.driver;
  if (const auto opened = open_one(name, opening, choice, out.driver); !opened)
    set_absent(choice, kNoLoad, opened.error().line(), kInstallDriver);
  int version = 0;
  if (out.driver && out.driver->cuDriverGetVersion(&version) == cuda::kSuccess)
    choice.version = version_text(version);
  out.choices.push_back(std::move(choice));
}

void open_nvml(Opening& opening) {
  LibraryChoice choice;
  choice.part = "nvml";
  const std::string name = opening.paths.nvml.empty() ? kNvmlSoname : opening.paths.nvml;
  if (const auto opened = open_one(name, opening, choice, opening.libraries.nvml); !opened)
    set_absent(choice, "GPU link state, temperature and Xid events cannot be read",
               opened.error().line(), kInstallDriver);
  opening.libraries.choices.push_back(std::move(choice));
}

/// An explicit file, or the copies beside the program, which are of no drill, and then those of the
/// system.
std::vector<std::string> runtime_candidates(const GpuLibraryPaths& paths, bool in_drill) {
  if (!paths.runtime.empty()) return {paths.runtime};
  std::vector<std::string> names;
  for (const char* soname : kRuntimeSonames)
    if (const std::string copy = fmt::format("{}/{}", paths.beside, soname);
        !in_drill && !paths.beside.empty() && ::access(copy.c_str(), F_OK) == 0)
      names.push_back(copy);
  names.insert(names.end(), std::begin(kRuntimeSonames), std::end(kRuntimeSonames));
  return names;
}

/// A runtime that finds the driver too old is the only kind that a different runtime can mend.
struct Count {
  int gpus = 0;
  Status counted;
  bool driver_too_old = false;
};

Count count_gpus(const cuda::RuntimeTable& runtime, const LibraryChoice& driver) {
  Count count;
  const cuda::RuntimeError error = runtime.cudaGetDeviceCount(&count.gpus);
  if (error == cuda::kSuccess) return count;
  (void)runtime.cudaGetLastError();  // told here, so not to be met again by a later call
  count.gpus = 0;
  Error why = cuda_error(runtime, "cudaGetDeviceCount", {}, error);
  // The runtime has one number for an old driver and for none at all.
  if (error == cuda::kInsufficientDriver && driver.file.empty())
    why = {Code::not_found, "no NVIDIA driver: " + why.what, {}, kInstallDriver};
  if (error == cuda::kInsufficientDriver && !driver.file.empty()) {
    count.driver_too_old = true;
    why.what = fmt::format("the driver serves CUDA up to {}: {}",
                           driver.version.empty() ? "?" : driver.version, why.what);
  }
  count.counted = std::move(why);
  return count;
}

/// Tries one runtime after the other until one can work with the driver.
class RuntimeSearch {
 public:
  explicit RuntimeSearch(Opening& opening) : opening_(opening), out_(opening.libraries) {}

  void run() {
    for (const std::string& name : runtime_candidates(opening_.paths, is_drill(opening_.clock)))
      if (tried(name)) break;
    if (!out_.runtime) {
      set_absent(choice_, kNoLoad, fmt::format("{}", fmt::join(whys_, "; ")), fix());
      out_.counted = Error{Code::not_found, choice_.why, {}, choice_.fix};
    }
    out_.choices.push_back(std::move(choice_));
  }

 private:
  /// Whether this one was taken.
  bool tried(const std::string& name) {
    std::optional<cuda::RuntimeTable> table;
    LibraryChoice attempt;
    if (const auto opened = open_one(name, opening_, attempt, table); !opened) {
      if (opened.error().code == Code::not_found && opened.error().source.empty())
        whys_.push_back(opened.error().what);  // nothing there is no pass-over
      else
        pass_over(name, opened.error().what);
      return false;
    }
    // The loader answers a soname with a library of that name that is loaded already.
    if (std::find(files_.begin(), files_.end(), attempt.file) != files_.end()) return false;
    files_.push_back(attempt.file);
    Count count = count_gpus(*table, out_.choices.front());
    if (count.driver_too_old) {
      too_old_ = true;
      pass_over(attempt.file, count.counted.error().what);
      return false;
    }
    take(std::move(attempt), *table, std::move(count));
    return true;
  }

  void take(LibraryChoice attempt, const cuda::RuntimeTable& table, Count count) {
    int version = 0;
    if (table.cudaRuntimeGetVersion(&version) == cuda::kSuccess)
      attempt.version = version_text(version);
    attempt.part = choice_.part;
    attempt.passed_over = std::move(choice_.passed_over);
    choice_ = std::move(attempt);
    out_.runtime = table;
    out_.gpus = count.gpus;
    out_.counted = std::move(count.counted);
  }

  void pass_over(const std::string& file, const std::string& why) {
    choice_.passed_over.push_back(fmt::format("{}: {}", file, why));
    whys_.push_back(choice_.passed_over.back());
  }

  const char* fix() const {
    return too_old_ ? "install a newer NVIDIA driver, or the CUDA runtime library of its version"
                    : "install the CUDA runtime library, 12 or 13";
  }

  Opening& opening_;
  GpuLibraries& out_;
  LibraryChoice choice_{"cuda_runtime", {}, {}, {}, {}, {}, {}, false};
  std::vector<std::string> files_, whys_;
  bool too_old_ = false;
};

}  // namespace

std::vector<LibraryNeed> gpu_libraries() {
  return {{"nccl", "all-reduce cannot be measured", "install NCCL 2", {"libnccl.so.2"}}};
}

GpuLibraryPaths gpu_library_paths(const std::map<std::string, std::string>& params) {
  const auto given = [&](const char* key) {
    const auto found = params.find(key);
    return found != params.end() ? found->second : std::string();
  };
  GpuLibraryPaths paths{given("libcudart"), given("libcuda"), given("libnvidia-ml"), {}};
  char program[PATH_MAX];
  const ssize_t length = ::readlink("/proc/self/exe", program, sizeof program);
  if (length > 0) {
    const std::string_view path(program, static_cast<std::size_t>(length));
    paths.beside = fmt::format("{}/../lib/linkburn", path.substr(0, path.rfind('/')));
  }
  return paths;
}

Result<GpuLibraries> open_gpu_libraries(const GpuLibraryPaths& paths, const Clock& clock,
                                        GpuUse use) {
  Opening opening{paths, clock, {}, {}};
  if (use != GpuUse::nvml) {
    open_driver(opening);
    RuntimeSearch(opening).run();
  }
  if (use != GpuUse::cuda) open_nvml(opening);
  if (!opening.allowed) return opening.allowed.error();
  for (const LibraryChoice& choice : opening.libraries.choices)
    opening.libraries.drill |= choice.drill;
  return std::move(opening.libraries);
}

}  // namespace linkburn
