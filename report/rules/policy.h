// What a judgement may take besides the evidence.
#pragma once

#include <memory>
#include <optional>

#include "report/evidence/record.h"
#include "report/ratings/site.h"

namespace linkburn {

struct Policy {
  std::optional<SiteText> site = {};  ///< instead of the one recorded in the evidence
  /// Shared by the judgements of many nodes.
  std::shared_ptr<SiteReader> reader = std::make_shared<SiteReader>();
};

}  // namespace linkburn
