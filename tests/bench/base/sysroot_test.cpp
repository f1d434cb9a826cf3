#include "bench/base/sysroot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "tests/support/as_nobody.h"
#include "tests/support/temp_dir.h"

namespace linkburn {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

/// A tree in `tree/` of a directory that also holds things outside of it.
class SysrootTest : public testing::Test {
 protected:
  SysrootTest() {
    dir_.write("outside", "secret");
    dir_.write("tree/sys/devices/gpu/width", "16\n");
    dir_.write("tree/sys/devices/gpu/vendor", " 0x10de\n");
    fs::create_directories(path("sys/bus"));
    link("../devices/gpu", "sys/bus/gpu");
  }

  std::string path(const std::string& name) const { return dir_.path() + "/tree/" + name; }
  void link(const std::string& target, const std::string& name) const {
    fs::create_symlink(target, path(name));
  }
  Sysroot root() const { return Sysroot::open(dir_.path() + "/tree").value(); }

  /// The code of the error that reading gives; nothing when it succeeds.
  std::optional<Code> refusal(const std::string& name) const {
    const auto text = root().read(name);
    return text ? std::nullopt : std::optional(text.error().code);
  }

  test::TempDir dir_;
};

TEST_F(SysrootTest, ReadsWholeFilesAndTrimmedLines) {
  EXPECT_EQ(root().read("sys/devices/gpu/vendor").value(), " 0x10de\n");
  EXPECT_EQ(root().read_line("sys/devices/gpu/vendor").value(), "0x10de");
  EXPECT_EQ(root().read("/sys/devices/gpu/width").value(), "16\n") << "a leading slash is the root";
  EXPECT_EQ(root().read("sys//devices/./gpu/width").value(), "16\n");
}

TEST_F(SysrootTest, MissingFilesAreNotFoundAndNamed) {
  const auto text = root().read("sys/devices/gpu/absent");
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, Code::not_found);
  EXPECT_EQ(text.error().source, "/sys/devices/gpu/absent");
  EXPECT_EQ(refusal("sys/devices/gpu/width/below"), Code::not_found) << "a file is no directory";
}

TEST_F(SysrootTest, ReadsWhatALinkSays) {
  link("../../../bus/pci/drivers/nvidia", "sys/devices/gpu/driver");
  const auto gpu = root().below("sys/devices/gpu");
  ASSERT_TRUE(gpu);
  EXPECT_EQ(gpu->link_target("driver").value(), "../../../bus/pci/drivers/nvidia")
      << "the target need not be there";
  EXPECT_EQ(gpu->link_target("absent").error().code, Code::not_found);
  for (const char* name : {"", "vendor", "..", "../../bus/gpu"})
    EXPECT_EQ(gpu->link_target(name).error().code, Code::invalid) << name;
}

TEST_F(SysrootTest, FollowsLinksInside) {
  EXPECT_EQ(root().read_line("sys/bus/gpu/width").value(), "16");
  EXPECT_EQ(root().resolve("sys/bus/gpu").value(), "sys/devices/gpu");
  EXPECT_EQ(root().resolve("sys/bus/gpu/../gpu/width").value(), "sys/devices/gpu/width");
}

TEST_F(SysrootTest, DotDotStopsAtTheRoot) {
  EXPECT_EQ(refusal("../outside"), Code::not_found);
  EXPECT_EQ(refusal("sys/../../../outside"), Code::not_found);
  EXPECT_EQ(root().read_line("../../sys/devices/gpu/width").value(), "16");
}

TEST_F(SysrootTest, LinksCannotLeadOutside) {
  link("../outside", "up");
  link("../../../outside", "sys/bus/up");
  link("..", "parent");
  EXPECT_EQ(refusal("up"), Code::not_found);
  EXPECT_EQ(refusal("sys/bus/up"), Code::not_found);
  EXPECT_EQ(refusal("parent/outside"), Code::not_found);
}

TEST_F(SysrootTest, AbsoluteLinksStartAtTheTree) {
  link("/sys/devices/gpu", "sys/bus/absolute");
  link(dir_.path() + "/outside", "sys/bus/host");
  EXPECT_EQ(root().read_line("sys/bus/absolute/width").value(), "16");
  EXPECT_EQ(root().resolve("sys/bus/absolute").value(), "sys/devices/gpu");
  EXPECT_EQ(refusal("sys/bus/host"), Code::not_found);
}

TEST_F(SysrootTest, LoopsOfLinksEnd) {
  link("b", "a");
  link("a", "b");
  link("self/x", "self");
  EXPECT_EQ(refusal("a"), Code::invalid);
  EXPECT_EQ(refusal("self"), Code::invalid);
}

TEST_F(SysrootTest, PipesAndDirectoriesAreRefusedWithoutWaiting) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0666), 0);
  link("pipe", "link_to_pipe");
  EXPECT_EQ(refusal("pipe"), Code::invalid);
  EXPECT_EQ(refusal("link_to_pipe"), Code::invalid);
  EXPECT_EQ(refusal("sys"), Code::invalid);
}

TEST_F(SysrootTest, DeviceFilesAreRefused) {
  const auto text = Sysroot::open("/").value().read("dev/zero");
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, Code::invalid);
}

TEST_F(SysrootTest, LongFilesAreAnErrorAndNotCut) {
  dir_.write("tree/full", std::string(Sysroot::kMaxFileBytes, 'x'));
  dir_.write("tree/long", std::string(Sysroot::kMaxFileBytes + 1, 'x'));
  EXPECT_EQ(root().read("full").value().size(), Sysroot::kMaxFileBytes);
  EXPECT_EQ(refusal("long"), Code::invalid);
  EXPECT_EQ(root().read("long", Sysroot::kMaxFileBytes + 1).value().size(),
            Sysroot::kMaxFileBytes + 1);
  EXPECT_FALSE(root().read("sys/devices/gpu/width", 2));
}

TEST_F(SysrootTest, UnreadableFilesAreAPermissionError) {
  fs::permissions(dir_.path(), fs::perms(0755));
  for (const auto& entry : fs::recursive_directory_iterator(path("")))
    if (entry.is_directory()) fs::permissions(entry.path(), fs::perms(0755));
  fs::permissions(path(""), fs::perms(0755));
  fs::permissions(path("sys/devices/gpu/width"), fs::perms::none);
  const Sysroot tree = root();
  const test::AsNobody nobody;
  if (!nobody.bound_by_permissions()) GTEST_SKIP() << "root, and its rights cannot be dropped";
  const auto text = tree.read("sys/devices/gpu/width");
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, Code::permission);
  EXPECT_TRUE(tree.exists("sys/devices/gpu/width")) << "there, though unreadable";
}

TEST_F(SysrootTest, ListsSortedNames) {
  dir_.write("tree/sys/slots/9/address", "0000:17:00");
  dir_.write("tree/sys/slots/10/address", "0000:18:00");
  EXPECT_THAT(root().list("sys/slots").value(), ElementsAre("10", "9"));
  EXPECT_THAT(root().list("sys/bus/gpu").value(), ElementsAre("vendor", "width"));
  EXPECT_THAT(root().list("").value(), ElementsAre("sys"));
  EXPECT_FALSE(root().list("sys/absent"));
  EXPECT_FALSE(root().list("sys/devices/gpu/width"));
}

TEST_F(SysrootTest, ExistsFollowsLinks) {
  link("nowhere", "dangling");
  EXPECT_TRUE(root().exists("sys/bus/gpu/width"));
  EXPECT_FALSE(root().exists("dangling"));
  EXPECT_FALSE(root().exists("../outside"));
}

TEST_F(SysrootTest, BelowIsTheSameTreeSeenFromADirectory) {
  const Sysroot gpu = root().below("sys/bus/gpu").value();
  EXPECT_EQ(gpu.read_line("width").value(), "16");
  EXPECT_EQ(gpu.resolve("width").value(), "sys/devices/gpu/width");
  EXPECT_EQ(gpu.read_line("../gpu/width").value(), "16");
  EXPECT_FALSE(gpu.read("../../../../../outside"));
  EXPECT_EQ(gpu.read("absent").error().source, "/sys/devices/gpu/absent");
  EXPECT_FALSE(root().below("sys/devices/gpu/width")) << "a file";
  EXPECT_FALSE(root().below("sys/absent"));
}

TEST_F(SysrootTest, OpenFileKeepsADescriptorToReadAgain) {
  const auto fd = root().open_file("sys/bus/gpu/width");
  ASSERT_TRUE(fd);
  char text[4] = {};
  EXPECT_EQ(::pread(fd->get(), text, 2, 0), 2);
  EXPECT_STREQ(text, "16");
}

TEST_F(SysrootTest, OnlyTheRootOfTheMachineIsLive) {
  EXPECT_FALSE(root().live());
  EXPECT_TRUE(Sysroot::open("/").value().live());
  EXPECT_TRUE(Sysroot::open("/proc/..").value().live());
  EXPECT_TRUE(Sysroot::open("/").value().below("proc").value().live());
}

TEST_F(SysrootTest, OpeningWhatIsNoDirectoryIsAnError) {
  const auto absent = Sysroot::open(dir_.path() + "/absent");
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().code, Code::not_found);
  EXPECT_THAT(absent.error().fix, HasSubstr("sys/"));
  EXPECT_FALSE(Sysroot::open(dir_.path() + "/outside"));
}

}  // namespace
}  // namespace linkburn
