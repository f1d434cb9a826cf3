#include "kernels/kernel_list.h"

namespace linkburn {
namespace {

template <class T>
constexpr bool kIsOnDevice = false;
template <class T>
constexpr bool kIsOnDevice<OnDevice<T>> = true;

template <class... Arguments>
DeclaredKernel declared(const Kernel<Arguments...>& kernel) {
  return {kernel.name, {KernelArgument{sizeof(Arguments), kIsOnDevice<Arguments>}...}};
}

}  // namespace

const std::vector<DeclaredKernel>& declared_kernels() {
  static const std::vector<DeclaredKernel> all{
      declared(kFmaBurn),     declared(kGate),           declared(kMemoryBurn),
      declared(kPatternFill), declared(kPatternCompare), declared(kResultCompare),
      declared(kTensorBurn),
  };
  return all;
}

}  // namespace linkburn
