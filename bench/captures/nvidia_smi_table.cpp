#include <algorithm>

#include "bench/base/text.h"
#include "bench/captures/nvidia_smi.h"

namespace linkburn {
namespace {

constexpr std::size_t kMostGpus = 4096;

/// The columns between the bars.
std::vector<std::string_view> columns_of(std::string_view line) {
  std::vector<std::string_view> columns;
  line = trim(line);
  if (!line.empty() && line.front() == '|') line.remove_prefix(1);
  while (!line.empty() && columns.size() < 8) {
    const std::size_t bar = line.find('|');
    columns.push_back(line.substr(0, bar));
    if (bar == std::string_view::npos) break;
    line.remove_prefix(bar + 1);
  }
  return columns;
}

bool is_ruler(std::string_view line) {
  return line.size() > 8 && (line.front() == '+' || line.front() == '|') &&
         line.find_first_not_of("+-=| ") == std::string_view::npos &&
         line.find_first_of("-=") != std::string_view::npos;
}

/// "Tue Mar  3 10:00:00 2026", the line above a table.
bool is_date(std::string_view line) {
  constexpr std::size_t kBytes = 24;
  line = trim(line);
  return line.size() == kBytes && line[3] == ' ' && line[7] == ' ' && line[10] == ' ' &&
         line[13] == ':' && line[16] == ':' && line[19] == ' ' && parse_int(line.substr(20));
}

bool is_title(std::string_view line) { return line.find("NVIDIA-SMI ") != std::string_view::npos; }

/// "|   0  Tesla V100-SXM2...  On   | 00000000:1A:00.0 Off | ...".
bool is_gpu_row(const std::vector<std::string_view>& columns) {
  if (columns.size() < 2) return false;
  const auto first = words_of(columns[0]);
  return first.size() >= 2 && parse_int(first[0]) && gpu_address_in(columns[1]);
}

std::string driver_in(std::string_view line) {
  constexpr std::string_view kKey = "Driver Version:";
  const std::size_t at = line.find(kKey);
  if (at == std::string_view::npos) return {};
  const auto words = words_of(line.substr(at + kKey.size()));
  return words.empty() ? std::string() : printable(words[0], 32);
}

}  // namespace

bool SmiTable::is_line(std::string_view line) {
  line = trim(line);
  return !line.empty() && (line.front() == '|' || is_ruler(line) || is_date(line));
}

bool SmiTable::begins(std::string_view line, std::string_view next) {
  line = trim(line);
  next = trim(next);
  if (is_date(line)) return next.starts_with("+--") && is_ruler(next);
  if (is_ruler(line)) return next.starts_with("|") && is_title(next);
  if (line.empty() || line.front() != '|') return false;
  return is_title(line) || is_gpu_row(columns_of(line));
}

Take SmiTable::take(std::string_view line) {
  if (std::string driver = driver_in(line); !driver.empty()) {
    driver_ = std::move(driver);
    return Take::understood;
  }
  const auto columns = columns_of(line);
  if (is_gpu_row(columns)) {
    take_gpu(columns[0], columns[1]);
  } else if (is_ruler(trim(line))) {
    in_gpu_ = false;
  } else if (in_gpu_ && columns.size() >= 3) {
    take_state(columns[0], columns[2]);
  }
  return Take::understood;
}

void SmiTable::take_gpu(std::string_view first, std::string_view second) {
  auto words = words_of(first);
  const auto index = parse_int(words[0]);
  // Persistence mode, or the driver model of Windows, stands last.
  const std::string_view last = words.back();
  const bool has_mode = last == "On" || last == "Off" || last == "N/A" || last == "TCC" ||
                        last == "WDDM" || last == "MCDM" || last == "ERR!";
  if (has_mode) words.pop_back();
  GpuView view;
  if (*index >= 0 && *index <= 65535) view.gpu.index = static_cast<int>(*index);
  view.gpu.driver_version = driver_;
  view.address = gpu_address_in(second);
  for (std::size_t i = 1; i < words.size(); ++i)
    view.gpu.name += (i > 1 ? " " : "") + printable(words[i], 64);
  for (const std::string_view cut : {"...", ".."})  // names that did not fit
    if (view.gpu.name.ends_with(cut)) view.gpu.name.resize(view.gpu.name.size() - cut.size());
  if (gpus_.size() < kMostGpus) gpus_.push_back(std::move(view));
  in_gpu_ = true;
}

/// "| N/A   34C    P0    43W / 300W |      0MiB / 32510MiB |      0%      Default |"
void SmiTable::take_state(std::string_view first, std::string_view third) {
  Gpu& gpu = gpus_.back().gpu;
  int failed = 0;
  for (const std::string_view word : words_of(first)) {
    if (std::string state = performance_state_in(word); !state.empty())
      gpu.performance_state = std::move(state);
    if (word.size() > 1 && word.back() == 'C' && parse_int(word.substr(0, word.size() - 1)))
      gpu.temperature_c = leading_number(word);
    if (word == "ERR!") ++failed;
  }
  // One sensor alone may be broken, most often that of a fan.
  if (failed > 1) take_error(gpus_.back().error, "ERR!");
  for (const std::string_view word : words_of(third)) {
    if (word.size() > 1 && word.back() == '%') gpu.utilization_percent = leading_number(word);
    if (word == "Enabled" || word == "Disabled") gpu.mig_mode = word;
  }
}

void SmiTable::finish(NodeDraft& node) {
  for (GpuView& view : joined(std::move(gpus_))) add_view(node, std::move(view));
  gpus_.clear();
}

}  // namespace linkburn
