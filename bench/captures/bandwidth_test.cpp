// bandwidthTest of the CUDA samples, of all ages, as text and with --csv
// [CUDA samples, bandwidthTest.cu: printResultsReadable, printResultsCSV].
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>

#include "bench/base/text.h"
#include "bench/captures/copy_matrix.h"
#include "bench/captures/table.h"

namespace linkburn {
namespace {

/// MB/s of the older versions are 2^20 bytes, GB/s of the newer ones 10^9 [bandwidthTest.cu,
/// bandwidthInMBs and bandwidthInGBs].
std::optional<double> gbs_of_unit(std::string_view text) {
  if (text.find("GB/s") != std::string_view::npos) return 1.0;
  if (text.find("MB/s") != std::string_view::npos) return 1048576.0 / 1e9;
  return std::nullopt;
}

std::string_view unit_in(std::string_view text) {
  return text.find("GB/s") != std::string_view::npos ? "GB/s" : "MB/s";
}

struct Heading {
  std::string_view start, direction;
};
/// Copies within a GPU cross no link.
constexpr std::array<Heading, 3> kHeadings{{{"Host to Device Bandwidth", "h2d"},
                                            {"Device to Host Bandwidth", "d2h"},
                                            {"Device to Device Bandwidth", ""}}};

const Heading* heading_of(std::string_view line) {
  for (const Heading& heading : kHeadings)
    if (line.starts_with(heading.start)) return &heading;
  return nullptr;
}

std::string memory_in(std::string_view line) {
  for (const std::string_view word : {"PINNED", "Pinned", "pinned"})
    if (line.find(word) != std::string_view::npos) return "pinned";
  for (const std::string_view word : {"PAGEABLE", "Paged", "Pageable", "pageable"})
    if (line.find(word) != std::string_view::npos) return "pageable";
  return {};
}

/// The number before " Device(s)" and after "NumDevsUsed = ".
std::optional<std::int64_t> number_before(std::string_view line, std::string_view what) {
  const std::size_t end = line.find(what);
  if (end == std::string_view::npos) return std::nullopt;
  const auto words = words_of(line.substr(0, end));
  return words.empty() ? std::nullopt : parse_int(words.back());
}

/// The text behind "Size = ", up to the next comma.
std::string_view value_of(std::string_view line, std::string_view name) {
  const std::size_t at = line.find(name);
  if (at == std::string_view::npos) return {};
  line.remove_prefix(at + name.size());
  return trim(line.substr(0, line.find(',')));
}

bool is_remark(std::string_view line) {
  for (const std::string_view start :
       {"[CUDA Bandwidth Test]", "Running on", "Quick Mode", "Range Mode", "Shmoo Mode",
        "Result = ", "NOTE: The CUDA", "when GPU Boost", "Test PASSED", "&&&&",
        "bandwidthTest-D2D"})
    if (line.starts_with(start)) return true;
  return line.find_first_not_of('.') == std::string_view::npos;
}

/// "Device 0: Tesla K80"; the first versions wrote "device 0:Tesla C1060".
bool is_device(std::string_view line) {
  if (!line.starts_with("Device ") && !line.starts_with("device ")) return false;
  const std::size_t colon = line.find(':');
  return colon != std::string_view::npos && parse_int(line.substr(7, colon - 7)).has_value();
}

class Reader : public PartReader {
 public:
  Take take(std::string_view raw) override {
    const std::string_view line = trim(raw);
    if (line.starts_with("[CUDA Bandwidth Test]") || line.starts_with("Running on")) close_run();
    if (is_remark(line)) return Take::understood;
    if (is_device(line)) return take_device(line);
    if (line.starts_with("bandwidthTest-")) return take_csv(line);
    if (const Heading* heading = heading_of(line)) return begin_table(line, *heading);
    if (line.ends_with("Memory Transfers")) {
      table_.memory = memory_in(line);
      return Take::understood;
    }
    if (line.starts_with("Write-Combined") || line.starts_with("CUDA device"))
      return Take::understood;
    if (line.starts_with("Transfer Size")) {
      scale_ = gbs_of_unit(line);
      unit_ = unit_in(line);
      return Take::understood;
    }
    return take_row(line);
  }

  void finish(NodeDraft& node) override {
    close_run();
    for (const auto& [index, name] : names_) {
      Gpu gpu;
      gpu.component = ComponentId::gpu(index);
      gpu.index = index;
      gpu.name = name;
      gpu.source = "bandwidthTest";
      node.add(node.gpus, std::move(gpu));
    }
    for (const Measurement& measurement : done_) node.add(node.measurements, measurement);
  }

 private:
  static constexpr std::size_t kMaxDone = 4096;

  Take take_device(std::string_view line) {
    const auto number = parse_int(line.substr(7, line.find(':') - 7));
    if (!number || *number < 0 || *number > 65535) return Take::elsewhere;
    device_ = static_cast<int>(*number);
    if (names_.size() < kMaxDone)
      names_[*device_] = printable(trim(line.substr(line.find(':') + 1)), 128);
    ++devices_;
    return Take::understood;
  }

  Take begin_table(std::string_view line, const Heading& heading) {
    close_table();
    table_ = {};
    table_.direction = heading.direction;
    table_.test = heading.start;
    table_.memory = memory_in(line);
    if (const auto used = number_before(line, " Device(s)")) used_ = *used;
    scale_.reset();
    in_table_ = true;
    return Take::understood;
  }

  /// "33554432   12845.8". Of several sizes only the largest is kept: the small ones measure how
  /// long a copy takes to begin.
  Take take_row(std::string_view line) {
    const auto words = words_of(line);
    const auto bytes = words.size() == 2 ? parse_int(words[0]) : std::nullopt;
    const auto rate = words.size() == 2 ? rate_of_cell(words[1]) : std::nullopt;
    if (!in_table_ || !bytes || !rate) return Take::elsewhere;
    if (!scale_) return Take::not_understood;  // the line with the unit was cut
    keep(table_, *bytes, *rate * *scale_, fmt::format("{} {}", words[1], unit_));
    return Take::understood;
  }

  /// "bandwidthTest-H2D-Pinned, Bandwidth = 12.3 GB/s, Time = 0.00261 s, Size = 32000000 bytes,
  /// NumDevsUsed = 1"
  Take take_csv(std::string_view line) {
    const bool up = line.starts_with("bandwidthTest-H2D");
    if (!up && !line.starts_with("bandwidthTest-D2H")) return Take::not_understood;
    const std::string_view rate_text = value_of(line, "Bandwidth = ");
    const auto rate = leading_number(rate_text);
    const auto scale = gbs_of_unit(rate_text);
    const auto bytes =
        number_before(line.substr(std::min(line.size(), line.find("Size = "))), " bytes");
    const auto used = parse_int(value_of(line, "NumDevsUsed = "));
    if (!rate || !scale || !bytes) return Take::not_understood;
    if (used) used_ = *used;
    Measurement& best = csv_[{up, memory_in(line)}];
    best.direction = up ? "h2d" : "d2h";
    best.test = up ? kHeadings[0].start : kHeadings[1].start;
    best.memory = memory_in(line);
    keep(best, *bytes, *rate * *scale, rate_text);
    return Take::understood;
  }

  static void keep(Measurement& best, std::int64_t bytes, double rate_gbs, std::string_view text) {
    if (best.bytes && *best.bytes >= bytes) return;
    best.bytes = bytes;
    best.rate_gbs = rate_gbs;
    best.text = printable(text, 64);
  }

  void close_table() {
    if (in_table_) add(table_);
    in_table_ = false;
  }

  void close_run() {
    close_table();
    for (const auto& [key, measurement] : csv_) add(measurement);
    csv_.clear();
    devices_ = 0;
    used_ = 1;
    device_.reset();
  }

  /// The rate of several devices is their sum [bandwidthTest.cu, testBandwidthRange], and tells of
  /// none of them. Nor does one whose device was cut off.
  void add(Measurement measurement) {
    if (measurement.direction.empty() || !measurement.rate_gbs || done_.size() >= kMaxDone) return;
    measurement.tool = "bandwidthTest";
    measurement.method = "copy_engine";
    const bool one = used_ <= 1 && devices_ <= 1 && device_;
    measurement.component = one ? ComponentId::gpu(*device_) : ComponentId::node();
    done_.push_back(std::move(measurement));
  }

  Measurement table_;
  std::map<std::pair<bool, std::string>, Measurement> csv_;
  std::vector<Measurement> done_;
  std::map<int, std::string> names_;
  std::optional<double> scale_;
  std::string unit_;
  std::optional<int> device_;
  int devices_ = 0;
  std::int64_t used_ = 1;
  bool in_table_ = false;
};

bool begins(std::string_view raw, std::string_view next) {
  const std::string_view line = trim(raw);
  if (line.starts_with("[CUDA Bandwidth Test]") || line.starts_with("bandwidthTest-H2D-") ||
      line.starts_with("bandwidthTest-D2H-"))
    return true;
  const std::string_view after = trim(next);
  if (is_device(line))
    return heading_of(after) != nullptr || after == "Quick Mode" || after == "Range Mode" ||
           after == "Shmoo Mode";
  return heading_of(line) != nullptr &&
         (line.find("Device(s)") != std::string_view::npos || after.starts_with("Transfer Size"));
}

std::unique_ptr<PartReader> make() { return std::make_unique<Reader>(); }

}  // namespace

const CaptureKind bandwidth_test_capture{"bandwidth_test", "bandwidthTest of the CUDA samples",
                                         begins, make};

}  // namespace linkburn
