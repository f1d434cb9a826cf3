// Any bytes as an archive, or as a text: they are read, discovered and put together without a
// crash, and within the limits.
#include <cstdint>
#include <string_view>

#include "bench/captures/assemble.h"
#include "bench/captures/open.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace linkburn;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto captured = read_capture_bytes(bytes, "fuzz");
  if (!captured) return 0;
  for (const NodeDraft& node : captured->nodes) {
    const Inventory inventory = assemble(node);
    (void)to_records(inventory);
    (void)other_records(node, inventory);
  }
  return 0;
}
