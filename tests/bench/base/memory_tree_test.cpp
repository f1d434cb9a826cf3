#include "bench/base/memory_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/base/sysroot.h"

namespace linkburn {
namespace {

using testing::ElementsAre;

Sysroot root_of(MemoryTree tree) {
  return Sysroot::of(std::make_shared<const MemoryTree>(std::move(tree)), "bug.tgz");
}

Sysroot node() {
  MemoryTree tree;
  EXPECT_TRUE(tree.put_file("sys/devices/pci0000:00/gpu/width", "16\n"));
  EXPECT_TRUE(tree.put_file("./sys//devices/pci0000:00/gpu/config", std::string("\x01\0\x02", 3)));
  EXPECT_TRUE(tree.put_link("sys/bus/gpu", "../devices/pci0000:00/gpu"));
  EXPECT_TRUE(tree.put_link("sys/absolute", "/sys/bus/gpu/width"));
  EXPECT_TRUE(tree.put_link("sys/outside", "../../../../etc/passwd"));
  EXPECT_TRUE(tree.put_link("sys/loop", "loop"));
  EXPECT_TRUE(tree.put_folder("sys/empty"));
  return root_of(std::move(tree));
}

std::optional<Code> refusal(const Sysroot& root, const char* path) {
  const auto text = root.read(path);
  return text ? std::nullopt : std::optional(text.error().code);
}

TEST(MemoryTree, IsReadLikeATreeOnDisk) {
  const Sysroot root = node();
  EXPECT_FALSE(root.live());
  EXPECT_EQ(root.read_line("/sys/bus/gpu/width").value(), "16");
  EXPECT_EQ(root.read_line("sys/absolute").value(), "16");
  EXPECT_EQ(root.resolve("sys/bus/gpu").value(), "sys/devices/pci0000:00/gpu");
  EXPECT_THAT(root.list("sys").value(),
              ElementsAre("absolute", "bus", "devices", "empty", "loop", "outside"));
  const Sysroot below = root.below("sys/bus/gpu").value();
  EXPECT_EQ(below.read_line("width").value(), "16");
  EXPECT_EQ(root.below("sys/bus").value().link_target("gpu").value(), "../devices/pci0000:00/gpu");
  EXPECT_FALSE(below.link_target("width"));
}

TEST(MemoryTree, GivesPartsOfFiles) {
  const Sysroot folder = node().below("sys/bus/gpu").value();
  const auto file = folder.open_file("config");
  ASSERT_TRUE(file);
  EXPECT_EQ(folder.read_part(*file, "config", 1, 8).value(), std::string("\0\x02", 2));
}

TEST(MemoryTree, IsNeverLeft) {
  const Sysroot root = node();
  EXPECT_EQ(refusal(root, "sys/outside"), Code::not_found);
  EXPECT_NE(refusal(root, "sys/loop"), std::nullopt);
  EXPECT_EQ(refusal(root, "sys/absent"), Code::not_found);
  EXPECT_EQ(refusal(root, "sys/empty"), Code::invalid) << "a directory is no file";
  EXPECT_FALSE(root.list("sys/absolute"));
  EXPECT_EQ(root.read("sys/absolute", 2).error().code, Code::invalid) << "longer than asked for";
}

TEST(MemoryTree, RefusesWhatHasNoPlaceAndKeepsTheFirst) {
  MemoryTree tree;
  EXPECT_FALSE(tree.put_file("sys/../etc/passwd", "x"));
  EXPECT_FALSE(tree.put_file("", "x"));
  EXPECT_TRUE(tree.put_file("sys/a", "first"));
  EXPECT_TRUE(tree.put_file("sys/a", "second"));
  EXPECT_FALSE(tree.put_file("sys/a/b", "below a file"));
  EXPECT_EQ(tree.find("sys/a")->text, "first");
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += "d/";
  EXPECT_FALSE(tree.put_file(deep, "x"));
}

TEST(MemoryTree, IsBounded) {
  MemoryTree tree;
  EXPECT_TRUE(tree.put_file("a", std::string(MemoryTree::kMaxBytes / 2, 'x')));
  EXPECT_FALSE(tree.full());
  EXPECT_FALSE(tree.put_file("b", std::string(MemoryTree::kMaxBytes / 2, 'x')));
  EXPECT_TRUE(tree.full());
  EXPECT_LE(tree.bytes(), MemoryTree::kMaxBytes);
}

TEST(MemoryTree, GivesTheErrorsThatTheNodeGave) {
  MemoryTree tree;
  tree.put_file("sys/speed", "");
  tree.put_file("linkburn/errors", "sys/speed\tio\tcannot read: Input/output error\t\n");
  const auto text = root_of(std::move(tree)).read("sys/speed");
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, Code::io);
}

}  // namespace
}  // namespace linkburn
