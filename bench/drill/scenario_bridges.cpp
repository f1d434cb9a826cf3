// Root ports and switches of a scenario.
#include <fmt/format.h>

#include "bench/drill/scenario_cards.h"

namespace linkburn::drill {
namespace {

constexpr int kMostBridges = 32;

/// A root port of its own: empty, or one below which a card is put by name.
void read_ports(TableReader& table, Draft& draft, int& ports) {
  int count = 1;
  std::optional<int> slot, numa;
  Function port = draft.root_port;
  table.number("count", count, 1, kMostBridges);
  const auto names = one_each(
      table, "name", count, [](std::string_view text) { return is_name(text); }, kNameRule);
  const auto labels = one_each(table, "slot_label", count, is_label, kLabelRule);
  const auto addresses = addresses_of_each(table, "address", count);
  table.number("slot", slot, 1, kHighestSlot);
  table.number("numa", numa, 0, draft.numas - 1);
  read_byte(table, "gen", port.port_gen, 1, 6);
  read_lanes(table, "width", port.port_width);
  for (int n = 0; n < count; ++n, ++ports) {
    const auto item = static_cast<std::size_t>(n);
    port.numa = numa.value_or(n * draft.numas / count);
    if (slot) port.slot_number = *slot + n;
    if (!labels.empty()) put_text(port.slot_label, labels[item]);
    const int index = add_function(draft, table, port,
                                   names.empty() ? fmt::format("port{}", ports) : names[item]);
    if (index < 0) return;
    if (!addresses.empty()) draft.functions[index].address = parse_pci_address(addresses[item]);
  }
}

void read_switches(TableReader& table, Draft& draft, int& switches) {
  const CardModel& model = read_model(table, switch_models());
  Cards cards = read_cards_of(table, draft, model, kMostBridges);
  cards.card.kind = PortKind::switch_upstream;
  cards.card.port_gen = model.gen, cards.card.port_width = model.width;
  read_byte(table, "down_gen", cards.card.port_gen, 1, 6);
  cards.with_slot = cards.slot.has_value();
  for (int n = 0; n < cards.count; ++n, ++switches)
    if (place_card(draft, table, cards, n, fmt::format("uplink{}", switches)) < 0) return;
}

}  // namespace

void read_bridges(TableReader& table, Draft& draft) {
  int ports = 0, switches = 0;
  table.each("port", [&](TableReader& port) { read_ports(port, draft, ports); });
  table.each("switch", [&](TableReader& bridge) { read_switches(bridge, draft, switches); });
}

}  // namespace linkburn::drill
