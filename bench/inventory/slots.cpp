#include "bench/inventory/slots.h"

#include <algorithm>
#include <array>

#include "bench/base/ascii.h"
#include "bench/base/text.h"

namespace linkburn {
namespace {

std::optional<int> number_at_start(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && is_digit(text[end])) ++end;
  if (end == 0 || end > 6) return std::nullopt;
  return static_cast<int>(parse_int(text.substr(0, end)).value_or(0));
}

/// The 7 of "slot 7", "slot#7", "slot_7".
std::optional<int> number_after_slot(std::string_view label) {
  const std::size_t at = label.rfind("slot");
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = label.substr(at + 4);
  rest.remove_prefix(std::min(rest.find_first_not_of(" #_:-"), rest.size()));
  return number_at_start(rest);
}

/// Letters and then digits, or digits alone: "pcie7", "7". Not "x16", which is a width, and not a
/// part of the board such as "j6b2".
std::optional<int> number_of_word(std::string_view word) {
  std::size_t letters = 0;
  while (letters < word.size() && is_lower(word[letters])) ++letters;
  const std::string_view digits = word.substr(letters);
  if (digits.empty() || !std::all_of(digits.begin(), digits.end(), is_digit)) return std::nullopt;
  const std::string_view start = word.substr(0, letters);
  if (start == "x" || start == "gen") return std::nullopt;
  return number_at_start(digits);
}

std::size_t rank_of(std::string_view source) {
  constexpr std::array kRanks{kSlotFromSite, kSlotFromSmbios, kSlotFromKernel, kSlotFromRegister};
  return static_cast<std::size_t>(std::find(kRanks.begin(), kRanks.end(), source) - kRanks.begin());
}

/// Sources between which only the distance decides.
std::size_t class_of(const NamedSlot& name) {
  const std::size_t rank = rank_of(name.name.source);
  return rank == rank_of(kSlotFromKernel) ? rank_of(kSlotFromSmbios) : rank;
}

bool is_about_hop(const NamedSlot& name, const SlotHop& hop) {
  return std::any_of(hop.begin(), hop.end(),
                     [&](const SlotPlace& place) { return is_about(name, place); });
}

std::optional<int> number_of(const NamedSlot& name) {
  const auto in_label = slot_number_in(name.name.label);
  return in_label ? in_label : name.number;
}

Slot with_others(const NamedSlot& best, const std::vector<const NamedSlot*>& names) {
  Slot slot{best.name.label, best.name.source};
  const auto number = number_of(best);
  for (const NamedSlot* other : names) {
    const auto its = number_of(*other);
    if (other->name.source != best.name.source && number && its && *its != *number)
      slot.others.push_back(other->name);
  }
  return slot;
}

}  // namespace

std::optional<int> slot_number_in(std::string_view label) {
  std::string text = lower(trim(label));
  // A kernel name that is given twice: "5-1" is another place of slot 5
  // [linux drivers/pci/slot.c, make_slot_name].
  const auto is_name = [](char c) { return is_digit(c) || c == '-'; };
  if (!text.empty() && std::all_of(text.begin(), text.end(), is_name)) return number_at_start(text);
  if (const auto number = number_after_slot(text)) return number;
  // Numbers with a point are generations, what is in brackets is how the slot is wired.
  for (char& c : text)
    if (!is_digit(c) && !is_lower(c) && c != '.' && c != '(') c = ' ';
  const std::string_view words = std::string_view(text).substr(0, text.find('('));
  std::optional<int> number;
  for (const std::string_view word : words_of(words))
    if (const auto its = number_of_word(word)) number = its;
  return number;
}

bool is_about(const NamedSlot& name, const SlotPlace& place) {
  if (name.address == place.address) return true;
  if (name.exact || name.address.domain != place.address.domain) return false;
  if (place.is_port)
    return place.secondary_bus && *place.secondary_bus > place.address.bus &&
           name.address.bus == *place.secondary_bus;
  return name.address.bus == place.address.bus && name.address.device == place.address.device;
}

std::optional<Slot> pick_slot(const std::vector<NamedSlot>& names,
                              const std::vector<SlotHop>& hops) {
  for (const std::string_view source : {kSlotFromSite, kSlotFromSmbios, kSlotFromRegister})
    for (const SlotHop& hop : hops) {
      std::vector<const NamedSlot*> here;
      for (const NamedSlot& name : names)
        if (is_about_hop(name, hop)) here.push_back(&name);
      const NamedSlot* best = nullptr;
      for (const NamedSlot* name : here)
        if (class_of(*name) == rank_of(source) &&
            (best == nullptr || rank_of(name->name.source) < rank_of(best->name.source)))
          best = name;
      if (best != nullptr) return with_others(*best, here);
    }
  return std::nullopt;
}

}  // namespace linkburn
