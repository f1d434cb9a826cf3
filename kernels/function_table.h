// Turns a list of functions (runtime_functions.h) into a struct of function pointers with their own
// names, and fills it from a library. A list is expanded inside the namespace of its types.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "bench/base/library.h"
#include "bench/base/result.h"

#define LINKBURN_TABLE_MEMBER(name, result, parameters) result(*name) parameters = nullptr;

#define LINKBURN_TABLE_ENTRY_NEEDED(name, result, parameters) {#name, true},
#define LINKBURN_TABLE_ENTRY_OPTIONAL(name, result, parameters) {#name, false},

namespace linkburn {

/// One function of a table: the name that the library exports, and whether we can do without.
struct TableEntry {
  const char* name;
  bool needed;
};

/// Writes the address of each name, in order, to `slots`; null where an optional one is missing,
/// and those names are returned. The first needed name that is missing is the Error.
Result<std::vector<std::string>> look_up(const LibraryHandle& library,
                                         std::span<const TableEntry> entries, void* slots);

/// Fills a table (RuntimeTable, DriverTable, NvmlTable); returns the optional names it went
/// without.
template <class Table>
Result<std::vector<std::string>> load_table(const LibraryHandle& library, Table& table) {
  // The table is nothing but its pointers, in the order of the list.
  check(sizeof(Table) == Table::entries().size() * sizeof(void*), "a table and its list differ");
  return look_up(library, Table::entries(), &table);
}

}  // namespace linkburn
