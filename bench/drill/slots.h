// The slots of participants, as both sides of the turn-taking use them (turns.h, turn_keeper.h).
#pragma once

#include "bench/drill/state.h"

namespace linkburn::drill {

/// Takes the lowest free slot for `tid` (see Participant::tid), with all else in it as new. -1: no
/// room. May be called without the turn.
int take_slot(State& state, std::int32_t tid, std::int32_t pid);

/// Lets go of a slot, and of the turn if that has it.
void free_slot(State& state, int participant);

/// The number by which others know a participant: slot and generation.
int handle_of(const State& state, int participant);
int slot_of_handle(int handle);
/// Whether the slot is still that of the thread which the handle was given for.
bool handle_valid(const State& state, int handle);

/// Whether what a waiting participant waits for is there; its deadline does not count here.
bool is_ready(const State& state, const Participant& waiting);

/// Somebody runs: what others saw of their files is old.
void forget_looks(State& state);

/// Gives the turn back, if that participant has it.
void release_turn(State& state, int participant);

/// Tells the ticker that something has changed.
void ring(State& state);

/// Ends the world for everybody, once.
void end_world(State& state);

}  // namespace linkburn::drill
