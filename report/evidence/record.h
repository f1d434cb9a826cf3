// The vocabulary of evidence, schema version 1: one struct per record kind, one JSON object per
// line. report/evidence/README.md is the page for people; the names below are the names in the
// file.
//
// Each struct lists its fields once, in fields(); writing, reading and documentation tests all go
// through that list. An absent optional is "unknown" and never zero.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "bench/base/component.h"
#include "bench/base/units.h"
#include "report/evidence/capture.h"
#include "report/evidence/gpu.h"
#include "report/evidence/links.h"
#include "report/evidence/network.h"

namespace linkburn {

inline constexpr int kEvidenceSchema = 1;

/// What the run was doing when something was seen. `passive`: an inspect, nothing was loaded.
enum class Phase { passive, idle, warm_up, measure, cool_down };
std::string_view to_string(Phase phase);
std::optional<Phase> phase_from(std::string_view word);

/// First record of a file: who ran what, where and with what in force.
struct RunStart {
  static constexpr std::string_view kKind = "run_start";
  int schema = kEvidenceSchema;
  std::string tool, version, mode;  ///< mode: "inspect" or "run"
  std::string node, kernel, boot_id, machine;
  std::string started;  ///< wall time, UTC
  std::string source;   ///< "live", or the path of the captured tree
  std::string clock;    ///< "real" or "drill"
  bool drill = false;
  bool root = false;
  std::string profile, profile_text, command;
  std::vector<std::string> require;                ///< aspects that must be judged
  std::optional<int> sampling_period_ms;           ///< shorter events can have been missed
  std::map<std::string, std::string> environment;  ///< variables that can change a result
  template <class Fields>
  void fields(Fields& f) {
    f("schema", schema), f("tool", tool), f("version", version), f("mode", mode), f("node", node);
    f("kernel", kernel), f("boot_id", boot_id), f("machine", machine), f("started", started);
    f("source", source), f("clock", clock), f("drill", drill), f("root", root);
    f("profile", profile), f("profile_text", profile_text), f("command", command);
    f("require", require), f("sampling_period_ms", sampling_period_ms);
    f("environment", environment);
  }
};

/// Last record. A file without it comes from a run that was killed.
struct RunEnd {
  static constexpr std::string_view kKind = "run_end";
  std::string status;         ///< "complete", "interrupted", "error"
  std::optional<int> signal;  ///< the signal that ended an interrupted run
  std::int64_t dropped_samples = 0;
  std::int64_t lost_records = 0;  ///< could not be written (disk full)
  template <class Fields>
  void fields(Fields& f) {
    f("status", status), f("signal", signal), f("dropped_samples", dropped_samples);
    f("lost_records", lost_records);
  }
};

/// A library, file or right that some measurement needs, and whether it is there.
struct Part {
  static constexpr std::string_view kKind = "part";
  std::string name;    ///< "kernel_log", "libibverbs", ...
  std::string status;  ///< "found", "absent", "unusable"
  std::string path, version, why, fix;
  template <class Fields>
  void fields(Fields& f) {
    f("name", name), f("status", status), f("path", path), f("version", version);
    f("why", why), f("fix", fix);
  }
};

/// A thing that can be named: PCI function or NUMA node.
struct Component {
  static constexpr std::string_view kKind = "component";
  ComponentId component;
  std::string
      type;  ///< "gpu", "accelerator", "nic", "infiniband", "nvme", "bridge", "numa", "other"
  std::string name;
  std::string vendor_id, device_id, class_code;  ///< as in sysfs, "0x15b3"
  std::string subsystem_vendor_id, subsystem_device_id, driver;
  std::string port_type;  ///< of a PCIe port: "root_port", "switch_upstream", "switch_downstream"
  std::optional<ComponentId> physical_function;  ///< of a virtual function
  std::optional<int> numa_node;
  std::string local_cpus;
  std::vector<ComponentId> path;  ///< from the device itself up to its root port
  std::optional<Slot> slot;
  std::map<std::string, std::string> facts;
  template <class Fields>
  void fields(Fields& f) {
    f("component", component), f("type", type), f("name", name), f("vendor_id", vendor_id);
    f("device_id", device_id), f("class_code", class_code);
    f("subsystem_vendor_id", subsystem_vendor_id), f("subsystem_device_id", subsystem_device_id);
    f("driver", driver), f("port_type", port_type), f("physical_function", physical_function);
    f("numa_node", numa_node);
    f("local_cpus", local_cpus), f("path", path), f("slot", slot), f("facts", facts);
  }
};

/// One lane of a step: a worker and the path that it loads.
struct Lane {
  ComponentId component;
  std::vector<ComponentId> loads;  ///< every link and memory that carries the traffic
  std::string status;              ///< in an end: as of the step, for this lane alone
  std::string reason;              ///< why this lane did not complete
  template <class Fields>
  void fields(Fields& f) {
    f("component", component), f("loads", loads), f("status", status), f("reason", reason);
  }
};

/// The life of one step: planned, start, end or skipped.
struct Step {
  static constexpr std::string_view kKind = "step";
  std::string step;      ///< "host_copy-1"; the same id in each record of this step
  std::string workload;  ///< name in bench/workloads/table.h
  std::string event;     ///< "planned", "start", "end", "skipped"
  std::string status;    ///< of an end: "complete", "error", "interrupted"
  std::string reason;    ///< why it was skipped, or what went wrong
  std::vector<Lane> lanes;
  std::optional<std::int64_t> interval_start_ns, interval_end_ns;  ///< all completed lanes ran
  std::map<std::string, std::string> facts;
  template <class Fields>
  void fields(Fields& f) {
    f("step", step), f("workload", workload), f("event", event), f("status", status);
    f("reason", reason), f("lanes", lanes), f("interval_start_ns", interval_start_ns);
    f("interval_end_ns", interval_end_ns), f("facts", facts);
  }
};

/// Laps of one lane over a window of about 100 ms. Times are on the run's own time line.
struct LapWindow {
  static constexpr std::string_view kKind = "lap_window";
  std::string step;
  ComponentId component;
  Phase phase = Phase::measure;
  std::int64_t start_ns = 0, end_ns = 0;
  std::int64_t laps = 0, bytes = 0;  ///< bytes: payload moved, counted once
  std::vector<std::int64_t> lap_ns;
  template <class Fields>
  void fields(Fields& f) {
    f("step", step), f("component", component), f("phase", phase), f("start_ns", start_ns);
    f("end_ns", end_ns), f("laps", laps), f("bytes", bytes), f("lap_ns", lap_ns);
  }
};

/// A value seen by a sensor, or a check of data. An absent value could not be read; text says why.
struct Reading {
  static constexpr std::string_view kKind = "reading";
  ComponentId component;
  std::string quantity;  ///< "link_speed", "link_width", "presence", "wrong_words", "temperature"
  std::string unit;      ///< "GT/s", "lanes", "", "words", "C"
  std::optional<double> value;
  std::string text;
  Phase phase = Phase::passive;
  std::string step;
  template <class Fields>
  void fields(Fields& f) {
    f("component", component), f("quantity", quantity), f("unit", unit), f("value", value);
    f("text", text), f("phase", phase), f("step", step);
  }
};

/// A quantity that changed between two samples. An absent value was unreadable.
struct Transition {
  static constexpr std::string_view kKind = "transition";
  ComponentId component;
  std::string quantity, unit;
  std::optional<double> from, to;
  Phase phase = Phase::idle;
  std::string step;
  template <class Fields>
  void fields(Fields& f) {
    f("component", component), f("quantity", quantity), f("unit", unit), f("from", from);
    f("to", to), f("phase", phase), f("step", step);
  }
};

/// A counter's value at the end of a phase; the first one of a run is its baseline.
struct Counter {
  static constexpr std::string_view kKind = "counter";
  ComponentId component;
  std::string name;                   ///< "aer_correctable/BadTLP"
  std::optional<std::int64_t> value;  ///< absent: not exposed, which is not zero
  bool baseline = false;              ///< taken before anything was loaded
  Phase phase = Phase::passive;
  std::string step;
  template <class Fields>
  void fields(Fields& f) {
    f("component", component), f("name", name), f("value", value), f("baseline", baseline);
    f("phase", phase), f("step", step);
  }
};

/// A kernel log line that concerns links: since the start of a run, since boot in an inspect.
struct KernelLine {
  static constexpr std::string_view kKind = "kernel_line";
  std::optional<ComponentId> component;
  std::string topic;  ///< "pcie_bus_error", "link_down", ... (bench/sensors/kernel_log.h)
  int level = 6;
  std::int64_t kernel_us = 0;  ///< since boot, or since some time before the log; 0: not told
  std::string text;
  Phase phase = Phase::idle;
  std::optional<int> number = {};  ///< of an Xid
  std::string when = {};  ///< as the log prints it: its clock, where kernel_us is not since boot
  template <class Fields>
  void fields(Fields& f) {
    f("component", component), f("topic", topic), f("level", level), f("kernel_us", kernel_us);
    f("text", text), f("phase", phase), f("number", number), f("when", when);
  }
};

/// The site file that was in force: what this node is expected to be, in the site's own words.
struct SiteText {
  static constexpr std::string_view kKind = "site";
  std::string file, text;
  template <class Fields>
  void fields(Fields& f) {
    f("file", file), f("text", text);
  }
};

/// One size of one collective over a set of ranks (written by the rack issues; read and kept now).
struct CollectiveResult {
  static constexpr std::string_view kKind = "collective_result";
  std::string operation, algorithm, transport, data_type;
  std::vector<ComponentId> components;
  std::int64_t ranks = 0, bytes = 0;
  bool in_place = false;
  std::optional<double> time_us, algorithm_bandwidth_gbs, bus_bandwidth_gbs;
  std::optional<std::int64_t> wrong_elements;
  template <class Fields>
  void fields(Fields& f) {
    f("operation", operation), f("algorithm", algorithm), f("transport", transport);
    f("data_type", data_type), f("components", components), f("ranks", ranks), f("bytes", bytes);
    f("in_place", in_place), f("time_us", time_us);
    f("algorithm_bandwidth_gbs", algorithm_bandwidth_gbs),
        f("bus_bandwidth_gbs", bus_bandwidth_gbs);
    f("wrong_elements", wrong_elements);
  }
};

/// The world did not cooperate: an Error of bench/base, and what it touched.
struct ToolError {
  static constexpr std::string_view kKind = "tool_error";
  std::string code, what, source, fix;
  std::optional<ComponentId> component;
  std::string step;
  template <class Fields>
  void fields(Fields& f) {
    f("code", code), f("what", what), f("source", source), f("fix", fix);
    f("component", component), f("step", step);
  }
};

/// A kind of a newer minor version: kept as it stands, and ignored by the judge.
struct UnknownRecord {
  std::string kind;
  std::string json;
};

using Body = std::variant<RunStart, RunEnd, Part, CapturePart, SiteText, Component, Link, Port,
                          Interface, Gpu, Step, LapWindow, Reading, Transition, Counter, KernelLine,
                          Measurement, CollectiveResult, ToolError, UnknownRecord>;

struct Record {
  std::int64_t seq = 0;    ///< 1, 2, 3, ... within a file; findings refer to it
  std::int64_t at_ns = 0;  ///< since the start of the run, on its own clock
  Body body;
};

/// The name of a record's kind as in the file.
std::string_view kind_of(const Record& record);

/// All evidence of one node, in the order it was written.
struct Evidence {
  std::string file;  ///< where it was read from; empty when it comes straight from a run
  std::vector<Record> records;
  bool torn_tail = false;      ///< the last line was cut
  std::int64_t bad_lines = 0;  ///< lines in between that could not be read
};

}  // namespace linkburn
