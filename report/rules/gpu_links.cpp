// Are the links between the GPUs up, all of them and at one rate? How many a GPU has in use is a
// matter of its board or its bridges, so equal GPUs of the node say what is right.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>

#include "report/ratings/products.h"
#include "report/rules/equals.h"
#include "report/rules/gpu_finding.h"
#include "report/rules/table.h"

namespace linkburn {
namespace {

/// One GPU whose links were listed.
struct Wiring {
  const Seen<Gpu>* gpu = nullptr;
  std::set<int> active, inactive;
  std::size_t listed() const { return active.size() + inactive.size(); }
};
using Wirings = std::vector<Wiring>;

Wiring wiring_of(const Seen<Gpu>& gpu) {
  Wiring wiring{&gpu, {}, {}};
  for (const GpuLink& link : gpu->links) {
    if (link.state == "active") wiring.active.insert(link.number);
    if (link.state == "inactive") wiring.inactive.insert(link.number);
  }
  return wiring;
}

/// Bridges of A100 and H100 cards carry four links each: three of them, twelve links [NVIDIA H100
/// PCIe product brief PB-11133-001, NVLink: 600 GB/s over three bridges].
constexpr std::size_t kLinksOfBridge = 4;

/// All GPUs of a board are wired alike, those of cards are joined in pairs by bridges, or not. The
/// names are those that drivers give.
bool is_on_board(const std::string& name) {
  const auto has = [&](std::string_view word) { return name.find(word) != std::string::npos; };
  if (has("PCI") || has("NVL")) return false;
  constexpr std::array<std::string_view, 8> kBoards{"SXM",  "HBM3", "H200", "H20",
                                                    "H800", "B200", "B300", "B100"};
  return std::any_of(kBoards.begin(), kBoards.end(), has);
}

std::size_t most_active(const Wirings& gpus) {
  std::size_t best = 0;
  for (const Wiring& wiring : gpus) best = std::max(best, wiring.active.size());
  return best;
}

std::size_t most_listed(const Wirings& gpus) {
  std::size_t most = 0;
  for (const Wiring& wiring : gpus) most = std::max(most, wiring.listed());
  return most;
}

/// A full list gives the number that the GPU has; where nobody gives one, the list was cut or is
/// that of a driver that lists none.
bool is_cut(const Wirings& gpus, const Wiring& wiring) {
  return wiring.listed() > 0 && wiring.listed() < most_listed(gpus);
}

/// Numbers of links that are active on every GPU that has the most of them.
std::set<int> usual_links(const Wirings& gpus) {
  std::set<int> usual;
  const std::size_t best = most_active(gpus);
  bool first = true;
  for (const Wiring& wiring : gpus) {
    if (wiring.active.size() < best) continue;
    if (first) usual = wiring.active;
    std::erase_if(usual, [&](int number) { return !wiring.active.contains(number); });
    first = false;
  }
  return usual;
}

std::vector<int> missing_links(const Wirings& gpus, const Wiring& wiring) {
  std::vector<int> missing;
  const std::set<int> usual = usual_links(gpus);
  if (wiring.listed() == 0) {
    missing.assign(usual.begin(), usual.end());
    return missing;
  }
  std::copy_if(wiring.inactive.begin(), wiring.inactive.end(), std::back_inserter(missing),
               [&](int number) { return usual.contains(number); });
  // Boards on which the numbers in use differ from GPU to GPU.
  if (missing.empty() && !is_cut(gpus, wiring))
    missing.assign(wiring.inactive.begin(), wiring.inactive.end());
  return missing;
}

Finding finding_of(const Story& story, const Wiring& wiring, std::string code, FindingClass cls) {
  return gpu_finding(story, *wiring.gpu, std::move(code), cls, Aspect::ports);
}

std::string links_text(std::size_t count) {
  return fmt::format("{} NVLink{}", count, count == 1 ? "" : "s");
}

/// A card whose partner misses the same links lacks a bridge, as far as one can tell.
bool lacks_bridge(const Wirings& gpus, const Wiring& wiring, std::size_t missing) {
  if (is_on_board((*wiring.gpu)->name) || missing % kLinksOfBridge != 0) return false;
  return std::any_of(gpus.begin(), gpus.end(), [&](const Wiring& other) {
    return &other != &wiring && other.inactive == wiring.inactive;
  });
}

Finding undecided(const Story& story, const Wiring& wiring, std::string detail) {
  Finding finding = finding_of(story, wiring, "LB-NVLINK-DOWN", FindingClass::undecided);
  finding.links.assign(wiring.inactive.begin(), wiring.inactive.end());
  finding.detail = std::move(detail);
  finding.missing = "nvidia-smi nvlink -s of all GPUs of this node, whole";
  return finding;
}

Finding down(const Story& story, const Wirings& gpus, const Wiring& wiring,
             std::vector<int> missing) {
  const bool bridge = lacks_bridge(gpus, wiring, missing.size());
  Finding finding = finding_of(story, wiring, "LB-NVLINK-DOWN",
                               bridge ? FindingClass::marginal : FindingClass::degraded);
  const std::size_t best = most_active(gpus);
  finding.links = std::move(missing);
  finding.negotiated.text = fmt::format("{} active", links_text(wiring.active.size()));
  finding.rated.text = links_text(best);
  finding.limit.text = finding.rated.text;
  finding.origin = "its equals in this node";
  const auto equals = std::count_if(
      gpus.begin(), gpus.end(), [&](const Wiring& other) { return other.active.size() == best; });
  finding.detail =
      fmt::format("{} of {} active, on {} equal GPU{} of this node {} are", wiring.active.size(),
                  links_text(best), equals, equals == 1 ? "" : "s", best);
  if (bridge) finding.detail += "; another GPU misses the same ones, as if a bridge were not there";
  return finding;
}

Finding healthy(const Story& story, const Wirings& gpus, const Wiring& wiring) {
  Finding finding = finding_of(story, wiring, "LB-HEALTHY", FindingClass::healthy);
  finding.detail = fmt::format("{} active", links_text(wiring.active.size()));
  if (!wiring.inactive.empty())
    finding.detail += fmt::format(", {} not in use, as on its {} equal{}", wiring.inactive.size(),
                                  gpus.size() - 1, gpus.size() == 2 ? "" : "s");
  return finding;
}

/// All equals have the same, and it is less than their maker says: a switch of the links may be
/// out, or somebody may have cut the board in parts.
std::optional<Finding> below_rating(const Story& story, const Wirings& gpus, const Wiring& wiring) {
  const Product* product =
      product_of_gpu(products(), story.component((*wiring.gpu)->component), (*wiring.gpu)->name);
  const std::size_t best = most_active(gpus);
  if (product == nullptr || !product->nvlinks ||
      best >= static_cast<std::size_t>(*product->nvlinks))
    return std::nullopt;
  Finding finding = finding_of(story, wiring, "LB-NVLINK-DOWN", FindingClass::marginal);
  finding.links.assign(wiring.inactive.begin(), wiring.inactive.end());
  finding.negotiated.text = fmt::format("{} active", links_text(wiring.active.size()));
  finding.rated.text = links_text(static_cast<std::size_t>(*product->nvlinks));
  finding.limit.text = finding.rated.text;
  finding.origin = product->origin();
  finding.detail = fmt::format("{} of {} active, as on all its equals in this node",
                               wiring.active.size(), links_text(wiring.listed()));
  return finding;
}

void not_judged(const Wiring& wiring, std::string why, RuleOutput& out) {
  out.not_judged.push_back({"NVLinks of " + (*wiring.gpu)->component.text(),
                            std::move(why),
                            "what the maker of the machine says of its NVLinks",
                            {}});
}

/// The GPU has fewer active links than an equal one.
void judge_fewer(const Story& story, const Wirings& gpus, const Wiring& wiring, RuleOutput& out) {
  std::vector<int> missing = missing_links(gpus, wiring);
  const bool none = wiring.active.empty();
  if (is_cut(gpus, wiring) && missing.empty())
    out.findings.push_back(
        undecided(story, wiring,
                  fmt::format("{} links are listed, {} of an equal GPU: the list was cut",
                              wiring.listed(), most_listed(gpus))));
  else if (none && !is_on_board((*wiring.gpu)->name))
    not_judged(wiring, "none is active: cards are joined by bridges, and this one may have none",
               out);
  else
    out.findings.push_back(down(story, gpus, wiring, std::move(missing)));
}

/// No GPU of this model has an active link.
void judge_none(const Story& story, const Wirings& gpus, RuleOutput& out) {
  if (gpus.size() > 1 && is_on_board((*gpus.front().gpu)->name)) {
    Finding finding =
        undecided(story, gpus.front(),
                  fmt::format("no NVLink of {} GPUs is active, although their boards have them",
                              gpus.size()));
    finding.component = ComponentId::node();
    finding.gpu.reset();
    finding.links.clear();
    finding.missing = "dmesg | grep -i nvlink, and systemctl status nvidia-fabricmanager";
    out.findings.push_back(std::move(finding));
    return;
  }
  for (const Wiring& wiring : gpus)
    not_judged(wiring, "no NVLink is active on any GPU of its kind", out);
}

void judge_lone(const Story& story, const Wirings& gpus, RuleOutput& out) {
  const Wiring& wiring = gpus.front();
  if (wiring.inactive.empty())
    out.findings.push_back(healthy(story, gpus, wiring));
  else
    out.findings.push_back(undecided(
        story, wiring,
        fmt::format("{} of {} inactive, and no equal GPU tells whether they are in use here",
                    wiring.inactive.size(), links_text(wiring.listed()))));
}

void judge_counts(const Story& story, const Wirings& gpus, RuleOutput& out) {
  const std::size_t best = most_active(gpus);
  if (best == 0) return judge_none(story, gpus, out);
  if (gpus.size() == 1) return judge_lone(story, gpus, out);
  for (const Wiring& wiring : gpus) {
    if (wiring.active.size() < best)
      judge_fewer(story, gpus, wiring, out);
    else if (auto finding = below_rating(story, gpus, wiring))
      out.findings.push_back(std::move(*finding));
    else
      out.findings.push_back(healthy(story, gpus, wiring));
  }
}

constexpr std::size_t kFewestLinks = 8;

/// What most of the active links of a model run at, where there are enough of them.
std::optional<double> usual_rate_gbs(const Wirings& gpus) {
  std::map<double, std::size_t> rates;
  std::size_t all = 0;
  for (const Wiring& wiring : gpus)
    for (const GpuLink& link : (*wiring.gpu)->links)
      if (link.rate_gbs) ++rates[*link.rate_gbs], ++all;
  for (const auto& [rate, count] : rates)
    if (all >= kFewestLinks && is_majority(count, all)) return rate;
  return std::nullopt;
}

/// Rates of one generation are printed with small differences: 25 and 25.781 GB/s.
constexpr double kSameRate = 0.9;

void judge_rates(const Story& story, const Wirings& gpus, RuleOutput& out) {
  const auto usual = usual_rate_gbs(gpus);
  if (!usual) return;
  for (const Wiring& wiring : gpus) {
    std::vector<int> slow;
    double lowest = *usual;
    for (const GpuLink& link : (*wiring.gpu)->links) {
      if (link.rate_gbs.value_or(*usual) >= kSameRate * *usual) continue;
      slow.push_back(link.number);
      lowest = std::min(lowest, *link.rate_gbs);
    }
    if (slow.empty()) continue;
    // All of one GPU may be another kind of bridge.
    const bool some = slow.size() < wiring.active.size();
    Finding finding = finding_of(story, wiring, "LB-NVLINK-RATE",
                                 some ? FindingClass::degraded : FindingClass::marginal);
    finding.links = std::move(slow);
    finding.negotiated.text = fmt::format("{:g} GB/s", lowest);
    finding.negotiated.rate_gbs = lowest;
    finding.rated.text = fmt::format("{:g} GB/s", *usual);
    finding.rated.rate_gbs = *usual;
    finding.origin = "its equals in this node";
    finding.detail = fmt::format("active at {:g} GB/s, the others at {:g} GB/s", lowest, *usual);
    out.findings.push_back(std::move(finding));
  }
}

void apply(const Story& story, RuleOutput& out) {
  std::map<std::string, Wirings> models;
  for (const auto& gpu : story.gpus)
    if (gpu->links_read) models[gpu->name].push_back(wiring_of(gpu));
  for (const auto& [name, gpus] : models) {
    judge_counts(story, gpus, out);
    judge_rates(story, gpus, out);
  }
}

}  // namespace

const Rule gpu_links_rule{"gpu_links", "Are the links between the GPUs up, at one rate?", apply};

}  // namespace linkburn
