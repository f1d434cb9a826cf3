// Addresses whose touch by the program means something: a table for the handler of SIGSEGV.
//
//   device   memory of a GPU: the host may not touch it. Named, and the program ends.
//   freed    was device or pinned memory: the same.
//   tracked  host memory that is read-only for the program, so that its first write is seen. The
//            handler notes the write, makes the memory writable and lets the program go on.
// Any other fault goes to the handler that was there before.
//
// A system call that writes into tracked memory gets EFAULT instead of a signal: programs read
// files and sockets into memory of their own.
#pragma once

#include <cstddef>
#include <cstdint>

namespace linkburn::soft {

enum class Watched : std::uint32_t { nothing = 0, device, freed, host };

/// A place in the table. At most kMaxWatched live ones; the oldest freed ones are forgotten first.
using WatchNumber = int;
inline constexpr int kMaxWatched = 8192;

/// -1: no room.
WatchNumber watch(void* begin, std::size_t bytes, Watched kind);
void change_watch(WatchNumber number, Watched kind);

/// From now on the program's first write to this host memory is noted.
void track_writes(WatchNumber number);
/// The program may write without being noticed.
void stop_tracking(WatchNumber number);
/// Whether tracking is on: nothing was written since it began.
bool is_tracked(WatchNumber number);

}  // namespace linkburn::soft
