#include "kernels/function_table.h"

#include <dlfcn.h>

#include <cstring>

#include "kernels/driver.h"
#include "kernels/nvml.h"
#include "kernels/runtime.h"

namespace linkburn {

Result<std::vector<std::string>> look_up(const LibraryHandle& library,
                                         std::span<const TableEntry> entries, void* slots) {
  std::vector<std::string> missing;
  auto* slot = static_cast<std::byte*>(slots);
  for (const TableEntry& entry : entries) {
    void* address = ::dlsym(library.handle, entry.name);
    if (address == nullptr && entry.needed)
      return Error{Code::not_found, std::string("has no function ") + entry.name, library.path,
                   "install a newer version of it"};
    if (address == nullptr) missing.emplace_back(entry.name);
    std::memcpy(slot, &address, sizeof address);
    slot += sizeof address;
  }
  return missing;
}

std::span<const TableEntry> cuda::RuntimeTable::entries() {
  static constexpr TableEntry kEntries[] = {
      LINKBURN_RUNTIME_FUNCTIONS(LINKBURN_TABLE_ENTRY_NEEDED, LINKBURN_TABLE_ENTRY_OPTIONAL)};
  return kEntries;
}

std::span<const TableEntry> cuda::DriverTable::entries() {
  static constexpr TableEntry kEntries[] = {
      LINKBURN_DRIVER_FUNCTIONS(LINKBURN_TABLE_ENTRY_NEEDED, LINKBURN_TABLE_ENTRY_OPTIONAL)};
  return kEntries;
}

std::span<const TableEntry> nvml::NvmlTable::entries() {
  static constexpr TableEntry kEntries[] = {
      LINKBURN_NVML_FUNCTIONS(LINKBURN_TABLE_ENTRY_NEEDED, LINKBURN_TABLE_ENTRY_OPTIONAL)};
  return kEntries;
}

}  // namespace linkburn
