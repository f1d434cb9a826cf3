// The jobs that worker processes of this program know.
#pragma once

#include <span>

#include "bench/worker/session.h"

namespace linkburn {

/// "lane": prepares a workload, waits at the gate, warms up, measures, goes on uncounted until
/// released, verifies.
JobOutcome run_lane_job(WorkerSession& session, const Job& job);

/// "read": reads files that enter drivers, one after the other, as the supervisor asks for them.
JobOutcome run_read_job(WorkerSession& session, const Job& job);

/// "probe": looks for the libraries of the driver layers, one Part record each.
JobOutcome run_probe_job(WorkerSession& session, const Job& job);

/// All of the above.
std::span<const JobKind> job_kinds();

}  // namespace linkburn
