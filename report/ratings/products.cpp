#include "report/ratings/products.h"

#include <fmt/core.h>

#include <algorithm>

#include "bench/base/embedded.h"
#include "bench/base/text.h"
#include "bench/base/toml_table.h"
#include "report/ratings/rated.h"

namespace linkburn {
namespace {

constexpr int kProductsSchema = 1;
constexpr const char* kFile = "products.toml";

/// "0x10de", as sysfs writes it.
bool is_id(std::string_view text) {
  const auto is_hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  return text.size() == 6 && text.starts_with("0x") &&
         std::all_of(text.begin() + 2, text.end(), is_hex);
}

void read_id(TableReader& table, const char* key, std::string& out, bool needed = false) {
  table.text(key, out, needed);
  if (table.has(key) && !is_id(out))
    table.fail(fmt::format("'{}' must be an id such as \"0x10de\"", key), key);
}

bool same_ids(const Product& a, const Product& b) {
  return a.vendor_id == b.vendor_id && a.device_id == b.device_id && a.board_id == b.board_id &&
         a.subsystem_vendor_id == b.subsystem_vendor_id &&
         a.subsystem_device_id == b.subsystem_device_id;
}

void read_link(TableReader& table, Product& row) {
  std::optional<int> generation;
  std::optional<int> lanes;
  table.number("generation", generation, 1, kPcieGenerations);
  table.number("width", lanes, 1, 32);
  if (generation) row.speed = speed_of_generation(*generation);
  if (lanes && !is_lane_count({*lanes})) table.fail("'width' is no lane count", "width");
  if (lanes) row.width = LinkWidth{*lanes};
}

void read_row(TableReader& table, std::vector<Product>& rows) {
  Product row;
  row.line = table.line();
  table.text("name", row.name, true);
  table.text("source", row.source, true);
  if (table.has("source") && trim(row.source).empty()) table.fail("'source' is empty", "source");
  table.text("board_id", row.board_id);
  const bool by_board = !row.board_id.empty();
  read_id(table, "vendor", row.vendor_id, !by_board);
  read_id(table, "device", row.device_id, !by_board);
  read_id(table, "subsystem_vendor", row.subsystem_vendor_id);
  read_id(table, "subsystem_device", row.subsystem_device_id);
  if (row.subsystem_vendor_id.empty() != row.subsystem_device_id.empty())
    table.fail("give both 'subsystem_vendor' and 'subsystem_device', or neither");
  read_link(table, row);
  table.decimal("port_gbps", row.port_gbps, 1, 10000);
  table.number("nvlinks", row.nvlinks, 1, 64);
  table.text("driver_name", row.driver_name);
  if (!row.speed && !row.width && !row.port_gbps && !row.nvlinks)
    table.fail("the row rates nothing");
  for (const Product& other : rows)
    if (same_ids(row, other))
      table.fail(fmt::format("the same product was already described on line {}", other.line));
  rows.push_back(std::move(row));
}

/// How particular a row is about this device; 0: it is about another one.
int closeness(const Product& row, const Component* device, std::string_view board_id) {
  if (!row.board_id.empty()) return row.board_id == board_id ? 3 : 0;
  if (device == nullptr || row.vendor_id != device->vendor_id || row.device_id != device->device_id)
    return 0;
  if (row.subsystem_device_id.empty()) return 1;
  return row.subsystem_vendor_id == device->subsystem_vendor_id &&
                 row.subsystem_device_id == device->subsystem_device_id
             ? 2
             : 0;
}

}  // namespace

std::string Product::origin() const { return fmt::format("product rating: {} ({})", name, source); }

Result<std::vector<Product>> read_products(std::string_view text, const std::string& source) {
  std::vector<Product> rows;
  const Status status = read_toml(text, source, [&](TableReader& table) {
    int schema = 0;
    table.number("schema", schema, kProductsSchema, kProductsSchema, true);
    table.each("product", [&](TableReader& row) { read_row(row, rows); });
  });
  if (!status) return status.error();
  return rows;
}

const std::vector<Product>& products() {
  static const std::vector<Product> rows = [] {
    auto read = read_products(embedded_file(embedded_ratings(), kFile), kFile);
    check(read.has_value(), "the product ratings that are part of the program are malformed");
    return std::move(*read);
  }();
  return rows;
}

const Product* product_of(const std::vector<Product>& products, const Component* device,
                          std::string_view board_id) {
  const Product* best = nullptr;
  int best_closeness = 0;
  for (const Product& row : products) {
    const int close = closeness(row, device, board_id);
    if (close <= best_closeness) continue;
    best = &row;
    best_closeness = close;
  }
  return best;
}

const Product* product_of_gpu(const std::vector<Product>& products, const Component* device,
                              std::string_view driver_name) {
  if (const Product* by_ids = product_of(products, device, {})) return by_ids;
  const auto row = std::find_if(products.begin(), products.end(), [&](const Product& product) {
    return !product.driver_name.empty() && product.driver_name == driver_name;
  });
  return row == products.end() ? nullptr : &*row;
}

}  // namespace linkburn
