// Rates of copies that other tools measured, sorted for the rules: which GPU, in which test, beside
// which equals, and against what.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/rules/rule.h"

namespace linkburn {

struct CopyRate {
  double rate_gbs = 0;
  std::vector<std::int64_t> evidence;
};

/// What two GPUs have between them, in the better direction.
struct PairRate {
  ComponentId gpu, peer;
  double rate_gbs = 0;
  std::vector<std::int64_t> evidence;
};

/// One table of one tool: the same copy on each GPU of one model. Of copies between GPUs, the best
/// rate that each GPU has with any peer: whom it shares a switch with differs by design.
struct CopySeries {
  std::string tool, test;
  std::string direction;  ///< "h2d", "d2h", "p2p"
  std::string method;     ///< "copy_engine", "kernel"; empty: not told
  std::map<ComponentId, CopyRate> rates;
  /// Of copies between GPUs, by both of their components in order.
  std::map<std::pair<ComponentId, ComponentId>, CopyRate> pairs;
  /// The rate of most of them; absent where they are too few, or do not agree.
  std::optional<double> usual_gbs;
  std::size_t agreeing = 0;

  /// Only copy engines fill a link in both directions: kernels that read memory of the host are
  /// slower by nature.
  bool fills_link() const { return method == "copy_engine" && direction != "p2p"; }
};

/// What a GPU's link to its host carries, after line coding.
struct CopyExpectation {
  double rated_gbs = 0;
  std::string text;    ///< "32.0 GT/s x16"
  std::string origin;  ///< of that rating
  /// Both ends are known. False: this is what the GPU can do, and its slot may give less.
  bool sure = false;
  std::optional<double> now_gbs;  ///< of the link as it was captured, at load or not
  std::string now_text;
};

/// GPUs as measurements name them and as the node knows them.
class MeasuredGpus {
 public:
  explicit MeasuredGpus(const Story& story);

  /// "gpu3" as its PCI function, where the driver's records tell it; all others as they are.
  const ComponentId& resolved(const ComponentId& measured) const;
  const Gpu* record(const ComponentId& gpu) const;
  std::optional<int> index(const ComponentId& gpu) const;

 private:
  std::map<int, ComponentId> by_index_;
  std::map<ComponentId, const Gpu*> by_component_;
};

/// All tables of copies that say something about links. What says nothing is added to
/// `not_judged`: pageable memory, small copies, sums over GPUs, both directions at once.
std::vector<CopySeries> copy_series(const Story& story, const MeasuredGpus& gpus,
                                    std::vector<NotJudged>& not_judged);

/// Pairs far below all others, where all others are alike: on machines that join each two GPUs in
/// the same way. Those of a GPU that is slow with everybody are not among them.
std::vector<PairRate> odd_pairs(const CopySeries& series);

/// Absent: nothing tells, or the GPU is reached by other means than PCIe.
std::optional<CopyExpectation> copy_expectation(const Story& story, const MeasuredGpus& gpus,
                                                const ComponentId& gpu);

}  // namespace linkburn
