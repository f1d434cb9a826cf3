// What is known of a node from captured texts.
#include "report/render/json_parts.h"

namespace linkburn {
namespace {

Json capture_json(const CapturePart& part) {
  Json out = Json::object();
  out["source"] = clean(part.source);
  out["kind"] = clean(part.reader);
  if (part.first_line > 0) put(out, "first_line", part.first_line);
  put(out, "lines", part.lines), put(out, "not_understood", part.not_understood);
  put(out, "examples", part.examples);
  return out;
}

Json gpu_link_json(const GpuLink& link) {
  Json out = Json::object();
  put(out, "number", link.number), put(out, "state", link.state);
  put(out, "rate_gbs", link.rate_gbs), put(out, "remote", link.remote);
  return out;
}

Json gpu_json(const Gpu& gpu) {
  Json out = Json::object();
  out["component"] = clean(gpu.component.text());
  put(out, "index", gpu.index), put(out, "name", gpu.name);
  put(out, "uuid", gpu.uuid), put(out, "serial", gpu.serial);
  put(out, "driver_version", gpu.driver_version), put(out, "source", gpu.source);
  put(out, "speed_gts", gpu.speed), put(out, "width", gpu.width);
  put(out, "max_speed_gts", gpu.max_speed), put(out, "max_width", gpu.max_width);
  put(out, "own_max_speed_gts", gpu.own_max_speed);
  put(out, "host_max_speed_gts", gpu.host_max_speed);
  put(out, "replays", gpu.replays), put(out, "replay_rollovers", gpu.replay_rollovers);
  put(out, "c2c_mode", gpu.c2c_mode), put(out, "performance_state", gpu.performance_state);
  put(out, "utilization_percent", gpu.utilization_percent);
  put(out, "temperature_c", gpu.temperature_c);
  put(out, "temperature_slowdown_c", gpu.temperature_slowdown_c);
  put(out, "slowed_by", gpu.slowed_by);
  put(out, "mig_mode", gpu.mig_mode), put(out, "fabric_state", gpu.fabric_state);
  if (!gpu.links_read && gpu.links.empty()) return out;
  out["links"] = Json::array();
  for (const GpuLink& link : gpu.links) out["links"].push_back(gpu_link_json(link));
  return out;
}

Json measurement_json(const Measurement& one) {
  Json out = Json::object();
  out["tool"] = clean(one.tool);
  put(out, "test", one.test), put(out, "direction", one.direction);
  put(out, "method", one.method), put(out, "memory", one.memory);
  put(out, "component", one.component), put(out, "peer", one.peer);
  put(out, "statistic", one.statistic), put(out, "rate_gbs", one.rate_gbs);
  put(out, "text", one.text), put(out, "bytes", one.bytes);
  put(out, "ranks", one.ranks), put(out, "wrong", one.wrong);
  return out;
}

}  // namespace

void put_captured(Json& out, const NodeView& node) {
  for (const CapturePart* part : node.captures) out["captures"].push_back(capture_json(*part));
  for (const Gpu* gpu : node.gpus) out["gpus"].push_back(gpu_json(*gpu));
  for (const Measurement* one : node.measurements)
    out["measurements"].push_back(measurement_json(*one));
}

}  // namespace linkburn
