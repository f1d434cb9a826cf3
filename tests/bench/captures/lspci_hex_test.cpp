#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/bench/captures/lspci_texts.h"

namespace linkburn {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

TEST(LspciHex, TextAndBytesAreTwoViews) {
  std::string text =
      "17:00.0 3D controller: NVIDIA Corporation GH100 (rev a1)\n"
      "\t\tLnkCap:\tPort #0, Speed 32GT/s, Width x16\n\t\tLnkSta:\tSpeed 16GT/s, Width x8\n";
  text += "00: de 10 30 23 06 04 10 00 a1 00 02 03 00 00 00 00\n";
  const NodeDraft draft = read(text);
  ASSERT_THAT(draft.functions, SizeIs(2));
  EXPECT_EQ(draft.functions[0].function.link_end.source, kFromBytes);
  EXPECT_EQ(draft.functions[1].function.link_end.source, kFromLspci);
  EXPECT_EQ(draft.functions[0].function.link_end.registers_absent, "short read of 16 bytes");
}

TEST(LspciHex, WithoutRootThereAre64Bytes) {
  const PciFunction gpu =
      only(read("00: de 10 30 23 06 04 10 00 a1 00 02 03 00 00 00 00\n"
                "10: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00\n"
                "20: 00 00 00 00 00 00 00 00 00 00 00 00 de 10 c1 16\n"
                "30: 00 00 00 00 40 00 00 00 00 00 00 00 00 00 00 00\n"
                "17:00.0 Host bridge: Intel Corporation Device 09a2\n"));
  EXPECT_EQ(to_string(gpu.address), "0000:17:00.0") << "bytes of nobody without a link: not told";
  const NodeDraft draft = read(
      "01:00.0 3D controller: NVIDIA Corporation GH100\n"
      "00: de 10 30 23 06 04 10 00 a1 00 02 03 00 00 00 00\n"
      "10: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00\n"
      "20: 00 00 00 00 00 00 00 00 00 00 00 00 de 10 c1 16\n"
      "30: 00 00 00 00 40 00 00 00 00 00 00 00 00 00 00 00\n");
  const PciFunction& bytes = draft.functions.front().function;
  EXPECT_EQ(bytes.link_end.registers_absent, "needs root");
  EXPECT_EQ(bytes.class_code, "0x030200");
  EXPECT_EQ(bytes.subsystem_device_id, "0x16c1");
}

std::string line_of(int offset, std::string_view bytes = {}) {
  char start[8];
  std::snprintf(start, sizeof start, "%02x:", static_cast<unsigned>(offset));
  std::string line = start;
  line += bytes.empty() ? " 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00" : bytes;
  return line + "\n";
}

/// An endpoint at 16 GT/s x8 of 32 GT/s x16, its capability at 0x40.
std::string endpoint_bytes(int lines = 16) {
  std::string text;
  for (int at = 0; at < lines; ++at) {
    std::string_view bytes;
    if (at == 0) bytes = " de 10 30 23 06 04 10 00 a1 00 02 03 00 00 00 00";
    if (at == 3) bytes = " 00 00 00 00 40 00 00 00 00 00 00 00 00 00 00 00";
    if (at == 4) bytes = " 10 00 02 00 00 00 00 00 00 00 00 00 05 01 00 00";
    if (at == 5) bytes = " 00 00 84 00 00 00 00 00 00 00 00 00 00 00 00 00";
    text += line_of(at * 16, bytes);
  }
  return text;
}

TEST(LspciHex, BytesWithoutHeaderAreAFunctionWithoutAddress) {
  const NodeDraft draft = read(endpoint_bytes() + "\n" + endpoint_bytes());
  ASSERT_THAT(draft.functions, SizeIs(2));
  EXPECT_FALSE(draft.functions.front().has_address);
  EXPECT_EQ(ends_of(draft.functions.front().function), "16.0 GT/s x8 of 32.0 GT/s x16");
}

TEST(LspciHex, NothingIsInventedForLinesThatAreMissing) {
  const std::string head = "01:00.0 3D controller: NVIDIA Corporation GH100\n";
  std::string text = endpoint_bytes();
  text.erase(text.find("50:"), text.find("60:") - text.find("50:"));
  const NodeDraft cut = read(head + text);
  ASSERT_THAT(cut.functions, SizeIs(2));
  EXPECT_FALSE(cut.functions.front().function.link_end.files);
  EXPECT_FALSE(cut.functions.front().function.link_end.registers_absent.empty());
  text = endpoint_bytes();
  text.replace(text.find("50: 00 00 84"), 12, "50: 00 xx 84");
  const NodeDraft garbled = read(head + text);
  EXPECT_FALSE(garbled.functions.front().function.link_end.files);
  EXPECT_EQ(garbled.parts.front().not_understood, 1);
}

TEST(LspciHex, AVirtualFunctionIsNotLost) {
  const std::string head = "01:00.2 Ethernet controller: Mellanox Technologies Device 101e\n";
  std::string text = endpoint_bytes();
  text.replace(text.find("de 10 30 23"), 11, "ff ff ff ff");
  const NodeDraft draft = read(head + text);
  EXPECT_TRUE(draft.functions.front().function.virtual_function);
  EXPECT_FALSE(draft.functions.front().function.link_end.all_ones);
  std::string ones;
  for (int at = 0; at < 4; ++at)
    ones += line_of(at * 16, " ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff");
  EXPECT_TRUE(read(head + ones).functions.front().function.link_end.all_ones);
}

TEST(LspciHex, ReadsADumpOfAConfigFile) {
  const NodeDraft hexdump = read(
      "00000000  de 10 30 23 06 04 10 00  a1 00 02 03 00 00 00 00  |..0#............|\n"
      "00000010  00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00  |................|\n*\n"
      "00000030  00 00 00 00 40 00 00 00  00 00 00 00 00 00 00 00  |....@...........|\n"
      "00000040  10 00 02 00 00 00 00 00  00 00 00 00 05 01 00 00  |................|\n"
      "00000050  00 00 84 00 00 00 00 00  00 00 00 00 00 00 00 00  |................|\n"
      "00000060  00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00  |................|\n*\n"
      "00000100\n");
  EXPECT_EQ(ends_of(only(hexdump)), "16.0 GT/s x8 of 32.0 GT/s x16");
  const PciFunction xxd = only(
      "00000000: de10 3023 0604 1000 a100 0203 0000 0000  ..0#............\n"
      "00000010: 0000 0000 0000 0000 0000 0000 0000 0000  ................\n"
      "00000020: 0000 0000 0000 0000 0000 0000 0000 0000  ................\n"
      "00000030: 0000 0000 4000 0000 0000 0000 0000 0000  ....@...........\n"
      "00000040: 1000 0200 0000 0000 0000 0000 0501 0000  ................\n"
      "00000050: 0000 8400 0000 0000 0000 0000 0000 0000  ................\n"
      "00000060: 0000 0000 0000 0000 0000 0000 0000 0000  ................\n"
      "00000070: 0000 0000 0000 0000 0000 0000 0000 0000  ................\n");
  EXPECT_EQ(ends_of(xxd), "16.0 GT/s x8 of 32.0 GT/s x16");
  EXPECT_THAT(read("00000000: 7f45 4c46 0201 0100 0000 0000 0000 0000  .ELF............\n"
                   "00000010: 0300 3e00 0100 0000 0000 0000 0000 0000  ..>.............\n")
                  .functions,
              IsEmpty());
}

}  // namespace
}  // namespace linkburn
