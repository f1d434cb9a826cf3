// Text from kernel files: no input may crash a parser, and what they accept must hold.
#include <cstdint>
#include <cstdlib>

#include "bench/base/component.h"
#include "bench/base/text.h"
#include "bench/base/units.h"

namespace {

void expect(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace linkburn;
  const std::string_view text(reinterpret_cast<const char*>(data), size);

  const std::string shown = printable(text, 64);
  expect(shown.size() <= 64);
  expect(printable(shown, 64) == shown);

  if (const auto address = parse_pci_address(text))
    expect(parse_pci_address(to_string(*address)) == address);
  if (const auto speed = parse_link_speed(text)) expect(speed->mts >= 0);
  if (const auto numbers = parse_list(text)) expect(numbers->size() <= 65536);
  if (const auto number = leading_number(text)) expect(*number == *number);
  parse_int(text);
  parse_int(text, 16);
  for (const std::string_view line : lines_of(text)) expect(line.find('\n') == line.npos);
  for (const std::string_view word : words_of(text)) expect(!word.empty());
  return 0;
}
