// What other tools said: GPUs, rates that they measured, and how much of their texts was read.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "report/render/text_parts.h"

namespace linkburn {
namespace {

constexpr std::size_t kMostParts = 40;  ///< rows; JSON has all

std::string kind_of_part(const CapturePart& part) {
  return part.reader.empty() ? "not recognised" : plain(part.reader, 30);
}

/// "notes.txt, not recognised: "hello", "see you""
void append_examples(std::string& out, const CapturePart& part, std::size_t columns) {
  if (part.examples.empty()) return;
  std::string text = fmt::format("{}, {}: ", plain(part.source, 120),
                                 part.reader.empty() ? "not recognised" : "not understood");
  for (std::size_t i = 0; i < part.examples.size(); ++i)
    text += fmt::format("{}\"{}\"", i > 0 ? ", " : "", plain(part.examples[i], 120));
  wrap(out, "  - ", text, columns);
}

std::string pcie_text(const Gpu& gpu) {
  const std::string now = quantity(gpu.speed, gpu.width).text;
  const std::string best = quantity(gpu.max_speed, gpu.max_width).text;
  if (now.empty() || best.empty()) return now;
  return fmt::format("{} of {}", now, best);
}

/// "4 of 6 active, down: 3 5".
std::string links_text(const Gpu& gpu) {
  if (gpu.links.empty()) return gpu.links_read ? "none" : "";
  std::size_t active = 0, unknown = 0;
  std::vector<int> down;
  for (const GpuLink& link : gpu.links) {
    if (link.state == "active")
      ++active;
    else if (link.state.empty())
      ++unknown;
    else
      down.push_back(link.number);
  }
  std::string text = fmt::format("{} of {} active", active, gpu.links.size());
  if (!down.empty()) text += fmt::format(", down: {}", fmt::join(down, " "));
  if (unknown > 0) text += fmt::format(", state of {} not said", unknown);
  return text;
}

/// What a link carries in one direction; two values when they differ.
std::string link_rate_text(const Gpu& gpu) {
  std::optional<double> low, high;
  for (const GpuLink& link : gpu.links) {
    if (!link.rate_gbs) continue;
    low = std::min(low.value_or(*link.rate_gbs), *link.rate_gbs);
    high = std::max(high.value_or(*link.rate_gbs), *link.rate_gbs);
  }
  if (!low) return {};
  return *low == *high ? fmt::format("{:g} GB/s", *low)
                       : fmt::format("{:g} to {:g} GB/s", *low, *high);
}

/// Measurements of one test; only those of its largest message compare.
struct Test {
  const Measurement* lowest = nullptr;
  const Measurement* highest = nullptr;
  std::size_t count = 0;
  std::int64_t wrong = 0;

  void take(const Measurement& one) {
    wrong += one.wrong.value_or(0);
    if (!one.rate_gbs) return;
    const std::int64_t bytes = one.bytes.value_or(0);
    const std::int64_t known = lowest != nullptr ? lowest->bytes.value_or(0) : bytes;
    if (bytes < known) return;
    if (bytes > known || lowest == nullptr) lowest = highest = nullptr, count = 0;
    ++count;
    if (lowest == nullptr || *one.rate_gbs < *lowest->rate_gbs) lowest = &one;
    if (highest == nullptr || *one.rate_gbs > *highest->rate_gbs) highest = &one;
  }
};

std::string subject(const Measurement& one) {
  std::string text = plain(short_address(one.component), 40);
  if (one.peer) text += fmt::format("-{}", plain(short_address(*one.peer), 40));
  return text;
}

/// "26.2 at 18:00.0", in GB/s.
std::string rate_text(const Measurement* one) {
  if (one == nullptr) return {};
  const std::string who = subject(*one);
  return fmt::format("{:.1f}{}", *one->rate_gbs, who.empty() ? "" : " at " + who);
}

std::string how_text(const Measurement& one) {
  std::string text;
  for (const std::string* word : {&one.direction, &one.method, &one.memory, &one.statistic})
    if (!word->empty()) text += (text.empty() ? "" : ", ") + plain(*word, 30);
  return text;
}

}  // namespace

void append_gpus(std::string& out, const NodeView& node, const TextStyle& style) {
  if (node.gpus.empty()) return;
  Table table(
      {{"GPU", 3}, {"device", 7}, {"name", 6}, {"PCIe", 14}, {"GPU links", 14}, {"each", 8}});
  for (const Gpu* gpu : node.gpus)
    table.add({gpu->index ? fmt::format("{}", *gpu->index) : "", short_address(gpu->component),
               plain(gpu->name, 60), pcie_text(*gpu), links_text(*gpu), link_rate_text(*gpu)});
  out += "GPUs, as their driver says\n";
  table.append_to(out, style.columns, style.paint);
  out += '\n';
}

void append_measurements(std::string& out, const NodeView& node, const TextStyle& style) {
  if (node.measurements.empty()) return;
  using Key = std::tuple<std::string, std::string, std::string>;
  std::map<Key, Test> tests;
  for (const Measurement* one : node.measurements)
    tests[{one->tool, one->test, how_text(*one)}].take(*one);
  Table table({{"test", 14},
               {"tool", 6},
               {"how", 8},
               {"lowest GB/s", 16},
               {"highest", 16},
               {"values", 4},
               {"wrong", 4}});
  for (const auto& [key, test] : tests)
    table.add({plain(std::get<1>(key), 60), plain(std::get<0>(key), 30), std::get<2>(key),
               rate_text(test.lowest), rate_text(test.highest), fmt::format("{}", test.count),
               test.wrong > 0 ? fmt::format("{}", test.wrong) : ""});
  out += "Rates of other tools (largest message of each test)\n";
  table.append_to(out, style.columns, style.paint);
  out += '\n';
}

void append_captures(std::string& out, const NodeView& node, const TextStyle& style) {
  if (node.captures.empty()) return;
  Table table({{"source", 12}, {"read as", 8}, {"lines", 5}, {"not understood", 5}});
  const std::size_t shown = std::min(node.captures.size(), kMostParts);
  for (std::size_t i = 0; i < shown; ++i) {
    const CapturePart& part = *node.captures[i];
    table.add({plain(part.source, 120), kind_of_part(part), fmt::format("{}", part.lines),
               fmt::format("{}", part.not_understood)});
  }
  out += "Read\n";
  table.append_to(out, style.columns, style.paint);
  for (std::size_t i = 0; i < shown; ++i) append_examples(out, *node.captures[i], style.columns);
  if (shown < node.captures.size())
    out += fmt::format("  and {} more; --format json lists all of them\n",
                       node.captures.size() - shown);
  out += '\n';
}

}  // namespace linkburn
