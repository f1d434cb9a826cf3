// The three shapes of what nvidia-smi prints without a query. Internal to bench/captures.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/captures/gpu_view.h"
#include "bench/captures/reader.h"

namespace linkburn {

/// The table: "|   0  Tesla V100-SXM2...  On   | 00000000:1A:00.0 Off |                    0 |".
/// Widths of its columns differ with every driver.
class SmiTable {
 public:
  /// Any line of a table, also of that of processes.
  static bool is_line(std::string_view line);
  static bool begins(std::string_view line, std::string_view next);
  Take take(std::string_view line);
  void finish(NodeDraft& node);

 private:
  void take_gpu(std::string_view first, std::string_view second);
  void take_state(std::string_view first, std::string_view third);

  std::string driver_;
  std::vector<GpuView> gpus_;
  bool in_gpu_ = false;  ///< the lines that follow are about the latest one
};

/// nvidia-smi -q: sections by their names, not by indentation, which pasting destroys.
class SmiDetails {
 public:
  static bool begins(std::string_view line);
  Take take(std::string_view line);
  void finish(NodeDraft& node);

 private:
  void take_value(std::string_view key, std::string_view value);
  bool take_link(std::string_view key, std::string_view value);
  bool take_identity(std::string_view key, std::string_view value);
  void take_state(std::string_view key, std::string_view value);
  GpuView& gpu();
  GpuView& next_gpu();

  std::string driver_, section_;
  std::vector<GpuView> gpus_;
};

/// "Unable to determine the device handle for GPU 0000:02:00.0: GPU is lost. ..."
bool is_smi_message(std::string_view line);

class SmiMessages {
 public:
  Take take(std::string_view line);
  void finish(NodeDraft& node);

 private:
  std::vector<GpuView> gpus_;
  std::vector<ToolError> errors_;
};

}  // namespace linkburn
