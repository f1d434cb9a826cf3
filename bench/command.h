// What the commands that follow the line have in common: how a node is discovered, what goes into
// its evidence, and how a verdict becomes output and exit code.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/base/read_record.h"
#include "bench/inventory/inventory.h"
#include "bench/session.h"
#include "report/evidence/writer.h"

namespace linkburn {

/// Says why nothing was judged; returns the exit code for that.
int refuse(const Error& error);

/// What starts a worker of this program.
std::vector<std::string> worker_command(const Session& session);

/// The live node's inventory, with driver files read by a worker. What it reads is noted in
/// `reads`, unless that is null.
Inventory discover_live(const Session& session, const Sysroot& root,
                        const std::shared_ptr<ReadRecord>& reads);

/// Where this command's evidence goes; nothing when a passive one was not asked for any.
Result<std::unique_ptr<EvidenceWriter>> open_evidence(const Session& session,
                                                      const std::string& node, bool needed);

RunStart start_record(const Session& session, const Inventory& inventory);
RunEnd end_record(const EvidenceWriter& evidence, bool whole);

void record_all(EvidenceWriter& evidence, std::vector<Body> records);

/// What is on the node, with the names that its site has for its places.
void record_inventory(EvidenceWriter& evidence, const Inventory& inventory,
                      std::optional<SiteText> site);

/// What an inspect requires when nothing else was asked for.
void require_the_usual(RunStart& start);

/// Judges the evidence of each node, renders, and turns what else went wrong into the exit code.
int conclude(const Session& session, std::vector<std::unique_ptr<EvidenceWriter>>& writers);

}  // namespace linkburn
