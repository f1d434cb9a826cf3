// How a value of one end of a link went during a run, against its rating: a drop is a change from
// the rating or above to below it, whatever steps lie between.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "report/rules/story.h"

namespace linkburn {

/// One value at one moment. Absent: it could not be read.
struct Sample {
  std::optional<double> value;
  Phase phase = Phase::idle;
  std::string_view step;
  std::int64_t at_ns = 0;
  std::int64_t seq = 0;
};

enum class End { device, peer };

/// Readings and transitions of one quantity at one end, in the order in which they were written.
/// A transition counts with both of its values.
std::vector<Sample> samples_of(const LinkStory& link, End end, std::string_view quantity);

struct Course {
  int drops = 0;
  bool low = false;                         ///< the last known value is below
  bool unknown_at_end = false;              ///< the last value could not be read
  std::optional<double> lowest;             ///< of the values below
  std::optional<double> last;               ///< the last known value
  std::optional<Sample> dropped, returned;  ///< of the first drop
  std::vector<std::int64_t> evidence;       ///< records of drops and returns
};

/// A first value below `rated` counts as a drop. `goes_on_from`: an earlier course of the same end,
/// after a gap in which nothing counted.
Course follow(std::span<const Sample> samples, double rated, Course goes_on_from = {});

/// The worse of the courses of the two ends of one link.
const Course& worse(const Course& a, const Course& b);

double seconds_between(std::int64_t from_ns, std::int64_t to_ns);

/// "fell to 8.0 GT/s after 12.3 s and did not return", with the value already in words.
std::string drop_in_words(const Course& course, std::string_view lowest);

}  // namespace linkburn
