// GPUs that several texts tell of become one each. A text knows a GPU by its number, its address or
// its UUID; whoever shares one of them and contradicts none is the same GPU.
#include <algorithm>
#include <map>

#include "bench/captures/assemble.h"
#include "bench/captures/gpu_view.h"

namespace linkburn {
namespace {

bool differ(const std::string& a, const std::string& b) {
  return !a.empty() && !b.empty() && a != b;
}

/// Tables cut long names: "Tesla V100-SXM2" of "Tesla V100-SXM2-32GB".
bool names_differ(const std::string& a, const std::string& b) {
  return !a.starts_with(b) && !b.starts_with(a);
}

bool contradict(const Gpu& a, const Gpu& b) {
  const auto a_address = a.component.pci_address();
  const auto b_address = b.component.pci_address();
  return differ(a.uuid, b.uuid) || differ(a.serial, b.serial) || names_differ(a.name, b.name) ||
         (a.index && b.index && *a.index != *b.index) ||
         (a_address && b_address && *a_address != *b_address);
}

bool is_named(const Gpu& gpu) {
  return gpu.index || !gpu.uuid.empty() || gpu.component.pci_address();
}

class Join {
 public:
  void add(const Gpu& gpu) {
    const std::vector<std::size_t> known = places_of(gpu);
    std::size_t place = gpus_.size();
    if (known.empty()) {
      gpus_.push_back(gpu);
      gone_.push_back(false);
    } else {
      place = known.front();
      merge(gpus_[place], gpu);
    }
    // It may be the one that shows two others to be the same.
    for (const std::size_t other : known) {
      if (other == place || gone_[other] || contradict(gpus_[place], gpus_[other])) continue;
      merge(gpus_[place], gpus_[other]);
      gone_[other] = true;
    }
    note_keys(place);
  }

  /// A name in a kernel log helps others to find each other, and says nothing by itself.
  std::vector<Gpu> take() && {
    std::vector<Gpu> kept;
    for (std::size_t i = 0; i < gpus_.size(); ++i)
      if (!gone_[i] && gpus_[i].source != kFromKernelLog) kept.push_back(std::move(gpus_[i]));
    return kept;
  }

 private:
  static void merge(Gpu& into, const Gpu& from) {
    add_sample(into, from);
    if (into.source == kFromKernelLog) into.source = from.source;
    if (!into.component.pci_address() && from.component.pci_address())
      into.component = from.component;
  }

  std::vector<std::size_t> places_of(const Gpu& gpu) const {
    std::vector<std::size_t> places;
    const auto look = [&](const auto& keys, const auto& key) {
      const auto found = keys.find(key);
      if (found == keys.end() || gone_[found->second]) return;
      const bool listed = std::find(places.begin(), places.end(), found->second) != places.end();
      if (!listed && !contradict(gpus_[found->second], gpu)) places.push_back(found->second);
    };
    if (!gpu.uuid.empty()) look(by_uuid_, gpu.uuid);
    if (const auto address = gpu.component.pci_address()) look(by_address_, *address);
    if (gpu.index) look(by_index_, *gpu.index);
    return places;
  }

  void note_keys(std::size_t place) {
    const Gpu& gpu = gpus_[place];
    if (!gpu.uuid.empty()) by_uuid_[gpu.uuid] = place;
    if (const auto address = gpu.component.pci_address()) by_address_[*address] = place;
    if (gpu.index) by_index_[*gpu.index] = place;
  }

  std::vector<Gpu> gpus_;
  std::vector<bool> gone_;
  std::map<std::string, std::size_t> by_uuid_;
  std::map<PciAddress, std::size_t> by_address_;
  std::map<int, std::size_t> by_index_;
};

/// A part without anything that names its GPU is about the only one there is.
void join_nameless(const std::vector<Gpu>& nameless, std::vector<Gpu>& gpus) {
  for (const Gpu& part : nameless) {
    if (gpus.size() == 1 && !contradict(gpus.front(), part))
      add_sample(gpus.front(), part);
    else
      gpus.push_back(part);
  }
}

/// Texts of two nodes without their names: two GPUs of one number. Each keeps a name of its own.
void tell_apart(std::vector<Gpu>& gpus) {
  std::map<ComponentId, int> seen;
  for (Gpu& gpu : gpus) {
    if (gpu.index && !gpu.component.pci_address()) gpu.component = ComponentId::gpu(*gpu.index);
    if (++seen[gpu.component] > 1 && !gpu.uuid.empty())
      gpu.component = ComponentId::from_evidence(gpu.uuid);
  }
}

}  // namespace

void name_by_address(const std::vector<Gpu>& gpus, std::vector<Body>& records) {
  std::map<ComponentId, ComponentId> names;
  for (const Gpu& gpu : gpus)
    if (gpu.index && gpu.component.pci_address())
      names.emplace(ComponentId::gpu(*gpu.index), gpu.component);
  const auto rename = [&](ComponentId& component) {
    const auto name = names.find(component);
    if (name != names.end()) component = name->second;
  };
  for (Body& body : records) {
    if (auto* reading = std::get_if<Reading>(&body)) rename(reading->component);
    auto* error = std::get_if<ToolError>(&body);
    if (error != nullptr && error->component) rename(*error->component);
  }
}

std::vector<Gpu> assemble_gpus(const NodeDraft& draft, const Inventory&) {
  Join join;
  std::vector<Gpu> nameless;
  for (const Gpu& gpu : draft.gpus) {
    if (is_named(gpu))
      join.add(gpu);
    else
      nameless.push_back(gpu);
  }
  std::vector<Gpu> gpus = std::move(join).take();
  join_nameless(nameless, gpus);
  tell_apart(gpus);
  return gpus;
}

}  // namespace linkburn
