#include "bench/drill/scenario_cards.h"

#include <fmt/format.h>

#include <utility>

#include "bench/base/text.h"

namespace linkburn::drill {
namespace {

bool can_hold_cards(const Function& function) {
  return function.kind == PortKind::root_port || function.kind == PortKind::switch_upstream;
}

std::vector<int> read_parents(TableReader& table, const Draft& draft) {
  std::vector<std::string> patterns;
  table.text_or_texts("below", patterns);
  std::vector<int> parents;
  for (const std::string& pattern : patterns) {
    const std::vector<int> found = find_all(draft, pattern);
    for (const int index : found)
      if (can_hold_cards(draft.function(index))) parents.push_back(index);
    if (!found.empty() && !parents.empty()) continue;
    table.fail(found.empty()
                   ? fmt::format("there is no port or switch '{}'", printable(pattern, 64))
                   : fmt::format("'{}' is no port or switch", printable(pattern, 64)),
               "below");
  }
  return parents;
}

/// A number of configuration space.
template <class Number>
void read_id(TableReader& table, const char* key, Number& out, int highest) {
  std::optional<int> value;
  table.number(key, value, 0, highest);
  if (value) out = static_cast<Number>(*value);
}

void read_identity(TableReader& table, Function& card) {
  read_id(table, "vendor", card.vendor, 0xfffe);  // 0xffff says that nobody answers
  read_id(table, "device", card.device_id, 0xffff);
  read_id(table, "subsystem_vendor", card.subsystem_vendor, 0xffff);
  read_id(table, "subsystem_device", card.subsystem_device, 0xffff);
  read_id(table, "class", card.class_code, 0xffffff);
  std::string driver = card.driver.data();
  if (table.has("driver")) read_name(table, "driver", driver);
  if (driver.size() >= card.driver.size()) table.fail("'driver' takes at most 15", "driver");
  put_text(card.driver, driver);
}

int numa_of(const Draft& draft, const Cards& cards, int item) {
  return cards.numa.value_or(item * draft.numas / cards.count);
}

std::optional<PciAddress> address_of(const std::vector<std::string>& texts, int item) {
  if (texts.empty()) return {};
  return parse_pci_address(texts[static_cast<std::size_t>(item)]);
}

bool has_card(const Draft& draft, int port) {
  const auto& all = draft.state->functions;
  return std::any_of(all.begin(), all.end(),
                     [&](const Function& f) { return f.used && f.parent == port; });
}

/// Above every device stands a port: that which was named, or a new one below a switch or at the
/// root.
int port_for(Draft& draft, TableReader& table, const Cards& cards, int item,
             const std::string& name) {
  const int count = static_cast<int>(cards.parents.size());
  const int parent =
      count == 0 ? -1 : cards.parents[static_cast<std::size_t>(item * count / cards.count)];
  if (parent >= 0 && draft.function(parent).kind == PortKind::root_port) {
    if (!has_card(draft, parent)) return parent;
    table.fail(fmt::format("'{}' holds a card already", draft.function(parent).name.data()),
               "below");
    return -1;
  }
  Function port = parent < 0 ? draft.root_port : draft.function(parent);
  port.kind = parent < 0 ? PortKind::root_port : PortKind::switch_downstream;
  port.parent = parent, port.slot_number = -1;
  port.port_width = cards.slot_width;
  port.gen = port.width = port.target_gen = 0;
  if (parent < 0) port.numa = numa_of(draft, cards, item);
  return add_function(draft, table, port, name + "-port");
}

void set_slot(Draft& draft, const Cards& cards, int item, Function& port) {
  if (!cards.with_slot || cards.slot == 0) return;
  if (!cards.slot && port.slot_number >= 0) return;
  port.slot_number = cards.slot ? *cards.slot + item : ++draft.slots;
  if (!cards.slot_labels.empty())
    put_text(port.slot_label, cards.slot_labels[static_cast<std::size_t>(item)]);
}

}  // namespace

std::vector<std::string> one_each(TableReader& table, const char* key, int count,
                                  bool (*right)(std::string_view), const char* rule) {
  std::vector<std::string> texts;
  table.text_or_texts(key, texts);
  if (!texts.empty() && static_cast<int>(texts.size()) != count)
    table.fail(fmt::format("'{}' needs one text for each of the {}", key, count), key);
  else if (!std::all_of(texts.begin(), texts.end(), right))
    table.fail(fmt::format("'{}' takes {}", key, rule), key);
  else
    return texts;
  return {};
}

std::vector<std::string> addresses_of_each(TableReader& table, const char* key, int count) {
  return one_each(
      table, key, count, [](std::string_view text) { return parse_pci_address(text).has_value(); },
      "addresses such as 0000:17:00.0");
}

std::vector<int> find_all(const Draft& draft, std::string_view pattern) {
  const bool many = pattern.ends_with('*');
  std::vector<int> found;
  for (std::size_t n = 0; n < draft.functions.size(); ++n) {
    const std::string_view name = draft.state->functions[n].name.data();
    // A port made for a device is meant only when its whole name is given.
    const bool fits =
        many ? name.starts_with(pattern.substr(0, pattern.size() - 1)) && !name.ends_with("-port")
             : name == pattern;
    if (fits) found.push_back(static_cast<int>(n));
  }
  return found;
}

Cards read_cards_of(TableReader& table, Draft& draft, const CardModel& model, int most) {
  Cards cards;
  cards.card = function_of_model(model);
  table.number("count", cards.count, 1, most);
  cards.slot_width = model.width;
  cards.names = one_each(
      table, "name", cards.count, [](std::string_view text) { return is_name(text); }, kNameRule);
  cards.slot_labels = one_each(table, "slot_label", cards.count, is_label, kLabelRule);
  cards.addresses = addresses_of_each(table, "address", cards.count);
  cards.port_addresses = addresses_of_each(table, "port_address", cards.count);
  cards.parents = read_parents(table, draft);
  table.number("slot", cards.slot, 0, kHighestSlot);
  table.number("numa", cards.numa, 0, draft.numas - 1);
  read_byte(table, "gen", cards.card.cap_gen, 1, 6);
  read_lanes(table, "width", cards.card.cap_width);
  read_byte(table, "port_gen", cards.port_gen, 1, 6);
  read_lanes(table, "port_width", cards.port_width);
  cards.link = {6, model.link_width, 0};
  read_byte(table, "link_gen", cards.link.most_gen, 1, 6);
  read_lanes(table, "link_width", cards.link.most_width);
  read_byte(table, "target_gen", cards.link.target_gen, 1, 6);
  read_identity(table, cards.card);
  return cards;
}

int place_card(Draft& draft, TableReader& table, const Cards& cards, int item,
               const std::string& usual_name) {
  const std::string& name =
      cards.names.empty() ? usual_name : cards.names[static_cast<std::size_t>(item)];
  if (!check_name(draft, table, name)) return -1;
  const int above = port_for(draft, table, cards, item, name);
  if (above < 0) return -1;
  Function card = cards.card;
  card.parent = above;
  card.numa = cards.numa.value_or(draft.function(above).numa);
  const int index = add_function(draft, table, card, name);
  if (index < 0) return -1;
  Function& port = draft.state->functions[above];
  if (cards.port_gen > 0) port.port_gen = cards.port_gen;
  if (cards.port_width > 0) port.port_width = cards.port_width;
  if (const auto address = address_of(cards.port_addresses, item))
    draft.functions[above].address = address;
  draft.functions[index].address = address_of(cards.addresses, item);
  set_slot(draft, cards, item, port);
  train_link(draft, index, cards.link);
  return index;
}

}  // namespace linkburn::drill
