// Our kernels, with the types of their arguments. What they do is said in their text (NAME.cu);
// tests compare the arguments with those of the compiled kernels and of the twins.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "kernels/cuda_types.h"
#include "kernels/launch_limits.h"
#include "kernels/wrong_words.h"

namespace linkburn {

/// Device memory that holds things of type T; or mapped host memory, by its device pointer.
template <class T>
struct OnDevice {
  cuda::DevicePointer address = 0;

  OnDevice() = default;
  explicit OnDevice(cuda::DevicePointer where) : address(where) {}
  explicit OnDevice(const void* where)
      : address(reinterpret_cast<cuda::DevicePointer>(where)) {}  // as cudaMalloc returned it
};

template <class... Arguments>
struct Kernel {
  const char* name;
};

/// Both patterns: words, how many, seed, index of the first word in the pattern.
inline constexpr Kernel<OnDevice<std::uint64_t>, std::uint64_t, std::uint64_t, std::uint64_t>
    kPatternFill{"pattern_fill"};
inline constexpr Kernel<OnDevice<std::uint64_t>, std::uint64_t, std::uint64_t, std::uint64_t,
                        OnDevice<WrongWords>>
    kPatternCompare{"pattern_compare"};

/// Results, how many; first results, how many; what is wrong.
inline constexpr Kernel<OnDevice<std::uint32_t>, std::uint64_t, OnDevice<std::uint32_t>,
                        std::uint64_t, OnDevice<WrongWords>>
    kResultCompare{"result_compare"};

/// Results (one for each thread), seed, rounds, limit in ns, count of threads that left early.
using Burn = Kernel<OnDevice<std::uint32_t>, std::uint64_t, std::uint32_t, std::uint64_t,
                    OnDevice<std::uint64_t>>;
inline constexpr Burn kFmaBurn{"fma_burn"}, kTensorBurn{"tensor_burn"};

/// Memory, how many pairs of words, rounds, limit in ns, count of threads that left early.
struct WordPair;
inline constexpr Kernel<OnDevice<WordPair>, std::uint64_t, std::uint32_t, std::uint64_t,
                        OnDevice<std::uint64_t>>
    kMemoryBurn{"memory_burn"};

/// Flag in mapped host memory, limit in ns, outcome (launch_limits.h).
inline constexpr Kernel<OnDevice<std::uint32_t>, std::uint64_t, OnDevice<std::uint32_t>> kGate{
    "gate"};

struct DeclaredKernel {
  std::string_view name;
  std::vector<KernelArgument> arguments;
};

/// All of the above.
const std::vector<DeclaredKernel>& declared_kernels();

}  // namespace linkburn
