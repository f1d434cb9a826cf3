// A shipped node tree, unpacked for one test, and the captured machines where they are at hand.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/base/sysroot.h"
#include "tests/support/temp_dir.h"

namespace linkburn::test {

class Node {
 public:
  explicit Node(const std::string& tree, const std::vector<std::string>& overlays = {});

  const Sysroot& root() const { return *root_; }
  const std::string& path() const { return path_; }

 private:
  TempDir dir_;
  std::string path_;
  std::optional<Sysroot> root_;
};

/// Unpacks NAME.tar.bz2 of the folder that LINKBURN_CAPTURED_NODES names; nothing when it is not
/// there.
std::optional<std::string> captured_node(const std::string& name);

}  // namespace linkburn::test
