// Every name that a table looks up is one that the libraries of CUDA 12 and 13 export: by kept
// lists (names/*.txt), and by the real libraries where a toolkit is at hand.
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "kernels/function_table.h"
#include "kernels/libraries.h"

namespace linkburn {
namespace {

std::set<std::string> names_in(const std::string& list) {
  std::ifstream file(std::string(LINKBURN_NAME_LISTS) + "/" + list + ".txt");
  std::set<std::string> names;
  for (std::string line; std::getline(file, line);)
    if (!line.empty() && line.front() != '#') names.insert(line);
  return names;
}

void expect_listed(std::span<const TableEntry> entries, const std::string& library) {
  for (const std::string version : {"-12", "-13"}) {
    const std::set<std::string> names = names_in(library + version);
    for (const TableEntry& entry : entries)
      EXPECT_EQ(names.count(entry.name), 1U) << entry.name << " is not in " << library << version;
    EXPECT_EQ(names.size(), entries.size()) << library << version << " has names of no use";
  }
}

TEST(FunctionNames, AreThoseOfCuda12And13) {
  expect_listed(cuda::RuntimeTable::entries(), "cudart");
  expect_listed(cuda::DriverTable::entries(), "libcuda");
  expect_listed(nvml::NvmlTable::entries(), "nvml");
}

/// Nothing is missing in a library, optional functions included.
template <class Table>
void expect_complete(const std::string& file) {
  const auto library = open_library(file, real_clock());
  ASSERT_TRUE(library) << library.error().line();
  Table table;
  const auto without = load_table(*library, table);
  ASSERT_TRUE(without) << without.error().line();
  EXPECT_EQ(*without, std::vector<std::string>());
}

TEST(FunctionNames, AreInTheRealRuntime) {
  const std::string file = LINKBURN_TOOLKIT_CUDART;
  if (file.empty()) GTEST_SKIP() << "the build found no libcudart of a CUDA toolkit";
  expect_complete<cuda::RuntimeTable>(file);
}

TEST(FunctionNames, AreInTheToolkitsStubOfTheDriver) {
  const std::string file = LINKBURN_TOOLKIT_DRIVER_STUB;
  if (file.empty()) GTEST_SKIP() << "the build found no stubs/libcuda.so of a CUDA toolkit";
  expect_complete<cuda::DriverTable>(file);
}

TEST(FunctionNames, AreInTheDriverOfThisMachine) {
  if (!open_library("libnvidia-ml.so.1", real_clock())) GTEST_SKIP() << "no NVIDIA driver here";
  expect_complete<nvml::NvmlTable>("libnvidia-ml.so.1");
  expect_complete<cuda::DriverTable>("libcuda.so.1");
}

}  // namespace
}  // namespace linkburn
