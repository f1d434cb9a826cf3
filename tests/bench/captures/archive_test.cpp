#include "bench/captures/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "bench/captures/intake.h"
#include "bench/captures/tree_files.h"

namespace linkburn {
namespace {

using testing::Contains;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

using Files = std::vector<std::pair<std::string, std::string>>;

/// A tar, packed with gzip where that is asked for.
std::string packed(const Files& files, bool gzip = true) {
  std::size_t room = 1U << 20U;
  for (const auto& [path, text] : files) room += 4096 + text.size();
  std::string bytes(room, '\0');
  std::size_t used = 0;
  archive* writer = archive_write_new();
  archive_write_set_format_pax_restricted(writer);
  if (gzip) archive_write_add_filter_gzip(writer);
  archive_write_set_bytes_in_last_block(writer, 1);
  archive_write_open_memory(writer, bytes.data(), bytes.size(), &used);
  for (const auto& [path, text] : files) {
    archive_entry* entry = archive_entry_new();
    archive_entry_set_pathname(entry, path.c_str());
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_size(entry, static_cast<la_int64_t>(text.size()));
    archive_write_header(writer, entry);
    archive_write_data(writer, text.data(), text.size());
    archive_entry_free(entry);
  }
  archive_write_close(writer);
  archive_write_free(writer);
  bytes.resize(used);
  return bytes;
}

const std::string kFile = "/sys/bus/pci/devices/0000:17:00.0/";
const std::string kText = kFile + "current_link_width:8\n" + kFile + "max_link_width:16\n";

struct Read {
  Captured captured;
  std::vector<Error> errors;
};

Read read(const std::string& bytes, const UnpackLimits& limits = {}) {
  Intake intake(limits);
  MemorySource source(bytes);
  EXPECT_TRUE(intake.take(source, "bug.tgz", {}));
  std::vector<Error> errors = intake.errors();
  return {std::move(intake).finish(), std::move(errors)};
}

std::vector<std::string> sources(const Read& what) {
  std::vector<std::string> names;
  for (const NodeDraft& node : what.captured.nodes)
    for (const CapturePart& part : node.parts) names.push_back(part.source);
  return names;
}

bool has_error(const NodeDraft& node) {
  return std::any_of(node.records.begin(), node.records.end(),
                     [](const Body& body) { return std::holds_alternative<ToolError>(body); });
}

TEST(Archive, MembersAreNamedWithTheirArchive) {
  const Read whole = read(packed({{"logs/files.txt", kText}}));
  EXPECT_THAT(sources(whole), Contains("bug.tgz:logs/files.txt"));
  EXPECT_THAT(whole.errors, IsEmpty());
  ASSERT_THAT(whole.captured.nodes, SizeIs(1));
  EXPECT_THAT(whole.captured.nodes.front().trees, SizeIs(1));
}

TEST(Archive, ArchivesInItAreReadToADepthOfTwo) {
  std::string bytes = kText;
  for (int depth = 0; depth < 3; ++depth) bytes = packed({{"inner", bytes}});
  EXPECT_THAT(sources(read(bytes)), Contains("bug.tgz:inner:inner:inner"));
  const Read deeper = read(packed({{"inner", bytes}}));
  EXPECT_THAT(sources(deeper), IsEmpty());
  ASSERT_THAT(deeper.errors, SizeIs(1));
  EXPECT_THAT(deeper.errors.front().line(), HasSubstr("more than 2 archives"));
}

TEST(Archive, EachLimitIsNamedOnceAndWhatCameBeforeIsKept) {
  const Files files{{"a.txt", kText}, {"b.txt", std::string(1U << 20U, 'b')}, {"c.txt", kText}};
  const std::string bytes = packed(files);
  const auto refused = [&](const UnpackLimits& limits, const std::string& why) {
    for (const std::string& given : {bytes, packed({{"inner.tgz", bytes}})}) {
      const Read part = read(given, limits);
      ASSERT_THAT(part.errors, SizeIs(1)) << why;
      EXPECT_THAT(part.errors.front().line(), HasSubstr(why));
      EXPECT_THAT(part.errors.front().line(), HasSubstr("bug.tgz"));
      EXPECT_TRUE(std::all_of(part.captured.nodes.begin(), part.captured.nodes.end(), has_error));
      EXPECT_THAT(sources(part), Contains(HasSubstr("a.txt")));
      EXPECT_THAT(sources(part), Not(Contains(HasSubstr("c.txt"))));
    }
  };
  UnpackLimits limits;
  limits.max_members = 2;
  refused(limits, "more than 2 members");
  limits = {};
  limits.max_bytes = 100'000;
  refused(limits, "holds more than");
  limits = {};
  limits.free_bytes = 1000;
  limits.max_ratio = 20;
  refused(limits, "20 times its size");
  limits.free_bytes = 2U << 20U;
  EXPECT_THAT(read(bytes, limits).errors, IsEmpty()) << "small things may be very regular";
}

TEST(Archive, ADamagedArchiveSaysSo) {
  std::string noise;
  for (unsigned i = 0, x = 1; i < 300'000; ++i) {
    x = x * 1664525U + 1013904223U;
    noise.push_back(static_cast<char>(' ' + (x >> 24U) % 90));
  }
  const std::string bytes = packed({{"a.txt", kText}, {"b.txt", noise}});
  const Read cut = read(bytes.substr(0, bytes.size() / 2));
  ASSERT_FALSE(cut.errors.empty());
  EXPECT_THAT(cut.errors.front().line(), HasSubstr("ended early or is damaged"));
  EXPECT_THAT(sources(cut), Contains("bug.tgz:a.txt"));
}

TEST(Archive, BinariesAreCountedAndHostNamesNameTheNode) {
  const Read whole = read(packed({{"sos-x/sos_commands/host/hostname", "node07\n"},
                                  {"sos-x/var/log/journal/system.journal", std::string(99, '\0')},
                                  {"sos-x/sos_commands/pci/files", kText}}));
  ASSERT_THAT(whole.captured.nodes, SizeIs(1));
  const NodeDraft& node = whole.captured.nodes.front();
  EXPECT_EQ(node.name, "node07");
  bool counted = false;
  for (const Body& body : node.records)
    if (const auto* part = std::get_if<Part>(&body))
      counted = counted || part->why.find("1 files that hold no text") != std::string::npos;
  EXPECT_TRUE(counted);
}

TEST(Archive, WhatLooksLikeATreeAndIsNoneIsReadAsTexts) {
  const Read whole = read(packed({{"x/proc/notes.txt", kText}}));
  EXPECT_THAT(sources(whole), Contains("bug.tgz:x/proc/notes.txt"));
}

TEST(TreePlace, IsFoundBelowAnyTop) {
  const auto place = [](const char* path) {
    const auto found = tree_place(path);
    return found ? found->top + "|" + found->path : "none";
  };
  EXPECT_EQ(place("sys/bus/pci"), "|sys/bus/pci");
  EXPECT_EQ(place("./sys/class/net"), "|sys/class/net");
  EXPECT_EQ(place("/sys/class/net"), "|sys/class/net");
  EXPECT_EQ(place("rack/node01/proc/version"), "rack/node01|proc/version");
  EXPECT_EQ(place("node/linkburn/kmsg"), "node|linkburn/kmsg");
  EXPECT_EQ(place("node/var/log/dmesg"), "node|var/log/dmesg");
  EXPECT_EQ(place("node/var/log/dmesg.1"), "none");
  EXPECT_EQ(place("mysys/bus/pci"), "none");
  EXPECT_EQ(place("logs/sys/notes.txt"), "none");
}

TEST(TreeFiles, ArePutWithoutThePaddingOfTar) {
  const auto put = [](const std::string& path, const std::string& text) {
    MemoryTree tree;
    MemorySource bytes(text);
    EXPECT_TRUE(put_member({Member::Kind::file, path, {}, {}}, path, bytes, tree));
    return tree.find(path)->text;
  };
  EXPECT_EQ(put("sys/devices/x/width", "16\n" + std::string(4093, '\0')), "16\n");
  std::string header(64, '\x01');
  EXPECT_EQ(put("sys/devices/x/config", header + std::string(4032, '\0')), header)
      << "what everybody may read, and nothing of the capabilities";
  header[0x34] = '\0';
  EXPECT_THAT(put("sys/devices/x/config", header + std::string(192, '\0')), SizeIs(256))
      << "a function without capabilities";
}

std::vector<std::string> nodes_of(const Files& files) {
  std::vector<std::string> names;
  for (const NodeDraft& node : read(packed(files)).captured.nodes) names.push_back(node.name);
  return names;
}

TEST(Archive, FoldersAndFilesNamedAfterNodesAreTheirs) {
  EXPECT_THAT(nodes_of({{"r/node1/a.txt", kText}, {"r/node2/a.txt", kText}}),
              testing::UnorderedElementsAre("node1", "node2"));
  EXPECT_THAT(nodes_of({{"node1/a.txt", kText}, {"node1/b.txt", kText}}), SizeIs(1));
  EXPECT_THAT(nodes_of({{"r/node1/a.txt", "=== gpu-a1 ===\n" + kText}, {"r/node2/a.txt", kText}}),
              testing::UnorderedElementsAre("gpu-a1", "node2"));
  EXPECT_THAT(nodes_of({{"r/dmesg1.txt", kText}, {"r/dmesg2.txt", kText}}), SizeIs(1));
  EXPECT_THAT(nodes_of({{"day1/a.txt", kText}, {"day2/b.txt", kText}}), SizeIs(1));
}

}  // namespace
}  // namespace linkburn
