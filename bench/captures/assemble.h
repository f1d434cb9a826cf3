// The draft of a node to an inventory: views of one thing become one thing.
#pragma once

#include "bench/captures/draft.h"

namespace linkburn {

/// What the texts say, as a discovery of the node would give it. Links whose upper end was not
/// captured are of kind kLinkLoneEnd.
Inventory assemble(const NodeDraft& draft);

/// The records that an inventory has no place for: capture parts, GPUs, measurements, kernel lines.
std::vector<Body> other_records(const NodeDraft& draft, const Inventory& inventory);

/// What was left out for want of room may have been a fault: with it nothing passes.
ToolError left_out(std::string what);

// The stations of assemble(), one file each. Internal to bench/captures.

/// Functions, links and their places: assemble_pci.cpp.
void assemble_pci(const NodeDraft& draft, Inventory& inventory);
/// Ports and interfaces: assemble_network.cpp.
void assemble_network(const NodeDraft& draft, Inventory& inventory);
/// GPUs known by several texts become one each; known functions give them their address:
/// assemble_gpus.cpp.
/// Records of a GPU by its number get its address where one is known.
void name_by_address(const std::vector<Gpu>& gpus, std::vector<Body>& records);
std::vector<Gpu> assemble_gpus(const NodeDraft& draft, const Inventory& inventory);

}  // namespace linkburn
