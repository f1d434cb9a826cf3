// Memory of devices and of the host: what it is, how it comes and goes.
#include <cstdlib>
#include <memory>
#include <vector>

#include "tests/conformance/holders.h"

namespace linkburn::conformance {
namespace {

constexpr std::size_t kPage = 4096, kMiB = 1 << 20;

struct PageFree {
  void operator()(void* at) const { std::free(at); }
};
using Pages = std::unique_ptr<void, PageFree>;

Pages host_pages(std::size_t bytes) { return Pages(std::aligned_alloc(kPage, bytes)); }

cuda::PointerAttributes attributes_of(Probe& p, const void* pointer) {
  cuda::PointerAttributes attributes{};
  const int result = p.on().runtime.cudaPointerGetAttributes(&attributes, pointer);
  p.works(result, "cudaPointerGetAttributes");
  return attributes;
}

std::size_t free_bytes(Probe& p) {
  std::size_t free = 0, total = 0;
  p.works(p.on().runtime.cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  p.expect(free <= total && total > 0, fmt::format("{} bytes free of {}", free, total));
  return free;
}

void an_allocation_shows_in_the_free_memory(Probe& p) {
  constexpr std::size_t kBytes = 4 * kMiB;  // more than a driver keeps ready for small requests
  const std::size_t before = free_bytes(p);
  {
    const DeviceMemory memory(p, kBytes);
    const std::size_t with = free_bytes(p);
    p.expect(before >= with + kBytes, fmt::format("{} bytes free, then {}", before, with));
  }
  const std::size_t after = free_bytes(p);
  p.expect(after == before, fmt::format("{} bytes free, and {} in the end", before, after));
}

void device_pointers_know_their_device(Probe& p) {
  for (int device = 0; device < p.on().count; ++device) {
    const CurrentDevice on(p, device);
    const DeviceMemory memory(p, kMiB);
    const auto attributes = attributes_of(p, memory.at(kPage));
    p.expect(attributes.type == cuda::kMemoryDevice, fmt::format("type {}", attributes.type));
    p.expect(attributes.device == device, fmt::format("device {}", attributes.device));
  }
}

void pinned_pointers_are_known(Probe& p) {
  const PinnedMemory memory(p, kMiB);
  const auto attributes = attributes_of(p, memory.at(5));
  p.expect(attributes.type == cuda::kMemoryHost, fmt::format("type {}", attributes.type));
  p.expect(attributes.host_pointer == memory.at(5), "another host pointer");
}

void plain_pointers_are_not(Probe& p) {
  const auto memory = host_pages(kPage);
  const auto attributes = attributes_of(p, memory.get());
  p.expect(attributes.type == cuda::kMemoryUnregistered, fmt::format("type {}", attributes.type));
}

void registration_comes_and_goes(Probe& p) {
  const auto memory = host_pages(kMiB);
  const auto& runtime = p.on().runtime;
  constexpr unsigned kFlags = cuda::kHostRegisterPortable;
  if (!p.works(runtime.cudaHostRegister(memory.get(), kMiB, kFlags), "cudaHostRegister")) return;
  p.expect(attributes_of(p, memory.get()).type == cuda::kMemoryHost, "it is not host memory then");
  p.result(runtime.cudaHostRegister(memory.get(), kMiB, kFlags), cuda::kHostMemoryAlreadyRegistered,
           "a second cudaHostRegister");
  p.works(runtime.cudaHostUnregister(memory.get()), "cudaHostUnregister");
  p.expect(attributes_of(p, memory.get()).type == cuda::kMemoryUnregistered, "it stays registered");
  p.result(runtime.cudaHostUnregister(memory.get()), cuda::kHostMemoryNotRegistered,
           "a second cudaHostUnregister");
  runtime.cudaGetLastError();
}

void a_device_pointer_of_pinned_memory_is_told(Probe& p) {
  void *pinned = nullptr, *device = nullptr;
  const auto& runtime = p.on().runtime;
  constexpr unsigned kFlags = cuda::kHostAllocPortable | cuda::kHostAllocMapped;
  if (!p.works(runtime.cudaHostAlloc(&pinned, kMiB, kFlags), "cudaHostAlloc")) return;
  p.works(runtime.cudaHostGetDevicePointer(&device, pinned, 0), "cudaHostGetDevicePointer");
  p.expect(device != nullptr, "it is null");
  p.works(runtime.cudaFreeHost(pinned), "cudaFreeHost");
}

void too_much_memory_is_refused(Probe& p) {
  std::size_t free = 0, total = 0;
  void* memory = nullptr;
  p.works(p.on().runtime.cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  p.result(p.on().runtime.cudaMalloc(&memory, total + kMiB), cuda::kOutOfMemory,
           "cudaMalloc of more than there is");
  p.on().runtime.cudaGetLastError();
  const DeviceMemory some(p, kMiB);  // the refusal does no harm
}

void nothing_can_be_freed(Probe& p) {
  p.works(p.on().runtime.cudaFree(nullptr), "cudaFree of null");
  p.works(p.on().runtime.cudaFreeHost(nullptr), "cudaFreeHost of null");
}

void allocations_do_not_overlap(Probe& p) {
  constexpr std::size_t kCount = 8, kBytes = 100'000;
  std::vector<std::unique_ptr<DeviceMemory>> memories;
  PinnedMemory host(p, kBytes);
  const OwnStream stream(p);
  if (!host || !stream) return;
  for (std::size_t n = 0; n < kCount; ++n) {
    memories.push_back(std::make_unique<DeviceMemory>(p, kBytes));
    if (!*memories.back()) return;
    const int result = p.on().runtime.cudaMemsetAsync(memories.back()->at(),
                                                      static_cast<int>(n + 1), kBytes, stream);
    p.works(result, "cudaMemsetAsync");
  }
  for (std::size_t n = 0; n < kCount; ++n) {
    copy(p, host.at(), memories[n]->at(), kBytes, cuda::kCopyDeviceToHost, stream);
    if (!stream.wait()) return;
    for (const std::uint8_t byte : host.bytes())
      if (!p.expect(byte == n + 1, fmt::format("memory {} holds {}", n, byte))) return;
  }
}

void device_memory_is_aligned(Probe& p) {
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{777}, kMiB}) {
    const DeviceMemory memory(p, bytes);
    p.expect(reinterpret_cast<std::uintptr_t>(memory.at()) % 256 == 0,
             fmt::format("{} bytes at {}", bytes, static_cast<void*>(memory.at())));
  }
}

void memset_writes_what_it_is_told(Probe& p) {
  constexpr std::size_t kBytes = 10'007, kFrom = 3, kTo = 9'001;
  const DeviceMemory memory(p, kBytes);
  const PinnedMemory host(p, kBytes);
  const OwnStream stream(p);
  if (!memory || !host || !stream) return;
  const auto& runtime = p.on().runtime;
  p.works(runtime.cudaMemsetAsync(memory.at(), 0x11, kBytes, stream), "cudaMemsetAsync");
  p.works(runtime.cudaMemsetAsync(memory.at(kFrom), 0x1a5, kTo - kFrom, stream), "cudaMemsetAsync");
  copy(p, host.at(), memory.at(), kBytes, cuda::kCopyDeviceToHost, stream);
  if (!stream.wait()) return;
  for (std::size_t n = 0; n < kBytes; ++n) {
    const int wanted = n >= kFrom && n < kTo ? 0xa5 : 0x11;  // the value's lowest byte counts
    if (!p.expect(*host.at(n) == wanted, fmt::format("byte {} is {:x}", n, *host.at(n)))) return;
  }
}

constexpr Item kItems[] = {
    {"an allocation shows in the free memory, and its end too", "sizes of buffers",
     an_allocation_shows_in_the_free_memory},
    {"a device pointer knows its device", "checks of buffers", device_pointers_know_their_device},
    {"pinned memory is known as host memory", "checks of buffers", pinned_pointers_are_known},
    {"plain memory is known as unregistered", "checks of buffers", plain_pointers_are_not},
    {"memory is registered once, and unregistered once", "memory of NUMA nodes",
     registration_comes_and_goes},
    {"pinned memory has a device pointer", "values that streams wait for",
     a_device_pointer_of_pinned_memory_is_told},
    {"more memory than there is is refused and does no harm", "sizes of buffers",
     too_much_memory_is_refused},
    {"null can be freed", "clean-up", nothing_can_be_freed},
    {"allocations do not overlap", "all workloads", allocations_do_not_overlap},
    {"device memory is aligned to 256 bytes", "kernels", device_memory_is_aligned},
    {"memset writes just its bytes", "clean buffers", memset_writes_what_it_is_told},
};

}  // namespace

std::span<const Item> memory_items() { return kItems; }

}  // namespace linkburn::conformance
