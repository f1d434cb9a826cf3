// NICs, disks and other cards of a scenario.
#include <fmt/format.h>

#include "bench/drill/scenario_cards.h"

namespace linkburn::drill {
namespace {

constexpr int kMostOthers = 16;
constexpr std::uint32_t kEthernetClass = 0x020000;

void read_nics(TableReader& table, Draft& draft, int& ethernets) {
  const NicModel& model = read_model(table, nic_models());
  const auto layer = read_word(table, "layer", {"infiniband", "ethernet"});
  Cards cards = read_cards_of(table, draft, model.card, kMaxNics);
  Nic nic{};
  nic.infiniband = layer.value_or(0) == 0, nic.up = true;
  if (!nic.infiniband && !table.has("class")) cards.card.class_code = kEthernetClass;
  const auto is_interface = [](std::string_view text) { return is_name(text, 15); };
  const auto interfaces = one_each(table, "interface", cards.count, is_interface,
                                   "letters, digits, '.', '_' and '-', at most 15");
  nic.rated_gbps = model.rated_gbps;
  read_decimal(table, "rated_gbps", nic.rated_gbps, 0.001, 1e4);
  nic.rate_gbps = nic.rated_gbps;
  read_decimal(table, "rate_gbps", nic.rate_gbps, 0.001, nic.rated_gbps);
  table.flag("up", nic.up);
  nic.temperature_c = 45;
  read_decimal(table, "temperature_c", nic.temperature_c, -40, 200);
  for (int n = 0; n < cards.count; ++n) {
    if (draft.nics == kMaxNics) return table.fail(fmt::format("more than {} NICs", kMaxNics));
    nic.function = place_card(draft, table, cards, n, fmt::format("nic{}", draft.nics));
    if (nic.function < 0) return;
    put_text(nic.name, fmt::format("mlx5_{}", draft.nics));
    const int number = nic.infiniband ? draft.nics - ethernets : ethernets++;
    put_text(nic.interface_name, !interfaces.empty()
                                     ? interfaces[static_cast<std::size_t>(n)]
                                     : fmt::format("{}{}", nic.infiniband ? "ib" : "eth", number));
    nic.used = true;
    draft.state->nics[draft.nics++] = nic;
  }
}

void read_nvmes(TableReader& table, Draft& draft) {
  const Cards cards = read_cards_of(table, draft, read_model(table, nvme_models()), kMaxNvmes);
  Nvme nvme{};
  nvme.temperature_c = 40;
  read_decimal(table, "temperature_c", nvme.temperature_c, -40, 200);
  for (int n = 0; n < cards.count; ++n) {
    if (draft.nvmes == kMaxNvmes) return table.fail(fmt::format("more than {} disks", kMaxNvmes));
    nvme.function = place_card(draft, table, cards, n, fmt::format("nvme{}", draft.nvmes));
    if (nvme.function < 0) return;
    nvme.used = true;
    draft.state->nvmes[draft.nvmes++] = nvme;
  }
}

/// Without a link: part of the host's chip set.
int place_integrated(Draft& draft, TableReader& table, const Cards& cards, int item,
                     const std::string& usual_name) {
  const auto number = static_cast<std::size_t>(item);
  Function card = cards.card;
  card.kind = PortKind::integrated, card.parent = -1;
  card.cap_gen = card.cap_width = 0;
  card.numa = cards.numa.value_or(0);
  const int index =
      add_function(draft, table, card, cards.names.empty() ? usual_name : cards.names[number]);
  if (index >= 0 && !cards.addresses.empty())
    draft.functions[index].address = parse_pci_address(cards.addresses[number]);
  return index;
}

void read_others(TableReader& table, Draft& draft, int& others) {
  Cards cards = read_cards_of(table, draft, read_model(table, other_models()), kMostOthers);
  bool integrated = false;
  table.flag("integrated", integrated);
  const auto place = integrated ? place_integrated : place_card;
  for (int n = 0; n < cards.count; ++n, ++others)
    if (place(draft, table, cards, n, fmt::format("other{}", others)) < 0) return;
}

}  // namespace

void read_adapters(TableReader& table, Draft& draft) {
  int ethernets = 0, others = 0;
  table.each("nic", [&](TableReader& nic) { read_nics(nic, draft, ethernets); });
  table.each("nvme", [&](TableReader& nvme) { read_nvmes(nvme, draft); });
  table.each("other", [&](TableReader& other) { read_others(other, draft, others); });
}

}  // namespace linkburn::drill
