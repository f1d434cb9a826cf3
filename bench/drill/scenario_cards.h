// What all cards of a scenario have in common: how many, where they stick, what their link can do.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/drill/device_models.h"
#include "bench/drill/scenario_draft.h"
#include "bench/drill/scenario_text.h"

namespace linkburn::drill {

/// One table of a scenario file: `count` equal cards. Lists have one text for each of them, or
/// none at all.
struct Cards {
  int count = 1;
  Function card{};  ///< what each of them is
  std::vector<std::string> names, addresses, port_addresses, slot_labels;
  std::vector<int> parents;  ///< bridges below which they are spread; empty: ports of their own
  std::optional<int> numa, slot;
  TrainedLink link;
  std::uint8_t port_gen = 0, port_width = 0;  ///< of the port above; 0: as that is by default
  std::uint8_t slot_width = 16;               ///< of a port that is made for the card
  bool with_slot = true;
};

/// The keys of all cards. `model`: what they are when the table does not say otherwise.
Cards read_cards_of(TableReader& table, Draft& draft, const CardModel& model, int most);

/// The model that the table names, or the first.
template <class Model>
const Model& read_model(TableReader& table, std::span<const Model> models,
                        const char* key = "model") {
  return models[static_cast<std::size_t>(
      read_word(table, key, words_of_models(models)).value_or(0))];
}

/// Puts one of the cards, with the port above it where that is not there yet. Index of its
/// function; -1: it cannot be, and the table has an error.
int place_card(Draft& draft, TableReader& table, const Cards& cards, int item,
               const std::string& usual_name);

/// One text for each of the cards, or none.
std::vector<std::string> one_each(TableReader& table, const char* key, int count,
                                  bool (*right)(std::string_view), const char* rule);

/// Addresses, one for each, or none.
std::vector<std::string> addresses_of_each(TableReader& table, const char* key, int count);

/// The devices that a text such as "gpu3" or "gpu*" means, in their order.
std::vector<int> find_all(const Draft& draft, std::string_view pattern);

}  // namespace linkburn::drill
