// Does every GPU reach the others as its equals do? Told by the matrix of nvidia-smi topo -m, for
// GPUs whose own links nobody listed.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

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

bool is_whole(const Matrix& matrix) {
  return std::all_of(matrix.begin(), matrix.end(), [&](const auto& entry) {
    return entry.second.links.size() + 1 == matrix.size();
  });
}

/// By how many NVLinks a GPU reaches those that it reaches best.
int reach_of(const Row& row) {
  int best = 0;
  for (const auto& [peer, links] : row.links) best = std::max(best, links);
  return best;
}

/// What GPUs at a switch of NVLinks look like: most reach all others by the same number, and what
/// joins two is what the weaker of them has. `odd`: pairs of which that is not true.
struct Switched {
  int usual = 0;
  std::set<int> weak;  ///< GPUs that reach all others by less
  std::set<std::pair<int, int>> odd;
};

Switched seen_as_switched(const Matrix& matrix) {
  Switched seen;
  for (const auto& [number, row] : matrix) seen.usual = std::max(seen.usual, reach_of(row));
  for (const auto& [number, row] : matrix) {
    if (reach_of(row) < seen.usual) seen.weak.insert(number);
    for (const auto& [peer, links] : row.links)
      if (const auto other = matrix.find(peer);
          other == matrix.end() || links != std::min(reach_of(row), reach_of(other->second)))
        seen.odd.insert(std::minmax(number, peer));
  }
  return seen;
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

std::string links_text(int links) { return links == 0 ? "no NVLink" : fmt::format("NV{}", links); }

Finding finding_of(const Story& story, const Matrix& matrix, int number, int usual) {
  const Row& row = matrix.at(number);
  Finding finding;
  finding.code = "LB-NVLINK-DOWN";
  finding.cls = FindingClass::degraded;
  finding.aspect = Aspect::ports;
  finding.component = row.component;
  finding.gpu = number;
  finding.phase = story.live_run ? Phase::idle : Phase::passive;
  finding.rated.text = fmt::format("NV{} to each", usual);
  finding.limit = finding.rated;
  finding.origin = "its equals in this node";
  finding.evidence = row.evidence;
  return finding;
}

Finding weak_gpu(const Story& story, const Matrix& matrix, int number, const Switched& seen) {
  Finding finding = finding_of(story, matrix, number, seen.usual);
  const std::string links = links_text(reach_of(matrix.at(number)));
  finding.negotiated.text = links + " to any GPU";
  finding.detail = fmt::format("reaches the others by {}; most of the {} others are joined by NV{}",
                               links, matrix.size() - 1, seen.usual);
  return finding;
}

Finding odd_pair(const Story& story, const Matrix& matrix, const Switched& seen) {
  const auto [number, peer] = *seen.odd.begin();
  Finding finding = finding_of(story, matrix, number, seen.usual);
  const std::string links = links_text(matrix.at(number).links.at(peer));
  finding.negotiated.text = fmt::format("{} to GPU {}", links, peer);
  finding.detail = fmt::format(
      "reaches GPU {} by {}, and all others are joined by NV{}: one of the two is at fault", peer,
      links, seen.usual);
  return finding;
}

/// Its own links were listed: gpu_links speaks.
bool is_listed(const Story& story, const Matrix& matrix, int number) {
  const Gpu* gpu = gpu_of(story, number, matrix.at(number).component);
  return gpu != nullptr && gpu->links_read;
}

void apply(const Story& story, RuleOutput& out) {
  const Matrix matrix = matrix_of(story);
  if (matrix.size() < 4 || !is_whole(matrix)) return;
  const Switched seen = seen_as_switched(matrix);
  const auto is_dark = [&](int number) { return reach_of(matrix.at(number)) == 0; };
  const auto dark = std::count_if(seen.weak.begin(), seen.weak.end(), is_dark);
  const auto fault_at = [&](int number) {
    return is_of_board(story, matrix, number) && !is_listed(story, matrix, number);
  };
  if (seen.usual == 0 || 4 * seen.weak.size() > matrix.size()) return;
  if (seen.odd.size() == 1 && seen.weak.empty() && fault_at(seen.odd.begin()->first))
    out.findings.push_back(odd_pair(story, matrix, seen));
  if (!seen.odd.empty()) return;
  for (const int number : seen.weak)
    // Two that reach nobody may be there for something else.
    if (fault_at(number) && (dark < 2 || !is_dark(number)))
      out.findings.push_back(weak_gpu(story, matrix, number, seen));
}

}  // namespace

const Rule gpu_matrix_rule{"gpu_matrix", "Does every GPU reach the others as its equals do?",
                           apply};

}  // namespace linkburn
