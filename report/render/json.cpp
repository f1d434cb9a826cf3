// For machines: everything that the other formats show, and all findings including the healthy
// ones. report.schema.json describes it. What is unknown is left out, never null and never zero.
#include <cmath>

#include "report/render/json_parts.h"
#include "report/rules/gid_choice.h"

namespace linkburn {
namespace {

constexpr int kReportSchema = 1;

/// Rates come out of a division; digits beyond a MB/s say nothing.
double to_megabytes(double rate_gbs) { return std::round(rate_gbs * 1000) / 1000; }

Json finding_json(const Finding& finding, const NodeView& node) {
  Json out = Json::object();
  const CatalogueRow* row = row_of(finding.code);
  out["code"] = clean(finding.code);
  out["class"] = to_string(finding.cls);
  out["component"] = clean(finding.component.text());
  put(out, "node", node.name);
  out["aspect"] = to_string(finding.aspect);
  if (row) put(out, "title", row->title), put(out, "meaning", row->meaning);
  put(out, "limiter", finding.limiter);
  put(out, "gpu", finding.gpu);
  if (!finding.links.empty()) out["links"] = finding.links;
  put(out, "place", finding.place);
  put(out, "rated", finding.rated), put(out, "negotiated", finding.negotiated);
  put(out, "achieved", finding.achieved), put(out, "limit", finding.limit);
  put(out, "origin", finding.origin), put(out, "accepted", finding.accepted);
  put(out, "phase", finding.phase);
  put(out, "when", finding.when);
  put(out, "detail", finding.detail), put(out, "missing", finding.missing);
  put(out, "commands", finding.commands);
  if (row && !row->next.empty()) out["next"] = row->next;
  if (!finding.evidence.empty()) out["evidence"] = finding.evidence;
  return out;
}

Json link_json(const LinkView& view, const NodeView& node) {
  Json out = Json::object();
  out["component"] = clean(view.link->component.text());
  out["peer"] = clean(view.link->peer.text());
  put(out, "node", node.name);
  put(out, "port_type", view.link->port_type);
  put(out, "kind", view.link->kind), put(out, "kind_reason", view.link->kind_reason);
  put(out, "speed_gts", view.speed), put(out, "width", view.width);
  put(out, "speed_phase", view.speed_phase);
  if (view.rating.speed) put(out, "max_speed_gts", view.rating.speed->value);
  if (view.rating.width) put(out, "max_width", view.rating.width->value);
  put(out, "slot", view.slot);
  if (view.judgement) out["class"] = to_string(*view.judgement);
  return out;
}

Json port_json(const PortView& view, const NodeView& node) {
  const Port& port = *view.port;
  Json out = Json::object();
  out["component"] = clean(port.component.text());
  put(out, "node", node.name);
  put(out, "device", port.pci);
  put(out, "state", port.state), put(out, "phys_state", port.phys_state);
  put(out, "link_layer", port.link_layer);
  put(out, "rate_gbps", view.rate_gbps), put(out, "rated_gbps", view.rated_gbps);
  if (view.rate_gbps) put(out, "lanes", port.lanes), put(out, "speed_name", port.speed_name);
  put(out, "netdev", view.interface ? view.interface->component.text() : port.netdev);
  put(out, "driver", port.driver), put(out, "firmware", port.firmware);
  put(out, "board_id", port.board_id), put(out, "node_guid", port.node_guid);
  put(out, "system_image_guid", port.system_image_guid);
  if (view.gid) out["recommended_gid_index"] = view.gid->index;
  if (view.gid) put(out, "recommended_gid", address_text(view.gid->gid));
  if (view.judgement) out["class"] = to_string(*view.judgement);
  return out;
}

void put_module(Json& object, const Module& module) {
  Json value = Json::object();
  put(value, "identifier", module.identifier), put(value, "vendor", module.vendor);
  put(value, "part_number", module.part_number), put(value, "serial", module.serial);
  put(value, "rate_gbps", module.rate_gbps), put(value, "temperature_c", module.temperature_c);
  put(value, "temperature_high_alarm_c", module.temperature_high_alarm_c);
  if (!value.empty()) object["module"] = std::move(value);
}

Json interface_json(const InterfaceView& view, const NodeView& node) {
  const Interface& interface = *view.interface;
  Json out = Json::object();
  out["component"] = clean(interface.component.text());
  put(out, "node", node.name);
  put(out, "device", interface.pci);
  put(out, "type", interface.type), put(out, "driver", interface.driver);
  put(out, "state", interface.operstate);
  if (interface.admin_up) out["admin_up"] = *interface.admin_up;
  if (interface.carrier) out["carrier"] = *interface.carrier;
  put(out, "speed_gbps", interface.speed_gbps), put(out, "lanes", interface.lanes);
  put(out, "supported_gbps", interface.supported_gbps);
  put(out, "advertised_gbps", interface.advertised_gbps);
  put(out, "partner_gbps", interface.partner_gbps);
  put(out, "mtu", interface.mtu), put(out, "fec", interface.fec);
  put(out, "link_detail", interface.link_detail);
  if (interface.module) put_module(out, *interface.module);
  put(out, "bond", interface.bond), put(out, "bond_mode", interface.bond_mode);
  put(out, "members", interface.members);
  put(out, "vlan_parent", interface.vlan_parent), put(out, "vlan_id", interface.vlan_id);
  if (view.judgement) out["class"] = to_string(*view.judgement);
  return out;
}

Json device_json(const Component& device, const NodeView& node) {
  Json out = Json::object();
  out["component"] = clean(device.component.text());
  put(out, "node", node.name);
  put(out, "type", device.type), put(out, "name", device.name);
  put(out, "numa_node", device.numa_node);
  if (!device.path.empty()) {
    Json path = Json::array();
    for (const ComponentId& hop : device.path) path.push_back(clean(hop.text()));
    out["path"] = std::move(path);
  }
  put(out, "slot", device.slot);
  return out;
}

Json memory_json(const MemoryView& path, const NodeView& node) {
  Json out = Json::object();
  out["component"] = clean(path.component.text());
  put(out, "node", node.name);
  out["step"] = clean(path.step);
  put(out, "rate_gbs", to_megabytes(path.median_gbs));
  put(out, "min_rate_gbs", to_megabytes(path.lowest_gbs));
  out["laps"] = path.laps;
  for (const auto& [name, text] : path.facts) out["facts"][clean(name)] = clean(text);
  return out;
}

Json not_judged_json(const NotJudged& item, const NodeView& node) {
  Json out = Json::object();
  out["what"] = clean(item.what);
  out["why"] = clean(item.why);
  put(out, "needs", item.needs);
  put(out, "node", node.name);
  return out;
}

Json node_json(const NodeView& node) {
  Json out = Json::object();
  out["name"] = clean(node.name);
  if (const RunStart* start = node.start) {
    put(out, "mode", start->mode), put(out, "profile", start->profile);
    put(out, "started", start->started), put(out, "source", start->source);
    put(out, "kernel", start->kernel), put(out, "machine", start->machine);
    put(out, "clock", start->clock);
    out["drill"] = start->drill;
    out["root"] = start->root;
    put(out, "sampling_period_ms", start->sampling_period_ms);
  }
  put(out, "status", node.end ? std::string_view(node.end->status) : std::string_view());
  if (node.evidence) put(out, "evidence", node.evidence->file);
  put_captured(out, node);
  return out;
}

/// Who wrote the evidence; of several nodes the first one that says so.
void put_tool(Json& out, const ReportView& view) {
  for (const NodeView& node : view.nodes) {
    if (!node.start) continue;
    put(out, "tool", node.start->tool), put(out, "version", node.start->version);
    return;
  }
}

/// One array over all nodes: `items` gives a node's objects.
template <class Items>
void put_array(Json& out, const char* key, const ReportView& view, Items items) {
  Json array = Json::array();
  for (const NodeView& node : view.nodes) items(node, array);
  out[key] = std::move(array);
}

std::string render_json(const Report& report, const RenderOptions&) {
  const ReportView view = ReportView::of(report);
  Json out = Json::object();
  out["schema"] = kReportSchema;
  put_tool(out, view);
  out["verdict"] = to_string(report.verdict.outcome);
  out["exit"] = report.verdict.exit;
  out["drill"] = view.drill;
  if (view.nodes.size() == 1) put(out, "node", view.nodes.front().name);
  out["reasons"] = Json::array();
  for (const std::string& reason : report.verdict.reasons) out["reasons"].push_back(clean(reason));
  put_array(out, "nodes", view, [](const auto& node, Json& to) { to.push_back(node_json(node)); });
  put_array(out, "findings", view, [](const auto& node, Json& to) {
    for (const Finding* finding : node.findings) to.push_back(finding_json(*finding, node));
  });
  put_array(out, "links", view, [](const auto& node, Json& to) {
    for (const LinkView& link : node.links) to.push_back(link_json(link, node));
  });
  put_array(out, "ports", view, [](const auto& node, Json& to) {
    for (const PortView& port : node.ports) to.push_back(port_json(port, node));
  });
  put_array(out, "interfaces", view, [](const auto& node, Json& to) {
    for (const InterfaceView& item : node.interfaces) to.push_back(interface_json(item, node));
  });
  put_array(out, "devices", view, [](const auto& node, Json& to) {
    for (const auto& [id, device] : node.components) to.push_back(device_json(*device, node));
  });
  put_array(out, "memory", view, [](const auto& node, Json& to) {
    for (const MemoryView& path : node.memory) to.push_back(memory_json(path, node));
  });
  put_array(out, "not_judged", view, [](const auto& node, Json& to) {
    for (const NotJudged* item : node.not_judged) to.push_back(not_judged_json(*item, node));
  });
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

extern const Renderer json_renderer;
const Renderer json_renderer{"json", "for machines: one document, see report.schema.json",
                             render_json};

}  // namespace linkburn
