// What counters gained: over a run from their first value to the last one, in an inspect from boot
// to now.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/rules/network_port.h"

namespace linkburn {

/// The time since boot, from the part that the inventory leaves; absent: not known.
std::optional<double> uptime_s(const Story& story);

struct CounterGain {
  double count = 0;
  bool at_least = false;  ///< it was reset in between, or stands at its greatest value
  bool stuck = false;     ///< it stood at its greatest value all the time and could not count
  Phase phase = Phase::passive;
  std::int64_t at_ns = 0;  ///< of the first rise
  std::vector<std::int64_t> evidence;
};

/// Over the values of one counter in the order in which they were read, all of them known. `most`:
/// the value at which it stops; 0 for one that does not.
CounterGain gain_over(const std::vector<Seen<Counter>>& series, std::int64_t most = 0);

class PortCounters {
 public:
  explicit PortCounters(const Story& story);

  /// At least one counter of the port was read.
  bool any(const NetworkPort& port) const;

  /// In an inspect: always, when the time since boot is known. In a run: some counter was read
  /// twice.
  bool cover_time(const NetworkPort& port) const;

  /// The time that its counters cover.
  double seconds(const NetworkPort& port) const;

  /// Nothing when the counter is not exposed or covers no time, which is not zero. `most`: the
  /// value at which it stops; 0 for one that does not.
  std::optional<CounterGain> gain(const NetworkPort& port, std::string_view name,
                                  std::int64_t most = 0) const;

  /// Its last value, whether or not that covers a time; null when it is not exposed.
  const Seen<Counter>* last(const NetworkPort& port, std::string_view name) const;

  /// The names of all counters of a port that begin so.
  std::vector<std::string> names(const NetworkPort& port, std::string_view prefix) const;

 private:
  using Series = std::vector<Seen<Counter>>;
  using ByName = std::map<std::string, Series, std::less<>>;
  std::vector<const ByName*> of(const NetworkPort& port) const;

  bool live_run_;
  std::optional<double> uptime_s_;
  std::map<ComponentId, ByName> series_;
};

/// For a port of which no counter of a kind covers any time.
void note_no_counters(std::string what, RuleOutput& out);

/// For counters that stood at their greatest value all the time.
void note_stuck_counters(std::string what, RuleOutput& out);

}  // namespace linkburn
