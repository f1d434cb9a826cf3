// The libraries of the GPU driver layer: where they are looked for, and which were taken.
//
// Only workers open them: loading one runs code of the driver, and counting the GPUs starts it.
// None is ever closed. Driver libraries start threads and register handlers for the end of the
// process, which would then run in memory that is gone; so one that was passed over stays as well.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/base/library.h"
#include "kernels/driver.h"
#include "kernels/nvml.h"
#include "kernels/runtime.h"

namespace linkburn {

/// Libraries that are only looked for so far; the others are opened by open_gpu_libraries().
/// [NCCL: libnccl.so.2]
std::vector<LibraryNeed> gpu_libraries();

/// Where to look. A path that is given is the only one tried. In a drill nothing is looked for:
/// what is not given is absent.
struct GpuLibraryPaths {
  std::string runtime, driver, nvml;  ///< explicit files; empty: search
  std::string beside;                 ///< folder of the copies that are installed with linkburn
};

/// The explicit paths of a job (params "libcudart", "libcuda", "libnvidia-ml"), and the folder
/// lib/linkburn that lies beside this program's own folder.
GpuLibraryPaths gpu_library_paths(const std::map<std::string, std::string>& params);

/// Which libraries a worker needs: NVML is asked by a worker of its own.
enum class GpuUse { cuda, nvml, all };

/// What became of one library. `file` is empty when none could be used, `why` says why then.
struct LibraryChoice {
  std::string part;  ///< "cuda_runtime", "cuda_driver", "nvml"
  std::string file;
  std::string version;  ///< CUDA's "13.0"; of the driver: the newest CUDA that it can serve
  std::string why, fix;
  std::vector<std::string> passed_over;  ///< "FILE: reason", in the order tried
  std::vector<std::string> without;      ///< optional functions that it lacks
  bool drill = false;                    ///< a software device (bench/base/library.h)
};

struct GpuLibraries {
  std::optional<cuda::RuntimeTable> runtime;
  std::optional<cuda::DriverTable> driver;
  std::optional<nvml::NvmlTable> nvml;
  std::vector<LibraryChoice> choices;  ///< of those asked for: driver, runtime, nvml
  bool drill = false;                  ///< all of them are software devices
  int gpus = 0;                        ///< that the runtime sees
  /// Why it could not count them, in CUDA's words where it said any.
  Status counted = Error{Code::not_found, "no CUDA runtime was opened", {}, {}};
};

/// Opens what `use` asks for, in a process with that clock. What is missing is a choice without a
/// file; the Error is only that software devices would be used outside a drill, or real ones in
/// one.
Result<GpuLibraries> open_gpu_libraries(const GpuLibraryPaths& paths, const Clock& clock,
                                        GpuUse use = GpuUse::all);

}  // namespace linkburn
