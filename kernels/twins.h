// CPU twins of the kernels, made of the same text (*.cu): what software GPUs run, and what a device
// is compared with word by word.
//
// A twin computes exactly what a correct device computes. Where a burn would cost a CPU seconds,
// its stand-in does fewer rounds in fewer threads: its results are not those of a device, but they
// are the same for equal launches, and differ by seed.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "kernels/launch_limits.h"

namespace linkburn {

/// What limits a kernel on a GPU, and what its work counts. `host_flag`: it does no work, but waits
/// until the 32-bit word at its first argument is not zero, for at most its second (ns).
enum class Pace { fp32_flop, tensor_flop, memory_byte, host_flag };

enum class Effort {
  stand_in,  ///< microseconds for a burn; whole for the others
  whole,     ///< what a device computes
};

/// Arguments are given as cuLaunchKernel takes them: one pointer to each value. Device pointers
/// among them have to be such that the caller itself can use them.
struct Twin {
  std::string_view name;
  std::span<const KernelArgument> arguments;
  Pace pace;
  double (*work)(LaunchSize size, void* const* arguments);  ///< in the unit of `pace`
  void (*run)(LaunchSize size, void* const* arguments, Effort effort);
};

/// All of them, in the order of the names.
std::span<const Twin> twins();

/// Null when there is no kernel of that name.
const Twin* find_twin(std::string_view name);

}  // namespace linkburn
