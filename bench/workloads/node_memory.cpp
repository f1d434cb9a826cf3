#include "bench/workloads/node_memory.h"

#include <fmt/core.h>
#include <sys/mman.h>

#include <cerrno>

namespace linkburn {
namespace {

constexpr std::size_t kHugePage = 2 * kMiB;  // x86-64, and arm64 with pages of 4 KiB

}  // namespace

void NodeMemory::Unmap::operator()(std::byte* start) const { ::munmap(start, bytes); }

NodeMemory::NodeMemory(std::unique_ptr<std::byte, Unmap> mapping, std::size_t bytes, int node)
    : mapping_(std::move(mapping)), data_(mapping_.get()), bytes_(bytes), node_(node) {
  const std::size_t past = reinterpret_cast<std::uintptr_t>(data_) % kHugePage;
  if (past != 0) data_ += kHugePage - past;
}

Result<NodeMemory> NodeMemory::reserve(const HostTopology& topology, std::size_t bytes, int node) {
  const std::size_t mapped = bytes + kHugePage;
  void* start = ::mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED)
    return errno_error(errno, fmt::format("cannot get {} MiB of memory", bytes / kMiB), "mmap");
  NodeMemory memory({static_cast<std::byte*>(start), Unmap{mapped}}, bytes, node);
  memory.bound_ = topology.bind_memory(memory.data_, bytes, node);
  if (::madvise(memory.data_, bytes, MADV_HUGEPAGE) != 0)
    memory.huge_ = errno_error(errno, "no huge pages", "madvise");
  return memory;
}

Status NodeMemory::lock() {
  if (::mlock(data_, bytes_) == 0) return {};
  return errno_error(errno, fmt::format("cannot lock {} MiB", bytes_ / kMiB), "mlock");
}

void NodeMemory::unlock() { ::munlock(data_, bytes_); }

}  // namespace linkburn
