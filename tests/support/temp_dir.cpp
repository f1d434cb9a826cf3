#include "tests/support/temp_dir.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace linkburn::test {

TempDir::TempDir() {
  std::string pattern = (std::filesystem::temp_directory_path() / "linkburn-test-XXXXXX").string();
  path_ = ::mkdtemp(pattern.data()) == nullptr ? "" : pattern;
}

TempDir::~TempDir() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

std::string TempDir::write(std::string_view name, std::string_view text) const {
  const auto file = std::filesystem::path(path_) / name;
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
  return file.string();
}

}  // namespace linkburn::test
