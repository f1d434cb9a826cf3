// Ports and interfaces that several texts tell of become one each.
#include "bench/captures/assemble.h"

namespace linkburn {

void assemble_network(const NodeDraft& draft, Inventory& inventory) {
  for (const Inventory& tree : draft.trees) {
    inventory.ports.insert(inventory.ports.end(), tree.ports.begin(), tree.ports.end());
    inventory.interfaces.insert(inventory.interfaces.end(), tree.interfaces.begin(),
                                tree.interfaces.end());
  }
  inventory.ports.insert(inventory.ports.end(), draft.ports.begin(), draft.ports.end());
  inventory.interfaces.insert(inventory.interfaces.end(), draft.interfaces.begin(),
                              draft.interfaces.end());
}

}  // namespace linkburn
