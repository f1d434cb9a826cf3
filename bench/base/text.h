// Small pure helpers over text that came from outside. None of them throws or depends on a locale.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace linkburn {

/// Without leading and trailing white space (and NUL bytes, which some drivers append).
std::string_view trim(std::string_view text);

/// The lines of a text, without their newlines; a last line without newline counts.
std::vector<std::string_view> lines_of(std::string_view text);

/// The words of a text, separated by blanks and tabs.
std::vector<std::string_view> words_of(std::string_view text);

/// The whole trimmed text as an integer (base 10, or 16 with or without 0x); nothing on any rest.
std::optional<std::int64_t> parse_int(std::string_view text, int base = 10);

/// The decimal number at the start of a text, whatever follows it.
std::optional<double> leading_number(std::string_view text);

/// "0-3,8" as {0,1,2,3,8} [linux Documentation/admin-guide/cputopology.rst]; nothing when malformed
/// or when it names more than 65536 numbers.
std::optional<std::vector<int>> parse_list(std::string_view text);

/// Printable UTF-8 of at most `max_bytes`: control characters and invalid bytes become '?'.
std::string printable(std::string_view text, std::size_t max_bytes = 4096);

/// The candidate closest to `word` by edit distance, if it is close enough to be a typing error.
std::optional<std::string> nearest(std::string_view word,
                                   const std::vector<std::string>& candidates);

}  // namespace linkburn
