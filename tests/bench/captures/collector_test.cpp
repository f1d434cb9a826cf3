#include "bench/captures/collector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linkburn {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

/// Two lines of a kernel log, which every branch of this program can read.
constexpr std::string_view kDown =
    "[   12.345678] pcieport 0000:00:01.0: pciehp: Slot(1): Link Down\n";
constexpr std::string_view kXid =
    "[   13.000000] NVRM: Xid (PCI:0000:17:00): 79, pid=1, GPU has fallen off the bus.\n";

std::vector<NodeDraft> collected(std::initializer_list<std::pair<std::string, std::string>> texts) {
  Collector collector;
  for (const auto& [source, text] : texts) {
    collector.begin(source);
    collector.take(text);
    collector.end();
  }
  return std::move(collector).finish();
}

std::vector<NodeDraft> collected(const std::string& text) { return collected({{"a.txt", text}}); }

std::vector<std::string> names(const std::vector<NodeDraft>& nodes) {
  std::vector<std::string> names;
  for (const NodeDraft& node : nodes) names.push_back(node.name);
  return names;
}

std::size_t log_lines(const NodeDraft& node) { return node.records.size(); }

std::string down() { return std::string(kDown); }

TEST(Collector, NothingGivesNoNode) {
  EXPECT_THAT(collected(""), IsEmpty());
  EXPECT_THAT(collected("\n\n"), IsEmpty());
}

TEST(Collector, WhatNobodyKnowsIsToldWithExamples) {
  const auto nodes = collected("one\ntwo\n\nthree\nfour\n");
  ASSERT_EQ(nodes.size(), 1U);
  ASSERT_EQ(nodes[0].parts.size(), 1U);
  const CapturePart& part = nodes[0].parts[0];
  EXPECT_EQ(part.reader, "");
  EXPECT_EQ(part.lines, 4);
  EXPECT_EQ(part.not_understood, 4);
  EXPECT_THAT(part.examples, ElementsAre("one", "two", "three"));
}

TEST(Collector, PartsOfOneTextAreCountedByKindAndTheRestApart) {
  const auto nodes = collected("hello\n" + down() + std::string(kXid));
  ASSERT_EQ(nodes.size(), 1U);
  ASSERT_EQ(nodes[0].parts.size(), 2U);
  EXPECT_EQ(nodes[0].parts[0].reader, "");
  EXPECT_EQ(nodes[0].parts[1].reader, "kernel_log");
  EXPECT_EQ(nodes[0].parts[1].first_line, 2);
  EXPECT_EQ(nodes[0].parts[1].lines, 2);
}

TEST(Collector, PiecesOfAnySizeGiveTheSame) {
  const std::string text = "root@node07:~# dmesg\r\n" + down() + std::string(kXid);
  Collector whole, bytes;
  whole.begin("a"), bytes.begin("a");
  whole.take(text);
  for (const char c : text) bytes.take({&c, 1});
  whole.end(), bytes.end();
  const auto a = std::move(whole).finish(), b = std::move(bytes).finish();
  ASSERT_EQ(names(a), names(b));
  EXPECT_EQ(log_lines(a[0]), log_lines(b[0]));
  EXPECT_EQ(a[0].parts[0].lines, b[0].parts[0].lines);
}

TEST(Collector, APromptNamesTheNodeAndIsNoLineOfOutput) {
  for (const std::string prompt :
       {"root@node07:~# dmesg", "[root@node07 ~]# dmesg -T", "node07:~ # dmesg",
        "(base) ml-user@node07:/data/run_1$ dmesg", "node07$ dmesg", "root@node07 ~ # dmesg"}) {
    const auto nodes = collected(prompt + "\n" + down());
    ASSERT_THAT(names(nodes), ElementsAre("node07")) << prompt;
    ASSERT_EQ(nodes[0].parts.size(), 1U) << prompt;
    EXPECT_EQ(nodes[0].parts[0].lines, 1) << prompt;
  }
}

TEST(Collector, ACommandThatSearchesALogIsNoEvent) {
  const auto nodes =
      collected("root@node07:~# dmesg | grep 'NVRM: Xid (PCI:0000:17:00): 79'\nnothing here\n");
  for (const NodeDraft& node : nodes) EXPECT_EQ(log_lines(node), 0U);
}

TEST(Collector, HeadingsAndHeadsOfBlocksNameTheNode) {
  for (const std::string head :
       {"=== node07 ===", "### node07 ###", "## node07", "==> node07 <==", "Host: node07",
        "hostname: node07", " Static hostname: node07", "node07 | CHANGED | rc=0 >>",
        "Linux node07 5.15.0-91-generic #101 SMP x86_64 GNU/Linux",
        "uname: Linux node07 6.1.0-18-amd64 #1 SMP"}) {
    EXPECT_THAT(names(collected(head + "\n" + down())), ElementsAre("node07")) << head;
  }
}

TEST(Collector, OtherHeadingsNameNobody) {
  for (const std::string head :
       {"=== lspci ===", "### dmesg.1 ###", "=== GPU0 ===", "--- eth0 ---",
        "=== mlx5_0 ===", "# nThread 1 nGpus 8", "=== H100 ===", "=== kern.log ===",
        "Linux version 5.15.0-91-generic", "Host: x16", "Speed: 25000Mb/s", "hostname: localhost",
        "root@localhost:~# dmesg", "someone@example.com wrote: at 5 $ it is cheap"}) {
    EXPECT_THAT(names(collected(head + "\n" + down())), ElementsAre("")) << head;
  }
}

TEST(Collector, NodesOfOneTextAreKeptApart) {
  const auto nodes =
      collected("=== node07 ===\n" + down() + "=== node08 ===\n" + down() + std::string(kXid));
  ASSERT_THAT(names(nodes), ElementsAre("node07", "node08"));
  EXPECT_EQ(log_lines(nodes[0]), 1U);
  EXPECT_EQ(log_lines(nodes[1]), 2U);
}

TEST(Collector, EqualOutputOfSeveralNodesCountsForEach) {
  const std::string rule = "---------------\n";
  const auto nodes = collected(rule + "node[01-02] (2)\n" + rule + down() + rule + "node03\n" +
                               rule + std::string(kXid));
  ASSERT_THAT(names(nodes), ElementsAre("node01", "node02", "node03"));
  for (const NodeDraft& node : nodes) EXPECT_EQ(log_lines(node), 1U) << node.name;
}

TEST(Collector, PrefixesOfLinesAreTakenOffWhereTheyAreSure) {
  const auto nodes = collected("node01: " + down() + "node02: " + down() +
                               "node01: " + std::string(kXid) + "node02: words\n");
  ASSERT_THAT(names(nodes), ElementsAre("node01", "node02"));
  EXPECT_EQ(log_lines(nodes[0]), 2U);
  EXPECT_EQ(log_lines(nodes[1]), 1U);
}

TEST(Collector, ALoneWordWithAColonIsNoPrefix) {
  EXPECT_THAT(names(collected("node01: hello\n" + down())), ElementsAre(""));
  EXPECT_THAT(names(collected("ata1.00: ATA-9: disk\nata1.00: 1953525168 sectors\n" + down())),
              ElementsAre(""));
  EXPECT_THAT(names(collected("nvme0: one\nnvme0: two\n" + down())), ElementsAre(""));
}

TEST(Collector, NumbersOfLinesAreTakenOffWhereTheyRise) {
  const auto nodes = collected("12:" + down() + "17:" + std::string(kXid));
  ASSERT_EQ(nodes.size(), 1U);
  EXPECT_EQ(log_lines(nodes[0]), 2U);
  EXPECT_EQ(log_lines(collected("   12\t" + down() + "   13\t" + std::string(kXid))[0]), 2U);
}

TEST(Collector, QuotedColouredAndFormattedTextIsRead) {
  for (const std::string& text : std::vector<std::string>{
           "> " + down(), "> > " + down(), "\x1b[31m" + down(), "<pre>" + down(),
           "```\n" + down() + "```\n", "\xef\xbb\xbf" + down()}) {
    const auto nodes = collected(text);
    ASSERT_EQ(nodes.size(), 1U) << text;
    EXPECT_EQ(log_lines(nodes[0]), 1U) << text;
    EXPECT_EQ(nodes[0].parts.size(), 1U) << text;
  }
}

TEST(Collector, TextsOfWindowsAreDecoded) {
  for (const bool little : {true, false}) {
    std::string text = little ? "\xff\xfe" : "\xfe\xff";
    for (const char c : down()) {
      if (little) text += c;
      text += '\0';
      if (!little) text += c;
    }
    const auto nodes = collected(text);
    ASSERT_EQ(nodes.size(), 1U);
    EXPECT_EQ(log_lines(nodes[0]), 1U);
  }
}

TEST(Collector, ATextWithoutANameBelongsToTheOneThatIsNamed) {
  const auto nodes = collected({{"lspci.txt", "hello\n" + down()},
                                {"uname.txt", "Linux node07 5.15.0-91 x\n" + std::string(kXid)}});
  ASSERT_THAT(names(nodes), ElementsAre("node07"));
  EXPECT_EQ(log_lines(nodes[0]), 2U);
}

TEST(Collector, ANameAloneIsEnoughAndIsNoNodeOfItsOwn) {
  EXPECT_THAT(names(collected({{"dmesg", down()}, {"uname", "Linux node07 5.15.0-91 x\n"}})),
              ElementsAre("node07"));
  EXPECT_THAT(
      names(collected("me@laptop:~$ ssh node07\nLast login: Monday\n[root@node07 ~]# dmesg\n" +
                      down())),
      ElementsAre("node07"));
}

TEST(Collector, FoldersTellWhichNode) {
  const std::string named = "\n" + down();
  const auto nodes = collected({{"r/a/uname", "Linux node07 5.15.0-91 x" + named},
                                {"r/a/dmesg", std::string(kXid)},
                                {"r/b/uname", "Linux node08 5.15.0-91 x" + named},
                                {"r/b/dmesg", std::string(kXid)},
                                {"r/dmesg", down()}});
  ASSERT_THAT(names(nodes), ElementsAre("node07", "node08", "dmesg"));
  EXPECT_EQ(log_lines(nodes[0]), 2U);
  EXPECT_EQ(log_lines(nodes[1]), 2U);
  EXPECT_EQ(log_lines(nodes[2]), 1U);
}

TEST(Collector, NamesWithAndWithoutDomainAreOneNode) {
  EXPECT_THAT(
      names(collected("=== node07.cluster.example ===\n" + down() + "root@node07:~# x\n" + down())),
      ElementsAre("node07.cluster.example"));
}

TEST(Collector, TextsWithoutNamesAreOneNodeUnlessTheyContradict) {
  EXPECT_EQ(collected({{"a", down()}, {"b", down()}}).size(), 1U);
  Collector collector;
  for (const char* guid : {"0x0001", "0002"}) {
    collector.begin(guid);
    collector.take(down());
    Port port;
    port.component = ComponentId::from_evidence("mlx5_0/1");
    port.node_guid = guid;
    collector.node().ports.push_back(port);
    collector.end();
  }
  EXPECT_THAT(names(std::move(collector).finish()), UnorderedElementsAre("0x0001", "0002"));
}

TEST(Collector, WhatDoesNotAnswerIsNoOtherDevice) {
  Collector collector;
  for (const char* id : {"0x10de", "0xffff"}) {
    collector.begin(id);
    collector.take(down());
    FunctionView view;
    view.function.vendor_id = view.function.device_id = id;
    collector.node().functions.push_back(view);
    collector.end();
  }
  EXPECT_EQ(std::move(collector).finish().size(), 1U);
}

TEST(Collector, LinesOfALogNameTheirHost) {
  const std::string words = " kernel: pcieport 0000:00:01.0: pciehp: Slot(1): Link Down\n";
  const auto nodes = collected("Nov 30 12:00:00 node07" + words + "Nov 30 12:00:01 node08" + words);
  EXPECT_THAT(names(nodes), ElementsAre("node07", "node08"));
}

TEST(Collector, NotesBesideSeveralNodesAreNoNode) {
  const auto nodes = collected({{"notes", "call me\n"},
                                {"a", "Linux node07 5.15.0-91 x\n" + down()},
                                {"b", "Linux node08 5.15.0-91 x\n" + down()}});
  EXPECT_THAT(names(nodes), ElementsAre("node07", "node08"));
}

TEST(Collector, QuotingWithoutASpaceIsQuoting) {
  EXPECT_EQ(log_lines(collected(">" + down())[0]), 1U);
  EXPECT_EQ(log_lines(collected("> >" + down())[0]), 1U);
}

TEST(Collector, Utf16WithoutAMarkIsText) {
  std::string little, big;
  for (const char c : down()) {
    little += {c, '\0'};
    big += {'\0', c};
  }
  EXPECT_EQ(log_lines(collected(little)[0]), 1U);
  EXPECT_EQ(log_lines(collected(big)[0]), 1U);
}

TEST(Collector, ALineAcrossAReportEndsAStretch) {
  const std::string rule(44, '_');
  const auto nodes = collected(down() + rule + "\n\n*** /etc/issue\nDebian\n");
  ASSERT_THAT(nodes, SizeIs(1));
  for (const CapturePart& part : nodes[0].parts)
    EXPECT_EQ(part.not_understood, part.reader.empty() ? 2 : 0) << part.reader;
}

TEST(Collector, PrefixesOfALetterAndANumberAreHosts) {
  EXPECT_THAT(names(collected("n1: " + down() + "n2: " + down())),
              UnorderedElementsAre("n1", "n2"));
}

TEST(Collector, ListsOfLinesInJsonAreLines) {
  std::string line = down();
  line.pop_back();
  const auto nodes =
      collected("ok: [n1] => {\n    \"out.stdout_lines\": [\n        \"" + line +
                "\",\n        \"" + line + "\"\n    ]\n}\nok: [n2] => {\n \"" + line + "\"\n}\n");
  ASSERT_THAT(names(nodes), UnorderedElementsAre("n1", "n2"));
  for (const NodeDraft& node : nodes)
    EXPECT_EQ(log_lines(node), node.name == "n1" ? 2U : 1U) << node.name;
}

}  // namespace
}  // namespace linkburn
