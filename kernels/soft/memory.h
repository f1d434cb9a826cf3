// Memory of the program that the software GPU knows: device, pinned and registered memory.
//
//   device      the program's pointer is a reserved range that nobody can touch; the bytes lie
//               elsewhere, seen by the library alone. A freed range stays reserved for ever.
//   pinned      a memfd mapped twice: the program's view, read-only while its writes are tracked,
//               and the library's own. Nothing has a name, so a killed process leaves nothing.
//   registered  the program's own pages, tracked in the same way when they are whole pages.
//
// A copy whose bytes are already there is not done again (repeats.h); that is exact, since every
// write to either side is seen: by tracking of host memory, by us on a device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "kernels/soft/copy_count.h"
#include "kernels/soft/repeats.h"
#include "kernels/soft/watch.h"

namespace linkburn::soft {

std::size_t whole_pages(std::size_t bytes);

enum class MemoryKind { device, pinned, registered };

struct Allocation {
  int number = 0;
  MemoryKind kind = MemoryKind::device;
  int gpu = -1;               ///< that holds it, or that was current when it was pinned
  int numa = 0;               ///< of the drill; of host memory
  std::uintptr_t begin = 0;   ///< as the program sees it
  std::size_t bytes = 0;      ///< asked for
  std::size_t mapped = 0;     ///< whole pages
  std::byte* view = nullptr;  ///< the library's
  bool trackable = true;
  WatchNumber watch = -1;

  void* pointer() const {
    return reinterpret_cast<void*>(begin);  // NOLINT(performance-no-int-to-ptr)
  }
};

/// Bytes that a call names. Without an allocation they are pageable host memory.
struct Span {
  Allocation* allocation = nullptr;
  std::size_t offset = 0, bytes = 0;
  std::byte* view = nullptr;  ///< where the library reads and writes them

  bool on_device() const { return allocation != nullptr && allocation->kind == MemoryKind::device; }
  Part part() const { return {allocation == nullptr ? -1 : allocation->number, offset, bytes}; }
};

class Memory {
 public:
  Memory() = default;
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  /// Null: no room.
  Allocation* allocate_device(int gpu, std::size_t bytes);
  Allocation* allocate_pinned(int gpu, int numa, std::size_t bytes);
  /// Null: part of it is known already.
  Allocation* add_registered(int gpu, int numa, void* begin, std::size_t bytes);
  /// Takes back what begins here.
  void release(void* begin);

  /// Of which allocation the pointer is; null: pageable or nothing. Named misuse: freed memory.
  Allocation* find(const void* pointer);
  /// What begins here; null: nothing. Named misuse: it was freed before.
  Allocation* find_begin(void* begin);
  /// Named misuse: begins in an allocation and ends beyond it.
  Span span(const void* pointer, std::size_t bytes);

  /// Copies, or knows that the bytes are there already.
  void copy(const Span& to, const Span& from);
  void fill(const Span& to, int value);
  /// Somebody else is about to write into this through Span::view.
  void written(const Span& span);

  const std::map<std::uintptr_t, Allocation>& all() const { return allocations_; }
  const CopyCount& count() const { return count_; }

 private:
  Allocation* add(Allocation allocation);
  void take_in_writes(Allocation* allocation);
  void open_for_writing(Allocation* allocation);
  void track(Allocation* allocation);
  bool was_freed(std::uintptr_t address) const;

  std::map<std::uintptr_t, Allocation> allocations_;
  std::map<std::uintptr_t, std::size_t> freed_;  ///< ranges of freed memory, and their sizes
  Repeats repeats_;
  int numbers_ = 0;
  CopyCount count_;
};

}  // namespace linkburn::soft
