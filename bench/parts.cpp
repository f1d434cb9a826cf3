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
