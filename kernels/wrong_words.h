// What a kernel that compares data leaves in the memory of its device, or of its host.
#pragma once

#include <cstdint>

namespace linkburn {

inline constexpr std::uint32_t kWrongWordsKept = 8;

/// `word` counts from the start of the compared memory, in words of the kernel's size.
struct KeptWord {
  std::uint64_t word, expected, seen;
};

/// All zero before the first launch; launches add to it. The first min(count, kWrongWordsKept)
/// entries are those that were found first, in no order.
struct WrongWords {
  std::uint64_t count;
  KeptWord kept[kWrongWordsKept];
};

}  // namespace linkburn
