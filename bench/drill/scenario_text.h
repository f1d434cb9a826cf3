// How a scenario file writes what is in more than one of its tables: names, times, numbers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/base/toml_table.h"
#include "bench/drill/state.h"

namespace linkburn::drill {

/// Cut to its room; always terminated.
template <std::size_t N>
void put_text(Text<N>& to, std::string_view text) {
  to = {};
  text.copy(to.data(), N - 1);
}

/// Longest name of a device: its port gets "-port" at the end.
inline constexpr std::size_t kLongestName = 24;
/// Longest serial number, slot label or product name.
inline constexpr std::size_t kLongestLabel = 31;
inline constexpr const char* kNameRule = "letters, digits, '.', '_' and '-', at most 24";
inline constexpr const char* kLabelRule = "printable characters without '/', at most 31";

/// Ten thousand hours, the longest time of a scenario.
inline constexpr double kLongestSeconds = 3.6e7;
/// Slot Capabilities has 13 bits for it [PCIe 6.0, 7.5.3.9]; the highest ones are left to `count`.
inline constexpr int kHighestSlot = 8191 - kMaxFunctions;

/// Letters, digits, '.', '_' and '-', the first a letter or a digit: it becomes a file's name.
bool is_name(std::string_view text, std::size_t longest = kLongestName);

/// Printable ASCII without '/', and neither "." nor "..": it may become a file's name.
bool is_label(std::string_view text);

void read_name(TableReader& table, const char* key, std::string& out);
void read_decimal(TableReader& table, const char* key, double& out, double lowest, double highest);
void read_byte(TableReader& table, const char* key, std::uint8_t& out, int lowest, int highest);

/// One of the words; their number in the list.
std::optional<int> read_word(TableReader& table, const char* key,
                             const std::vector<std::string>& words, bool needed = false);

/// PCIe lanes of a link: 1, 2, 4, 8, 16.
void read_lanes(TableReader& table, const char* key, std::uint8_t& out);

/// A time as STEM_ms, STEM_s or STEM_minutes, in nanoseconds; nothing when none of them is there.
std::optional<std::int64_t> read_time_ns(TableReader& table, const std::string& stem,
                                         double lowest_ms);

}  // namespace linkburn::drill
