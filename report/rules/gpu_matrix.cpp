// Does every GPU reach the others as its equals do? Told by the matrix of nvidia-smi topo -m, for
// GPUs whose own links nobody listed.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "bench/base/text.h"
#include "report/rules/table.h"

namespace linkburn {
namespace {

constexpr std::string_view kQuantity = "nvlinks_to_gpu";

struct Row {
  ComponentId component;
  std::map<int, int> links;  ///< peer -> NVLinks to it
  std::vector<std::int64_t> evidence;
};
using Matrix = std::map<int, Row>;

const Gpu* gpu_of(const Story& story, int number, const ComponentId& component) {
  for (const auto& gpu : story.gpus)
    if (gpu->index == number || gpu->component == component) return gpu.body;
  return nullptr;
}

std::optional<int> number_of(const Story& story, const ComponentId& component) {
  for (const auto& gpu : story.gpus)
    if (gpu->component == component && gpu->index) return gpu->index;
  const std::string_view text = component.text();
  if (!text.starts_with("gpu")) return std::nullopt;
  const auto number = parse_int(text.substr(3));
  return number ? std::optional<int>(static_cast<int>(*number)) : std::nullopt;
}

Matrix matrix_of(const Story& story) {
  Matrix matrix;
  for (const auto& reading : story.readings) {
    if (!reading->quantity.starts_with(kQuantity) || !reading->value) continue;
    const auto peer = parse_int(reading->quantity.substr(kQuantity.size()));
    const auto number = number_of(story, reading->component);
    if (!peer || !number) continue;
    Row& row = matrix[*number];
    row.component = reading->component;
    row.links[static_cast<int>(*peer)] = static_cast<int>(*reading->value);
    row.evidence.push_back(reading.seq);
  }
  return matrix;
}

bool has_none(const Row& row) {
  return std::all_of(row.links.begin(), row.links.end(),
                     [](const auto& peer) { return peer.second == 0; });
}

/// How many NVLinks join each two of the others; nothing when they are not all joined alike.
std::optional<int> joined_alike(const Matrix& matrix, int but) {
  std::optional<int> alike;
  for (const auto& [number, row] : matrix) {
    if (number == but) continue;
    if (row.links.size() + 1 < matrix.size()) return std::nullopt;  // the matrix was cut
    for (const auto& [peer, links] : row.links) {
      if (peer == but) continue;
      if (links == 0 || alike.value_or(links) != links) return std::nullopt;
      alike = links;
    }
  }
  return alike;
}

/// Bridges join two cards, or four; what joins more alike is a board. Its GPUs are of one model,
/// and four, eight or sixteen; a further one may be there for a display.
bool is_of_board(const Story& story, const Matrix& matrix, int number) {
  const Gpu* self = gpu_of(story, number, matrix.at(number).component);
  bool known = self != nullptr && !self->name.empty();
  for (const auto& [other, row] : matrix) {
    const Gpu* gpu = gpu_of(story, other, row.component);
    if (gpu == nullptr || gpu->name.empty()) known = false;
    if (known && gpu->name != self->name) return false;
  }
  return known ? matrix.size() >= 4 : matrix.size() == 8 || matrix.size() == 16;
}

void apply(const Story& story, RuleOutput& out) {
  const Matrix matrix = matrix_of(story);
  if (matrix.size() < 4) return;
  for (const auto& [number, row] : matrix) {
    const Gpu* gpu = gpu_of(story, number, row.component);
    if (gpu != nullptr && gpu->links_read) continue;  // gpu_links speaks
    if (!has_none(row) || row.links.size() + 1 < matrix.size()) continue;
    const auto usual = joined_alike(matrix, number);
    if (!usual || !is_of_board(story, matrix, number)) continue;
    Finding finding;
    finding.code = "LB-NVLINK-DOWN";
    finding.cls = FindingClass::degraded;
    finding.aspect = Aspect::ports;
    finding.component = row.component;
    finding.gpu = number;
    finding.phase = story.live_run ? Phase::idle : Phase::passive;
    finding.negotiated.text = "no NVLink to any GPU";
    finding.rated.text = fmt::format("{} NVLinks to each", *usual);
    finding.limit = finding.rated;
    finding.origin = "its equals in this node";
    finding.detail = fmt::format("reaches no GPU by NVLink; the {} others are all joined by {}",
                                 matrix.size() - 1, *usual);
    finding.evidence = row.evidence;
    out.findings.push_back(std::move(finding));
  }
}

}  // namespace

const Rule gpu_matrix_rule{"gpu_matrix", "Does every GPU reach the others as its equals do?",
                           apply};

}  // namespace linkburn
