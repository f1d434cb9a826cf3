// What the compilers made of the kernels, against what the program believes of them. The build
// names the PTX of each compiler that it found, and the assembler of the toolkit.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "bench/base/text.h"
#include "kernels/image.h"
#include "kernels/kernel_list.h"
#include "kernels/twins.h"

namespace linkburn {
namespace {

std::vector<std::string_view> ptx_files() { return words_of(LINKBURN_PTX_FILES); }

std::string text_of(std::string_view file) {
  std::ostringstream text;
  text << std::ifstream(std::string(file)).rdbuf();
  return text.str();
}

using Sizes = std::vector<std::uint32_t>;

// ".param .u64 gate_param_0," or ".param .u64 .ptr .align 1 gate_param_0" [PTX ISA, .param].
std::uint32_t parameter_bytes(std::string_view line) {
  const std::string_view type = words_of(line).at(1);
  return static_cast<std::uint32_t>(parse_int(type.substr(2)).value_or(0)) / 8;
}

std::map<std::string, Sizes> entries_of(const std::string& ptx) {
  std::map<std::string, Sizes> entries;
  Sizes* open = nullptr;
  for (std::string_view line : lines_of(ptx)) {
    line = trim(line);
    if (line.starts_with(".visible .entry ")) {
      const std::string_view name = words_of(line).at(2);
      open = &entries[std::string(name.substr(0, name.find('(')))];
    } else if (line.starts_with(')')) {
      open = nullptr;
    } else if (open != nullptr && line.starts_with(".param ")) {
      open->push_back(parameter_bytes(line));
    }
  }
  return entries;
}

Sizes sizes_of(std::span<const KernelArgument> arguments) {
  Sizes sizes;
  for (const KernelArgument& argument : arguments) sizes.push_back(argument.bytes);
  return sizes;
}

TEST(CompiledKernels, TakeTheArgumentsThatTheirDeclarationsSay) {
  if (ptx_files().empty()) GTEST_SKIP() << "neither nvcc nor clang was there to make PTX";
  std::map<std::string, Sizes> declared;
  for (const DeclaredKernel& kernel : declared_kernels())
    declared[std::string(kernel.name)] = sizes_of(kernel.arguments);
  for (const std::string_view file : ptx_files()) EXPECT_EQ(entries_of(text_of(file)), declared);
}

TEST(CompiledKernels, OfClangAreAcceptedByTheAssemblerForEveryArchitecture) {
  if (ptx_files().empty()) GTEST_SKIP() << "neither nvcc nor clang was there to make PTX";
  const std::string_view ptxas = LINKBURN_PTXAS;
  if (ptxas.empty()) GTEST_SKIP() << "no ptxas here";
  for (const std::string_view file : ptx_files()) {
    if (!file.ends_with("clang.ptx")) continue;  // nvcc has an assembler behind it
    for (const int sm : {75, 90, 120}) {
      const std::string command =
          fmt::format("'{}' -O0 -arch=sm_{} '{}' -o /dev/null", ptxas, sm, file);
      EXPECT_EQ(std::system(command.c_str()), 0) << command;
    }
  }
}

TEST(CompiledKernels, AreInThisProgramWhereACompilerWasFound) {
  const KernelImage image = kernel_image();
  EXPECT_EQ(image.bytes.empty(), image.made.empty());
  if (image.bytes.empty()) GTEST_SKIP() << "built without kernels";
  EXPECT_EQ(image.bytes.data()[image.bytes.size()], '\0');
  if (image.made.starts_with("PTX"))
    EXPECT_THAT(image.bytes, testing::HasSubstr(".visible .entry pattern_fill("));
  else  // magic number of a fatbin [fatbinary_section.h, nvcc]
    EXPECT_EQ(image.bytes.substr(0, 4), "\x50\xed\x55\xba");
}

TEST(DeclaredKernels, TakeTheArgumentsOfTheirTwins) {
  EXPECT_EQ(declared_kernels().size(), twins().size());
  for (const DeclaredKernel& kernel : declared_kernels()) {
    const Twin* twin = find_twin(kernel.name);
    ASSERT_NE(twin, nullptr) << kernel.name;
    EXPECT_TRUE(std::ranges::equal(kernel.arguments, twin->arguments)) << kernel.name;
  }
}

}  // namespace
}  // namespace linkburn
