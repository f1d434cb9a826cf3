// Events: what was done, and when on the device's clock.
#include "tests/conformance/holders.h"

namespace linkburn::conformance {
namespace {

constexpr std::size_t kBytes = 4 << 20;

int elapsed(Probe& p, cuda::Event start, cuda::Event end) {
  float ms = 0;
  const int result = p.on().runtime.cudaEventElapsedTime(&ms, start, end);
  p.on().runtime.cudaGetLastError();
  return result;
}

void an_event_never_recorded_is_done(Probe& p) {
  const OwnEvent event(p);
  const OwnStream stream(p);
  if (!event || !stream) return;
  p.works(event.query(), "cudaEventQuery");
  p.works(p.on().runtime.cudaEventSynchronize(event), "cudaEventSynchronize");
  p.works(p.on().runtime.cudaStreamWaitEvent(stream, event, 0), "cudaStreamWaitEvent");
  stream.wait();
}

void no_time_without_two_records(Probe& p) {
  const OwnEvent start(p), end(p);
  const OwnStream stream(p);
  if (!start || !end || !stream) return;
  p.result(elapsed(p, start, end), cuda::kInvalidResourceHandle, "elapsed time of none recorded");
  start.record(stream);
  stream.wait();
  p.result(elapsed(p, start, end), cuda::kInvalidResourceHandle, "elapsed time of one recorded");
}

void no_time_from_events_without_timing(Probe& p) {
  const OwnEvent start(p, cuda::kEventDisableTiming), end(p);
  const OwnStream stream(p);
  if (!start || !end || !stream) return;
  start.record(stream), end.record(stream);
  stream.wait();
  p.result(elapsed(p, start, end), cuda::kInvalidResourceHandle, "elapsed time without timing");
}

void no_time_before_the_end(Probe& p) {
  const PinnedMemory host(p, kBytes);
  const DeviceMemory device(p, kBytes);
  const OwnStream stream(p);
  const OwnEvent start(p), end(p);
  if (!host || !device || !stream || !start || !end) return;
  start.record(stream);
  for (int n = 0; n < 8; ++n)
    copy(p, device.at(), host.at(), kBytes, cuda::kCopyHostToDevice, stream);
  end.record(stream);
  p.result(end.query(), cuda::kNotReady, "cudaEventQuery before the end");
  p.result(elapsed(p, start, end), cuda::kNotReady, "elapsed time before the end");
  p.works(p.on().runtime.cudaEventSynchronize(end), "cudaEventSynchronize");
  p.works(end.query(), "cudaEventQuery after the wait");
  p.expect(end.ms_since(start) > 0, "8 copies took no time");
}

void times_only_grow(Probe& p) {
  const PinnedMemory host(p, kBytes);
  const DeviceMemory device(p, kBytes);
  const OwnStream stream(p);
  const OwnEvent start(p);
  if (!host || !device || !stream || !start) return;
  start.record(stream);
  float last_ms = 0;
  for (int lap = 0; lap < 8; ++lap) {
    const OwnEvent end(p);
    copy(p, device.at(), host.at(), kBytes, cuda::kCopyHostToDevice, stream);
    end.record(stream);
    if (!stream.wait()) return;
    const float ms = end.ms_since(start);
    p.expect(ms > last_ms,
             fmt::format("lap {} ends at {} ms, the one before at {} ms", lap, ms, last_ms));
    last_ms = ms;
  }
}

/// A device's clock and the host's: the span of the events lies within that of the calls.
void times_agree_with_the_host(Probe& p) {
  const PinnedMemory host(p, kBytes);
  const DeviceMemory device(p, kBytes);
  const OwnStream stream(p);
  const OwnEvent start(p), end(p);
  if (!host || !device || !stream || !start || !end) return;
  copy(p, device.at(), host.at(), kBytes, cuda::kCopyHostToDevice, stream);
  if (!stream.wait()) return;
  constexpr int kLaps = 200;
  const Instant before = p.on().clock->now();
  start.record(stream);
  for (int n = 0; n < kLaps; ++n)
    copy(p, device.at(), host.at(), kBytes, cuda::kCopyHostToDevice, stream);
  end.record(stream);
  if (!stream.wait()) return;
  const std::chrono::duration<double, std::milli> span = p.on().clock->now() - before;
  const double event_ms = end.ms_since(start);
  p.expect(event_ms <= span.count() * 1.01 + 0.1,
           fmt::format("{} ms between events within {} ms of the host", event_ms, span.count()));
  // The stream is never empty between the two, so nearly all of the time is between the events.
  p.expect(event_ms >= span.count() * 0.5,
           fmt::format("{} ms of {} ms between the events", event_ms, span.count()));
}

void the_last_record_counts(Probe& p) {
  const PinnedMemory host(p, kBytes);
  const DeviceMemory device(p, kBytes);
  const OwnStream stream(p);
  const OwnEvent start(p), end(p);
  if (!host || !device || !stream || !start || !end) return;
  start.record(stream), end.record(stream);
  if (!stream.wait()) return;
  const float first_ms = end.ms_since(start);
  copy(p, device.at(), host.at(), kBytes, cuda::kCopyHostToDevice, stream);
  end.record(stream);
  if (!stream.wait()) return;
  const float second_ms = end.ms_since(start);
  p.expect(second_ms > first_ms, fmt::format("{} ms, then {} ms", first_ms, second_ms));
}

void a_wait_is_for_the_record_before_it(Probe& p) {
  const PinnedMemory host(p, kBytes);
  const DeviceMemory device(p, kBytes);
  const OwnStream busy(p), other(p);
  const OwnEvent event(p);
  if (!host || !device || !busy || !other || !event) return;
  event.record(busy);
  p.works(p.on().runtime.cudaStreamWaitEvent(other, event, 0), "cudaStreamWaitEvent");
  for (int n = 0; n < 8; ++n)
    copy(p, device.at(), host.at(), kBytes, cuda::kCopyHostToDevice, busy);
  event.record(busy);
  other.wait();  // for the first record alone
  p.result(busy.query(), cuda::kNotReady, "cudaStreamQuery of the busy stream");
  p.on().runtime.cudaGetLastError();
  busy.wait();
}

/// Rates come from events: payload over time cannot beat the link.
void rates_are_possible(Probe& p) {
  const PinnedMemory host(p, kBytes);
  const DeviceMemory device(p, kBytes);
  const OwnStream stream(p);
  const OwnEvent start(p), end(p);
  if (!host || !device || !stream || !start || !end) return;
  constexpr int kLaps = 64;
  start.record(stream);
  for (int n = 0; n < kLaps; ++n)
    copy(p, device.at(), host.at(), kBytes, cuda::kCopyHostToDevice, stream);
  end.record(stream);
  if (!stream.wait()) return;
  const double rate_gbs = kLaps * (kBytes / 1e6) / end.ms_since(start);
  // From below gen1 x1 to a chip-to-chip link of 450 GB/s each way.
  p.expect(rate_gbs > 0.1 && rate_gbs < 500, fmt::format("{} GB/s", rate_gbs));
}

constexpr Item kItems[] = {
    {"an event that was never recorded counts as done", "first lap",
     an_event_never_recorded_is_done},
    {"there is no elapsed time before both events are recorded", "laps",
     no_time_without_two_records},
    {"there is no elapsed time without timing", "laps", no_time_from_events_without_timing},
    {"there is no elapsed time before the end", "laps", no_time_before_the_end},
    {"event times only grow", "laps", times_only_grow},
    {"event times agree with the host's clock", "laps beside samples", times_agree_with_the_host},
    {"the last record of an event counts", "events used again", the_last_record_counts},
    {"a wait is for the record before it", "copies while a burn runs",
     a_wait_is_for_the_record_before_it},
    {"rates by events are possible ones", "all rates", rates_are_possible},
};

}  // namespace

std::span<const Item> event_items() { return kItems; }

}  // namespace linkburn::conformance
