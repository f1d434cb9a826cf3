// What nvbandwidth measured, whether it printed it as text or as JSON.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "bench/captures/copy_matrix.h"
#include "bench/captures/draft.h"

namespace linkburn {

struct NvbandwidthRow {
  int row = 0;
  std::vector<std::string> cells;
};

struct NvbandwidthTable {
  std::string test;   ///< "host_to_device_memcpy_ce"; empty: cut
  std::string title;  ///< "memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)"
  std::vector<int> columns;
  std::vector<NvbandwidthRow> rows;

  void add_row(const MatrixRow& row);
};

struct NvbandwidthDevice {
  int index = 0;
  std::string name;
  ComponentId component;  ///< empty: versions before 0.6 print no address
};

/// A name as of its list of tests.
bool is_nvbandwidth_test(std::string_view name);

/// The line above a table: "memcpy CE CPU(row) <- GPU(column) bandwidth (GB/s)", or of latencies.
bool is_nvbandwidth_title(std::string_view line);

/// What stands above the table of a test; empty for tests that are not of one copy at a time.
std::string title_of_nvbandwidth_test(std::string_view name);

/// "Device 0: NVIDIA H200 (00000000:19:00)", before version 0.6 without the address.
std::optional<NvbandwidthDevice> parse_nvbandwidth_device(std::string_view line);

Gpu gpu_of(const NvbandwidthDevice& device);

/// The cells of a table of copies between host and GPU, or between GPUs; of other tests none.
void add_measurements(const NvbandwidthTable& table,
                      const std::map<int, NvbandwidthDevice>& devices, NodeDraft& node);

}  // namespace linkburn
