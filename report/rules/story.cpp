#include "report/rules/story.h"

#include <algorithm>

#include "report/rules/steps.h"

namespace linkburn {
namespace {

bool is_link_quantity(const std::string& quantity) {
  return quantity == "link_speed" || quantity == "link_width" || quantity == "presence";
}

/// Takes the records one by one. The links go first, so that what was seen of a link finds it
/// whatever the order in the file.
class StoryTeller {
 public:
  StoryTeller(const Evidence& evidence, const Policy& policy)
      : evidence_(evidence), policy_(policy) {}

  Story tell() && {
    story_.records_missing = lacks_records();
    read_the_site_file();
    for (const Record& record : evidence_.records)
      if (const auto* link = std::get_if<Link>(&record.body)) add_link(record, *link);
    for (const Record& record : evidence_.records)
      std::visit([&](const auto& body) { add(record, body); }, record.body);
    rate_links();
    mark_loaded_links();
    return std::move(story_);
  }

 private:
  template <class T>
  static Seen<T> seen(const Record& record, const T& body) {
    return {&body, record.seq, record.at_ns};
  }

  void add_link(const Record& record, const Link& link) {
    const std::size_t place = story_.links.size();
    if (!story_.link_ends.try_emplace(link.component, place).second) return;
    if (!link.peer.empty()) story_.link_ends.try_emplace(link.peer, place);
    story_.links.push_back({seen(record, link), {}, {}, {}, false});
  }

  LinkStory* link_of(const ComponentId& id) {
    const LinkStory* link = story_.link_of(id);
    return link == nullptr ? nullptr
                           : &story_.links[static_cast<std::size_t>(link - story_.links.data())];
  }

  void add(const Record&, const RunStart& start) {
    if (story_.start != nullptr) return;
    story_.start = &start;
    story_.live_run = start.mode == "run";
  }
  void add(const Record&, const RunEnd& end) { story_.end = &end; }
  void add(const Record& record, const Component& component) {
    story_.components.try_emplace(component.component, seen(record, component));
  }
  void add(const Record& record, const Reading& reading) {
    LinkStory* link = is_link_quantity(reading.quantity) ? link_of(reading.component) : nullptr;
    (link != nullptr ? link->readings : story_.readings).push_back(seen(record, reading));
  }
  void add(const Record& record, const Transition& transition) {
    LinkStory* link =
        is_link_quantity(transition.quantity) ? link_of(transition.component) : nullptr;
    if (link != nullptr) link->transitions.push_back(seen(record, transition));
  }
  void add(const Record& record, const Part& part) { story_.parts.push_back(seen(record, part)); }
  void add(const Record& record, const Port& port) { story_.ports.push_back(seen(record, port)); }
  void add(const Record& record, const Interface& interface) {
    story_.interfaces.push_back(seen(record, interface));
  }
  void add(const Record& record, const Step& step) { story_.steps.push_back(seen(record, step)); }
  void add(const Record& record, const LapWindow& window) {
    story_.windows.push_back(seen(record, window));
  }
  void add(const Record& record, const Counter& counter) {
    story_.counters.push_back(seen(record, counter));
  }
  void add(const Record& record, const KernelLine& line) {
    story_.kernel_lines.push_back(seen(record, line));
  }
  void add(const Record& record, const ToolError& error) {
    story_.errors.push_back(seen(record, error));
  }
  void add(const Record& record, const Gpu& gpu) { story_.gpus.push_back(seen(record, gpu)); }
  void add(const Record& record, const Measurement& measurement) {
    story_.measurements.push_back(seen(record, measurement));
  }
  void add(const Record& record, const CapturePart& part) {
    story_.capture_parts.push_back(seen(record, part));
  }
  void add(const Record&, const Link&) {}
  void add(const Record&, const CollectiveResult&) {}
  void add(const Record&, const SiteText&) {}
  void add(const Record&, const UnknownRecord&) {}

  bool lacks_records() const {
    std::int64_t next = 1;
    for (const Record& record : evidence_.records) {
      if (record.seq > next) return true;
      next = record.seq + 1;
    }
    return evidence_.bad_lines > 0;
  }

  void read_the_site_file() {
    const SiteText* text = policy_.site ? &*policy_.site : nullptr;
    const RunStart* start = nullptr;
    for (const Record& record : evidence_.records) {
      if (start == nullptr) start = std::get_if<RunStart>(&record.body);
      if (text == nullptr) text = std::get_if<SiteText>(&record.body);
      if (start != nullptr && text != nullptr) break;
    }
    // An empty one is no site file: a report that leaves the recorded one aside.
    if (text == nullptr || text->file.empty()) return;
    auto site = policy_.reader->read(*text, start != nullptr ? start->node : "");
    if (site)
      story_.site = std::move(*site);
    else
      story_.site_error = site.error();
  }

  void rate_links() {
    for (LinkStory& link : story_.links)
      link.rating = rate(
          *link.link, {&story_.site, story_.component(link.link->component), board_behind(link)});
  }

  /// The board id that a port of the link's device tells; empty when none does.
  std::string_view board_behind(const LinkStory& link) const {
    for (const auto& port : story_.ports)
      if (port->pci && !port->board_id.empty() && story_.link_of(*port->pci) == &link)
        return port->board_id;
    return {};
  }

  void mark_loaded_links() {
    for (const StepLife& step : lives_of_steps(story_)) {
      for (const Lane& lane : step.lanes) {
        if (!step.completed(lane)) continue;
        for (const ComponentId& load : lane.loads)
          if (LinkStory* link = link_of(load)) link->loaded = true;
      }
    }
  }

  const Evidence& evidence_;
  const Policy& policy_;
  Story story_;
};

}  // namespace

Story Story::of(const Evidence& evidence, const Policy& policy) {
  return StoryTeller(evidence, policy).tell();
}

const Component* Story::component(const ComponentId& id) const {
  const auto found = components.find(id);
  return found == components.end() ? nullptr : found->second.body;
}

const LinkStory* Story::link_of(const ComponentId& id) const {
  if (const auto found = link_ends.find(id); found != link_ends.end()) return &links[found->second];
  auto address = id.pci_address();
  if (!address || address->function == 0) return nullptr;
  address->function = 0;
  const auto found = link_ends.find(ComponentId::pci(*address));
  if (found == link_ends.end()) return nullptr;
  // Functions of one device share its link; functions of a root device are ports of their own.
  const LinkStory& link = links[found->second];
  return link.link->component == found->first ? &link : nullptr;
}

const Interface* interface_of(const Story& story, const Port& port) {
  for (const auto& interface : story.interfaces)
    if (!port.netdev.empty() && interface->component.text() == port.netdev) return interface.body;
  return nullptr;
}

const ComponentId& device_behind(const Story& story, const ComponentId& id) {
  for (const auto& port : story.ports)
    if (port->component == id && port->pci) return *port->pci;
  for (const auto& interface : story.interfaces)
    if (interface->component == id && interface->pci) return *interface->pci;
  return id;
}

namespace {

std::optional<Slot> recorded_place_of(const Story& story, const ComponentId& id) {
  const ComponentId& device = device_behind(story, id);
  const LinkStory* link = story.link_of(device);
  if (link != nullptr && link->link->slot) return link->link->slot;
  const Component* component = story.component(device);
  if (component == nullptr) return std::nullopt;
  if (component->slot) return component->slot;
  for (const ComponentId& hop : component->path) {
    const LinkStory* above = story.link_of(hop);
    if (above != nullptr && above->link->slot) return above->link->slot;
    const Component* port = story.component(hop);
    if (port != nullptr && port->slot) return port->slot;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Slot> place_of(const Story& story, const ComponentId& id) {
  const std::optional<Slot> place = recorded_place_of(story, id);
  if (story.site.slot_names.empty()) return place;
  const auto sticker = story.site.slot_name(device_behind(story, id), place);
  return sticker ? renamed(place, *sticker) : place;
}

}  // namespace linkburn
