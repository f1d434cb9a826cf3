#include "report/render/view.h"

#include <algorithm>

#include "report/render/link_state.h"
#include "report/render/memory_rates.h"
#include "report/render/port_view.h"

namespace linkburn {
namespace {

/// What one evidence file says, before the verdict is laid beside it.
NodeView node_from(const Evidence& evidence) {
  NodeView node;
  node.evidence = &evidence;
  LinkStates states;
  MemoryRates rates;
  PortViews ports;
  for (const Record& record : evidence.records) {
    states.take(record.body);
    rates.take(record.body);
    if (const auto* start = std::get_if<RunStart>(&record.body)) node.start = start;
    if (const auto* end = std::get_if<RunEnd>(&record.body)) node.end = end;
    if (const auto* component = std::get_if<Component>(&record.body))
      node.components[component->component] = component;
    if (const auto* part = std::get_if<CapturePart>(&record.body)) node.captures.push_back(part);
    if (const auto* gpu = std::get_if<Gpu>(&record.body)) node.gpus.push_back(gpu);
    if (const auto* rate = std::get_if<Measurement>(&record.body))
      node.measurements.push_back(rate);
    ports.take(record.body);
  }
  if (node.start) node.name = node.start->node;
  node.ports = ports.ports();
  node.interfaces = ports.interfaces();
  node.links = states.links();
  for (LinkView& link : node.links) {
    const Component* device = node.component(link.link->component);
    if (!link.slot && device) link.slot = device->slot;
  }
  node.memory = rates.paths();
  return node;
}

/// Finds the node that a finding belongs to; makes one for a host that left no evidence.
class NodeIndex {
 public:
  explicit NodeIndex(std::vector<NodeView>& nodes) : nodes_(nodes), evidences_(nodes.size()) {
    for (std::size_t i = 0; i < nodes.size(); ++i) by_name_.emplace(nodes[i].name, i);
  }

  /// By its evidence where that is known: two runs of one host are two things to look at.
  NodeView& at(std::optional<std::size_t> source, const std::string& name) {
    if (source && *source < evidences_) return nodes_[*source];
    if (name.empty() && nodes_.size() == 1) return nodes_.front();
    const auto [found, is_new] = by_name_.emplace(name, nodes_.size());
    if (is_new) nodes_.emplace_back().name = name;
    return nodes_[found->second];
  }

 private:
  std::vector<NodeView>& nodes_;
  const std::size_t evidences_;
  std::map<std::string, std::size_t> by_name_;
};

using Worst = std::map<ComponentId, FindingClass>;

Worst worst_of(const NodeView& node) {
  Worst worst;
  for (const Finding* finding : node.findings) {
    const auto [found, is_new] = worst.emplace(finding->component, finding->cls);
    if (!is_new) found->second = std::max(found->second, finding->cls);
  }
  return worst;
}

void judge_links(const Worst& worst, NodeView& node) {
  for (LinkView& link : node.links) {
    for (const ComponentId& end : {link.link->component, link.link->peer}) {
      if (end.empty()) continue;  // of a link with one end known
      const auto found = worst.find(end);
      if (found != worst.end())
        link.judgement = std::max(link.judgement.value_or(found->second), found->second);
    }
    if (link.judgement == FindingClass::lost) link.speed.reset(), link.width.reset();
  }
}

/// A rule that knew a rating knew it from the site file too.
std::optional<double> rated_by_finding(const NodeView& node, const ComponentId& id) {
  for (const Finding* finding : node.findings)
    if (finding->component == id && finding->rated.rate_gbs) return *finding->rated.rate_gbs * 8;
  return std::nullopt;
}

std::optional<double> rated_by_product(const NodeView& node, const PortView& view) {
  const Component* device = view.port->pci ? node.component(*view.port->pci) : nullptr;
  const auto rated = rate_port(*view.port, view.interface, {nullptr, device});
  return rated ? std::optional(rated->value) : std::nullopt;
}

void judge_ports(const Worst& worst, NodeView& node) {
  const auto judged = [&](const ComponentId& id) {
    const auto found = worst.find(id);
    return found == worst.end() ? std::nullopt : std::optional(found->second);
  };
  for (PortView& view : node.ports) {
    view.judgement = judged(view.port->component);
    view.rated_gbps = rated_by_finding(node, view.port->component);
    if (!view.rated_gbps) view.rated_gbps = rated_by_product(node, view);
  }
  for (InterfaceView& view : node.interfaces) view.judgement = judged(view.interface->component);
}

}  // namespace

bool LinkView::slow_without_load() const {
  const bool loaded = speed_phase == Phase::measure || speed_phase == Phase::warm_up;
  return speed && rating.speed && *speed < rating.speed->value && !loaded;
}

const Component* NodeView::component(const ComponentId& id) const {
  const auto found = components.find(id);
  return found == components.end() ? nullptr : found->second;
}

ReportView ReportView::of(const Report& report) {
  ReportView view;
  for (const Evidence& evidence : report.nodes) view.nodes.push_back(node_from(evidence));
  NodeIndex index(view.nodes);
  for (const Finding& finding : report.verdict.findings)
    index.at(finding.source, finding.node).findings.push_back(&finding);
  for (const NotJudged& item : report.verdict.not_judged)
    index.at(item.source, item.node).not_judged.push_back(&item);
  for (NodeView& node : view.nodes) {
    std::stable_sort(node.findings.begin(), node.findings.end(),
                     [](const Finding* a, const Finding* b) { return a->cls > b->cls; });
    const Worst worst = worst_of(node);
    judge_links(worst, node);
    judge_ports(worst, node);
    view.drill = view.drill || (node.start && node.start->drill);
  }
  return view;
}

std::vector<std::pair<FindingClass, std::size_t>> class_counts(
    std::span<const Finding* const> findings) {
  std::map<FindingClass, std::size_t, std::greater<>> counts;
  for (const Finding* finding : findings) ++counts[finding->cls];
  return {counts.begin(), counts.end()};
}

const CatalogueRow* row_of(std::string_view code) {
  for (const CatalogueRow& row : catalogue())
    if (row.code == code) return &row;
  return nullptr;
}

bool port_is_down(const Port& port) {
  std::string state = port.state;
  std::transform(state.begin(), state.end(), state.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  return state.find("DOWN") != std::string::npos;
}

}  // namespace linkburn
