#include "kernels/twins.h"

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

#include "kernels/pattern.cu"

namespace linkburn {
namespace {

using device::position;

template <class... P>
using KernelFunction = void (*)(P...);

template <class... P>
constexpr std::array<KernelArgument, sizeof...(P)> arguments_of(KernelFunction<P...>) {
  return {KernelArgument{sizeof(P), std::is_pointer_v<P>}...};
}

template <class... P, std::size_t... I>
void call_with(KernelFunction<P...> kernel, void* const* arguments, std::index_sequence<I...>) {
  kernel(*static_cast<std::remove_const_t<P>*>(arguments[I])...);
}

template <class... P>
void call(KernelFunction<P...> kernel, void* const* arguments) {
  call_with(kernel, arguments, std::index_sequence_for<P...>{});
}

template <class T>
T argument(void* const* arguments, int index) {
  return *static_cast<const T*>(arguments[index]);
}

// The threads of these kernels share out the words among them: one thread does the same.
template <auto kernel>
void run_as_one(LaunchSize, void* const* arguments, Effort) {
  position = {};
  call(kernel, arguments);
}

// Bytes moved for each of the words that argument `count` counts.
template <int count, int bytes>
double word_traffic(LaunchSize, void* const* arguments) {
  return static_cast<double>(argument<std::uint64_t>(arguments, count)) * bytes;
}

template <auto kernel>
constexpr auto kArguments = arguments_of(kernel);

constexpr std::array kTwins{
    Twin{"pattern_compare", kArguments<device::pattern_compare>, Pace::memory_byte,
         word_traffic<1, 8>, run_as_one<device::pattern_compare>},
    Twin{"pattern_fill", kArguments<device::pattern_fill>, Pace::memory_byte, word_traffic<1, 8>,
         run_as_one<device::pattern_fill>},
    Twin{"result_compare", kArguments<device::result_compare>, Pace::memory_byte,
         word_traffic<2, 8>, run_as_one<device::result_compare>},
};

}  // namespace

std::span<const Twin> twins() { return kTwins; }

const Twin* find_twin(std::string_view name) {
  const auto* found = std::ranges::find(kTwins, name, &Twin::name);
  return found == kTwins.end() ? nullptr : found;
}

}  // namespace linkburn
