// One node's evidence, sorted for the rules: what is there, what was seen of it, and what was done.
// Built once per judgement; holds pointers into the Evidence, which must outlive it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "report/evidence/record.h"
#include "report/ratings/rated.h"
#include "report/ratings/site.h"
#include "report/rules/policy.h"

namespace linkburn {

/// A record body with the envelope that a finding refers to.
template <class T>
struct Seen {
  const T* body = nullptr;
  std::int64_t seq = 0;
  std::int64_t at_ns = 0;
  const T* operator->() const { return body; }
  const T& operator*() const { return *body; }
};

/// One link with everything that was seen of it. Records of either end count.
struct LinkStory {
  Seen<Link> link;
  LinkRating rating;
  std::vector<Seen<Reading>> readings;        ///< of link_speed, link_width and presence
  std::vector<Seen<Transition>> transitions;  ///< of the same
  bool loaded = false;                        ///< a step that ran to its end sent traffic over it
};

struct Story {
  static Story of(const Evidence& evidence, const Policy& policy = {});

  const RunStart* start = nullptr;
  const RunEnd* end = nullptr;  ///< null: the run was killed
  bool live_run = false;        ///< mode is "run"
  Site site;                    ///< what the site expects of this node; empty without a site file
  std::optional<Error> site_error;  ///< the site file could not be understood
  bool records_missing = false;     ///< cut or unreadable lines, gaps in the numbers of records
  std::vector<LinkStory> links;
  std::unordered_map<ComponentId, std::size_t> link_ends;  ///< either end -> place in links
  std::map<ComponentId, Seen<Component>> components;
  std::vector<Seen<Port>> ports;
  std::vector<Seen<Interface>> interfaces;
  std::vector<Seen<Gpu>> gpus;
  std::vector<Seen<Measurement>> measurements;
  std::vector<Seen<CapturePart>> capture_parts;  ///< of a node that is known from captures
  std::vector<Seen<Part>> parts;
  std::vector<Seen<Step>> steps;
  std::vector<Seen<LapWindow>> windows;
  std::vector<Seen<Reading>> readings;  ///< all others
  std::vector<Seen<Counter>> counters;
  std::vector<Seen<KernelLine>> kernel_lines;
  std::vector<Seen<ToolError>> errors;

  const Component* component(const ComponentId& id) const;

  /// The node is known from texts that other tools printed: when they did is not known, nor what
  /// they left out.
  bool is_captured() const { return !capture_parts.empty(); }

  /// The link that a component is an end of; null when it is none. All functions of a device are
  /// one end.
  const LinkStory* link_of(const ComponentId& id) const;
};

/// The network interface of an RDMA port; null when it has none or none was recorded.
const Interface* interface_of(const Story& story, const Port& port);

/// The PCI function behind an RDMA port or network interface; any other component stands for
/// itself.
const ComponentId& device_behind(const Story& story, const ComponentId& id);

/// Where a person finds a component: its own slot, else that of the nearest port above.
std::optional<Slot> place_of(const Story& story, const ComponentId& id);

}  // namespace linkburn
