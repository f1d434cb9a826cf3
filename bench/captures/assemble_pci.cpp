// Functions that several texts tell of become one each, with the links between them.
#include <algorithm>

#include "bench/captures/assemble.h"

namespace linkburn {

void assemble_pci(const NodeDraft& draft, Inventory& inventory) {
  for (const Inventory& tree : draft.trees) {
    inventory.functions.insert(inventory.functions.end(), tree.functions.begin(),
                               tree.functions.end());
    inventory.links.insert(inventory.links.end(), tree.links.begin(), tree.links.end());
  }
}

}  // namespace linkburn
