#include "bench/parts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#if LINKBURN_HAS_CUDA
#include "kernels/libraries.h"
#endif
#if LINKBURN_HAS_RDMA
#include "rdma/libraries.h"
#endif

namespace linkburn {

#if LINKBURN_HAS_CUDA
namespace {

Part to_part(const LibraryChoice& choice) {
  Part part{choice.part, "found", choice.file, choice.version, choice.why, choice.fix};
  if (choice.drill) part.version += " (software device)";
  if (choice.file.empty())
    part.status = "absent";
  else if (!choice.passed_over.empty())
    part.why = fmt::format("passed over: {}", fmt::join(choice.passed_over, "; "));
  return part;
}

/// Whether the libraries can do anything here: GPUs, or in CUDA's words why there are none.
Part gpus_part(const GpuLibraries& libraries) {
  Part part{"cuda_gpus", "found", {}, {}, {}, {}};
  if (libraries.counted) {
    part.path = fmt::format("{} GPUs", libraries.gpus);
    return part;
  }
  const Error& error = libraries.counted.error();
  return {"cuda_gpus", "unusable", {}, {}, error.what, error.fix};
}

}  // namespace

Result<std::vector<Part>> open_gpu_parts(const std::map<std::string, std::string>& params,
                                         const Clock& clock) {
  const auto libraries = open_gpu_libraries(gpu_library_paths(params), clock);
  if (!libraries) return libraries.error();
  std::vector<Part> parts;
  for (const LibraryChoice& choice : libraries->choices) parts.push_back(to_part(choice));
  if (libraries->runtime) parts.push_back(gpus_part(*libraries));
  return parts;
}
#else
Result<std::vector<Part>> open_gpu_parts(const std::map<std::string, std::string>&, const Clock&) {
  return std::vector<Part>();
}
#endif

std::vector<LibraryNeed> library_needs() {
  std::vector<LibraryNeed> needs;
#if LINKBURN_HAS_CUDA
  for (LibraryNeed& need : gpu_libraries()) needs.push_back(std::move(need));
#endif
#if LINKBURN_HAS_RDMA
  for (LibraryNeed& need : rdma_libraries()) needs.push_back(std::move(need));
#endif
  return needs;
}

std::vector<BuildPart> build_parts() {
  return {{"GPU driver layer", LINKBURN_HAS_CUDA != 0},
          {"RDMA driver layer", LINKBURN_HAS_RDMA != 0}};
}

std::string version() { return LINKBURN_VERSION; }

std::string version_line() {
  std::vector<std::string> words;
  for (const BuildPart& part : build_parts())
    words.push_back(fmt::format("{} {}", part.name, part.built_in ? "in" : "left out"));
  return fmt::format("linkburn {} ({})", version(), fmt::join(words, ", "));
}

}  // namespace linkburn
