// What the judge says. The words are those of JSON, text, help and code alike.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/base/component.h"
#include "bench/base/units.h"
#include "report/evidence/record.h"

namespace linkburn {

/// In rising order of how much it matters for the verdict; see is_failure().
enum class FindingClass {
  healthy,        ///< judged, and nothing is wrong
  limited,        ///< below the device's own ability because slot, host or cable give no more
  marginal,       ///< a warning: between two limits, or one clean retrain
  undecided,      ///< the evidence cannot settle it; says what is missing
  misconfigured,  ///< a setting causes it
  degraded,       ///< below its rating
  lost,           ///< gone, or does not answer
};
std::string_view to_string(FindingClass value);

/// degraded, lost and misconfigured make a run FAIL.
bool is_failure(FindingClass value);

/// What a judgement is about; --require and profiles name these words.
enum class Aspect { presence, width, speed, ports, rate, data, errors };
std::string_view to_string(Aspect aspect);
std::optional<Aspect> aspect_from(std::string_view word);
const std::vector<std::string>& aspect_words();

/// A link state or a rate as shown: the text for people, numbers for machines where they apply.
struct Quantity {
  std::string text;  ///< "16.0 GT/s x8"
  std::optional<double> speed_gts;
  std::optional<int> width;
  std::optional<double> rate_gbs;  ///< GB/s
  bool empty() const { return text.empty(); }
};
Quantity quantity(std::optional<LinkSpeed> speed, std::optional<LinkWidth> width);

struct Finding {
  std::string code;  ///< stable, a row of the catalogue: "LB-PCIE-WIDTH"
  FindingClass cls = FindingClass::undecided;
  Aspect aspect = Aspect::presence;
  ComponentId component;
  std::optional<ComponentId> limiter;  ///< the hop that causes it, when that is another component
  std::optional<int> gpu;              ///< the GPU's number as its driver counts
  std::vector<int> links;              ///< link numbers of that GPU
  std::optional<Slot> place;
  std::string node;                   ///< host
  std::optional<std::size_t> source;  ///< which evidence of a report; filled by combine()
  Quantity rated, negotiated, achieved, limit;
  std::string origin;                  ///< where the limit comes from
  std::string detail;                  ///< one sentence on what was seen
  std::string accepted;                ///< a site's exception: why and until when; no failure then
  std::string missing;                 ///< of an undecided: what would settle it
  std::vector<std::string> commands;   ///< whose output that is; filled by conclude()
  std::optional<Phase> phase;          ///< in which phase it was seen
  std::optional<std::int64_t> at_ns;   ///< when, since the start of the run
  std::string when;                    ///< the same as wall time; filled by conclude()
  std::vector<std::int64_t> evidence;  ///< record numbers
};

/// A failure that no exception of the site covers.
inline bool fails(const Finding& finding) {
  return is_failure(finding.cls) && finding.accepted.empty();
}

/// Something that was not judged, does not change the exit code, and has a reason.
struct NotJudged {
  std::string what;   ///< "link speed of 0000:3b:00.0"
  std::string why;    ///< "the link was not under load"
  std::string needs;  ///< what would settle it
  std::string node;
  std::optional<std::size_t> source = {};  ///< as of a finding
};

}  // namespace linkburn
