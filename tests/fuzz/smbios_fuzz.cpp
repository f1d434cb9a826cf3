// SMBIOS tables: any bytes are taken, and names and addresses that come out are in their shape.
#include <cstdint>
#include <cstdlib>

#include "bench/inventory/slots.h"
#include "bench/inventory/smbios.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace linkburn;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const SmbiosTable table = parse_smbios(bytes);
  const auto is_address = [](const PciAddress& a) { return a.device < 32 && a.function < 8; };
  for (const SmbiosSlot& slot : table.slots) {
    if (slot.designation.size() > 64) std::abort();
    if (slot_number_in(slot.designation).value_or(0) < 0) std::abort();
    for (const PciAddress& address : slot.addresses)
      if (!is_address(address)) std::abort();
  }
  for (const SmbiosOnboard& device : table.onboard)
    if (!is_address(device.address)) std::abort();
  if (slot_number_in(bytes).value_or(0) < 0) std::abort();
  return 0;
}
