// The reader of all that ethtool prints, and whose output it is: a heading names the interface, or
// the command line before it, or what came directly before.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>

#include "bench/base/text.h"
#include "bench/captures/ethtool_text.h"
#include "bench/captures/port_text.h"
#include "bench/captures/table.h"
#include "bench/inventory/link_modes.h"

namespace linkburn {
namespace {

constexpr std::size_t kMaxInterfaces = 4096;  // of one text

/// [linux include/uapi/linux/if.h, IFNAMSIZ; net/core/dev.c, dev_valid_name]
bool is_interface_name(std::string_view word) {
  constexpr std::size_t kMost = 15;
  return !word.empty() && word.size() <= kMost && word.front() != '-' &&
         word.find_first_of("/:\"'`,;|<>()[]{}=$") == word.npos;
}

/// What a prompt, sudo or a shell that tells its commands puts before a command.
bool is_before_command(std::string_view word) {
  return word == "sudo" || word.find_first_of("$#@%>+=~]") != word.npos;
}

EthtoolPart part_of_option(std::string_view option) {
  struct Option {
    std::string_view brief, full;
    EthtoolPart part;
  };
  constexpr std::array<Option, 4> kOptions{{{"-S", "--statistics", EthtoolPart::statistics},
                                            {"-m", "--module-info", EthtoolPart::module},
                                            {"-i", "--driver", EthtoolPart::driver},
                                            {"--show-fec", "--show-fec", EthtoolPart::fec}}};
  for (const Option& known : kOptions)
    if (option == known.brief || option == known.full ||
        (known.full == "--module-info" && option == "--dump-module-eeprom"))
      return known.part;
  // With statistics of the standard the same output comes.
  return option == "-I" || option == "--include-statistics" ? EthtoolPart::settings
                                                            : EthtoolPart::none;
}

/// "Settings for eth0:".
std::optional<std::string> named_by(std::string_view line, std::string_view words) {
  line = trim(line);
  if (!line.starts_with(words) || !line.ends_with(':')) return std::nullopt;
  const std::string_view name = trim(line.substr(words.size(), line.size() - words.size() - 1));
  return is_interface_name(name) ? std::optional(printable(name, 64)) : std::nullopt;
}

bool is_dump_heading(std::string_view line) {
  const auto words = words_of(line);
  return words.size() == 2 && words[0] == "Offset" && words[1] == "Values";
}

class EthtoolReader : public PartReader {
 public:
  Take take(std::string_view line) override {
    if (trim(line).empty()) return Take::elsewhere;
    if (auto command = ethtool_command(line)) return take_command(std::move(*command));
    // The first line of a dump looks like a heading, for its own heading may have been cut.
    if (part_ == EthtoolPart::memory && take_in(part_, line) == Take::understood)
      return Take::understood;
    if (const auto heading = ethtool_heading(line)) return take_heading(*heading, line);
    const Take taken = take_in(part_, line);
    if (taken != Take::elsewhere) return taken;
    if (is_ethtool_complaint(trim(line))) return Take::understood;
    // A fragment whose heading was cut.
    const EthtoolPart part = ethtool_part_of(line);
    if (part == EthtoolPart::none || part == part_) return leave();
    begin_fragment(part);
    return take_in(part, line);
  }

  void finish(NodeDraft& node) override;

 private:
  Take take_command(EthtoolCommand command) {
    command_ = std::move(command.interface);
    part_ = EthtoolPart::none;
    return Take::understood;
  }

  Take take_heading(const EthtoolHeading& heading, std::string_view line) {
    std::string name = !heading.interface.empty() ? heading.interface : command_;
    if (heading.interface.empty() && name.empty()) name = name_before(heading.part);
    if (!name.empty() && (!heading.interface.empty() || !command_.empty())) {
      ++names_;
      last_name_ = name;
    }
    names_at_[heading.part] = names_;
    command_.clear();
    select(name);
    part_ = heading.part;
    if (part_ == EthtoolPart::settings) begin_settings(interfaces_[at_]);
    const bool holds_value = part_ == EthtoolPart::driver || part_ == EthtoolPart::module;
    if (holds_value || (part_ == EthtoolPart::memory && line.starts_with("0x")))
      return take_in(part_, line);
    return Take::understood;
  }

  /// The same interface a second time: the later moment stands.
  static void begin_settings(EthtoolInterface& one) {
    Interface fresh;
    fresh.component = one.interface.component;
    fresh.pci = one.interface.pci;
    fresh.driver = one.interface.driver;
    fresh.fec = one.interface.fec;
    fresh.module = one.interface.module;
    one.interface = std::move(fresh);
    one.has_speed_line = false;
    one.modes = nullptr;
  }

  /// The interface of a part without a name: of the one that was named since the last such part.
  std::string name_before(EthtoolPart part) {
    return names_ - names_at_[part] == 1 ? last_name_ : std::string();
  }

  void begin_fragment(EthtoolPart part) {
    if (interfaces_.empty() || !command_.empty() || part_ == EthtoolPart::none) select(command_);
    command_.clear();
    part_ = part;
  }

  /// Lines of others in between end what a command line says.
  Take leave() {
    command_.clear();
    return Take::elsewhere;
  }

  void select(const std::string& name) {
    const auto found = std::find_if(interfaces_.begin(), interfaces_.end(), [&](const auto& one) {
      return !name.empty() && one.interface.component.text() == name;
    });
    at_ = static_cast<std::size_t>(found - interfaces_.begin());
    if (found != interfaces_.end()) return;
    if (interfaces_.size() >= kMaxInterfaces) {
      at_ = interfaces_.size() - 1;
      interfaces_[at_] = {};
    } else {
      interfaces_.emplace_back();
    }
    if (!name.empty()) interfaces_[at_].interface.component = ComponentId::interface(name);
  }

  Take take_in(EthtoolPart part, std::string_view line) {
    if (part == EthtoolPart::none || interfaces_.empty()) return Take::elsewhere;
    // What was said and comes again is of another interface, whose heading was cut.
    const bool again = part == EthtoolPart::settings && trim(line).starts_with("Speed:") &&
                       interfaces_[at_].has_speed_line;
    if (again) select({});
    EthtoolInterface& to = interfaces_[at_];
    switch (part) {
      case EthtoolPart::settings:
        return take_ethtool_setting(line, to);
      case EthtoolPart::driver:
        return take_ethtool_driver(line, to);
      case EthtoolPart::fec:
        return take_ethtool_fec(line, to);
      case EthtoolPart::statistics:
        return take_ethtool_statistic(line, to);
      case EthtoolPart::module:
        return take_ethtool_module(line, to);
      case EthtoolPart::memory:
        return take_ethtool_memory(line, to);
      case EthtoolPart::none:
        break;
    }
    return Take::elsewhere;
  }

  std::vector<EthtoolInterface> interfaces_;
  std::size_t at_ = 0;
  EthtoolPart part_ = EthtoolPart::none;
  std::string command_;  ///< the interface of a command line whose output did not come yet
  std::string last_name_;
  int names_ = 0;                        ///< headings that named an interface
  std::map<EthtoolPart, int> names_at_;  ///< as many there were at the last part of each kind
};

/// Only of an active link: some drivers show the last speed, or the least, of a link that is down.
void settle(EthtoolInterface& one) {
  Interface& interface = one.interface;
  if (interface.carrier == false) {
    interface.speed_gbps.reset();
    interface.lanes.reset();
    interface.duplex.clear();
  }
  if (!one.memory.empty() && !interface.module) interface.module = module_of_dump(one.memory);
  interface.supported_gbps = fastest_gbps(interface.supported_modes);
  interface.advertised_gbps = fastest_gbps(interface.advertised_modes);
  interface.partner_gbps = fastest_gbps(interface.partner_modes);
  if (one.settings) interface.modes_source = "ethtool";
  // Bonds, bridges and what stands for a guest have neither modes nor cables, nor such counters.
  const bool counts =
      std::any_of(one.counters.begin(), one.counters.end(),
                  [](const auto& counter) { return counter.name.ends_with("_phy"); });
  if (counts || !interface.supported_modes.empty() || interface.module || interface.pci ||
      one.has_cage || !interface.link_detail.empty())
    interface.type = "physical";
}

void EthtoolReader::finish(NodeDraft& node) {
  for (EthtoolInterface& one : interfaces_) {
    // By its place among those of the node.
    if (one.interface.component.empty())
      one.interface.component =
          ComponentId::from_evidence(fmt::format("interface/{}", node.interfaces.size() + 1));
    settle(one);
    for (Counter& counter : one.counters) {
      counter.component = one.interface.component;
      node.add(node.records, Body(std::move(counter)));
    }
    node.add(node.interfaces, std::move(one.interface));
  }
  interfaces_.clear();
}

}  // namespace

std::optional<EthtoolCommand> ethtool_command(std::string_view line) {
  constexpr std::size_t kMostBefore = 4;
  if (line.find("ethtool") == line.npos) return std::nullopt;
  const auto words = words_of(line);
  const auto is_program = [](std::string_view word) {
    return word == "ethtool" || word.ends_with("/ethtool");
  };
  const auto program = std::find_if(words.begin(), words.end(), is_program);
  const auto before = static_cast<std::size_t>(program - words.begin());
  if (program == words.end() || before > kMostBefore ||
      !std::all_of(words.begin(), program, is_before_command))
    return std::nullopt;
  EthtoolCommand command;
  for (auto word = program + 1; word != words.end(); ++word) {
    std::string_view name = *word;
    if (name.starts_with('-')) {
      command.part = part_of_option(name);
      continue;
    }
    name = name.substr(0, name.find_first_of("|;:"));
    if (command.part == EthtoolPart::none || !is_interface_name(name)) return std::nullopt;
    command.interface = printable(name, 64);
    return command;
  }
  return std::nullopt;
}

std::optional<EthtoolHeading> ethtool_heading(std::string_view line, std::string_view next) {
  if (auto name = named_by(line, "Settings for "))
    return EthtoolHeading{EthtoolPart::settings, std::move(*name)};
  if (auto name = named_by(line, "FEC parameters for "))
    return EthtoolHeading{EthtoolPart::fec, std::move(*name)};
  if (auto name = named_by(line, "Standard stats for "))
    return EthtoolHeading{EthtoolPart::statistics, std::move(*name)};
  const std::string_view text = trim(line);
  if (text == "NIC statistics:") return EthtoolHeading{EthtoolPart::statistics, {}};
  if (text.starts_with("driver: ") && text.size() == line.size())
    return EthtoolHeading{EthtoolPart::driver, {}};
  const auto pair = key_value(text);
  if (pair && pair->key == "Identifier" && pair->value.starts_with("0x") &&
      pair->value.ends_with(')'))
    return EthtoolHeading{EthtoolPart::module, {}};
  const bool dump = is_dump_heading(line) || text.starts_with("0x0000:\t") ||
                    (text.starts_with("0x0000: ") && next.starts_with("0x0010:"));
  return dump ? std::optional(EthtoolHeading{EthtoolPart::memory, {}}) : std::nullopt;
}

bool ethtool_begins(std::string_view line, std::string_view next,
                    std::initializer_list<EthtoolPart> parts) {
  EthtoolPart part = EthtoolPart::none;
  if (ethtool_command(line)) {
    // Words about ethtool look like a command; its output follows only a command.
    const auto heading = ethtool_heading(next);
    part = heading ? heading->part : ethtool_part_of(next);
  } else if (const auto heading = ethtool_heading(line, next)) {
    part = heading->part;
  } else {
    part = ethtool_part_of(line);
  }
  return std::find(parts.begin(), parts.end(), part) != parts.end();
}

std::unique_ptr<PartReader> make_ethtool_reader() { return std::make_unique<EthtoolReader>(); }

namespace {

bool begins(std::string_view line, std::string_view next) {
  return ethtool_begins(line, next, {EthtoolPart::settings, EthtoolPart::driver, EthtoolPart::fec});
}

}  // namespace

const CaptureKind ethtool_capture{"ethtool", "ethtool: settings, -i, --show-fec", begins,
                                  make_ethtool_reader};

}  // namespace linkburn
