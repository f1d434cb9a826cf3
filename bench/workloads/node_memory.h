// A large block of memory that belongs to one NUMA node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "bench/base/result.h"
#include "bench/workloads/host_topology.h"

namespace linkburn {

inline constexpr std::size_t kMiB = std::size_t{1} << 20;

class NodeMemory {
 public:
  /// Address space only: the pages come when they are touched. Starts at a multiple of 2 MiB.
  static Result<NodeMemory> reserve(const HostTopology& topology, std::size_t bytes, int node);

  int node() const { return node_; }
  std::size_t bytes() const { return bytes_; }
  std::byte* data() const { return data_; }
  std::span<std::uint64_t> words() const {
    return {reinterpret_cast<std::uint64_t*>(data_), bytes_ / sizeof(std::uint64_t)};
  }

  /// Whether the kernel took the binding; where it did not, first touch decides.
  const Status& bound() const { return bound_; }

  /// Whether the kernel took the request for huge pages.
  const Status& huge() const { return huge_; }

  /// Keeps the pages in memory, until unlock() or the end of the memory itself.
  Status lock();
  void unlock();

 private:
  struct Unmap {
    std::size_t bytes;
    void operator()(std::byte* start) const;
  };
  NodeMemory(std::unique_ptr<std::byte, Unmap> mapping, std::size_t bytes, int node);

  std::unique_ptr<std::byte, Unmap> mapping_;
  std::byte* data_;
  std::size_t bytes_;
  int node_;
  Status bound_, huge_;
};

}  // namespace linkburn
