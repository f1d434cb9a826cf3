#include "bench/doctor.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "bench/base/fd.h"
#include "bench/base/log.h"
#include "bench/driver_reader.h"
#include "bench/execute.h"
#include "bench/interrupts.h"
#include "bench/node_lock.h"
#include "bench/output.h"
#include "bench/parts.h"
#include "bench/profile.h"
#include "bench/sensors/aer.h"
#include "report/verdict.h"

namespace linkburn {
namespace {

bool in_container(const Sysroot& root) {
  return root.exists("run/.containerenv") || root.exists(".dockerenv");
}

bool in_virtual_machine(const Sysroot& root) {
  const auto cpu = root.read("proc/cpuinfo", 16UL << 20);
  return cpu && cpu->find(" hypervisor") != std::string::npos;
}

DoctorLine root_line() {
  if (::geteuid() == 0) return {"root", "ok", "yes", {}, {}};
  return {"root", "limited", "no",
          "on most systems the kernel log cannot be read, and memory not be pinned",
          "run with sudo"};
}

bool is_real_link(const Link& link) { return link.device_end.files || link.peer_end.files; }

DoctorLine links_line(const Sysroot& root, const Inventory& inventory) {
  const auto links = std::count_if(inventory.links.begin(), inventory.links.end(), is_real_link);
  const std::string functions = fmt::format("{} PCI functions", inventory.functions.size());
  if (links > 0) return {"PCIe links", "ok", fmt::format("{} links, {}", links, functions), {}, {}};
  if (in_virtual_machine(root))
    return {"PCIe links", "none", fmt::format("no link among {}", functions),
            "link speed and width cannot be judged here",
            "a virtual machine shows no real links: run on the host"};
  if (in_container(root))
    return {"PCIe links", "missing", fmt::format("no link among {}", functions),
            "link speed and width cannot be judged here",
            "mount /sys read-only into the container"};
  return {"PCIe links",
          "none",
          fmt::format("no link among {}", functions),
          "link speed and width cannot be judged here",
          {}};
}

DoctorLine asleep_line(const Inventory& inventory) {
  const auto asleep =
      std::count_if(inventory.functions.begin(), inventory.functions.end(),
                    [](const PciFunction& f) { return f.link_end.runtime_status == "suspended"; });
  if (asleep == 0) return {"sleeping devices", "ok", "none", {}, {}};
  return {"sleeping devices", "limited", fmt::format("{} functions are runtime-suspended", asleep),
          "their links are not read, so as not to wake them",
          "use the devices, then inspect again"};
}

DoctorLine aer_line(const Sysroot& root, const Inventory& inventory) {
  if (!aer_counters(root, inventory, Phase::passive, {}, true).empty())
    return {"AER counters", "ok", "shown by the kernel", {}, {}};
  return {
      "AER counters", "missing", "not shown for any link", "PCIe errors cannot be counted",
      "firmware may own error reporting: look into the BMC log, or allow native AER in the BIOS"};
}

DoctorLine slots_line(const Inventory& inventory) {
  std::map<std::string, int> names;
  for (const NamedSlot& slot : inventory.slots) ++names[slot.name.source];
  std::string detail;
  for (const auto& [source, count] : names)
    detail += fmt::format("{}{} from {}", detail.empty() ? "" : ", ", count, source);
  if (!names.empty()) return {"slot names", "ok", detail, {}, {}};
  return {"slot names", "missing", "no source names a slot", "places are given as PCI addresses",
          "run as root, or load the slot driver of the platform (pciehp, acpiphp)"};
}

DoctorLine kernel_log_line() {
  const Fd fd(::open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (fd) return {"kernel log", "ok", "/dev/kmsg can be read", {}, {}};
  return {"kernel log", "missing", errno_error(errno, "cannot open", "/dev/kmsg").line(),
          "error lines of the kernel are not seen during a run", "run as root or with CAP_SYSLOG"};
}

DoctorLine memlock_line() {
  rlimit limit{};
  ::getrlimit(RLIMIT_MEMLOCK, &limit);
  if (::geteuid() == 0 || limit.rlim_cur == RLIM_INFINITY)
    return {"locked memory", "ok", "not limited for us", {}, {}};
  return {
      "locked memory", "limited", fmt::format("limit {} KiB", limit.rlim_cur / 1024),
      "buffers are measured without being pinned",
      "ulimit -l unlimited; for services LimitMEMLOCK=infinity (limits.conf does not reach them)"};
}

DoctorLine numa_line(const Inventory& inventory) {
  if (inventory.numa_nodes.empty())
    return {"memory", "missing", "no memory information", "memory paths cannot be measured", {}};
  return {"memory", "ok", fmt::format("{} NUMA node(s)", inventory.numa_nodes.size()), {}, {}};
}

DoctorLine ports_line(const Inventory& inventory) {
  if (inventory.ports.empty()) return {"RDMA ports", "none", "no RDMA device", {}, {}};
  return {"RDMA ports", "ok", fmt::format("{} ports", inventory.ports.size()), {}, {}};
}

DoctorLine lock_line() {
  const std::string holder = NodeLock::holder(NodeLock::places());
  if (holder.empty()) return {"node lock", "ok", "free", {}, {}};
  return {"node lock", "limited", "held by " + holder, "no active run can start now",
          "wait for it to end"};
}

DoctorLine library_line(const Part& part) {
  if (part.status != "found") return {part.name, "missing", part.why, {}, part.fix};
  const std::string version = part.version.empty() ? "" : ", version " + part.version;
  const std::string why = part.why.empty() ? "" : " (" + part.why + ")";
  return {part.name, "ok", part.path + version + why, {}, {}};
}

std::string render_text(const NodeFacts& facts, const std::vector<DoctorLine>& lines,
                        bool can_judge) {
  std::string out = facts.drill ? "DRILL " : "";
  out += fmt::format("{}\nnode {}, kernel {}{}\n\n", version_line(), facts.name, facts.kernel,
                     facts.machine.empty() ? "" : ", " + facts.machine);
  for (const DoctorLine& line : lines) {
    out += fmt::format("  {:<8} {:<17} {}\n", line.state, line.what, line.detail);
    if (!line.effect.empty()) out += fmt::format("           effect: {}\n", line.effect);
    if (!line.fix.empty()) out += fmt::format("           to do:  {}\n", line.fix);
  }
  out += fmt::format("\nprofiles: {}\n", fmt::join(shipped_profiles(), ", "));
  out += can_judge ? "Links can be judged here.\n"
                   : "No link can be judged here; memory paths can be measured (run smoke).\n";
  return out;
}

std::string render_json(const NodeFacts& facts, const std::vector<DoctorLine>& lines,
                        bool can_judge) {
  nlohmann::ordered_json out{{"tool", "linkburn"},
                             {"version", version()},
                             {"node", facts.name},
                             {"drill", facts.drill},
                             {"can_judge_links", can_judge}};
  for (const DoctorLine& line : lines)
    out["checks"].push_back({{"what", line.what},
                             {"state", line.state},
                             {"detail", line.detail},
                             {"effect", line.effect},
                             {"fix", line.fix}});
  return out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::vector<DoctorLine> examine(const Session& session, const Sysroot& root,
                                const Inventory& inventory) {
  const bool links = std::any_of(inventory.links.begin(), inventory.links.end(), is_real_link);
  std::vector<DoctorLine> lines{root_line(), links_line(root, inventory)};
  // Without links there is nothing that could sleep, count errors or have a slot.
  if (links)
    for (const DoctorLine& line :
         {asleep_line(inventory), aer_line(root, inventory), slots_line(inventory)})
      lines.push_back(line);
  for (const DoctorLine& line : {kernel_log_line(), numa_line(inventory), memlock_line(),
                                 ports_line(inventory), lock_line()})
    lines.push_back(line);
  for (const BuildPart& part : build_parts())
    if (!part.built_in)
      lines.push_back(
          {part.name, "missing", "left out of this build", {}, "build with it (README)"});
  for (const Part& part : inventory.parts)
    if (part.name == "pci_ids") lines.push_back(library_line(part));
  for (const Part& part :
       probe_libraries(session.clock, {session.program, "worker"}, Interrupts::fd()))
    lines.push_back(library_line(part));
  return lines;
}

}  // namespace

int doctor_command(const Session& session) {
  const auto root = Sysroot::open("/");
  if (!root) {
    log_error(root.error());
    return kExitUsage;
  }
  DriverReader reader(session.clock, {session.program, "worker"}, Interrupts::fd());
  Inventory inventory = discover(*root, reader.files());
  reader.close();
  inventory.facts.drill |= is_drill(session.clock);
  const auto lines = examine(session, *root, inventory);
  const bool can_judge =
      std::any_of(inventory.links.begin(), inventory.links.end(), is_real_link) ||
      !inventory.ports.empty();
  const auto& formats = session.options.formats;
  const bool as_json = !formats.empty() && formats.front().name == "json";
  if (!formats.empty() && (formats.size() > 1 || !formats.front().file.empty() ||
                           (!as_json && formats.front().name != "text"))) {
    log_error(
        {Code::invalid, "doctor prints text or json on stdout", "--format", "give --format json"});
    return kExitUsage;
  }
  const auto written = write_stdout(as_json ? render_json(inventory.facts, lines, can_judge)
                                            : render_text(inventory.facts, lines, can_judge));
  if (!written) log_error(written.error());
  return can_judge ? kExitPass : kExitIncomplete;
}

}  // namespace linkburn
