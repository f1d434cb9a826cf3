#include "bench/inventory/module_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linkburn {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Bytes = std::vector<std::uint8_t>;

void put(Bytes& bytes, std::size_t at, std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) bytes[at + i] = static_cast<std::uint8_t>(text[i]);
}

/// Offsets are those of the module: bytes from 128 on lie in an upper half.
Bytes upper(std::initializer_list<std::pair<std::size_t, std::string_view>> texts) {
  Bytes bytes(128);
  for (const auto& [at, text] : texts) put(bytes, at - 128, text);
  return bytes;
}

ModuleMemory qsfp() {
  ModuleMemory memory;
  memory.lower = Bytes(128);
  memory.lower[0] = 0x11;
  memory.page0 = upper({{148, "ACME            "}, {168, "PN-4            "}, {196, "SN7"}});
  return memory;
}

ModuleMemory osfp() {
  ModuleMemory memory;
  memory.lower = Bytes(128);
  memory.lower[0] = 0x19;
  memory.lower[86] = 0xff;
  memory.page0 = upper({{129, "ACME            "}, {148, "OS-8"}, {166, "SN8"}});
  return memory;
}

TEST(ModuleMemory, NothingReadIsNoModule) {
  EXPECT_EQ(decode_module({}), std::nullopt);
  ModuleMemory unknown;
  unknown.lower = Bytes(128, 0xff);
  EXPECT_EQ(decode_module(unknown), std::nullopt);
}

TEST(ModuleMemory, ShortPartsLeaveTheirFieldsUnknown) {
  for (const std::uint8_t identifier : {0x03, 0x11, 0x19}) {
    ModuleMemory memory;
    memory.lower = {identifier};
    const auto module = decode_module(memory);
    ASSERT_TRUE(module);
    EXPECT_EQ(module->vendor, "");
    EXPECT_EQ(module->rate_gbps, std::nullopt);
    EXPECT_EQ(module->temperature_c, std::nullopt);
    EXPECT_EQ(module->temperature_high_alarm_c, std::nullopt);
  }
}

TEST(ModuleMemory, QsfpNamesMakerAndTemperature) {
  ModuleMemory memory = qsfp();
  memory.lower[22] = 0xfe;  // two degrees below zero
  memory.page3 = {0x4b, 0x80};
  const auto module = decode_module(memory);
  ASSERT_TRUE(module);
  EXPECT_EQ(module->identifier, "QSFP28");
  EXPECT_EQ(module->vendor, "ACME");
  EXPECT_EQ(module->part_number, "PN-4");
  EXPECT_EQ(module->serial, "SN7");
  EXPECT_EQ(module->temperature_c, -2);
  EXPECT_EQ(module->temperature_high_alarm_c, 75.5);
}

TEST(ModuleMemory, ACableWithoutSensorHasNoTemperature) {
  EXPECT_EQ(decode_module(qsfp())->temperature_c, std::nullopt);
  EXPECT_EQ(decode_module(osfp())->temperature_c, std::nullopt);
}

TEST(ModuleMemory, TheRateOfAQsfpIsThatOfItsCompliance) {
  ModuleMemory memory = qsfp();
  EXPECT_EQ(decode_module(memory)->rate_gbps, std::nullopt);
  memory.page0[131 - 128] = 0x08;  // 40GBASE-CR4
  EXPECT_EQ(decode_module(memory)->rate_gbps, 40);
  memory.page0[140 - 128] = 0xff;  // nominal rate of a lane: 103 times 250 Mb/s
  memory.page0[222 - 128] = 103;
  EXPECT_EQ(decode_module(memory)->rate_gbps, 103);
  memory.page0[192 - 128] = 0x0b;  // 100GBASE-CR4
  EXPECT_EQ(decode_module(memory)->rate_gbps, 100);
  memory.page0[192 - 128] = 0x40;  // 200GBASE-CR4
  EXPECT_EQ(decode_module(memory)->rate_gbps, 200);
}

TEST(ModuleMemory, ANominalRateOfPam4SaysNothing) {
  ModuleMemory memory = qsfp();
  memory.page0[140 - 128] = 0xff;
  memory.page0[222 - 128] = 106;
  memory.page0[139 - 128] = 8;
  EXPECT_EQ(decode_module(memory)->rate_gbps, std::nullopt);
  memory.page0[131 - 128] = 0x08;  // 40GBASE-CR4: of an older form of it
  EXPECT_EQ(decode_module(memory)->rate_gbps, std::nullopt);
}

TEST(ModuleMemory, CmisCarriesItsFastestApplication) {
  ModuleMemory memory = osfp();
  EXPECT_EQ(decode_module(memory)->rate_gbps, std::nullopt);
  put(memory.lower, 86, std::string_view("\x0f\x17\x44\x01\x4f\x1c\x44\x01\xff", 9));
  memory.lower[14] = 0x32;
  memory.page2 = {0x46, 0};
  const auto module = decode_module(memory);
  EXPECT_EQ(module->identifier, "OSFP");
  EXPECT_EQ(module->serial, "SN8");
  EXPECT_EQ(module->rate_gbps, 400);  // 400GAUI-4 behind 200GAUI-4
  EXPECT_EQ(module->temperature_c, 50);
  EXPECT_EQ(module->temperature_high_alarm_c, 70);
  put(memory.lower, 86, std::string_view("\x32\x1c\x44\x01\xff", 5));
  EXPECT_EQ(decode_module(memory)->rate_gbps, 400);  // InfiniBand NDR on four lanes
}

TEST(ModuleMemory, SfpHasASecondAddress) {
  ModuleMemory memory;
  memory.lower = Bytes(128);
  memory.lower[0] = 0x03;
  memory.lower[12] = 103;
  put(memory.lower, 20, "ACME            ");
  put(memory.lower, 68, "SN9             ");
  memory.diagnostics = Bytes(128);
  memory.diagnostics[0] = 80;
  memory.diagnostics[96] = 41;
  auto module = decode_module(memory);
  EXPECT_EQ(module->vendor, "ACME");
  EXPECT_EQ(module->serial, "SN9");
  EXPECT_NEAR(*module->rate_gbps, 10.3, 1e-9);
  EXPECT_EQ(module->temperature_c, std::nullopt);  // it does not say that it measures
  memory.lower[92] = 0x40;
  module = decode_module(memory);
  EXPECT_EQ(module->temperature_c, 41);
  EXPECT_EQ(module->temperature_high_alarm_c, 80);
  memory.lower[92] = 0x50;  // the reader has to calibrate
  EXPECT_EQ(decode_module(memory)->temperature_c, std::nullopt);
}

TEST(ModuleMemory, TextOfAModuleIsPrintable) {
  ModuleMemory memory = qsfp();
  put(memory.page0, 0 + 20, std::string_view("\x1b[31mX\xff", 7));
  EXPECT_EQ(decode_module(memory)->vendor.find('\x1b'), std::string::npos);
}

TEST(ModuleMemory, HexadecimalIsPairsOfDigits) {
  EXPECT_THAT(bytes_of_hex("00fFa1"), ElementsAre(0x00, 0xff, 0xa1));
  EXPECT_THAT(bytes_of_hex("0"), IsEmpty());
  EXPECT_THAT(bytes_of_hex("0g"), IsEmpty());
  EXPECT_THAT(bytes_of_hex(""), IsEmpty());
}

}  // namespace
}  // namespace linkburn
