// Config space: any bytes are taken, and what comes out is within its bounds.
#include <cstdint>
#include <cstdlib>

#include "bench/inventory/config_space.h"

namespace {

using namespace linkburn;

void expect(bool holds) {
  if (!holds) std::abort();
}

bool is_width(const std::optional<LinkWidth>& width) {
  return !width || (width->lanes >= 0 && width->lanes <= 32);
}

bool is_speed(const std::optional<LinkSpeed>& speed) { return !speed || generation_of(*speed); }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const ConfigSpace space = decode_config_space(bytes);
  expect(is_width(space.width) && is_width(space.max_width));
  expect(is_speed(space.speed) && is_speed(space.max_speed));
  // Either there are registers, or it is said why not.
  expect(space.registers.has_value() == space.registers_absent.empty());
  expect(!space.has_link || space.registers);
  expect(!space.all_ones || !space.registers);
  if (!space.registers) return 0;
  const LinkRegisters& registers = *space.registers;
  expect(!registers.port_type.empty());
  expect(is_speed(registers.target_speed) && registers.supported_speeds.size() <= 7);
  expect(registers.max_payload_bytes.value_or(128) <= 4096);
  expect(registers.slot_number.value_or(0) <= 0x1fff);
  return 0;
}
