// Do copies to and from the GPUs run at what their links are rated for, as other tools measured
// them? A healthy link can be slow for many reasons, so one low rate alone is no fault: only what
// two measurements or a register confirm is, and only where equals or the register rule the other
// reasons out.
#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "report/rules/measured_finding.h"
#include "report/rules/table.h"

namespace linkburn {
namespace {

constexpr double kWarn = 0.90;  ///< of the rating; what is below, to kLowCopy, is worth a word
constexpr double kOdd = 0.92;   ///< of the equals, which agree within 1 per cent
/// What a link carries of payload lies within, so a rate in it fits this link and no faster one.
constexpr double kFitsFrom = 0.70, kFitsTo = 0.98;

CopyLevel level_of(double ratio, double warn) {
  if (ratio < kLowCopy) return CopyLevel::low;
  return ratio < warn ? CopyLevel::odd : CopyLevel::fine;
}

std::size_t count(const std::vector<JudgedCopy>& rates, std::optional<CopyLevel> JudgedCopy::*by,
                  CopyLevel level) {
  return static_cast<std::size_t>(std::count_if(
      rates.begin(), rates.end(), [&](const JudgedCopy& judged) { return judged.*by == level; }));
}

/// The register says a slower link than rated, and the rates are what that one carries.
bool register_agrees(const GpuCopies& copies) {
  const auto& expected = copies.expected;
  if (!expected || !expected->now_gbs) return false;
  if (*expected->now_gbs >= expected->rated_gbs * kLowCopy) return false;
  bool low = false;
  for (const JudgedCopy& judged : copies.host) {
    if (!judged.by_rating) continue;
    const double share = judged.rate_gbs / *expected->now_gbs;
    if (share < kFitsFrom || share > kFitsTo) return false;
    low = low || judged.by_rating == CopyLevel::low;
  }
  return low;
}

/// Two measurements or more, and none of them good. What fits its own lower rating is built so.
bool confirmed_by_equals(const std::vector<JudgedCopy>& rates) {
  return count(rates, &JudgedCopy::by_equals, CopyLevel::low) >= 2 &&
         count(rates, &JudgedCopy::by_equals, CopyLevel::fine) == 0 &&
         count(rates, &JudgedCopy::by_equals, CopyLevel::odd) == 0 &&
         count(rates, &JudgedCopy::by_rating, CopyLevel::fine) == 0;
}

/// Too few to be compared, but another one shows that this host can do it.
bool confirmed_by_rating(const GpuCopies& copies) {
  return copies.expected && copies.expected->sure &&
         count(copies.host, &JudgedCopy::by_rating, CopyLevel::low) >= 2 &&
         count(copies.host, &JudgedCopy::by_rating, CopyLevel::fine) == 0 &&
         std::all_of(copies.host.begin(), copies.host.end(), [](const JudgedCopy& judged) {
           return !judged.by_rating || judged.equal_reaches_rating;
         });
}

Finding degraded(const GpuCopies& copies, const std::vector<JudgedCopy>& rates,
                 std::string_view why) {
  Finding finding = copy_finding(copies, rates, "LB-RATE-LOW", FindingClass::degraded);
  finding.detail += fmt::format("; {}", why);
  return finding;
}

/// Below its equals in some measurement; nothing when it is like them, or cannot be compared.
std::optional<Finding> beside_equals(const GpuCopies& copies, const std::vector<JudgedCopy>& rates,
                                     bool peers) {
  if (confirmed_by_equals(rates))
    return degraded(copies, rates, "every measurement says so, and its equals reach more");
  if (count(rates, &JudgedCopy::by_equals, CopyLevel::low) +
          count(rates, &JudgedCopy::by_equals, CopyLevel::odd) ==
      0)
    return std::nullopt;
  Finding finding = copy_finding(copies, rates, "LB-RATE-ODD", FindingClass::marginal);
  if (count(rates, &JudgedCopy::by_rating, CopyLevel::fine) > 0 && copies.expected)
    finding.detail += fmt::format("; that fits its own rating, {}", copies.expected->text);
  else
    finding.detail += other_reasons(rates);
  finding.detail += how_to_settle(copies, peers);
  return finding;
}

/// A low rate questions the speed of the link, unless that was seen at its rating.
Aspect questioned(const std::optional<CopyExpectation>& expected) {
  if (!expected) return Aspect::rate;
  const bool seen_good = expected->now_gbs && *expected->now_gbs >= expected->rated_gbs;
  return seen_good ? Aspect::rate : Aspect::speed;
}

Finding undecided(const GpuCopies& copies, const std::vector<JudgedCopy>& rates,
                  std::string_view why, std::string missing) {
  Finding finding = copy_finding(copies, rates, "LB-RATE-LOW", FindingClass::undecided);
  finding.aspect = questioned(copies.expected);
  finding.detail += fmt::format("; {}", why);
  finding.missing = std::move(missing);
  return finding;
}

/// GPUs that are alike and all below their rating: one thing to say of the node.
struct AllLow {
  std::set<ComponentId> gpus;
  const CopySeries* series = nullptr;
  std::string text;
  std::vector<std::int64_t> evidence;
  bool sure = false;
  Aspect aspect = Aspect::speed;
};

void add_low(AllLow& all, const GpuCopies& copies) {
  // One direction at its rating proves the link; the other one is slow for another reason.
  if (count(copies.host, &JudgedCopy::by_rating, CopyLevel::fine) > 0 ||
      questioned(copies.expected) == Aspect::rate)
    all.aspect = Aspect::rate;
  for (const JudgedCopy& judged : copies.host) {
    if (judged.by_rating != CopyLevel::low) continue;
    all.gpus.insert(copies.gpu);
    all.series = judged.series;
    all.text = copies.expected->text;
    all.sure = copies.expected->sure;
    add_evidence(all.evidence, judged.evidence);
  }
}

Finding all_low_finding(const AllLow& all) {
  Finding finding;
  finding.code = "LB-RATE-LOW";
  finding.cls = FindingClass::undecided;
  finding.aspect = all.aspect;
  finding.component = ComponentId::node();
  finding.phase = Phase::passive;
  finding.evidence = all.evidence;
  finding.achieved.rate_gbs = all.series->usual_gbs;
  finding.achieved.text = fmt::format("{:.1f} GB/s", all.series->usual_gbs.value_or(0));
  finding.rated.text = all.text;
  finding.detail = fmt::format(
      "{} GPUs are alike at {:.1f} GB/s {}, less than {} gives{}: a host or slots that give no "
      "more, memory, an IOMMU or a virtual machine look like this, and one bad link does not",
      all.gpus.size(), all.series->usual_gbs.value_or(0), words_of_direction(*all.series), all.text,
      all.sure ? "" : ", which is what the product can do");
  finding.missing = "sudo lspci -vvv of the GPUs and the ports above them while the copies run";
  return finding;
}

/// Too few to tell what is usual, or of two kinds: a better one is worth a warning all the same.
const JudgedCopy* far_below_best(const std::vector<JudgedCopy>& rates) {
  for (const JudgedCopy& judged : rates)
    if (!judged.by_equals && judged.rate_gbs < judged.best_gbs * kLowCopy) return &judged;
  return nullptr;
}

/// What is left when no equal is better: its own rating.
void beside_rating(const GpuCopies& copies, AllLow& all, RuleOutput& out) {
  const bool equals = count(copies.host, &JudgedCopy::by_equals, CopyLevel::fine) > 0;
  const std::size_t low = count(copies.host, &JudgedCopy::by_rating, CopyLevel::low);
  const std::size_t odd = count(copies.host, &JudgedCopy::by_rating, CopyLevel::odd);
  if (equals && low > 0) {
    add_low(all, copies);
    if (count(copies.host, &JudgedCopy::by_rating, CopyLevel::fine) == 0) return;
  } else if (confirmed_by_rating(copies)) {
    out.findings.push_back(degraded(copies, copies.host,
                                    "both directions say so, and another GPU of this node reaches "
                                    "its rating"));
    return;
  } else if (const JudgedCopy* below = far_below_best(copies.host);
             below != nullptr && count(copies.host, &JudgedCopy::by_rating, CopyLevel::fine) == 0) {
    Finding finding = copy_finding(copies, copies.host, "LB-RATE-ODD", FindingClass::marginal);
    finding.detail +=
        fmt::format("; another GPU of this node reaches {:.1f} GB/s", below->best_gbs) +
        "; a slot of another kind looks like this too" + how_to_settle(copies, false);
    out.findings.push_back(std::move(finding));
    return;
  } else if (low + odd > 0 && !equals) {
    // What another direction or run reached is no longer a question of what the slot gives.
    if (copies.expected->sure || count(copies.host, &JudgedCopy::by_rating, CopyLevel::fine) > 0) {
      Finding finding = copy_finding(copies, copies.host, "LB-RATE-LOW", FindingClass::marginal);
      finding.detail += other_reasons(copies.host) + how_to_settle(copies, false);
      out.findings.push_back(std::move(finding));
    } else {
      out.findings.push_back(undecided(
          copies, copies.host,
          fmt::format("less than {} gives, if its slot gives that", copies.expected->text),
          "sudo lspci -vvv of the GPU and the port above it while the copy runs"));
    }
    return;
  } else if (!equals && count(copies.host, &JudgedCopy::by_rating, CopyLevel::fine) == 0) {
    out.findings.push_back(undecided(copies, copies.host,
                                     "nothing tells what its link is rated for",
                                     "nvidia-smi -q, or lspci -vvv of the GPU and its port"));
    return;
  }
  Finding finding = copy_finding(copies, copies.host, "LB-HEALTHY", FindingClass::healthy);
  finding.limit = {};
  finding.origin.clear();
  finding.detail += equals ? ": like its equals" : ": what its link is rated for";
  out.findings.push_back(std::move(finding));
}

void judge_host(const GpuCopies& copies, AllLow& all, RuleOutput& out) {
  if (copies.host.empty()) return;
  if (register_agrees(copies) && !copies.expected->sure &&
      count(copies.host, &JudgedCopy::by_equals, CopyLevel::low) == 0) {
    out.not_judged.push_back(
        {fmt::format("copies of {} ({})", copies.gpu.text(), describe(copies.host)),
         fmt::format(
             "they get what {} carries, which its link was seen at: the link is the question",
             copies.expected->now_text),
         "the port above it: sudo lspci -vvv",
         {}});
  } else if (register_agrees(copies) && copies.expected->sure) {
    Finding finding = degraded(copies, copies.host,
                               fmt::format("that is what {} carries, which the link was seen at",
                                           copies.expected->now_text));
    finding.negotiated.text = copies.expected->now_text;
    out.findings.push_back(std::move(finding));
  } else if (auto finding = beside_equals(copies, copies.host, false)) {
    out.findings.push_back(std::move(*finding));
  } else {
    beside_rating(copies, all, out);
  }
}

Finding pair_finding(const PairRate& pair, std::optional<int> index, double usual_gbs) {
  Finding finding;
  finding.code = "LB-RATE-ODD";
  finding.cls = FindingClass::marginal;
  finding.aspect = Aspect::rate;
  finding.component = pair.gpu;
  finding.gpu = index;
  finding.phase = Phase::passive;
  finding.achieved.rate_gbs = pair.rate_gbs;
  finding.achieved.text = fmt::format("{:.1f} GB/s", pair.rate_gbs);
  finding.evidence = pair.evidence;
  finding.detail = fmt::format(
      "{:.1f} GB/s with {}, where other pairs of GPUs have {:.1f} GB/s: the links between these "
      "two may be down; look at nvidia-smi nvlink -s and nvidia-smi topo -m",
      pair.rate_gbs, pair.peer.text(), usual_gbs);
  return finding;
}

/// A missing link between two GPUs shows nowhere else: both reach all others as they should. Each
/// pair is told once, however many tables show it.
std::set<ComponentId> judge_pairs(const std::vector<CopySeries>& all_series,
                                  const MeasuredGpus& gpus, RuleOutput& out) {
  std::set<ComponentId> concerned;
  std::set<std::pair<ComponentId, ComponentId>> told;
  for (const CopySeries& series : all_series)
    for (const PairRate& pair : odd_pairs(series)) {
      if (!told.insert({pair.gpu, pair.peer}).second) continue;
      concerned.insert({pair.gpu, pair.peer});
      out.findings.push_back(
          pair_finding(pair, gpus.index(pair.gpu), series.usual_gbs.value_or(0)));
    }
  return concerned;
}

void judge_peers(const GpuCopies& copies, bool in_odd_pair, RuleOutput& out) {
  if (copies.peers.empty()) return;
  if (auto finding = beside_equals(copies, copies.peers, true)) {
    out.findings.push_back(std::move(*finding));
  } else if (!in_odd_pair && count(copies.peers, &JudgedCopy::by_equals, CopyLevel::fine) > 0) {
    Finding healthy = copy_finding(copies, copies.peers, "LB-HEALTHY", FindingClass::healthy);
    healthy.limit = {};
    healthy.origin.clear();
    healthy.detail += ": like its equals";
    out.findings.push_back(std::move(healthy));
  }
}

/// What a GPU gets of its link, unless it gets more: then its data goes another way.
std::optional<double> share_of_rating(const CopySeries& series, const CopyRate& rate,
                                      const std::optional<CopyExpectation>& expected) {
  constexpr double kRounding = 1.02;
  if (!series.fills_link() || !expected) return std::nullopt;
  if (rate.rate_gbs > expected->rated_gbs * kRounding) return std::nullopt;
  return rate.rate_gbs / (expected->rated_gbs * kCopyEfficiency);
}

void apply(const Story& story, RuleOutput& out) {
  const MeasuredGpus gpus(story);
  const std::vector<CopySeries> all_series = copy_series(story, gpus, out.not_judged);
  std::map<ComponentId, GpuCopies> copies;
  for (const CopySeries& series : all_series) {
    std::size_t good = 0;  // GPUs of this table that reach their rating
    double best_gbs = 0;
    for (const auto& [gpu, rate] : series.rates) best_gbs = std::max(best_gbs, rate.rate_gbs);
    for (const auto& [gpu, rate] : series.rates) {
      const auto [entry, fresh] = copies.try_emplace(gpu);
      GpuCopies& one = entry->second;
      if (fresh) {
        one.gpu = gpu;
        one.index = gpus.index(gpu);
        one.expected = copy_expectation(story, gpus, gpu);
      }
      JudgedCopy judged{&series, rate.rate_gbs, rate.evidence, {}, {}, false, best_gbs};
      if (series.usual_gbs) judged.by_equals = level_of(rate.rate_gbs / *series.usual_gbs, kOdd);
      if (const auto share = share_of_rating(series, rate, one.expected))
        judged.by_rating = level_of(*share, kWarn);
      if (judged.by_rating == CopyLevel::fine) ++good;
      (series.direction == "p2p" ? one.peers : one.host).push_back(std::move(judged));
    }
    if (good == 0) continue;
    for (const auto& [gpu, rate] : series.rates)
      if (auto& list = copies.at(gpu).host; !list.empty() && list.back().series == &series)
        list.back().equal_reaches_rating = list.back().by_rating != CopyLevel::fine;
  }
  const std::set<ComponentId> in_odd_pair = judge_pairs(all_series, gpus, out);
  AllLow all;
  for (const auto& [gpu, one] : copies) {
    judge_host(one, all, out);
    judge_peers(one, in_odd_pair.contains(gpu), out);
  }
  if (!all.gpus.empty()) out.findings.push_back(all_low_finding(all));
}

}  // namespace

const Rule measured_copies_rule{
    "measured_copies", "Do copies to and from GPUs get what their links are rated for?", apply};

}  // namespace linkburn
