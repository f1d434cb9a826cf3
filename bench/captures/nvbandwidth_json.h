// nvbandwidth --json. Its lines come one by one and nothing of them is kept but tables, so a text
// of any size, cut at either end, is read in bounded memory.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/captures/nvbandwidth_table.h"
#include "bench/captures/reader.h"

namespace linkburn {

class NvbandwidthJson {
 public:
  /// A line that only this JSON has: its title, or a key of one of its tables.
  static bool begins(std::string_view line);

  /// Between begins() and the line after the last that can be JSON.
  bool is_open() const { return open_; }

  Take take(std::string_view line);

  std::vector<NvbandwidthTable> finish();

 private:
  void take_string(std::string_view text);
  void take_word(std::string_view text);
  void open_bracket();
  void close_bracket();
  void close_table();

  bool open_ = false;
  bool after_colon_ = false;
  int depth_ = 0;         ///< of braces
  int matrix_depth_ = 0;  ///< of brackets, within a matrix
  std::string key_;
  NvbandwidthTable table_;  ///< of the testcase at hand; its name comes after the matrix
  std::vector<NvbandwidthTable> tables_;
};

}  // namespace linkburn
