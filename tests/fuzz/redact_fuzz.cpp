// Redaction: any bytes are taken as any kind of file, tables keep their length, and a second pass
// over what came out still takes it.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "bench/redact.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace linkburn;
  static const std::array<std::string, 6> kPaths{
      "sys/firmware/dmi/tables/DMI", "sys/devices/pci0000:00/0000:00:01.0/config",
      "linkburn/ethtool/eth0",       "linkburn/kmsg",
      "sys/class/net/eth0/address",  "sys/class/dmi/id/product_serial"};
  constexpr std::size_t kTables = 2;
  if (size == 0) return 0;
  const std::size_t which = data[0] % kPaths.size();
  const std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  ReadRecord record;
  record.file("proc/sys/kernel/hostname", bytes.substr(0, 16));
  record.file(kPaths[which], bytes);
  const ReadRecord once = redacted(record);
  const std::string& out = once.files().at(kPaths[which]);
  if (which < kTables && out.size() != bytes.size()) std::abort();
  if (redacted(once).files().size() != record.files().size()) std::abort();
  if (parse_kept_errors(to_text(parse_kept_errors(bytes))).size() > bytes.size()) std::abort();
  return 0;
}
