// Link speed, link width and presence at both ends of every link, sampled while the load runs.
// Changes are written as transitions; a heartbeat and every phase boundary write the current
// values.
#include <array>
#include <optional>

#include "bench/sensors/kept_file.h"
#include "bench/sensors/sensor.h"

namespace linkburn {
namespace {

constexpr Duration kHeartbeat = std::chrono::seconds(1);
constexpr Duration kReopenPeriod = std::chrono::seconds(1);

/// What one sample of one end says. `present` is unknown when the files cannot be read for a reason
/// other than the device being gone.
struct EndState {
  std::optional<LinkSpeed> speed;
  std::optional<LinkWidth> width;
  std::optional<bool> present;
  bool asleep = false;
  bool operator==(const EndState&) const = default;
};

class LinkEndReader {
 public:
  LinkEndReader(const Sysroot& root, const PciFunction& function)
      : component_(ComponentId::pci(function.address)),
        speed_(root, function.folder + "/current_link_speed"),
        width_(root, function.folder + "/current_link_width"),
        status_(root, function.folder + "/power/runtime_status") {}

  const ComponentId& component() const { return component_; }
  bool readable() const {
    return width_.open() && speed_.open() && (status_.open() || status_.missing());
  }
  bool has_files() const { return !width_.missing() || !speed_.missing(); }

  void reopen(const Sysroot& root) {
    speed_.reopen(root), width_.reopen(root), status_.reopen(root);
  }

  EndState read() const {
    std::array<char, 64> buffer;
    EndState state;
    // Reading the link files of a sleeping device can wake it; its status file never does.
    state.asleep = status_.read(buffer).text == "suspended";
    if (state.asleep) return state;
    const auto width = width_.read(buffer);
    if (width.error != 0) {
      const bool gone = width.error == ENODEV || width.error == ENOENT || width.error == ENXIO ||
                        width.error == EINVAL;
      if (gone) state.present = false;
      return state;
    }
    const auto lanes = parse_int(width.text);
    const auto speed = speed_.read(buffer);
    state.speed = speed.error == 0 ? parse_link_speed(speed.text) : std::nullopt;
    // 63 lanes at no speed: the register reads as all ones, the device does not answer.
    state.present = !(lanes == 63 && !state.speed);
    if (*state.present && lanes && *lanes >= 0 && *lanes <= 255)
      state.width = LinkWidth{static_cast<int>(*lanes)};
    return state;
  }

 private:
  ComponentId component_;
  KeptFile speed_, width_, status_;
};

std::optional<double> number(std::optional<LinkSpeed> speed) {
  return speed ? std::optional(speed->gts()) : std::nullopt;
}
std::optional<double> number(std::optional<LinkWidth> width) {
  return width ? std::optional<double>(width->lanes) : std::nullopt;
}
std::optional<double> number(std::optional<bool> present) {
  return present ? std::optional(*present ? 1.0 : 0.0) : std::nullopt;
}

class PcieLinkSensor final : public Sensor {
 public:
  explicit PcieLinkSensor(const SensorContext& context) : context_(context) {
    for (const Link& link : context.inventory.links)
      for (const ComponentId& end : {link.component, link.peer}) add(end);
  }

  void sample(const Moment& moment) override {
    const bool beat = moment.now - last_beat_ >= kHeartbeat;
    if (beat) last_beat_ = moment.now;
    for (Tracked& end : ends_) track(end, moment, beat);
  }

  void boundary(const Moment& moment) override {
    for (Tracked& end : ends_) track(end, moment, true);
  }

 private:
  struct Tracked {
    LinkEndReader reader;
    std::optional<EndState> last;
    Instant next_reopen{};
  };

  void add(const ComponentId& id) {
    const auto address = id.pci_address();
    const PciFunction* function = address ? context_.inventory.function(*address) : nullptr;
    if (function == nullptr) return;
    LinkEndReader reader(context_.root, *function);
    if (reader.readable())
      ends_.push_back({std::move(reader), std::nullopt, {}});
    else if (reader.has_files())
      context_.evidence.append(ToolError{"io",
                                         "its link files cannot be kept open",
                                         function->folder + "/current_link_width",
                                         "raise the limit of open files (ulimit -n)",
                                         id,
                                         {}});
  }

  void track(Tracked& end, const Moment& moment, bool beat) {
    EndState now = end.reader.read();
    if (now.present == false && moment.now >= end.next_reopen) {
      // A device that comes back after a rescan has new files behind the same names.
      end.next_reopen = moment.now + kReopenPeriod;
      end.reader.reopen(context_.root);
      now = end.reader.read();
    }
    if (now.asleep && end.last && !end.last->asleep && !beat) return;
    if (end.last && !now.asleep && !end.last->asleep) note_changes(end, *end.last, now, moment);
    if (beat || !end.last) note_values(end, now, moment);
    if (!now.asleep || !end.last) end.last = now;
  }

  void note_changes(const Tracked& end, const EndState& before, const EndState& now,
                    const Moment& moment) {
    note_change(end, "presence", "", number(before.present), number(now.present), moment);
    if (now.present == false || before.present == false) return;
    note_change(end, "link_speed", "GT/s", number(before.speed), number(now.speed), moment);
    note_change(end, "link_width", "lanes", number(before.width), number(now.width), moment);
  }

  void note_change(const Tracked& end, const char* quantity, const char* unit,
                   std::optional<double> from, std::optional<double> to, const Moment& moment) {
    if (from == to) return;
    context_.evidence.append(
        Transition{end.reader.component(), quantity, unit, from, to, moment.phase, moment.step});
  }

  void note_values(const Tracked& end, const EndState& now, const Moment& moment) {
    const auto note = [&](const char* quantity, const char* unit, std::optional<double> value,
                          const char* text) {
      context_.evidence.append(
          Reading{end.reader.component(), quantity, unit, value, text, moment.phase, moment.step});
    };
    if (now.asleep) return note("presence", "", std::nullopt, "asleep, not read");
    note("presence", "", number(now.present), "");
    if (now.present != true) return;
    note("link_speed", "GT/s", number(now.speed), "");
    note("link_width", "lanes", number(now.width), "");
  }

  const SensorContext context_;
  std::vector<Tracked> ends_;
  Instant last_beat_{};
};

std::unique_ptr<Sensor> make(const SensorContext& context) {
  return std::make_unique<PcieLinkSensor>(context);
}

}  // namespace

extern const SensorInfo pcie_link_sensor;
const SensorInfo pcie_link_sensor{
    "pcie_link", "link speed, width and presence at both ends of every link", make};

}  // namespace linkburn
