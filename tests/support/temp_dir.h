// A directory of its own for one test, gone when the test ends.
#pragma once

#include <string>
#include <string_view>

namespace linkburn::test {

class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::string& path() const { return path_; }

  /// Writes a file below the directory, making its folders; returns its full path.
  std::string write(std::string_view name, std::string_view text) const;

 private:
  std::string path_;
};

}  // namespace linkburn::test
