#include "tests/support/tree.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/support/temp_dir.h"

namespace linkburn::test {
namespace {

namespace fs = std::filesystem;

std::string read(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

class Trees : public testing::Test {
 protected:
  /// Unpacks a tree of these lines, changed by an overlay of those, in place of an earlier one.
  Status unpack(const std::string& tree, const std::string& overlay = "# nothing\n") {
    fs::remove_all(target());
    return unpack_tree(dir_.write("a.tree", tree), {dir_.write("an.overlay", overlay)}, target());
  }
  std::string target() const { return dir_.path() + "/node"; }
  std::string at(const std::string& path) const { return target() + "/" + path; }

  TempDir dir_;
};

TEST_F(Trees, FilesLinksAndDirectories) {
  ASSERT_TRUE(
      unpack("# a comment\n"
             "\n"
             "sys/class = 0x030200\n"
             "  sys/indented = 1\n"
             "sys/link -> ../other place/file\n"
             "sys/slots/\n"));
  EXPECT_EQ(read(at("sys/class")), "0x030200\n");
  EXPECT_EQ(read(at("sys/indented")), "1\n");
  EXPECT_EQ(fs::read_symlink(at("sys/link")), "../other place/file");
  EXPECT_TRUE(fs::is_directory(at("sys/slots")));
}

TEST_F(Trees, FilesOfBytesAndPatchesOfThem) {
  ASSERT_TRUE(unpack("config =x 86 80 00*3 FF\n", "config =x@1 0a\nempty =x\ntext = a =x 00\n"));
  EXPECT_EQ(read(at("config")), std::string("\x86\x0a\0\0\0\xff", 6));
  EXPECT_EQ(read(at("empty")), "");
  EXPECT_EQ(read(at("text")), "a =x 00\n");
}

TEST_F(Trees, BytesThatAreNoneAreAnError) {
  for (const char* line : {"config =x 8", "config =x 0x86", "config =x 86*0", "config =x 86*x",
                           "config =x -1", "config =x 86, 80", "config =x@0 86", "config =xx 86"})
    EXPECT_FALSE(unpack(std::string(line) + "\n")) << line;
  EXPECT_FALSE(unpack("config =x 86 80\n", "config =x@1 00 00\n"));
  EXPECT_FALSE(unpack("config =x 86 80\n", "config =x@-1 00\n"));
  EXPECT_FALSE(unpack("config/\n", "config =x@0 00\n"));
}

TEST_F(Trees, EscapesAndEmptyFiles) {
  ASSERT_TRUE(unpack(R"(two = a 1\nb 2)"
                     "\n"
                     R"(backslash = a\\nb)"
                     "\n"
                     "equals = a = b -> c\n"
                     "empty =\n"));
  EXPECT_EQ(read(at("two")), "a 1\nb 2\n");
  EXPECT_EQ(read(at("backslash")), "a\\nb\n");
  EXPECT_EQ(read(at("equals")), "a = b -> c\n");
  EXPECT_EQ(read(at("empty")), "");
  EXPECT_FALSE(unpack(R"(bad = a\tb)"));
  EXPECT_FALSE(unpack("bad = a\\"));
}

TEST_F(Trees, LaterLinesAndOverlaysOverride) {
  ASSERT_TRUE(unpack("width = 16\nspeed = 8 GT/s\nspeed = 16 GT/s\n", "width = 8\nnew = 1\n"));
  EXPECT_EQ(read(at("width")), "8\n");
  EXPECT_EQ(read(at("speed")), "16 GT/s\n");
  EXPECT_EQ(read(at("new")), "1\n");
}

TEST_F(Trees, RemovalTakesAllBelowAndNothingBeside) {
  ASSERT_TRUE(
      unpack("d/gpu/width = 16\nd/gpu/power/status = on\nd/gpu0 = 1\nd/gpu-1 = 1\n", "!d/gpu\n"));
  EXPECT_FALSE(fs::exists(at("d/gpu")));
  EXPECT_TRUE(fs::exists(at("d/gpu0")));
  EXPECT_TRUE(fs::exists(at("d/gpu-1")));
}

TEST_F(Trees, DirectoryStaysWhenItsLastEntryGoes) {
  ASSERT_TRUE(unpack("slots/1 = a\n", "!slots/1\n"));
  EXPECT_TRUE(fs::is_directory(at("slots")));
}

TEST_F(Trees, RemovalOfNothingIsAnError) {
  const Status status = unpack("width = 16\n", "# typing error\n!widht\n");
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().source.find("an.overlay:2"), std::string::npos) << status.error().line();
}

TEST_F(Trees, InAppliesToAllPathsUntilItEnds) {
  ASSERT_TRUE(
      unpack("@in sys/gpu\nwidth = 16\nspeed = 8\n!speed\nlink -> width\n@in /\ntop = 1\n"));
  EXPECT_EQ(read(at("sys/gpu/width")), "16\n");
  EXPECT_EQ(read(at("sys/gpu/link")), "16\n");
  EXPECT_FALSE(fs::exists(at("sys/gpu/speed")));
  EXPECT_EQ(read(at("top")), "1\n");
}

TEST_F(Trees, IncludeTakesThePrefixAndGivesItBack) {
  dir_.write("parts/link.part", "width = 16\nspeed = 8\n@in /\ntop = 1\n");
  ASSERT_TRUE(unpack("@in gpu\n@include parts/link.part\nwidth = 4\nlast = 1\n"));
  EXPECT_EQ(read(at("gpu/width")), "4\n");
  EXPECT_EQ(read(at("gpu/last")), "1\n");
  EXPECT_EQ(read(at("gpu/speed")), "8\n");
  EXPECT_EQ(read(at("top")), "1\n");
  EXPECT_FALSE(unpack("@include not-there.part\n"));
  EXPECT_FALSE(unpack("@include a.tree\n")) << "a file that includes itself";
}

TEST_F(Trees, ModeOfAFile) {
  ASSERT_TRUE(unpack("secret = 1\n", "secret ! mode 400\n"));
  struct stat entry {};
  ASSERT_EQ(::stat(at("secret").c_str(), &entry), 0);
  EXPECT_EQ(entry.st_mode & 0777, 0400U);
  EXPECT_FALSE(unpack("folder/\nfolder ! mode 000\n"));
  EXPECT_FALSE(unpack("absent ! mode 000\n"));
  EXPECT_FALSE(unpack("secret = 1\nsecret ! mode 900\n"));
}

TEST_F(Trees, NothingLeavesTheTarget) {
  for (const char* line :
       {"../out = 1\n", "a/../../out = 1\n", "/out = 1\n", "a//b = 1\n", "./a = 1\n", "a/.. -> b\n",
        "../out/\n", "/ = 1\n", "@in ../x\n", "@in /tmp\n", "up -> ..\nup/out = 1\n"})
    EXPECT_FALSE(unpack(line)) << line;
  EXPECT_FALSE(fs::exists(dir_.path() + "/out"));
}

TEST_F(Trees, ContradictionsAreErrors) {
  for (const char* lines : {"a = 1\na/b = 1\n", "a/b = 1\na = 1\n", "a/b = 1\na -> c\n", "plain\n",
                            "a ->\n", "@unknown x\n"})
    EXPECT_FALSE(unpack(lines)) << lines;
}

TEST_F(Trees, TargetMustBeEmpty) {
  dir_.write("node/old", "1");
  const Status status = unpack_tree(dir_.write("a.tree", "a = 1\n"), {}, target());
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Code::busy);
}

/// Every tree that is shipped unpacks, and all its links lead to something.
TEST(ShippedTrees, AreWhole) {
  for (const char* name :
       {"pair.tree", "aurora-like.tree", "partial.tree", "nolinks.tree", "switch8.tree"}) {
    SCOPED_TRACE(name);
    const TempDir dir;
    const Status status = unpack_tree(node_file(name), {}, dir.path());
    ASSERT_TRUE(status) << status.error().line();
    int links = 0;
    for (const auto& entry : fs::recursive_directory_iterator(dir.path())) {
      if (!entry.is_symlink()) continue;
      ++links;
      EXPECT_TRUE(fs::is_directory(entry.path())) << entry.path();
    }
    EXPECT_GT(links, 0);
  }
}

TEST(ShippedTrees, OverlaysApplyToThePair) {
  int overlays = 0;
  for (const auto& file : fs::directory_iterator(fs::path(node_file("pair.tree")).parent_path())) {
    if (file.path().extension() != ".overlay") continue;
    ++overlays;
    const TempDir dir;
    const Status status = unpack_tree(node_file("pair.tree"), {file.path().string()}, dir.path());
    EXPECT_TRUE(status) << status.error().line();
  }
  EXPECT_GE(overlays, 11);
}

TEST(ShippedTrees, Switch8HasTheDevicesItClaims) {
  const TempDir dir;
  ASSERT_TRUE(unpack_tree(node_file("switch8.tree"), {}, dir.path()));
  std::map<std::string, int> classes;
  for (const auto& device : fs::directory_iterator(dir.path() + "/sys/bus/pci/devices"))
    ++classes[read((device.path() / "class").string())];
  EXPECT_EQ(classes["0x030200\n"], 8);
  EXPECT_EQ(classes["0x020700\n"], 8);
  EXPECT_EQ(classes["0x020000\n"], 2);
  EXPECT_EQ(classes["0x010802\n"], 12);
}

}  // namespace
}  // namespace linkburn::test
