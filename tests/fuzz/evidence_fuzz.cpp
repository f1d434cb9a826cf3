// Evidence files: any bytes may come in, and a record that was read is written the same way again.
#include <cstdint>
#include <cstdlib>

#include "report/evidence/codec.h"
#include "report/evidence/reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace linkburn;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto evidence = parse_evidence(text, "input");
  if (!evidence) return 0;
  for (const Record& record : evidence->records) {
    const std::string line = encode(record);
    const auto again = decode(line);
    if (!again || encode(*again) != line) std::abort();
  }
  return 0;
}
