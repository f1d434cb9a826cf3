// The kinds of faults as scenarios name them, and the keys that each has of its own.
#pragma once

#include <string>
#include <vector>

#include "bench/base/toml_table.h"
#include "bench/drill/scenario_draft.h"

namespace linkburn::drill {

/// What a fault happens to.
enum class FaultTarget { link, card, gpu, nic };

struct FaultWord {
  const char* word;
  FaultKind kind;
  FaultTarget target;
  /// Reads the keys of this kind; target and trigger are known already.
  void (*read)(TableReader& table, const Draft& draft, Fault& fault);
};

/// Of the table's key 'kind'; null: the table has an error.
const FaultWord* read_fault_kind(TableReader& table);

}  // namespace linkburn::drill
