// The parts of the text report, in the order in which they are printed.
#pragma once

#include <string>

#include "report/render/layout.h"
#include "report/render/view.h"

namespace linkburn {

struct TextStyle {
  std::size_t columns = 100;
  Paint paint;
};

/// One block for each finding that is not healthy: where, what, how sure, against which limit, and
/// what to do next. Meaning and steps stand at the first finding of a code; the others refer to it.
void append_findings(std::string& out, const NodeView& node, const TextStyle& style);

/// Every link with its path to the root, negotiated and rated state and slot.
void append_links(std::string& out, const NodeView& node, const TextStyle& style);

/// RDMA ports with their interfaces, then interfaces of hardware without an RDMA port, and bonds.
void append_ports(std::string& out, const NodeView& node, const TextStyle& style);

/// GPUs with their links to each other, and rates that other tools measured.
void append_gpus(std::string& out, const NodeView& node, const TextStyle& style);
void append_measurements(std::string& out, const NodeView& node, const TextStyle& style);

/// What was made of captured texts, and what nobody could read of them.
void append_captures(std::string& out, const NodeView& node, const TextStyle& style);

void append_memory(std::string& out, const NodeView& node, const TextStyle& style);

/// What was not judged, grouped by reason, and what would settle it.
void append_not_judged(std::string& out, const NodeView& node, const TextStyle& style);

/// "1b:00.0" in domain 0, which is what people read in lspci.
std::string short_address(const ComponentId& id);

/// "slot 7 [kernel]"; the source says whom to ask when the label is wrong. Names of other sources
/// that disagree follow: a technician who trusts the wrong one pulls the wrong card.
std::string place_text(const Slot& slot);

}  // namespace linkburn
