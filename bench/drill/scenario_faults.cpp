// Faults of a scenario, and the finding that is expected of each.
#include <fmt/format.h>

#include "bench/base/text.h"
#include "bench/drill/fault_kinds.h"
#include "bench/drill/scenario_draft.h"
#include "bench/drill/scenario_text.h"

namespace linkburn::drill {
namespace {

/// Instead of a code: nothing can show this fault.
constexpr const char* kNoFinding = "none";

/// Index of what stands for that function among GPUs or NICs; -1: it is none.
template <class Devices>
int index_of(const Devices& devices, int function) {
  for (std::size_t n = 0; n < devices.size(); ++n)
    if (devices[n].used && devices[n].function == function) return static_cast<int>(n);
  return -1;
}

/// What is wrong with the target of a fault; empty: nothing.
std::string misfit(const Draft& draft, const FaultWord& word, const Fault& fault) {
  const Function& function = draft.function(fault.function);
  const std::string_view on = function.name.data();
  switch (word.target) {
    case FaultTarget::gpu:
      return fault.gpu >= 0
                 ? ""
                 : fmt::format("'{}' is a fault of a GPU, and '{}' is none", word.word, on);
    case FaultTarget::nic:
      return fault.nic >= 0
                 ? ""
                 : fmt::format("'{}' is a fault of a NIC, and '{}' is none", word.word, on);
    case FaultTarget::link:
    case FaultTarget::card:
      if (function.kind == PortKind::integrated) return fmt::format("'{}' has no link", on);
      return function.width > 0
                 ? ""
                 : fmt::format("'{}' has no link above it: name the device below it", on);
  }
  return "";
}

void read_target(TableReader& table, const Draft& draft, const FaultWord& word, Fault& fault) {
  std::string on;
  table.text("on", on, true);
  if (!table.has("on")) return;
  fault.function = draft.find(on);
  if (fault.function < 0)
    return table.fail(fmt::format("there is no device '{}'", printable(on, 64)), "on");
  fault.gpu = index_of(draft.state->gpus, fault.function);
  fault.nic = index_of(draft.state->nics, fault.function);
  const std::string wrong = misfit(draft, word, fault);
  if (wrong.empty()) return;
  table.fail(wrong, "on");
  fault.function = fault.gpu = fault.nic = -1;
}

void read_temperature(TableReader& table, const Draft& draft, Fault& fault) {
  std::string of;
  read_decimal(table, "temperature_above_c", fault.above_c, -40, 300);
  table.text("of", of);
  const int gpu = of.empty() ? fault.gpu : index_of(draft.state->gpus, draft.find(of));
  if (gpu < 0)
    return table.fail(of.empty() ? "whose temperature? Name a GPU with 'of'"
                                 : fmt::format("there is no GPU '{}'", printable(of, 64)),
                      table.has("of") ? "of" : "temperature_above_c");
  if (fault.gpu >= 0 && gpu != fault.gpu)
    return table.fail("a fault of a GPU goes by its own temperature", "of");
  fault.gpu = gpu;
}

/// Exactly one of the four.
void read_trigger(TableReader& table, const Draft& draft, Fault& fault, FaultText& text) {
  const auto at = read_time_ns(table, "at", 0);
  const bool hot = table.has("temperature_above_c");
  bool on_wake = false;
  table.text("after", text.after);
  table.flag("on_wake", on_wake);
  const auto delay = read_time_ns(table, "delay", 0);
  if (int{at.has_value()} + int{hot} + int{table.has("after")} + int{on_wake} != 1)
    return table.fail("a fault needs one of 'at_s', 'temperature_above_c', 'after', 'on_wake'");
  if (delay && !table.has("after")) table.fail("a delay needs 'after'");
  fault.at_ns = at.value_or(delay.value_or(0));
  fault.trigger = at ? Trigger::at : hot ? Trigger::temperature : Trigger::after;
  if (hot) read_temperature(table, draft, fault);
  if (!on_wake) return;
  fault.trigger = Trigger::on_wake;
  if (fault.gpu < 0 || draft.state->gpus[fault.gpu].idle_gen == 0)
    table.fail("only the link of a GPU that goes idle wakes", "on_wake");
}

/// The finding, or the word that there is none to be expected.
void read_expected(TableReader& table, FaultText& text, Expected& expected) {
  std::string code;
  table.text("finding", code, true);
  table.text("component", text.component);
  const std::vector<std::string> classes{"healthy", "limited",       "marginal", "degraded",
                                         "lost",    "misconfigured", "undecided"};
  const auto cls = read_word(table, "class", classes);
  if (code == kNoFinding) {
    if (cls || !text.component.empty())
      table.fail("where no finding is expected there is no 'class' and no 'component'", "finding");
    return;
  }
  if (!code.starts_with("LB-") || code.size() > 40 || !is_name(code, 40))
    return table.fail("'finding' is a code such as LB-PCIE-WIDTH, or \"none\"", "finding");
  if (!cls) return table.fail("key 'class' is missing");
  expected.code = code;
  expected.finding_class = classes[static_cast<std::size_t>(*cls)];
}

void read_id(TableReader& table, const Draft& draft, Fault& fault) {
  const std::size_t number = draft.fault_texts.size();
  std::string id = fmt::format("fault{}", number);
  read_name(table, "id", id);
  for (std::size_t n = 0; n < number; ++n)
    if (id == draft.state->faults[n].id.data())
      return table.fail(fmt::format("two faults have the id '{}'", id), "id");
  put_text(fault.id, id);
}

void read_fault(TableReader& table, Draft& draft) {
  const std::size_t number = draft.fault_texts.size();
  if (number == draft.state->faults.size())
    return table.fail(fmt::format("more than {} faults", kMaxFaults));
  const FaultWord* word = read_fault_kind(table);
  if (word == nullptr) return;
  Fault fault{};
  FaultText text;
  Expected expected;
  text.line = table.line();
  fault.kind = word->kind;
  fault.function = fault.gpu = fault.nic = fault.after = -1;
  fault.repeats = 1;
  read_id(table, draft, fault);
  read_target(table, draft, *word, fault);
  word->read(table, draft, fault);
  read_trigger(table, draft, fault, text);
  fault.for_ns = read_time_ns(table, "for", 0.001).value_or(kNever);
  table.number("repeats", fault.repeats, 0, 1'000'000);
  read_expected(table, text, expected);
  fault.used = true;
  draft.state->faults[number] = fault;
  draft.fault_texts.push_back(std::move(text));
  draft.scenario.expected.push_back(std::move(expected));
}

/// The id that evidence has for what a scenario calls by a name or by that id; empty: neither.
std::string component_id(const Draft& draft, const std::string& text) {
  const State& state = *draft.state;
  const auto address = [](const Function& f) {
    return to_string(PciAddress{f.domain, f.bus, f.slot, f.function});
  };
  if (const int index = draft.find(text); index >= 0) return address(draft.function(index));
  for (int n = 0; n < static_cast<int>(draft.functions.size()); ++n)
    if (text == address(draft.function(n))) return text;
  for (const Nic& nic : state.nics) {
    const std::string port = fmt::format("{}/1", nic.name.data());
    if (nic.used && (text == port || text == nic.interface_name.data())) return text;
  }
  for (int n = 0; n < draft.numas; ++n)
    if (text == ComponentId::numa(n).text()) return text;
  return text == ComponentId::node().text() ? text : "";
}

/// Where a finding that names no component is expected: at what the fault happens to.
std::string usual_component(const Draft& draft, const Fault& fault) {
  if (fault.kind == FaultKind::port_rate || fault.kind == FaultKind::port_down)
    return fmt::format("{}/1", draft.state->nics[fault.nic].name.data());
  return draft.function(fault.function).name.data();
}

Status connect_after(Draft& draft, std::size_t number) {
  const FaultText& text = draft.fault_texts[number];
  const auto& faults = draft.state->faults;
  for (std::size_t n = 0; n < draft.fault_texts.size(); ++n)
    if (text.after == faults[n].id.data())
      draft.state->faults[number].after = static_cast<std::int32_t>(n);
  if (faults[number].after >= 0) return {};
  return draft.error(text.line, fmt::format("there is no fault '{}'", printable(text.after, 64)));
}

/// Every chain of `after` ends at a fault that begins by itself.
Status check_chain(const Draft& draft, std::size_t number) {
  std::size_t steps = 0;
  for (int at = static_cast<int>(number); at >= 0; at = draft.state->faults[at].after)
    if (++steps > draft.fault_texts.size())
      return draft.error(draft.fault_texts[number].line,
                         fmt::format("fault '{}' waits for itself: 'after' goes in a circle",
                                     draft.state->faults[number].id.data()));
  return {};
}

}  // namespace

void read_faults(TableReader& table, Draft& draft) {
  table.each("fault", [&](TableReader& fault) { read_fault(fault, draft); });
}

Status connect_faults(Draft& draft) {
  for (std::size_t n = 0; n < draft.fault_texts.size(); ++n)
    if (draft.state->faults[n].trigger == Trigger::after)
      if (const Status connected = connect_after(draft, n); !connected) return connected;
  for (std::size_t n = 0; n < draft.fault_texts.size(); ++n) {
    if (const Status ends = check_chain(draft, n); !ends) return ends;
    const FaultText& text = draft.fault_texts[n];
    Expected& expected = draft.scenario.expected[n];
    if (expected.code.empty()) continue;
    expected.component =
        component_id(draft, text.component.empty() ? usual_component(draft, draft.state->faults[n])
                                                   : text.component);
    if (expected.component.empty())
      return draft.error(text.line,
                         fmt::format("there is no component '{}'", printable(text.component, 64)));
  }
  return {};
}

}  // namespace linkburn::drill
