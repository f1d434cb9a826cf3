// nvbandwidth, text or JSON, of all its versions [NVIDIA nvbandwidth: output.cpp, json_output.cpp,
// testcases_ce.cpp, testcases_sm.cpp].
#include <map>
#include <utility>

#include "bench/base/text.h"
#include "bench/captures/copy_matrix.h"
#include "bench/captures/nvbandwidth_json.h"
#include "bench/captures/nvbandwidth_table.h"
#include "bench/captures/table.h"

namespace linkburn {
namespace {

/// "Running host_to_device_memcpy_ce." as "host_to_device_memcpy_ce"; empty for any other line.
std::string_view running_test(std::string_view line) {
  if (!line.starts_with("Running ") || !line.ends_with('.')) return {};
  const std::string_view name = line.substr(8, line.size() - 9);
  return is_nvbandwidth_test(name) ? name : std::string_view();
}

/// "SUM host_to_device_memcpy_ce 439.84" as its test; empty for any other line.
std::string_view summed_test(std::string_view line) {
  const auto words = words_of(line);
  return words.size() == 3 && words[0] == "SUM" && is_nvbandwidth_test(words[1])
             ? words[1]
             : std::string_view();
}

/// What stands above the tests, and remarks.
bool is_remark(std::string_view line) {
  for (const std::string_view start : {"nvbandwidth Version",
                                       "Built from",
                                       "MPI version",
                                       "CUDA Runtime Version",
                                       "CUDA Driver Version",
                                       "Driver Version",
                                       "NOTE: ",
                                       "Additional system-specific",
                                       "Performance can vary",
                                       "Waived",
                                       "ERROR",
                                       "Error",
                                       "[ERROR]",
                                       "COEFFICIENT_OF_VARIATION",
                                       "MIN ",
                                       "MAX ",
                                       "AVG ",
                                       "Verbose",
                                       "Using ",
                                       "Warning: there are more processes"})
    if (line.starts_with(start)) return true;
  return false;
}

class Reader : public PartReader {
 public:
  Take take(std::string_view raw) override {
    const std::string_view line = trim(raw);
    const bool brace = line == "{" || line == "}";
    if (json_.is_open() || brace || NvbandwidthJson::begins(line)) return json_.take(line);
    if (line.empty()) return Take::understood;
    if (const std::string_view test = running_test(line); !test.empty()) {
      close_table();
      test_ = test;
      return Take::understood;
    }
    if (const std::string_view test = summed_test(line); !test.empty()) {
      if (test_.empty()) test_ = test;
      close_table();
      return Take::understood;
    }
    if (auto device = parse_nvbandwidth_device(line)) {
      if (devices_.size() < kMaxDevices) devices_[device->index] = std::move(*device);
      return Take::understood;
    }
    if (is_process(line)) return Take::understood;
    if (is_nvbandwidth_title(line)) return begin_table(line);
    if (!in_table_ && !test_.empty() && (matrix_header(line) || matrix_row(line)))
      begin_table(title_of_nvbandwidth_test(test_));  // it was cut
    if (in_table_) return take_cells(line);
    return is_remark(line) ? Take::understood : Take::elsewhere;
  }

  void finish(NodeDraft& node) override {
    close_table();
    for (NvbandwidthTable& table : json_.finish()) tables_.push_back(std::move(table));
    if (processes_) return;
    for (const auto& [index, device] : devices_)
      if (!device.component.empty()) node.add(node.gpus, gpu_of(device));
    for (const NvbandwidthTable& table : tables_) add_measurements(table, devices_, node);
  }

 private:
  static constexpr std::size_t kMaxTables = 4096;
  static constexpr std::size_t kMaxDevices = 1024;
  static constexpr std::size_t kMaxRows = 1024;

  /// "Process 3 (node02): device 3: NVIDIA H100 (00000000:5d:00)": a run over several nodes, whose
  /// columns are processes and no GPUs of this node.
  bool is_process(std::string_view line) {
    if (!line.starts_with("Process ") || line.find("): device ") == std::string_view::npos)
      return false;
    processes_ = true;
    return true;
  }

  Take begin_table(std::string_view title) {
    if (in_table_) close_table();
    in_table_ = true;
    table_ = {};
    table_.title = title;
    return Take::understood;
  }

  Take take_cells(std::string_view line) {
    if (table_.columns.empty()) {
      if (auto columns = matrix_header(line)) {
        table_.columns = std::move(*columns);
        return Take::understood;
      }
    }
    const auto row = matrix_row(line);
    if (!row) return is_remark(line) ? Take::understood : Take::elsewhere;
    if (table_.columns.empty())  // the header was cut: devices are counted from 0
      for (std::size_t i = 0; i < row->cells.size(); ++i)
        table_.columns.push_back(static_cast<int>(i));
    if (row->cells.size() != table_.columns.size()) return Take::not_understood;
    if (table_.rows.size() < kMaxRows) table_.add_row(*row);
    return Take::understood;
  }

  void close_table() {
    if (in_table_ && tables_.size() < kMaxTables && !table_.rows.empty()) {
      table_.test = test_;
      tables_.push_back(std::move(table_));
    }
    in_table_ = false;
    table_ = {};
    test_.clear();
  }

  NvbandwidthJson json_;
  std::map<int, NvbandwidthDevice> devices_;
  std::vector<NvbandwidthTable> tables_;
  NvbandwidthTable table_;
  std::string test_;
  bool in_table_ = false, processes_ = false;
};

/// Only nvbandwidth writes an address of eight digits without a function behind a device.
bool is_certain_device(std::string_view line) {
  const auto device = parse_nvbandwidth_device(line);
  return device && !device->component.empty();
}

bool begins(std::string_view raw, std::string_view next) {
  const std::string_view line = trim(raw);
  return line.starts_with("nvbandwidth Version") || !running_test(line).empty() ||
         !summed_test(line).empty() || is_nvbandwidth_title(line) || is_certain_device(line) ||
         NvbandwidthJson::begins(line) || (line == "{" && NvbandwidthJson::begins(trim(next)));
}

std::unique_ptr<PartReader> make() { return std::make_unique<Reader>(); }

}  // namespace

const CaptureKind nvbandwidth_capture{"nvbandwidth", "nvbandwidth, text or JSON", begins, make};

}  // namespace linkburn
