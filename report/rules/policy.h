// What a judgement may take besides the evidence.
#pragma once

#include <optional>

#include "report/evidence/record.h"

namespace linkburn {

struct Policy {
  std::optional<SiteText> site = {};  ///< instead of the one recorded in the evidence
};

}  // namespace linkburn
