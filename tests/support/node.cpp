#include "tests/support/node.h"

#include <fmt/core.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "tests/support/tree.h"

namespace linkburn::test {

Node::Node(const std::string& tree, const std::vector<std::string>& overlays)
    : path_(dir_.path() + "/node") {
  std::vector<std::string> files;
  for (const std::string& overlay : overlays) files.push_back(node_file(overlay));
  const auto unpacked = unpack_tree(node_file(tree), files, path_);
  if (!unpacked) throw std::runtime_error(unpacked.error().line());
  auto root = Sysroot::open(path_);
  if (!root) throw std::runtime_error(root.error().line());
  root_.emplace(std::move(*root));
}

std::optional<std::string> captured_node(const std::string& name) {
  const char* folder = std::getenv("LINKBURN_CAPTURED_NODES");
  if (folder == nullptr) return std::nullopt;
  const std::string archive = fmt::format("{}/{}.tar.bz2", folder, name);
  if (!std::filesystem::exists(archive)) return std::nullopt;
  static const TempDir unpacked;  // once per test program
  const std::string target = unpacked.path() + "/" + name;
  if (!std::filesystem::exists(target)) {
    std::filesystem::create_directories(target);
    const std::string command =
        fmt::format("tar xjf '{}' -C '{}' --strip-components=1", archive, target);
    if (std::system(command.c_str()) != 0) return std::nullopt;
  }
  return target;
}

}  // namespace linkburn::test
