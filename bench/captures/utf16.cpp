#include "bench/captures/utf16.h"

#include <algorithm>

namespace linkburn {
namespace {

constexpr unsigned kMark = 0xfeff;
constexpr unsigned kNoCharacter = 0xfffd;

/// [RFC 3629, section 3]
void append_utf8(unsigned code, std::string& out) {
  const auto tail = [&](unsigned shift) {
    out.push_back(static_cast<char>(0x80U | ((code >> shift) & 0x3fU)));
  };
  if (code < 0x80) {
    out.push_back(static_cast<char>(code));
  } else if (code < 0x800) {
    out.push_back(static_cast<char>(0xc0U | (code >> 6)));
    tail(0);
  } else if (code < 0x10000) {
    out.push_back(static_cast<char>(0xe0U | (code >> 12)));
    tail(6), tail(0);
  } else {
    out.push_back(static_cast<char>(0xf0U | (code >> 18)));
    tail(12), tail(6), tail(0);
  }
}

/// Without a mark, text is told by the zeros in each of its first characters.
std::optional<Utf16Decoder::Order> order_of_ascii(std::string_view begin) {
  constexpr std::size_t kFewest = 16, kMost = 64;
  if (begin.size() < kFewest) return std::nullopt;
  const std::size_t size = std::min(begin.size(), kMost) & ~std::size_t{1};
  bool little = true, big = true;
  for (std::size_t at = 0; at < size; at += 2) {
    const bool first = begin[at] == '\0', second = begin[at + 1] == '\0';
    little = little && !first && second;
    big = big && first && !second;
  }
  if (little) return Utf16Decoder::Order::little;
  return big ? std::optional(Utf16Decoder::Order::big) : std::nullopt;
}

}  // namespace

std::optional<Utf16Decoder::Order> Utf16Decoder::order_of(std::string_view begin) {
  if (begin.starts_with("\xff\xfe")) return Order::little;
  if (begin.starts_with("\xfe\xff")) return Order::big;
  return order_of_ascii(begin);
}

void Utf16Decoder::decode(std::string_view bytes, std::string& out) {
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (!half_) {
      half_ = byte;
      continue;
    }
    const unsigned first = *half_, second = byte;
    half_.reset();
    take_unit(order_ == Order::little ? first | (second << 8) : (first << 8) | second, out);
  }
}

/// Pairs as in [RFC 2781, section 2.2].
void Utf16Decoder::take_unit(unsigned unit, std::string& out) {
  const bool is_high = unit >= 0xd800 && unit < 0xdc00;
  const bool is_low = unit >= 0xdc00 && unit < 0xe000;
  if (high_ && is_low) {
    append_utf8(0x10000 + ((*high_ - 0xd800) << 10) + (unit - 0xdc00), out);
    high_.reset();
    return;
  }
  if (high_) append_utf8(kNoCharacter, out);
  high_.reset();
  if (is_high)
    high_ = unit;
  else if (unit != kMark)
    append_utf8(is_low ? kNoCharacter : unit, out);
}

}  // namespace linkburn
