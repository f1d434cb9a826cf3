// tree_unpack DIRECTORY TREE [OVERLAY...]: a node tree for tests written in shell.
// TREE and OVERLAY are names in tests/nodes ("pair.tree") or paths with a slash.
#include <cstdio>

#include "tests/support/tree.h"

int main(int argc, char** argv) {
  using linkburn::test::node_file;
  if (argc < 3) {
    std::fputs("usage: tree_unpack DIRECTORY TREE [OVERLAY...]\n", stderr);
    return 2;
  }
  std::vector<std::string> overlays;
  for (int i = 3; i < argc; ++i) overlays.push_back(node_file(argv[i]));
  const auto status = linkburn::test::unpack_tree(node_file(argv[2]), overlays, argv[1]);
  if (status) return 0;
  std::fprintf(stderr, "tree_unpack: %s\n", status.error().line().c_str());
  return 1;
}
