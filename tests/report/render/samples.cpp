#include "tests/report/render/samples.h"

#include <gtest/gtest.h>

#include "report/render/table.h"

namespace linkburn::samples {
namespace {

Component gpu(int bus) {
  Component component;
  component.component = device(bus);
  component.type = "gpu";
  component.name = "NVIDIA A100 80GB PCIe";
  component.numa_node = 0;
  component.path = {device(bus), device(0x10 + bus)};
  component.slot = Slot{std::to_string(bus - 0x14), "kernel"};
  return component;
}

void add_host_copy(Evidence& evidence) {
  Step end;
  end.step = "host_copy-1";
  end.workload = "host_copy";
  end.event = "end";
  end.status = "complete";
  end.interval_start_ns = 1'000'000'000;
  end.interval_end_ns = 1'300'000'000;
  // Two windows inside the interval in which all lanes ran, and a slow one after it.
  for (const auto& [start, bytes] : {std::pair{1000, 1'200}, {1100, 1'000}, {1300, 10}}) {
    LapWindow window;
    window.step = end.step;
    window.component = ComponentId::numa_path(0, 1);
    window.start_ns = start * 1'000'000LL;
    window.end_ns = window.start_ns + 100'000'000;
    window.laps = 3;
    window.bytes = bytes * 1'000'000LL;
    add(evidence, window);
  }
  add(evidence, end);
}

Verdict verdict(Outcome outcome, std::vector<Finding> findings) {
  Verdict value;
  value.outcome = outcome;
  value.exit = outcome == Outcome::pass   ? kExitPass
               : outcome == Outcome::fail ? kExitFail
                                          : kExitIncomplete;
  value.findings = std::move(findings);
  return value;
}

std::string nasty() {
  std::string text = "\x1b[31mred\x07\xff\xfe\xc3(\n\r|\xe2\x82\xac";
  text += '\0';
  text.append(10'240, 'A');
  text += " \x1b]0;title\x07";
  return text;
}

}  // namespace

ComponentId device(int bus) { return ComponentId::pci({0, static_cast<std::uint8_t>(bus), 0, 0}); }

Link link(int bus) {
  Link value;
  value.component = device(bus);
  value.peer = device(0x10 + bus);
  value.port_type = "root_port";
  value.device_end.speed = value.device_end.max_speed = LinkSpeed{16000};
  value.device_end.width = value.device_end.max_width = LinkWidth{16};
  value.device_end.files = true;
  value.peer_end = value.device_end;
  return value;
}

void add(Evidence& evidence, Body body) {
  const auto seq = static_cast<std::int64_t>(evidence.records.size()) + 1;
  evidence.records.push_back({seq, seq * 1000, std::move(body)});
}

Reading reading(const ComponentId& id, const std::string& quantity, double value, Phase phase) {
  Reading out;
  out.component = id;
  out.quantity = quantity;
  out.value = value;
  out.phase = phase;
  return out;
}

Evidence node(const std::string& name) {
  Evidence evidence;
  evidence.file = "/var/tmp/" + name + ".jsonl";
  RunStart start;
  start.tool = "linkburn";
  start.version = "0.1.0";
  start.mode = "run";
  start.node = name;
  start.started = "2026-11-30T21:09:00Z";
  start.source = "live";
  start.clock = "real";
  start.profile = "smoke";
  start.sampling_period_ms = 20;
  add(evidence, start);
  for (const int bus : {0x1b, 0x1c}) add(evidence, gpu(bus));
  for (const int bus : {0x1b, 0x1c}) add(evidence, link(bus));
  Port port;
  port.component = ComponentId::port("mlx5_0", 1);
  port.state = "ACTIVE";
  port.phys_state = "LinkUp";
  port.link_layer = "InfiniBand";
  port.rate_gbps = 200;
  add(evidence, port);
  add_host_copy(evidence);
  RunEnd end;
  end.status = "complete";
  add(evidence, end);
  return evidence;
}

Finding finding(FindingClass cls, int bus) {
  Finding value;
  value.code = cls == FindingClass::healthy ? "LB-HEALTHY" : "LB-PCIE-WIDTH";
  value.cls = cls;
  value.aspect = Aspect::width;
  value.component = device(bus);
  return value;
}

Finding narrow_link() {
  Finding value = finding(FindingClass::degraded, 0x1b);
  value.place = Slot{"7", "kernel"};
  value.rated = quantity(LinkSpeed{16000}, LinkWidth{16});
  value.negotiated = quantity(LinkSpeed{16000}, LinkWidth{8});
  value.limit = quantity(std::nullopt, LinkWidth{16});
  value.origin = "lower capability of the two ends";
  value.detail = "Width 8 in 3 of 3 readings.";
  value.phase = Phase::measure;
  value.at_ns = 12'300'000'000;
  value.when = "2026-11-30T21:09:12Z";
  value.evidence = {12, 15};
  return value;
}

void add_roce(Evidence& evidence) {
  Port port;
  port.component = ComponentId::port("mlx5_1", 1);
  port.pci = device(0x1c);
  port.state = "ACTIVE";
  port.phys_state = "LinkUp";
  port.link_layer = "Ethernet";
  port.rate_gbps = 25;
  port.lanes = 1;
  port.speed_name = "EDR";
  port.netdev = "eth1";
  port.gids = {{1, "fe80::1", "RoCE v2", "eth1"}, {3, "::ffff:192.0.2.6", "RoCE v2", "eth1"}};
  port.gids_read = true;
  add(evidence, port);
  Interface used, spare, bond;
  used.component = ComponentId::interface("eth1");
  spare.component = ComponentId::interface("eno1");
  bond.component = ComponentId::interface("bond0");
  used.type = spare.type = "physical";
  bond.type = "bond";
  used.pci = device(0x1c), spare.pci = device(0x1b);
  used.carrier = bond.carrier = true, spare.carrier = false;
  used.speed_gbps = bond.speed_gbps = 25;
  used.bond = "bond0", bond.bond_mode = "802.3ad", bond.members = {"eth1"};
  used.module = Module{"QSFP28", "Acme", "C1", "", 100, {}, {}};
  spare.supported_gbps = 10, spare.link_detail = "No cable";
  for (const Interface& interface : {used, spare, bond}) add(evidence, interface);
}

Finding slow_port() {
  Finding value;
  value.code = "LB-PORT-WIDTH";
  value.cls = FindingClass::degraded;
  value.aspect = Aspect::ports;
  value.component = ComponentId::port("mlx5_1", 1);
  value.rated.text = "100 Gb/s";
  value.rated.rate_gbs = 12.5;
  return value;
}

Report pass() {
  return {verdict(Outcome::pass,
                  {finding(FindingClass::healthy, 0x1b), finding(FindingClass::healthy, 0x1c)}),
          {node("gpu017")}};
}

Report fail() {
  Report report{verdict(Outcome::fail, {narrow_link(), finding(FindingClass::healthy, 0x1c)}),
                {node("gpu017")}};
  add(report.nodes[0], reading(device(0x1b), "link_width", 8, Phase::measure));
  report.verdict.not_judged = {{"AER counters of 0000:1b:00.0", "not readable", "root", ""},
                               {"AER counters of 0000:1c:00.0", "not readable", "root", ""}};
  return report;
}

Report incomplete() {
  Finding unsettled = finding(FindingClass::undecided, 0x1b);
  unsettled.code = "LB-NEEDS-LOAD";
  unsettled.aspect = Aspect::speed;
  unsettled.negotiated = quantity(LinkSpeed{2500}, LinkWidth{16});
  unsettled.rated = quantity(LinkSpeed{16000}, LinkWidth{16});
  unsettled.missing = "load on the link: linkburn run smoke";
  unsettled.phase = Phase::passive;
  Report report{verdict(Outcome::incomplete, {unsettled, finding(FindingClass::healthy, 0x1c)}),
                {node("gpu017")}};
  report.verdict.reasons = {"The speed of 0000:1b:00.0 is required and could not be judged."};
  add(report.nodes[0], reading(device(0x1b), "link_speed", 2.5, Phase::passive));
  return report;
}

Report drill() {
  Report report = fail();
  std::get<RunStart>(report.nodes[0].records[0].body).drill = true;
  return report;
}

Report no_links() {
  Report report{verdict(Outcome::incomplete, {}), {Evidence{}}};
  report.verdict.reasons = {"Nothing was judged: the node has no PCIe link."};
  RunStart start;
  start.tool = "linkburn";
  start.version = "0.1.0";
  start.mode = "inspect";
  start.node = "vm3";
  add(report.nodes[0], start);
  RunEnd end;
  end.status = "complete";
  add(report.nodes[0], end);
  return report;
}

Report several_nodes() {
  Finding healthy = finding(FindingClass::healthy, 0x1b);
  healthy.node = "gpu016";
  Finding narrow = narrow_link();
  narrow.node = "gpu017";
  return {verdict(Outcome::fail, {narrow, healthy}), {node("gpu016"), node("gpu017")}};
}

Report captured() {
  Report report = no_links();
  Evidence& evidence = report.nodes[0];
  std::get<RunStart>(evidence.records[0].body).source = "bug.tgz, notes.txt";
  add(evidence, CapturePart{"bug.tgz:lspci.txt", "lspci", 1, 40, 2, {"LnkSta: Spe", "..."}});
  add(evidence, CapturePart{"notes.txt", "", 1, 12, 12, {"hello"}});
  Link lone = link(0x1b);
  lone.peer = {}, lone.peer_end = {}, lone.port_type = "", lone.kind = kLinkLoneEnd;
  add(evidence, lone);
  for (const int index : {0, 1}) {
    Gpu gpu;
    gpu.component = ComponentId::gpu(index);
    gpu.index = index;
    gpu.name = "Tesla V100-SXM2-32GB";
    gpu.speed = LinkSpeed{2500}, gpu.max_speed = LinkSpeed{8000};
    gpu.width = gpu.max_width = LinkWidth{16};
    for (const int number : {0, 1, 2})
      gpu.links.push_back({number, index == 1 && number > 0 ? "inactive" : "active",
                           index == 1 && number > 0 ? std::nullopt : std::optional(25.78), ""});
    add(evidence, gpu);
    Measurement rate;
    rate.tool = "nvbandwidth", rate.test = "host_to_device_memcpy_ce", rate.direction = "h2d";
    rate.method = "copy_engine", rate.memory = "pinned", rate.component = gpu.component;
    rate.rate_gbs = 12.5 - 6 * index, rate.bytes = 512 << 20;
    add(evidence, rate);
    rate.rate_gbs = 0.1, rate.bytes = 4096;
    add(evidence, rate);
  }
  Finding slow = finding(FindingClass::undecided, 0x1b);
  slow.missing = "the port above";
  slow.commands = {"sudo lspci -vvv -s 0000:1b:00.0", "lspci -t"};
  report.verdict.findings = {slow};
  return report;
}

Report hostile() {
  Report report = fail();
  Evidence& evidence = report.nodes[0];
  evidence.file = nasty();
  for (Record& record : evidence.records) {
    if (auto* start = std::get_if<RunStart>(&record.body))
      start->node = start->tool = start->profile = start->source = start->started = nasty();
    if (auto* component = std::get_if<Component>(&record.body)) {
      component->name = component->type = nasty();
      component->slot = Slot{nasty(), nasty()};
    }
    if (auto* port = std::get_if<Port>(&record.body)) port->state = port->link_layer = nasty();
    if (auto* end = std::get_if<RunEnd>(&record.body)) end->status = nasty();
  }
  Gpu gpu;
  gpu.name = gpu.uuid = gpu.serial = gpu.c2c_mode = gpu.fabric_state = nasty();
  gpu.component = ComponentId::from_evidence(nasty());
  gpu.slowed_by = {nasty()};
  gpu.links = {{-1, nasty(), std::numeric_limits<double>::infinity(), nasty()}};
  add(evidence, gpu);
  Measurement rate;
  rate.tool = rate.test = rate.direction = rate.method = rate.memory = rate.text = nasty();
  rate.component = gpu.component, rate.peer = gpu.component;
  rate.rate_gbs = std::numeric_limits<double>::quiet_NaN();
  add(evidence, rate);
  add(evidence, CapturePart{nasty(), nasty(), -1, 1, 1, {nasty(), nasty(), nasty()}});
  for (Finding& item : report.verdict.findings) {
    item.code = item.origin = item.detail = item.missing = item.when = nasty();
    item.rated.text = item.negotiated.text = item.limit.text = nasty();
    item.rated.rate_gbs = std::numeric_limits<double>::quiet_NaN();
    item.component = ComponentId::from_evidence(nasty());
    item.place = Slot{nasty(), nasty()};
    item.node = nasty();
  }
  report.verdict.reasons = {nasty(), ""};
  for (NotJudged& item : report.verdict.not_judged) item = {nasty(), nasty(), nasty(), nasty()};
  return report;
}

std::string rendered(std::string_view name, const Report& report, RenderOptions options) {
  const Renderer* renderer = find_renderer(name);
  if (!renderer) {
    ADD_FAILURE() << "no renderer " << name;
    return {};
  }
  return renderer->render(report, options);
}

}  // namespace linkburn::samples
