#include "kernels/soft/memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "bench/base/fd.h"
#include "bench/base/result.h"
#include "kernels/soft/session.h"

namespace linkburn::soft {
namespace {

/// A page fault and two mprotect cost about what copying this much does.
constexpr std::size_t kWorthTracking = 256 * 1024;

std::size_t page() { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }
std::byte* map(std::size_t bytes, int protection, int flags, int fd) {
  void* at = ::mmap(nullptr, bytes, protection, flags, fd, 0);
  return at == MAP_FAILED ? nullptr : static_cast<std::byte*>(at);
}

/// An address range that nobody can touch, with a page behind it that nobody ever gets.
std::byte* reserve(std::size_t bytes) {
  return map(bytes + page(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
}

}  // namespace

std::size_t whole_pages(std::size_t bytes) { return (bytes + page() - 1) / page() * page(); }

Memory::~Memory() {
  for (const auto& [begin, allocation] : allocations_) {
    stop_tracking(allocation.watch);
    change_watch(allocation.watch, Watched::nothing);
    if (allocation.kind == MemoryKind::registered) continue;
    ::munmap(allocation.pointer(), allocation.mapped);
    ::munmap(allocation.view, allocation.mapped);
  }
}

Allocation* Memory::add(Allocation allocation) {
  const bool device = allocation.kind == MemoryKind::device;
  allocation.watch =
      watch(allocation.pointer(), allocation.mapped, device ? Watched::device : Watched::host);
  if (allocation.watch < 0) return nullptr;
  allocation.number = ++numbers_;
  return &allocations_.emplace(allocation.begin, allocation).first->second;
}

Allocation* Memory::allocate_device(int gpu, std::size_t bytes) {
  Allocation allocation{.kind = MemoryKind::device, .gpu = gpu, .bytes = bytes};
  allocation.mapped = whole_pages(bytes);
  std::byte* begin = reserve(allocation.mapped);
  allocation.view = reserve(allocation.mapped);
  if (begin == nullptr || allocation.view == nullptr ||
      ::mprotect(allocation.view, allocation.mapped, PROT_READ | PROT_WRITE) != 0)
    return nullptr;
  // Most of a short drill's real time is the first touch of its memory; the advice may be refused.
  ::madvise(allocation.view, allocation.mapped, MADV_HUGEPAGE);
  allocation.begin = reinterpret_cast<std::uintptr_t>(begin);
  return add(allocation);
}

Allocation* Memory::allocate_pinned(int gpu, int numa, std::size_t bytes) {
  Allocation allocation{.kind = MemoryKind::pinned, .gpu = gpu, .numa = numa, .bytes = bytes};
  allocation.mapped = whole_pages(bytes);
  const Fd file(::memfd_create("linkburn-pinned", MFD_CLOEXEC));
  if (!file || ::ftruncate(file.get(), static_cast<off_t>(allocation.mapped)) != 0) return nullptr;
  std::byte* begin = map(allocation.mapped, PROT_READ | PROT_WRITE, MAP_SHARED, file.get());
  allocation.view = map(allocation.mapped, PROT_READ | PROT_WRITE, MAP_SHARED, file.get());
  if (begin == nullptr || allocation.view == nullptr) return nullptr;
  allocation.begin = reinterpret_cast<std::uintptr_t>(begin);
  return add(allocation);
}

Allocation* Memory::add_registered(int gpu, int numa, void* begin, std::size_t bytes) {
  Allocation allocation{.kind = MemoryKind::registered, .gpu = gpu, .numa = numa, .bytes = bytes};
  allocation.begin = reinterpret_cast<std::uintptr_t>(begin);
  const auto after = allocations_.lower_bound(allocation.begin + bytes);
  if (after != allocations_.begin()) {
    const Allocation& before = std::prev(after)->second;
    if (before.begin + before.bytes > allocation.begin) return nullptr;
  }
  allocation.mapped = bytes;
  allocation.view = static_cast<std::byte*>(begin);
  allocation.trackable = allocation.begin % page() == 0 && bytes % page() == 0;
  return add(allocation);
}

Allocation* Memory::find_begin(void* begin) {
  const auto at = reinterpret_cast<std::uintptr_t>(begin);
  const auto found = allocations_.find(at);
  if (found != allocations_.end()) return &found->second;
  if (was_freed(at)) misuse("memory freed twice", begin);
  return nullptr;
}

void Memory::release(void* begin) {
  const auto at = reinterpret_cast<std::uintptr_t>(begin);
  const Allocation allocation = allocations_.at(at);
  repeats_.written(allocation.number);
  stop_tracking(allocation.watch);
  allocations_.erase(at);
  if (allocation.kind == MemoryKind::registered)
    return change_watch(allocation.watch, Watched::nothing);
  change_watch(allocation.watch, Watched::freed);
  freed_[at] = allocation.mapped;
  ::munmap(allocation.view, allocation.mapped);
  // The range stays taken, so that nobody gets it who would then seem to use freed memory.
  void* kept = ::mmap(begin, allocation.mapped, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  check(kept == begin, "the range of freed memory could not be kept");
}

bool Memory::was_freed(std::uintptr_t address) const {
  const auto after = freed_.upper_bound(address);
  if (after == freed_.begin()) return false;
  return address < std::prev(after)->first + std::prev(after)->second;
}

Allocation* Memory::find(const void* pointer) {
  const auto at = reinterpret_cast<std::uintptr_t>(pointer);
  const auto after = allocations_.upper_bound(at);
  if (after != allocations_.begin()) {
    Allocation& allocation = std::prev(after)->second;
    if (at < allocation.begin + allocation.mapped) return &allocation;
  }
  if (was_freed(at)) misuse("use of memory that was freed", pointer);
  return nullptr;
}

Span Memory::span(const void* pointer, std::size_t bytes) {
  Span span;
  span.allocation = find(pointer);
  span.bytes = bytes;
  span.view = static_cast<std::byte*>(const_cast<void*>(pointer));
  if (span.allocation == nullptr) return span;
  span.offset = reinterpret_cast<std::uintptr_t>(pointer) - span.allocation->begin;
  if (span.offset > span.allocation->bytes || bytes > span.allocation->bytes - span.offset)
    misuse("access beyond an allocation", pointer);
  span.view = span.allocation->view + span.offset;
  return span;
}

/// The program wrote to tracked memory: nothing is known of it any more.
void Memory::take_in_writes(Allocation* allocation) {
  if (allocation == nullptr || allocation->kind == MemoryKind::device) return;
  if (!is_tracked(allocation->watch)) repeats_.written(allocation->number);
}

/// Registered memory has one mapping, which may be read-only just now.
void Memory::open_for_writing(Allocation* allocation) {
  if (allocation != nullptr && allocation->kind == MemoryKind::registered)
    stop_tracking(allocation->watch);
}

void Memory::track(Allocation* allocation) {
  if (allocation == nullptr || allocation->kind == MemoryKind::device) return;
  if (repeats_.concerns(allocation->number)) track_writes(allocation->watch);
}

void Memory::copy(const Span& to, const Span& from) {
  take_in_writes(to.allocation);
  take_in_writes(from.allocation);
  if (repeats_.known(to.part(), from.part())) {
    ++count_.elided;
    return;
  }
  open_for_writing(to.allocation);
  std::memmove(to.view, from.view, to.bytes);
  ++count_.done;
  repeats_.written(to.part());
  const bool trackable = to.allocation != nullptr && from.allocation != nullptr &&
                         to.allocation->trackable && from.allocation->trackable;
  if (trackable && to.bytes >= kWorthTracking) repeats_.add(to.part(), from.part());
  track(to.allocation);
  track(from.allocation);
}

void Memory::fill(const Span& to, int value) {
  written(to);
  std::memset(to.view, value, to.bytes);
  track(to.allocation);
}

void Memory::written(const Span& span) {
  if (span.allocation == nullptr) return;
  take_in_writes(span.allocation);
  open_for_writing(span.allocation);
  repeats_.written(span.part());
}

}  // namespace linkburn::soft
