#include "kernels/twins.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

#include "kernels/fma_burn.cu"
#include "kernels/gate.cu"
#include "kernels/memory_burn.cu"
#include "kernels/pattern.cu"
#include "kernels/twins_tensor.h"

namespace linkburn {
namespace {

using device::position;

template <class... P>
using KernelFunction = void (*)(P...);

template <class... P>
constexpr std::array<KernelArgument, sizeof...(P)> arguments_of(KernelFunction<P...>) {
  // Of the pointer, when it is one. NOLINTNEXTLINE(bugprone-sizeof-expression)
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

// Time passes while it waits.
void run_gate(LaunchSize, void* const* arguments, Effort) {
  position = {.look_costs_ns = 1000};
  call(device::gate, arguments);
}

// An even number of rounds leaves the memory as it was, an odd one inverts it: the rest is traffic.
void run_memory_burn(LaunchSize, void* const* arguments, Effort effort) {
  std::uint32_t rounds = argument<std::uint32_t>(arguments, 2);
  if (effort == Effort::stand_in) rounds %= 2;
  const std::array changed{arguments[0], arguments[1], static_cast<void*>(&rounds), arguments[3],
                           arguments[4]};
  position = {};
  call(device::memory_burn, changed.data());
}

// Goes on in `words` as they begin.
void repeat(std::span<std::uint32_t> words, std::size_t begun) {
  while (begun < words.size()) {
    const std::size_t more = std::min(begun, words.size() - begun);
    std::copy_n(words.begin(), more, words.begin() + static_cast<std::ptrdiff_t>(begun));
    begun += more;
  }
}

// fma_burn and tensor_burn: all blocks compute the same, so one is computed. The stand-in computes
// the first threads of it for one round.
template <auto compute, std::uint32_t stand_in_threads>
void run_burn(LaunchSize size, void* const* arguments, Effort effort) {
  const bool whole = effort == Effort::whole;
  const std::uint32_t rounds = argument<std::uint32_t>(arguments, 2);
  const std::uint32_t threads = whole ? size.threads : std::min(size.threads, stand_in_threads);
  const std::span results{argument<std::uint32_t*>(arguments, 0),
                          std::size_t{size.blocks} * size.threads};
  if (results.empty()) return;
  compute(results.first(threads), argument<std::uint64_t>(arguments, 1),
          whole ? rounds : std::min(rounds, 1u));
  repeat(results.first(size.threads), threads);
  repeat(results, size.threads);
}

void compute_fma(std::span<std::uint32_t> results, std::uint64_t seed, std::uint32_t rounds) {
  const auto threads = static_cast<std::uint32_t>(results.size());
  for (std::uint32_t thread = 0; thread < threads; ++thread) {
    position = {.thread = thread, .threads = threads};
    device::fma_burn(results.data(), seed, rounds, kLongestLaunch_ns, nullptr);
  }
}

// Most results are right, which memcmp sees faster; only wrong ones need the kernel's own words.
void run_result_compare(LaunchSize size, void* const* arguments, Effort effort) {
  const auto* results = argument<const std::uint32_t*>(arguments, 0);
  const auto* first = argument<const std::uint32_t*>(arguments, 2);
  const auto count = argument<std::uint64_t>(arguments, 1);
  const auto first_count = argument<std::uint64_t>(arguments, 3);
  for (std::uint64_t done = 0; done < count; done += first_count) {
    const std::uint64_t words = std::min(first_count, count - done);
    if (std::memcmp(results + done, first, words * sizeof *results) != 0)
      return run_as_one<device::result_compare>(size, arguments, effort);
  }
}

double burn_rounds(void* const* arguments) { return argument<std::uint32_t>(arguments, 2); }

double fma_work(LaunchSize size, void* const* arguments) {
  return burn_rounds(arguments) * burn::kFmaFlopOfRound * size.blocks * size.threads;
}

double tensor_work(LaunchSize size, void* const* arguments) {
  const std::uint32_t warps = size.threads / burn::kWarp;
  return burn_rounds(arguments) * burn::kTensorFlopOfRound * size.blocks * warps;
}

// Bytes moved for each thing that argument `count` counts.
template <int count, int bytes>
double traffic(LaunchSize, void* const* arguments) {
  return static_cast<double>(argument<std::uint64_t>(arguments, count)) * bytes;
}

double memory_burn_work(LaunchSize size, void* const* arguments) {
  return burn_rounds(arguments) * traffic<1, 2 * sizeof(device::WordPair)>(size, arguments);
}

double no_work(LaunchSize, void* const*) { return 0; }

template <auto kernel>
constexpr auto kArguments = arguments_of(kernel);

constexpr std::array kTwins{
    Twin{"fma_burn", kArguments<device::fma_burn>, Pace::fp32_flop, fma_work,
         run_burn<compute_fma, 2>},
    Twin{"gate", kArguments<device::gate>, Pace::host_flag, no_work, run_gate},
    Twin{"memory_burn", kArguments<device::memory_burn>, Pace::memory_byte, memory_burn_work,
         run_memory_burn},
    Twin{"pattern_compare", kArguments<device::pattern_compare>, Pace::memory_byte, traffic<1, 8>,
         run_as_one<device::pattern_compare>},
    Twin{"pattern_fill", kArguments<device::pattern_fill>, Pace::memory_byte, traffic<1, 8>,
         run_as_one<device::pattern_fill>},
    Twin{"result_compare", kArguments<device::result_compare>, Pace::memory_byte, traffic<1, 4>,
         run_result_compare},
    Twin{"tensor_burn", kArguments<device::fma_burn>, Pace::tensor_flop, tensor_work,
         run_burn<compute_tensor, burn::kWarp>},
};

}  // namespace

std::span<const Twin> twins() { return kTwins; }

const Twin* find_twin(std::string_view name) {
  const auto* found = std::ranges::find(kTwins, name, &Twin::name);
  return found == kTwins.end() ? nullptr : found;
}

}  // namespace linkburn
