// How the world of a drill moves: pure functions on its state. No clock, no file, no thread; the
// ticker calls them, tests call them, and the soft devices submit ops.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "bench/drill/state.h"

namespace linkburn::drill {

/// The next instant at which something changes by itself, after now: an op ends, a fault begins or
/// ends, a link goes idle or wakes, the next tick. kNever in a world without any of these.
std::int64_t next_event(const State& state);

/// Moves the world to `to_ns`, which is not beyond next_event(), and sets now_ns.
void advance(State& state, std::int64_t to_ns);

/// The resources on the way between a GPU and the memory of a NUMA node; for copies of each
/// direction. Host memory, every link up to the root port, the way between sockets, the GPU's
/// engine.
std::vector<Resource> host_path(const State& state, int gpu, int numa, Direction direction);

/// From one GPU to another: by NVLink where they have one, else peer to peer through the closest
/// switch or the root complex.
std::vector<Resource> peer_path(const State& state, int from_gpu, int to_gpu);

/// What a resource gives now, in bytes (or units) a second.
double capacity(const State& state, Resource resource);

/// Whether two GPUs can reach each other's memory.
bool peers(const State& state, int from_gpu, int to_gpu);

int open_stream(State& state, int process, int gpu);  ///< -1: no room
void close_stream(State& state, int stream);

/// Appends an op; it starts as soon as those before it are done. Returns its seq, 0 when the
/// stream is full (wait for an earlier one first).
std::uint64_t submit(State& state, int stream, const Op& op);

/// The op of that number while it is still in the ring.
const Op* find_op(const State& state, int stream, std::uint64_t seq);

/// Opens a gate that stands in a stream.
void open_gate(State& state, int stream, std::uint64_t seq);

int open_cell(State& state, int process);  ///< -1: no room
void close_cell(State& state, int cell);
void write_cell(State& state, int cell, std::uint64_t value);  ///< wakes ops that wait for it

/// What no process has taken of a GPU's memory.
std::uint64_t free_memory(const Gpu& gpu);

/// Takes away all that a process had on the devices, and stalls the others as a driver does while
/// it tears down a context. Called by the ticker when the process has died.
void drop_process(State& state, int process);

/// Appends a line to the kernel log of the world.
void log_line(State& state, int level, std::string_view text, int function = -1);

/// Payload rate of a link of that speed and width in one direction, in GB/s, before efficiency:
/// GT/s times lanes times line coding [domain: PCIe 6.0 4.2, 8b/10b to gen 2, 128b/130b to gen 5,
/// 236/256 for flits].
double line_rate_gbs(int gen, int width);

/// A number in [0, 1) that depends on the seed and the two others alone.
double noise(std::uint64_t seed, std::uint64_t stream, std::uint64_t index);

}  // namespace linkburn::drill
