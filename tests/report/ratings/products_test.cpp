#include "report/ratings/products.h"

#include <gmock/gmock.h>

#include "tests/support/evidence_builder.h"

namespace linkburn {
namespace {

using testing::HasSubstr;

constexpr const char* kRow = R"(schema = 1
[[product]]
name = "Card"
vendor = "0x10de"
device = "0x2330"
width = 16
source = "data sheet"
)";

std::string error_of(const std::string& text) {
  const auto rows = read_products(text, "p.toml");
  return rows ? "no error" : rows.error().line();
}

TEST(Products, EveryRowOfTheProgramSaysWhoSaysSo) {
  ASSERT_GT(products().size(), 10U);
  for (const Product& row : products()) {
    EXPECT_FALSE(row.name.empty()) << row.line;
    EXPECT_GT(row.source.size(), 10U) << row.name;
    EXPECT_NE(row.board_id.empty(), row.device_id.empty()) << row.name;
    // A rate that is meant as bytes, or the other way round, would be far off.
    EXPECT_THAT(row.port_gbps.value_or(10), testing::AnyOf(10, 25, 40, 50, 56, 100, 200, 400, 800))
        << row.name;
    EXPECT_EQ(row.speed.has_value(), row.width.has_value()) << row.name;
  }
}

TEST(Products, AConnectXHasNoRowByItsDeviceId) {
  for (const Product& row : products()) EXPECT_NE(row.vendor_id, "0x15b3") << row.name;
}

TEST(Products, TheMostParticularRowCounts) {
  const auto rows = read_products(std::string(kRow) + R"([[product]]
name = "Narrow card"
vendor = "0x10de"
device = "0x2330"
subsystem_vendor = "0x10de"
subsystem_device = "0x0001"
width = 8
source = "data sheet"
[[product]]
name = "Board"
board_id = "MT_1"
port_gbps = 200
source = "label"
)",
                                  "p.toml");
  ASSERT_TRUE(rows);
  Component device = make_device("0000:17:00.0");
  const auto name = [&](std::string_view board) {
    const Product* row = product_of(*rows, &device, board);
    return row == nullptr ? "none" : row->name;
  };
  EXPECT_EQ(name(""), "Card");
  device.subsystem_vendor_id = "0x10de";
  device.subsystem_device_id = "0x0001";
  EXPECT_EQ(name(""), "Narrow card");
  EXPECT_EQ(name("MT_1"), "Board");
  EXPECT_EQ(name("MT_2"), "Narrow card");
  device.device_id = "0x9999";
  EXPECT_EQ(name(""), "none");
  device = {};
  EXPECT_EQ(name(""), "none");
  EXPECT_EQ(product_of(*rows, nullptr, ""), nullptr);
}

TEST(Products, WrongRowsAreRefused) {
  EXPECT_EQ(error_of(kRow), "no error");
  EXPECT_THAT(error_of(std::string(kRow) + std::string(kRow).substr(11)), HasSubstr("line 2"));
  const std::string head = "schema = 1\n[[product]]\nname = \"x\"\n";
  const std::string ids = "vendor = \"0x10de\"\ndevice = \"0x2330\"\n";
  EXPECT_THAT(error_of(head + ids + "width = 16\n"), HasSubstr("'source' is missing"));
  EXPECT_THAT(error_of(head + ids + "source = \" \"\nwidth = 16\n"), HasSubstr("empty"));
  EXPECT_THAT(error_of(head + ids + "source = \"s\"\n"), HasSubstr("rates nothing"));
  EXPECT_THAT(error_of(head + ids + "source = \"s\"\nwidth = 5\n"), HasSubstr("lane count"));
  EXPECT_THAT(error_of(head + ids + "source = \"s\"\ngeneration = 7\n"), HasSubstr("1 to 6"));
  EXPECT_THAT(error_of(head + "source = \"s\"\nwidth = 8\n"), HasSubstr("'vendor' is missing"));
  EXPECT_THAT(
      error_of(head + "vendor = \"10de\"\ndevice = \"0x2330\"\nsource = \"s\"\nwidth = 8\n"),
      HasSubstr("p.toml:4"));
}

}  // namespace
}  // namespace linkburn
