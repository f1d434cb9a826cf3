#include "tests/support/evidence_builder.h"

#include <cmath>

namespace linkburn {

ComponentId id(std::string_view text) { return ComponentId::from_evidence(text); }

Link make_link(std::string_view device, std::string_view peer, int mts, int lanes) {
  Link link;
  link.component = id(device);
  link.peer = id(peer);
  link.port_type = "root_port";
  LinkEnd end;
  end.speed = end.max_speed = LinkSpeed{mts};
  end.width = end.max_width = LinkWidth{lanes};
  end.files = true;
  end.runtime_status = "active";
  link.device_end = link.peer_end = end;
  return link;
}

Component make_device(std::string_view device, std::initializer_list<std::string_view> above) {
  Component component;
  component.component = id(device);
  component.type = "gpu";
  component.vendor_id = "0x10de";
  component.device_id = "0x2330";
  component.path.push_back(id(device));
  for (const std::string_view hop : above) component.path.push_back(id(hop));
  return component;
}

Port make_port(std::string_view name, std::string_view pci) {
  Port port;
  port.component = id(name);
  if (!pci.empty()) port.pci = id(pci);
  port.state = "ACTIVE";
  port.phys_state = "LinkUp";
  port.link_layer = "InfiniBand";
  port.rate_gbps = 400;
  port.rate_text = "400 Gb/sec (4X NDR)";
  return port;
}

Port make_roce_port(std::string_view name, std::string_view pci, std::string_view netdev) {
  Port port = make_port(name, pci);
  port.link_layer = "Ethernet";
  port.netdev = netdev;
  port.rate_gbps = 100;
  port.rate_text = "100 Gb/sec (4X EDR)";
  port.lanes = 4;
  port.speed_name = "EDR";
  port.gids_read = true;
  return port;
}

Interface make_interface(std::string_view name, std::string_view pci) {
  Interface interface;
  interface.component = id(name);
  interface.pci = id(pci);
  interface.type = "physical";
  interface.operstate = "up";
  interface.admin_up = interface.carrier = true;
  return interface;
}

EvidenceBuilder::EvidenceBuilder(std::string_view mode) {
  RunStart start;
  start.tool = "linkburn";
  start.mode = mode;
  start.node = "n1";
  start.started = "2026-11-30T21:09:52Z";
  start.require = {"presence", "width", "speed", "ports"};
  record(start);
}

EvidenceBuilder EvidenceBuilder::inspect() { return EvidenceBuilder("inspect"); }
EvidenceBuilder EvidenceBuilder::run() { return EvidenceBuilder("run"); }

EvidenceBuilder& EvidenceBuilder::at(double seconds) {
  at_ns_ = std::llround(seconds * 1e9);
  return *this;
}

EvidenceBuilder& EvidenceBuilder::require(std::vector<std::string> words) {
  std::get<RunStart>(evidence_.records.front().body).require = std::move(words);
  return *this;
}

EvidenceBuilder& EvidenceBuilder::node(std::string_view name) {
  std::get<RunStart>(evidence_.records.front().body).node = name;
  return *this;
}

EvidenceBuilder& EvidenceBuilder::record(Body body) {
  const auto seq = static_cast<std::int64_t>(evidence_.records.size()) + 1;
  evidence_.records.push_back({seq, at_ns_, std::move(body)});
  return *this;
}

EvidenceBuilder& EvidenceBuilder::reading(std::string_view component, std::string_view quantity,
                                          std::optional<double> value, Phase phase,
                                          std::string_view step) {
  Reading reading;
  reading.component = id(component);
  reading.quantity = quantity;
  reading.value = value;
  reading.phase = phase;
  reading.step = step;
  return record(reading);
}

EvidenceBuilder& EvidenceBuilder::transition(std::string_view component, std::string_view quantity,
                                             std::optional<double> from, std::optional<double> to,
                                             Phase phase, std::string_view step) {
  Transition transition;
  transition.component = id(component);
  transition.quantity = quantity;
  transition.from = from;
  transition.to = to;
  transition.phase = phase;
  transition.step = step;
  return record(transition);
}

EvidenceBuilder& EvidenceBuilder::counter(std::string_view component, std::string_view name,
                                          std::optional<std::int64_t> value, bool baseline,
                                          Phase phase) {
  Counter counter;
  counter.component = id(component);
  counter.name = name;
  counter.value = value;
  counter.baseline = baseline;
  counter.phase = phase;
  return record(counter);
}

EvidenceBuilder& EvidenceBuilder::part(std::string_view name, std::string_view status,
                                       std::string_view version) {
  Part part;
  part.name = name;
  part.status = status;
  part.version = version;
  return record(part);
}

EvidenceBuilder& EvidenceBuilder::error(std::optional<ComponentId> component, std::string_view what,
                                        std::string_view source, std::string_view step) {
  ToolError error;
  error.code = "io";
  error.what = what;
  error.source = source;
  error.component = std::move(component);
  error.step = step;
  return record(error);
}

EvidenceBuilder& EvidenceBuilder::plan_step(std::string_view step, std::string_view component,
                                            std::vector<std::string_view> loads) {
  Step planned;
  planned.step = step;
  planned.workload = "h2d";
  planned.event = "planned";
  Lane lane;
  lane.component = id(component);
  for (const std::string_view load : loads) lane.loads.push_back(id(load));
  planned.lanes.push_back(lane);
  return record(planned);
}

EvidenceBuilder& EvidenceBuilder::start_step(std::string_view step) {
  Step start;
  start.step = step;
  start.event = "start";
  step_start_ns_ = at_ns_;
  return record(start);
}

EvidenceBuilder& EvidenceBuilder::end_step(std::string_view step, std::string_view status,
                                           std::string_view reason) {
  Step end;
  end.step = step;
  end.event = "end";
  end.status = status;
  end.reason = reason;
  end.interval_start_ns = step_start_ns_;
  end.interval_end_ns = at_ns_;
  return record(end);
}

EvidenceBuilder& EvidenceBuilder::skip_step(std::string_view step, std::string_view reason) {
  Step skipped;
  skipped.step = step;
  skipped.workload = "h2d";
  skipped.event = "skipped";
  skipped.reason = reason;
  return record(skipped);
}

Evidence EvidenceBuilder::finish(std::string_view status, std::optional<int> signal) const {
  RunEnd end;
  end.status = status;
  end.signal = signal;
  EvidenceBuilder whole = *this;
  return whole.record(end).evidence_;
}

}  // namespace linkburn
