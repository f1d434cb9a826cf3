// The software NVML: sets of events. Only Xids are events here.
#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "kernels/soft/nvml_calls.h"

namespace linkburn::soft {
namespace {

/// From when on a set hears of a GPU's Xids.
struct Registration {
  int gpu = kNoGpu;
  std::int32_t seen = 0;  ///< of Gpu::xid_count
};

}  // namespace
}  // namespace linkburn::soft

struct linkburn::nvml::nvmlEventSet_st {
  std::vector<soft::Registration> registrations;
};

namespace linkburn::nvml {

using namespace soft;  // NOLINT(google-build-using-namespace): its calls
using drill::State;

namespace {

constexpr std::int64_t kMs = 1'000'000;

/// The oldest Xid that a set has not told yet.
std::optional<EventData> next_event(const State& state, nvmlEventSet_st& set) {
  for (Registration& registration : set.registrations) {
    const drill::Gpu& gpu = state.gpus[registration.gpu];
    // What the ring has lost meanwhile cannot be told any more.
    registration.seen = std::max(registration.seen, gpu.xid_count - drill::kMaxXids);
    if (registration.seen >= gpu.xid_count) continue;
    const drill::Xid& xid = gpu.xids[registration.seen++ % drill::kMaxXids];
    constexpr unsigned kNoInstance = ~0U;  // not in MIG mode [nvml.h, nvmlEventData_t]
    return EventData{nvml_handle(registration.gpu), kEventXid, xid.number, kNoInstance,
                     kNoInstance};
  }
  return std::nullopt;
}

Return wait_for_event(Session& session, nvmlEventSet_st& set, EventData& data,
                      std::int64_t deadline_ns) {
  while (true) {
    const State& state = session.state();
    if (const auto event = next_event(state, set)) {
      data = *event;
      return kSuccess;
    }
    for (const Registration& registration : set.registrations)
      if (lost(state, registration.gpu)) return kGpuLost;
    if (session.now_ns() >= deadline_ns || session.turns().ended()) return kTimeout;
    // Nothing tells a participant of an Xid: one looks at every tick of the world.
    const std::int64_t tick_ns = std::max(kMs, state.tick_ns);
    session.sleep_until(std::min(deadline_ns, session.now_ns() + tick_ns));
  }
}

}  // namespace

extern "C" {

Return nvmlEventSetCreate(EventSet* set) {
  return ask_library(__func__, [&](const Session&) {
    return give_value(set,
                      set != nullptr ? std::make_unique<nvmlEventSet_st>().release() : nullptr);
  });
}

Return nvmlDeviceRegisterEvents(Device device, unsigned long long types, EventSet set) {
  return ask(__func__, device, [&](const State& state, int gpu) {
    if (set == nullptr) return kInvalidArgument;
    if (types != kEventXid) return kNotSupported;
    set->registrations.push_back({gpu, state.gpus[gpu].xid_count});
    return kSuccess;
  });
}

Return nvmlEventSetWait_v2(EventSet set, EventData* data, unsigned timeout_ms) {
  return ask_library(__func__, [&](Session& session) {
    if (set == nullptr || data == nullptr) return kInvalidArgument;
    return wait_for_event(session, *set, *data, session.now_ns() + timeout_ms * kMs);
  });
}

Return nvmlEventSetFree(EventSet set) {
  return ask_library(__func__, [&](const Session&) {
    if (set == nullptr) return kInvalidArgument;
    const std::unique_ptr<nvmlEventSet_st> gone(set);
    return kSuccess;
  });
}

}  // extern "C"

}  // namespace linkburn::nvml
