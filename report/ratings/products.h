// What products are rated for by those who make them: the rows of products.toml, which is part of
// the program. README.md here says how to add one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/base/result.h"
#include "bench/base/units.h"
#include "report/evidence/record.h"

namespace linkburn {

struct Product {
  std::string name;    ///< "H100 SXM5 80GB"
  std::string source;  ///< who says so: a data sheet, a manual
  std::string vendor_id, device_id, subsystem_vendor_id, subsystem_device_id;  ///< "0x10de"
  std::string board_id;  ///< of an RDMA device: "MT_0000000838"; goes before ids
  std::optional<LinkSpeed> speed;
  std::optional<LinkWidth> width;
  std::optional<double> port_gbps;  ///< of each port of the card
  std::optional<int> nvlinks;       ///< of a GPU
  std::string driver_name;          ///< what its driver calls it: "NVIDIA H100 80GB HBM3"
  int line = 0;

  /// "product rating: H100 SXM5 80GB (NVIDIA H100 data sheet)".
  std::string origin() const;
};

/// The rows of a file in the format of products.toml.
Result<std::vector<Product>> read_products(std::string_view text, const std::string& source);

/// Those that are part of the program.
const std::vector<Product>& products();

/// The row for a device, the most particular one: by board id, by subsystem, by device. Null when
/// there is none. Empty ids and a null device are unknown and match nothing.
const Product* product_of(const std::vector<Product>& products, const Component* device,
                          std::string_view board_id);

/// The row for a GPU: by its ids, else by the name that its driver gives it. Null: there is none.
const Product* product_of_gpu(const std::vector<Product>& products, const Component* device,
                              std::string_view driver_name);

}  // namespace linkburn
