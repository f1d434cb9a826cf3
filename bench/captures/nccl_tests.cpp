// nccl-tests: all_reduce_perf and its like, of all ages
// [NVIDIA nccl-tests src/common.cu and src/util.cu: writeBenchmarkLineBody, writeResultFooter].
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>

#include "bench/base/text.h"
#include "bench/captures/copy_matrix.h"
#include "bench/captures/table.h"

namespace linkburn {
namespace {

/// [nccl-tests src/common.cu, test_typenames]
constexpr std::array<std::string_view, 14> kTypes{
    "int8",  "uint8",  "int32",    "uint32",   "int64",    "uint64", "half",
    "float", "double", "bfloat16", "fp8_e4m3", "fp8_e5m2", "char",   "int"};

/// One of the two halves of a row: out of place and in place.
struct Half {
  double bus_gbs = 0;
  std::string bus_text;
  std::optional<std::int64_t> wrong;
};

struct Row {
  std::int64_t bytes = 0;
  std::vector<Half> halves;
};

/// A count of elements; "N/A" and the greatest error of old versions ("0e+00") are none. Large
/// counts come as "1e+06", which only the heading tells from such an error.
std::optional<std::int64_t> wrong_of(std::string_view word, bool counts) {
  if (const auto count = parse_int(word)) return *count;
  const auto value = counts ? rate_of_cell(word) : std::nullopt;
  if (!value || *value > 9e18) return std::nullopt;
  return static_cast<std::int64_t>(*value);
}

std::optional<Half> half_of(const std::vector<std::string_view>& words, std::size_t at,
                            bool checked, bool counts) {
  const auto bus = rate_of_cell(words[at + 2]);
  if (!rate_of_cell(words[at]) || !rate_of_cell(words[at + 1]) || !bus) return std::nullopt;
  Half half;
  half.bus_gbs = *bus;
  half.bus_text = words[at + 2];
  if (checked) half.wrong = wrong_of(words[at + 3], counts);
  return half;
}

/// "1073741824 268435456 float sum -1 11774 91.20 170.99 0 11774 91.19 170.99 0". Older versions
/// have no root, gathering ones no operation, and without a check there is no last column.
std::optional<Row> row_of(std::string_view line, bool counts) {
  const auto words = words_of(line);
  if (words.size() < 6) return std::nullopt;
  const auto bytes = parse_int(words[0]);
  if (!bytes || !parse_int(words[1])) return std::nullopt;
  if (std::find(kTypes.begin(), kTypes.end(), words[2]) == kTypes.end()) return std::nullopt;
  std::size_t at = 3;
  if (!rate_of_cell(words[at]) && !parse_int(words[at])) ++at;  // the operation
  std::size_t left = words.size() - at;
  // A root is there when the rest cannot be divided into halves of three or four columns.
  const bool root = left == 9 || left == 7 || left == 5 || left > 9 || words[at] == "-1";
  if (root) ++at, --left;
  const bool checked = left >= 8 || left == 4;
  const std::size_t columns = checked ? 4 : 3;
  Row row;
  row.bytes = *bytes;
  for (; at + columns <= words.size() && row.halves.size() < 2; at += columns) {
    const auto half = half_of(words, at, checked, counts);
    if (!half) break;
    row.halves.push_back(*half);
  }
  if (row.halves.empty()) return std::nullopt;
  return row;
}

bool is_remark(std::string_view line) {
  if (line.starts_with("NCCL version") || line == "#") return true;
  if (!line.starts_with('#')) return false;
  line = trim(line.substr(1));
  for (const std::string_view start :
       {"nThread", "Using devices", "nccl-tests version", "Collective test", "out-of-place", "size",
        "(B)", "Avg bus bandwidth", "Writing JSON", "Some NCCL", "nccl version", "Reducing"})
    if (line.starts_with(start)) return true;
  return line.empty() || line.find_first_not_of('=') == std::string_view::npos;
}

class Reader : public PartReader {
 public:
  Take take(std::string_view raw) override {
    const std::string_view line = trim(raw);
    if (line.empty()) return Take::understood;
    if (line.starts_with("# nThread") || line.starts_with("# Collective test starting"))
      begin(line);
    if (line.starts_with("#") && line.find("Pid") != std::string_view::npos) return take_rank(line);
    if (line.starts_with("# Out of bounds values")) return take_footer(line);
    if (line.starts_with("#") && line.find("algbw") != std::string_view::npos)
      counts_ = line.find("#wrong") != std::string_view::npos;
    if (is_remark(line)) return Take::understood;
    const auto row = row_of(line, counts_);
    if (!row) return starts_like_row(line) ? Take::not_understood : Take::elsewhere;
    take_row(*row);
    return Take::understood;
  }

  void finish(NodeDraft& node) override {
    close();
    for (Measurement& measurement : done_) node.add(node.measurements, std::move(measurement));
  }

 private:
  static constexpr std::size_t kMaxDone = 4096;
  static constexpr std::size_t kMaxRanks = 65536;

  static bool starts_like_row(std::string_view line) {
    const auto words = words_of(line);
    return words.size() > 2 && parse_int(words[0]) && parse_int(words[1]) &&
           std::find(kTypes.begin(), kTypes.end(), words[2]) != kTypes.end();
  }

  void begin(std::string_view line) {
    if (line.starts_with("# nThread") && named_) {
      named_ = false;  // the heading of the test whose name came just before
      return;
    }
    close();
    ranks_.clear();
    test_.clear();
    if (const std::size_t colon = line.find(": ");
        line.starts_with("# Collective") && colon != std::string_view::npos) {
      test_ = printable(trim(line.substr(colon + 2)), 64);
      named_ = true;
    }
  }

  /// "#  Rank  0 Group  0 Pid 123 on node01 device  0 [0000:19:00] NVIDIA H100 80GB HBM3"
  Take take_rank(std::string_view line) {
    const auto words = words_of(line);
    const auto rank = words.size() > 2 && words[1] == "Rank" ? parse_int(words[2]) : std::nullopt;
    if (!rank) return Take::not_understood;
    if (ranks_.size() < kMaxRanks) ranks_.insert(*rank);
    return Take::understood;
  }

  /// "# Out of bounds values : 0 OK", "... : 12 FAILED"
  Take take_footer(std::string_view line) {
    const std::size_t colon = line.find(':');
    const auto words = words_of(line.substr(std::min(line.size(), colon + 1)));
    const auto count = words.empty() ? std::nullopt : parse_int(words[0]);
    if (colon == std::string_view::npos || !count) return Take::not_understood;
    if (!wrong_ || *wrong_ < *count) wrong_ = *count;
    close();
    return Take::understood;
  }

  /// Small sizes measure latency: the best rate is told of the largest size.
  void take_row(const Row& row) {
    if (!largest_ || largest_->bytes <= row.bytes) largest_ = row;
    for (const Half& half : row.halves)
      if (half.wrong) wrong_ = wrong_.value_or(0) + *half.wrong;
  }

  void close() {
    if ((largest_ || wrong_) && done_.size() < kMaxDone) {
      Measurement& measurement = done_.emplace_back();
      measurement.tool = "nccl-tests";
      measurement.test = test_;
      measurement.direction = "collective";
      measurement.component = ComponentId::node();
      measurement.wrong = wrong_;
      if (!ranks_.empty()) measurement.ranks = static_cast<std::int64_t>(ranks_.size());
      if (largest_) {
        measurement.bytes = largest_->bytes;
        for (const Half& half : largest_->halves) {
          if (half.bus_gbs <= measurement.rate_gbs.value_or(-1)) continue;
          measurement.rate_gbs = half.bus_gbs;
          measurement.text = fmt::format("{} GB/s bus bandwidth", half.bus_text);
        }
      }
    }
    largest_.reset();
    wrong_.reset();
  }

  std::vector<Measurement> done_;
  std::set<std::int64_t> ranks_;
  std::optional<Row> largest_;
  std::optional<std::int64_t> wrong_;
  std::string test_;
  bool counts_ = false, named_ = false;
};

bool begins(std::string_view raw, std::string_view) {
  const std::string_view line = trim(raw);
  for (const std::string_view start : {"# nThread", "# Out of bounds values", "# Avg bus bandwidth",
                                       "# nccl-tests version", "# Collective test"})
    if (line.starts_with(start)) return true;
  if (line.starts_with("#"))
    return line.find("algbw") != std::string_view::npos ||
           (line.find(" Rank ") != std::string_view::npos &&
            line.find(" Pid ") != std::string_view::npos);
  return row_of(line, false).has_value();
}

std::unique_ptr<PartReader> make() { return std::make_unique<Reader>(); }

}  // namespace

const CaptureKind nccl_tests_capture{"nccl_tests", "nccl-tests: all_reduce_perf and its like",
                                     begins, make};

}  // namespace linkburn
