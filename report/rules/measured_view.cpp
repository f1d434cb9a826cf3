#include "report/rules/measured_view.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

#include "bench/base/text.h"
#include "report/rules/equals.h"
#include "report/rules/link_view.h"
#include "report/rules/path_view.h"

namespace linkburn {
namespace {

/// Smaller copies measure how long they take to begin: at 55 GB/s, 16 MiB take 0.3 ms.
constexpr std::int64_t kLeastBytes = 16 * 1024 * 1024;

// Equal links of a node agree within 1 per cent; as of rates in a run, 8 is a finding.
constexpr double kAgree = 0.08;

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool is_gpu(const ComponentId& component) {
  return component.text().starts_with("gpu") || component.pci_address().has_value();
}

/// Why a copy says nothing about the link of one GPU; empty when it does.
std::string_view why_not(const Measurement& measured) {
  if (measured.direction == "duplex") return "both directions at once share memory and requests";
  if (measured.memory == "pageable") return "pageable memory is copied by the processor first";
  if (measured.bytes && *measured.bytes < kLeastBytes)
    return "copies below 16 MiB measure how long a copy takes to begin";
  if (!is_gpu(measured.component))
    return "it is of several GPUs together, or does not tell of which";
  // [nvbandwidth testcases: host_to_all, all_to_host: one GPU is measured while the others copy]
  if (has(measured.test, "_to_all") || has(measured.test, "all_to_"))
    return "other GPUs copied at the same time, over what they share";
  return {};
}

bool is_copy(const Measurement& measured) {
  return (measured.direction == "h2d" || measured.direction == "d2h" ||
          measured.direction == "p2p" ||
          (measured.direction == "duplex" && measured.tool != "perftest")) &&
         measured.rate_gbs.has_value();
}

using SeriesKey = std::tuple<std::string, std::string, std::string, std::string, std::string>;

void keep_better(CopyRate& rate, const Seen<Measurement>& measured) {
  rate.rate_gbs = std::max(rate.rate_gbs, *measured->rate_gbs);
  constexpr std::size_t kMostEvidence = 16;
  if (rate.evidence.size() < kMostEvidence) rate.evidence.push_back(measured.seq);
}

/// The series of a key that takes this GPU: where it has a rate already, the test ran again.
CopySeries& series_for(std::vector<CopySeries>& series, std::map<SeriesKey, std::size_t>& latest,
                       const SeriesKey& key, const Measurement& measured, const ComponentId& gpu) {
  const auto found = latest.find(key);
  const bool again = found != latest.end() && measured.direction != "p2p" &&
                     series[found->second].rates.contains(gpu);
  if (found != latest.end() && !again) return series[found->second];
  CopySeries fresh;
  fresh.tool = measured.tool;
  fresh.test = measured.test;
  fresh.direction = measured.direction;
  fresh.method = measured.method;
  latest[key] = series.size();
  return series.emplace_back(std::move(fresh));
}

void find_usual(CopySeries& series) {
  std::vector<double> rates;
  for (const auto& [gpu, rate] : series.rates) rates.push_back(rate.rate_gbs);
  if (rates.size() < kFewestEquals) return;
  std::sort(rates.begin(), rates.end());
  const double median = rates[rates.size() / 2];
  const auto same =
      static_cast<std::size_t>(std::count_if(rates.begin(), rates.end(), [&](double rate) {
        return rate >= median * (1 - kAgree) && rate <= median * (1 + kAgree);
      }));
  if (median <= 0 || !is_majority(same, rates.size())) return;
  series.usual_gbs = median;
  series.agreeing = same;
}

/// Words of a product's name: "Tesla V100-SXM2-32GB" has V100, SXM2 and 32GB.
bool has_word(std::string_view name, std::string_view word) {
  const auto is_end = [](char c) { return c == ' ' || c == '-' || c == '_'; };
  for (std::size_t at = name.find(word); at != std::string_view::npos;
       at = name.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || is_end(name[at - 1])) && (end == name.size() || is_end(name[end]))) return true;
  }
  return false;
}

bool is_chip_to_chip(const Story& story, const ComponentId& gpu, const Gpu* record) {
  const LinkStory* link = story.link_of(gpu);
  if (link != nullptr && link->link->kind == kLinkChipToChip) return true;
  if (record == nullptr) return false;
  if (record->c2c_mode == "Enabled") return true;
  for (const std::string_view word : {"GH200", "GB200", "GB300", "GB10"})
    if (has_word(record->name, word)) return true;
  return false;
}

/// Host interface of data centre GPUs, all of them x16 [NVIDIA data sheets of these products].
std::optional<LinkSpeed> speed_of_product(std::string_view name) {
  for (const std::string_view word : {"H100", "H200", "H20", "H800", "B100", "B200", "B300"})
    if (has_word(name, word)) return LinkSpeed{32000};
  for (const std::string_view word : {"A100", "A800", "A30", "A40", "A10", "L40", "L40S", "L4"})
    if (has_word(name, word)) return LinkSpeed{16000};
  for (const std::string_view word : {"V100", "P100", "P40", "T4"})
    if (has_word(name, word)) return LinkSpeed{8000};
  return std::nullopt;
}

CopyExpectation expect(LinkSpeed speed, LinkWidth width, std::string origin, bool sure) {
  CopyExpectation expected;
  expected.rated_gbs = link_rate(speed, width).gb_per_s();
  expected.text = to_string(speed, width);
  expected.origin = std::move(origin);
  expected.sure = sure;
  return expected;
}

void set_now(CopyExpectation& expected, std::optional<LinkSpeed> speed,
             std::optional<LinkWidth> width) {
  if (!speed || !width || !is_lane_count(*width)) return;
  expected.now_gbs = link_rate(*speed, *width).gb_per_s();
  expected.now_text = to_string(*speed, *width);
}

/// The lowest of the links on the way to the root port.
std::optional<CopyExpectation> from_link(const Story& story, const ComponentId& gpu) {
  const LinkStory* own = story.link_of(gpu);
  if (own == nullptr || !not_a_plain_link(story, *own->link).empty()) return std::nullopt;
  const LinkStory* lowest = own;
  if (!rated_rate(*own)) return std::nullopt;
  if (const Component* device = story.component(gpu))
    for (const ComponentId& hop : device->path) {
      const LinkStory* link = story.link_of(hop);
      if (link != nullptr && rated_rate(*link) && *rated_rate(*link) < *rated_rate(*lowest))
        lowest = link;
    }
  const auto& [speed, width] = lowest->rating;
  CopyExpectation expected = expect(speed->value, width->value, speed->origin, true);
  set_now(expected, negotiated_speed(*own->link).value, negotiated_width(*own->link).value);
  return expected;
}

/// As its driver tells: the best for this GPU in this system [nvml.h,
/// nvmlDeviceGetMaxPcieLinkGeneration], else what the GPU alone can do.
std::optional<CopyExpectation> from_record(const Gpu& gpu) {
  const bool both = gpu.max_speed.has_value() || (gpu.own_max_speed && gpu.host_max_speed);
  std::optional<LinkSpeed> speed = gpu.max_speed ? gpu.max_speed : gpu.own_max_speed;
  if (speed && gpu.host_max_speed) speed = std::min(*speed, *gpu.host_max_speed);
  if (!speed || !gpu.max_width || !is_lane_count(*gpu.max_width)) return std::nullopt;
  // Of fewer lanes nobody knows here whether the slot has more: some drivers tell the GPU's own
  // width as the best one.
  const bool all_lanes = !gpu.width || !is_lane_count(*gpu.width) || *gpu.width >= *gpu.max_width;
  CopyExpectation expected =
      expect(*speed, *gpu.max_width, "the GPU's driver: the best for this GPU in this system",
             both && all_lanes);
  set_now(expected, gpu.speed, gpu.width);
  return expected;
}

}  // namespace

MeasuredGpus::MeasuredGpus(const Story& story) {
  for (const auto& gpu : story.gpus) {
    // Of several records of a GPU, the one that tells of its link.
    const Gpu*& known = by_component_[gpu->component];
    if (known == nullptr || (!known->max_speed && gpu->max_speed)) known = gpu.body;
    if (!gpu->index) continue;
    const auto [entry, fresh] = by_index_.try_emplace(*gpu->index, gpu->component);
    if (!fresh && !entry->second.pci_address()) entry->second = gpu->component;
  }
}

const ComponentId& MeasuredGpus::resolved(const ComponentId& measured) const {
  if (!measured.text().starts_with("gpu")) return measured;
  const auto number = parse_int(std::string_view(measured.text()).substr(3));
  const auto found = number ? by_index_.find(static_cast<int>(*number)) : by_index_.end();
  return found != by_index_.end() ? found->second : measured;
}

const Gpu* MeasuredGpus::record(const ComponentId& gpu) const {
  const auto found = by_component_.find(gpu);
  return found != by_component_.end() ? found->second : nullptr;
}

std::optional<int> MeasuredGpus::index(const ComponentId& gpu) const {
  if (const Gpu* known = record(gpu); known != nullptr && known->index) return known->index;
  if (!gpu.text().starts_with("gpu")) return std::nullopt;
  const auto number = parse_int(std::string_view(gpu.text()).substr(3));
  return number ? std::optional<int>(static_cast<int>(*number)) : std::nullopt;
}

std::vector<CopySeries> copy_series(const Story& story, const MeasuredGpus& gpus,
                                    std::vector<NotJudged>& not_judged) {
  std::vector<CopySeries> series;
  std::map<SeriesKey, std::size_t> latest;
  std::set<std::pair<std::string, std::string_view>> told;
  for (const auto& measured : story.measurements) {
    if (!is_copy(*measured)) continue;
    if (const std::string_view why = why_not(*measured); !why.empty()) {
      if (told.insert({measured->test, why}).second)
        not_judged.push_back({fmt::format("rates of {} {}", measured->tool, measured->test),
                              std::string(why),
                              "copies of one GPU at a time in pinned memory",
                              {}});
      continue;
    }
    const ComponentId& gpu = gpus.resolved(measured->component);
    const Gpu* record = gpus.record(gpu);
    const SeriesKey key{measured->tool, measured->test, measured->direction + measured->method,
                        measured->memory, record != nullptr ? record->name : ""};
    CopySeries& table = series_for(series, latest, key, *measured, gpu);
    keep_better(table.rates[gpu], measured);
    if (measured->direction != "p2p" || !measured->peer) continue;
    const ComponentId& peer = gpus.resolved(*measured->peer);
    keep_better(table.rates[peer], measured);
    keep_better(table.pairs[std::minmax(gpu, peer)], measured);
  }
  for (CopySeries& table : series) find_usual(table);
  return series;
}

std::vector<PairRate> odd_pairs(const CopySeries& series) {
  constexpr double kFarBelow = 0.70;
  constexpr std::size_t kFewestPairs = 6;  // of four GPUs
  std::vector<PairRate> odd;
  std::vector<double> rates;
  for (const auto& [pair, rate] : series.pairs) rates.push_back(rate.rate_gbs);
  if (rates.size() < kFewestPairs || !series.usual_gbs) return odd;
  std::sort(rates.begin(), rates.end());
  const double median = rates[rates.size() / 2];
  std::size_t alike = 0;
  for (const auto& [pair, rate] : series.pairs) {
    alike += rate.rate_gbs >= median * (1 - kAgree) && rate.rate_gbs <= median * (1 + kAgree);
    const bool well = series.rates.at(pair.first).rate_gbs >= median * (1 - kAgree) &&
                      series.rates.at(pair.second).rate_gbs >= median * (1 - kAgree);
    if (well && rate.rate_gbs < median * kFarBelow)
      odd.push_back({pair.first, pair.second, rate.rate_gbs, rate.evidence});
  }
  return is_majority(alike, rates.size()) ? odd : std::vector<PairRate>();
}

std::optional<CopyExpectation> copy_expectation(const Story& story, const MeasuredGpus& gpus,
                                                const ComponentId& gpu) {
  const Gpu* record = gpus.record(gpu);
  if (is_chip_to_chip(story, gpu, record)) return std::nullopt;
  if (auto expected = from_link(story, gpu)) return expected;
  if (record == nullptr) return std::nullopt;
  if (auto expected = from_record(*record)) return expected;
  if (const auto speed = speed_of_product(record->name))
    return expect(*speed, LinkWidth{16}, "the product's data sheet", false);
  return std::nullopt;
}

}  // namespace linkburn
