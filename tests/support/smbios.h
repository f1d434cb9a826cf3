// SMBIOS structures as bytes, for tables in tests.
#pragma once

#include <string>
#include <vector>

namespace linkburn::test {

/// One structure: type, the bytes behind its handle, its strings.
inline std::string smbios_structure(int type, const std::vector<int>& bytes,
                                    const std::vector<std::string>& strings) {
  std::string out{static_cast<char>(type), static_cast<char>(4 + bytes.size()), 0x11, 0x22};
  for (const int byte : bytes) out += static_cast<char>(byte);
  for (const std::string& text : strings) out += text + '\0';
  if (strings.empty()) out += '\0';
  return out + '\0';
}

/// A slot, type 9, in use (4) or available (3), whose address has a bus and a device with function.
inline std::string smbios_slot(const std::string& designation, int id, int bus, int place,
                               int usage = 4, int segment = 0) {
  return smbios_structure(9,
                          {1, 0xb6, 13, usage, 4, id & 0xff, id >> 8, 0x04, 0x01, segment & 0xff,
                           segment >> 8, bus, place},
                          {designation});
}

}  // namespace linkburn::test
