#include "report/rules/gpu_finding.h"

#include <utility>

namespace linkburn {

Finding gpu_finding(const Story& story, const Seen<Gpu>& gpu, std::string code, FindingClass cls,
                    Aspect aspect) {
  Finding finding;
  finding.code = std::move(code);
  finding.cls = cls;
  finding.aspect = aspect;
  finding.component = gpu->component;
  finding.gpu = gpu->index;
  finding.phase = story.live_run ? Phase::idle : Phase::passive;
  finding.at_ns = gpu.at_ns;
  finding.evidence = {gpu.seq};
  return finding;
}

}  // namespace linkburn
