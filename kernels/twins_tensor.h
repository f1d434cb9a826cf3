// The twin of tensor_burn.cu, written by hand because the lanes of a warp compute together.
#pragma once

#include <cstdint>
#include <span>

namespace linkburn {

/// One word of results for each thread of a block of whole warps.
void compute_tensor(std::span<std::uint32_t> results, std::uint64_t seed, std::uint32_t rounds);

}  // namespace linkburn
