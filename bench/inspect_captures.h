// `linkburn inspect CAPTURE...`: what other tools printed, judged as a node is.
#pragma once

#include <memory>
#include <vector>

#include "bench/session.h"
#include "report/evidence/writer.h"

namespace linkburn {

/// The evidence that the captures of these options hold, one writer per node. Errors: nothing was
/// recognised, a path cannot be read, evidence cannot be written.
Result<std::vector<std::unique_ptr<EvidenceWriter>>> evidence_of_captures(const Session& session);

/// Returns the exit code.
int inspect_captures(const Session& session);

}  // namespace linkburn
