// Texts of Windows: UTF-16 with a byte order mark, decoded piece by piece.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace linkburn {

class Utf16Decoder {
 public:
  /// Which order a text has, by its first bytes; nothing: it is no UTF-16.
  enum class Order { little, big };
  static std::optional<Order> order_of(std::string_view begin);

  explicit Utf16Decoder(Order order) : order_(order) {}

  /// Appends UTF-8. What is no character becomes U+FFFD; the mark itself gives nothing. Halves of a
  /// unit and of a pair wait for the next piece.
  void decode(std::string_view bytes, std::string& out);

 private:
  void take_unit(unsigned unit, std::string& out);

  Order order_;
  std::optional<unsigned char> half_;
  std::optional<unsigned> high_;  ///< first of a pair
};

}  // namespace linkburn
