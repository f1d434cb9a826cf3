// A report as the renderers see it: for each node its links with the state that was last known, its
// devices, ports, memory rates and what the verdict says about them. Formats differ in words and
// layout only, so that no two of them can disagree about a fact.
//
// Holds pointers into the Report, which must outlive it.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/catalogue.h"
#include "report/ratings/rated.h"
#include "report/render/renderer.h"

namespace linkburn {

struct LinkView {
  const Link* link = nullptr;
  LinkRating rating;
  /// The last known state: sensor readings before discovery, the lower of two ends that both
  /// answered. Unknown when the device does not answer or the verdict calls it lost.
  std::optional<LinkSpeed> speed;
  std::optional<LinkWidth> width;
  std::optional<Phase> speed_phase;       ///< of the reading; absent: read at discovery
  std::optional<Slot> slot;               ///< of the link, else of the device
  std::optional<FindingClass> judgement;  ///< the worst that was found; absent: not judged

  /// A slow link that nobody loads may be slow by design.
  bool slow_without_load() const;
};

/// A copy path between two memories, from the measured windows of one step.
struct MemoryView {
  ComponentId component;
  std::string step;
  double median_gbs = 0, lowest_gbs = 0;
  std::int64_t laps = 0;
  std::map<std::string, std::string> facts;  ///< how it was loaded: threads, method, pinned, ...
};

/// An RDMA port with its interface.
struct PortView {
  const Port* port = nullptr;
  const Interface* interface = nullptr;   ///< null: it has none, or none was recorded
  std::optional<double> rate_gbps;        ///< absent: not active, where a rate says nothing
  std::optional<double> rated_gbps;       ///< absent: nothing says what it is rated for
  const Gid* gid = nullptr;               ///< the entry that RDMA traffic should use
  std::optional<FindingClass> judgement;  ///< the worst that was found; absent: not judged
};

/// A network interface, whether or not an RDMA port belongs to it.
struct InterfaceView {
  const Interface* interface = nullptr;
  bool has_port = false;  ///< stands beside its RDMA port
  std::optional<FindingClass> judgement;
};

struct NodeView {
  std::string name;
  const Evidence* evidence = nullptr;  ///< null: findings name a node that left no evidence
  const RunStart* start = nullptr;
  const RunEnd* end = nullptr;
  std::map<ComponentId, const Component*> components;
  std::vector<LinkView> links;
  std::vector<PortView> ports;
  std::vector<InterfaceView> interfaces;
  std::vector<MemoryView> memory;
  std::vector<const CapturePart*> captures;  ///< empty: it was not known from texts
  std::vector<const Gpu*> gpus;
  std::vector<const Measurement*> measurements;
  std::vector<const Finding*> findings;  ///< the worst first
  std::vector<const NotJudged*> not_judged;

  const Component* component(const ComponentId& id) const;
};

struct ReportView {
  std::vector<NodeView> nodes;
  bool drill = false;  ///< at least one node ran on software devices

  static ReportView of(const Report& report);
};

/// How many findings there are of each class, the worst class first; classes without any left out.
std::vector<std::pair<FindingClass, std::size_t>> class_counts(
    std::span<const Finding* const> findings);

/// The catalogue's row, or null for a code of a newer version.
const CatalogueRow* row_of(std::string_view code);

/// A port that is down still reports a rate, which says nothing.
bool port_is_down(const Port& port);

}  // namespace linkburn
