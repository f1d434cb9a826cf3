// NVLinks between the GPUs of a scenario: through switches, or from each to each.
#include <fmt/format.h>

#include "bench/base/text.h"
#include "bench/drill/scenario_cards.h"

namespace linkburn::drill {
namespace {

enum Shape { to_switch, mesh };

struct Bundle {
  Shape shape = to_switch;
  std::vector<int> gpus;  ///< indices of Gpu
  int links = 0;          ///< of each GPU to the switches, or of each pair
  double rate_gbs = 25;
};

int gpu_of(const Draft& draft, int function) {
  for (int n = 0; n < draft.gpus; ++n)
    if (draft.state->gpus[n].function == function) return n;
  return -1;
}

void read_members(TableReader& table, const Draft& draft, std::vector<int>& gpus) {
  std::vector<std::string> patterns;
  table.text_or_texts("gpus", patterns);
  if (patterns.empty()) patterns.emplace_back("gpu*");
  for (const std::string& pattern : patterns) {
    const std::size_t before = gpus.size();
    for (const int function : find_all(draft, pattern)) {
      const int gpu = gpu_of(draft, function);
      if (gpu >= 0 && std::find(gpus.begin(), gpus.end(), gpu) == gpus.end()) gpus.push_back(gpu);
    }
    if (gpus.size() == before)
      table.fail(fmt::format("there is no further GPU '{}'", printable(pattern, 64)), "gpus");
  }
}

/// Adds the bundle's links from a GPU to one peer.
void connect(Draft& draft, TableReader& table, int gpu, int peer, const Bundle& bundle) {
  auto& links = draft.state->gpus[gpu].nvlinks;
  auto free = std::find_if(links.begin(), links.end(), [](const Nvlink& l) { return !l.used; });
  if (links.end() - free < bundle.links)
    return table.fail(fmt::format("a GPU has at most {} NVLinks", kMaxNvlinks));
  for (int n = 0; n < bundle.links; ++n, ++free) {
    free->peer_gpu = peer, free->rate_gbs = bundle.rate_gbs;
    free->used = free->active = true;
  }
}

void read_bundle(TableReader& table, Draft& draft) {
  Bundle bundle;
  bundle.shape = read_word(table, "shape", {"switch", "mesh"}).value_or(0) == 0 ? to_switch : mesh;
  read_members(table, draft, bundle.gpus);
  table.number("links", bundle.links, 1, kMaxNvlinks, true);
  read_decimal(table, "rate_gbs", bundle.rate_gbs, 0.001, 1e4);
  if (bundle.shape == mesh && bundle.gpus.size() < 2)
    return table.fail("a mesh needs at least two GPUs");
  for (const int gpu : bundle.gpus) {
    if (bundle.shape == to_switch) connect(draft, table, gpu, -1, bundle);
    for (const int peer : bundle.gpus)
      if (bundle.shape == mesh && peer != gpu) connect(draft, table, gpu, peer, bundle);
  }
}

}  // namespace

void read_nvlinks(TableReader& table, Draft& draft) {
  table.each("nvlink", [&](TableReader& bundle) { read_bundle(bundle, draft); });
}

}  // namespace linkburn::drill
