// The steps of assemble_pci(). Internal to bench/captures.
#pragma once

#include <map>
#include <vector>

#include "bench/captures/draft.h"

namespace linkburn {

/// What each source says of each function.
using FunctionViews = std::map<PciAddress, std::vector<PciFunction>>;

FunctionViews views_of(const NodeDraft& draft);

/// What the driver says of its GPUs.
void add_gpu_views(const std::vector<Gpu>& gpus, FunctionViews& views);

/// What the kernel says of devices that were captured, or hang right below a port that was.
void add_kernel_views(const NodeDraft& draft, const Inventory& captured, FunctionViews& views);

/// The PCIe numbers of a GPU as an end of its link; none of them: nothing is said of it.
LinkEnd end_of(const Gpu& gpu);

/// The source says something of a link: a number, or that the device does not answer.
bool tells_something(const LinkEnd& end);

/// One function each, sorted by address: every field from the most trusted source that has it.
std::vector<PciFunction> merged(const FunctionViews& views);

/// A tree that keeps the folders of ports shows all that a function hangs below. Copies of single
/// files and texts do not.
bool is_wired(const PciFunction& function);

/// Which port each function hangs below, and what kind of port that is.
void add_parents(const NodeDraft& draft, std::vector<PciFunction>& functions);

/// Links between captured ends, then those of which one end alone was captured.
void add_links(const NodeDraft& draft, const std::vector<Gpu>& gpus, Inventory& inventory);

}  // namespace linkburn
