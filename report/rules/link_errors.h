// Errors that the two ends of a link reported: from the kernel's AER counters, or from its log
// where the counters are not exposed.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "report/rules/course.h"
#include "report/rules/story.h"

namespace linkburn {

/// What one counter gained.
struct Gain {
  std::string_view kind = {};  ///< short name, or "non-fatal", "fatal"
  std::string part = {};       ///< of the uncorrected kinds: which error; empty: not said
  double count = 0;
  bool at_least = false;  ///< it was reset in between, or not every event was seen
  Phase phase = Phase::passive;
  std::int64_t at_ns = 0;
  std::vector<std::int64_t> evidence = {};
};

/// The errors of one end of a link over a time.
struct EndErrors {
  ComponentId component = {};
  bool exposed = false;
  bool has_delta = false;
  bool logged = false;  ///< from the kernel log
  double minutes = 0;   ///< that the counts cover; of a log 0 where its lines have no times
  double burst = 0;     ///< by the log: the most damaged packets within kBurstSeconds
  std::vector<Gain> gains = {};

  double sum(std::string_view kind) const;
  double packets() const;  ///< damaged, or sent again
  double weight() const;   ///< all errors that say something of the link by themselves
};

/// BadTLP, BadDLLP and Timeout speak of packets that were damaged or had to be sent again.
bool is_packet_error(std::string_view kind);

inline constexpr double kBurstSeconds = 10;

/// A replay counter rolls over at the fourth replay of a packet [PCI Express Base Specification
/// 6.0, section 3.6.2.1: REPLAY_NUM].
inline constexpr double kReplaysPerRollover = 4;

/// Short name of a correctable error that concerns the link, in the kernel's words of any era;
/// empty for others. Advisory errors, internal ones and header log overflows say nothing about it.
std::string_view correctable_kind(std::string_view name);

/// Uncorrectable errors that answer a request nobody serves: probing, a driver, access control.
/// They say nothing about the link.
bool is_refused_request(std::string_view name);

/// All errors of a story, by component.
class LinkErrors {
 public:
  explicit LinkErrors(const Story& story);

  /// Device end and peer end.
  std::array<EndErrors, 2> of(const LinkStory& link) const;

  /// What the kernel log says of one component alone.
  EndErrors logged_by(const ComponentId& component) const;

  /// Components that the log names, with an error of theirs.
  std::vector<ComponentId> loggers() const;

  /// The kernel log tells of errors at an end of this link.
  bool are_logged(const LinkStory& link) const;

  /// Inspect judges counts since boot, and the time since boot is not known.
  bool time_unknown() const;

 private:
  /// What a counter stands for: its kind, and of the uncorrected kinds which error.
  struct Meaning {
    std::string_view kind, part;
    auto operator<=>(const Meaning&) const = default;
  };
  using Series = std::vector<Seen<Counter>>;
  using Counters = std::unordered_map<ComponentId, std::map<Meaning, Series>>;

  static std::optional<Meaning> meaning_of(std::string_view name);
  static void drop_explained_totals(std::map<Meaning, Series>& series);
  EndErrors of_run(const ComponentId& end) const;
  EndErrors since_boot(const ComponentId& end) const;
  EndErrors logged_at(const LinkStory& link, End end) const;

  const Story& story_;
  std::optional<double> uptime_s_;
  Counters counters_;
  std::map<ComponentId, EndErrors> logged_;
};

/// What the kernel log says of errors, by component. `minutes` that a log since boot covers.
std::map<ComponentId, EndErrors> logged_errors(const Story& story, std::optional<double> uptime_s);

}  // namespace linkburn
