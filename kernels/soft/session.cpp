#include "kernels/soft/session.h"

#include <algorithm>
#include <cstring>

#include "bench/drill/model.h"
#include "bench/drill/slots.h"
#include "kernels/soft/process.h"

namespace linkburn::soft {
namespace {

/// Never destroyed: threads may still be in a call when the process ends.
std::unique_ptr<Session>& slot() {
  static auto* session = new std::unique_ptr<Session>;
  return *session;
}

std::mutex& opening() {
  static std::mutex mutex;
  return mutex;
}

std::uint64_t next_number() {
  static std::uint64_t number = 0;  // guarded by opening()
  return ++number;
}

std::unique_ptr<Session> open(const drill::Place& place) {
  auto world = drill::World::open(place.folder);
  if (!world) {
    static std::string said;
    const std::string line = world.error().line();
    if (said != line) say_line(said = line);
    return nullptr;
  }
  return std::make_unique<Session>(std::move(*world), place);
}

/// Whether a participant may run at once, or will before that instant. Who waits for files may not.
bool wants_turn(const drill::State& state, const drill::Participant& other, std::int64_t at_ns) {
  const drill::Presence presence = other.presence;
  if (presence != drill::Presence::waiting) return presence != drill::Presence::free;
  return other.woken_ns != drill::kNever || other.deadline_ns <= at_ns ||
         drill::is_ready(state, other);
}

bool leaves(const drill::Process& process) {
  return process.used && process.presence == drill::Presence::leaving;
}

}  // namespace

Session* Session::current() {
  const auto place = drill::place_in_environment();
  if (!place) return nullptr;
  const std::lock_guard lock(opening());
  auto& session = slot();
  if (session && session->place_ == *place) return session.get();
  session.reset();
  session = open(*place);
  return session.get();
}

Session* Session::opened() { return slot().get(); }

Session::Session(drill::World world, drill::Place place)
    : world_(std::move(world)),
      turns_(world_.state()),
      place_(std::move(place)),
      number_(next_number()),
      cuda_(std::make_unique<Cuda>()) {}

Session::~Session() = default;

bool Session::wait(const drill::Wait& wait) {
  mutex_.unlock();
  const bool met = turns_.wait(wait);
  mutex_.lock();
  return met;
}

void Session::sleep_until(std::int64_t at_ns) {
  drill::Wait rest;
  rest.deadline_ns = at_ns;
  while (now_ns() < at_ns && !turns_.ended()) wait(rest);
}

bool Session::alone_until(std::int64_t at_ns) const {
  const drill::State& s = state();
  const int me = turns_.self();
  if (me < 0 || s.header.turn != me || turns_.ended()) return false;
  if (now_ns() / kLookPeriod_ns != at_ns / kLookPeriod_ns) return false;
  for (int n = 0; n < drill::kMaxParticipants; ++n)
    if (n != me && wants_turn(s, s.participants[n], at_ns)) return false;
  return std::none_of(s.processes.begin(), s.processes.end(), leaves) &&
         drill::next_event(s) > at_ns;
}

void Session::spend(Cost cost) {
  const std::int64_t until_ns = now_ns() + static_cast<std::int64_t>(cost);
  if (alone_until(until_ns))
    state().header.now_ns = until_ns;
  else
    sleep_until(until_ns);
}

void Session::hang() {
  while (!turns_.ended()) wait({});
}

bool hangs(const drill::State& state, const char* name, int gpu) {
  for (const drill::Fault& fault : state.faults) {
    if (!fault.used || !fault.active || fault.kind != drill::FaultKind::hang) continue;
    if (fault.gpu >= 0 && fault.gpu != gpu) continue;
    if (fault.text[0] == '\0' || std::strcmp(fault.text.data(), name) == 0) return true;
  }
  return false;
}

Call::Call(Session& session, const char* name, Cost cost, int gpu) : Call(session, cost) {
  if (hangs(session.state(), name, gpu)) session.hang();
}

Call::Call(Session& session, Cost cost) : session_(session) {
  const bool first = session.process_ < 0 && session.place_.process >= 0;
  const int participant =
      first ? session.turns_.enter_process(session.place_.process) : session.turns_.enter();
  session.mutex_.lock();
  drill::State& state = session.state();
  if (participant >= 0)
    session.process_ = state.participants[static_cast<std::size_t>(participant)].process;
  else if (session.process_ < 0)
    session.process_ = 0;  // came when the world had ended: nobody looks at it any more
  if (cost != Cost::none) session.spend(cost);
  while (state.stall_until_ns > session.now_ns() && !session.turns_.ended())
    session.sleep_until(state.stall_until_ns);
}

Call::~Call() { session_.mutex_.unlock(); }

}  // namespace linkburn::soft
