// Streams: in order inside, independent of each other, asynchronous to the program.
#include <algorithm>
#include <memory>
#include <vector>

#include "tests/conformance/holders.h"

namespace linkburn::conformance {
namespace {

constexpr std::size_t kBytes = 4 << 20;

/// Buffers and a stream for copies that take a while.
struct Lane {
  explicit Lane(Probe& probe) : p(probe), host(p, kBytes), device(p, kBytes), stream(p) {}
  explicit operator bool() const { return host && device && stream; }
  bool load() const {
    return copy(p, device.at(), host.at(), kBytes, cuda::kCopyHostToDevice, stream);
  }
  bool unload() const {
    return copy(p, host.at(), device.at(), kBytes, cuda::kCopyDeviceToHost, stream);
  }

  Probe& p;
  PinnedMemory host;
  DeviceMemory device;
  OwnStream stream;
};

/// A word in device memory that streams wait for.
class Gate {
 public:
  explicit Gate(Probe& p) : p_(p), word_(p, 4), opener_(p) {
    if (word_)
      p.works(p.on().runtime.cudaMemsetAsync(word_.at(), 0, 4, opener_), "cudaMemsetAsync");
    if (opener_) opener_.wait();
  }
  ~Gate() { open(); }
  Gate(const Gate&) = delete;

  static bool possible(Probe& p) {
    const bool both = p.on().driver.cuStreamWaitValue32_v2 != nullptr &&
                      p.on().driver.cuStreamWriteValue32_v2 != nullptr;
    if (!both) p.skip("the library has no calls for values");
    return both;
  }

  explicit operator bool() const { return word_ && opener_; }
  bool stop(cuda::Stream stream) const {
    const int result =
        p_.on().driver.cuStreamWaitValue32_v2(stream, address(), 1, cuda::kWaitValueAtLeast);
    return p_.works(result, "cuStreamWaitValue32");
  }
  void open() {
    if (open_) return;
    open_ = true;
    p_.works(
        p_.on().driver.cuStreamWriteValue32_v2(opener_, address(), 1, cuda::kWriteValueDefault),
        "cuStreamWriteValue32");
    opener_.wait();
  }

 private:
  cuda::DevicePointer address() const { return reinterpret_cast<cuda::DevicePointer>(word_.at()); }

  Probe& p_;
  DeviceMemory word_;
  OwnStream opener_;
  bool open_ = false;
};

void a_copy_runs_beside_the_program(Probe& p) {
  const Lane lane(p);
  if (!lane) return;
  for (int n = 0; n < 8 && lane.load(); ++n) {
  }
  p.result(lane.stream.query(), cuda::kNotReady, "cudaStreamQuery right after 8 copies");
  p.on().runtime.cudaGetLastError();
  lane.stream.wait();
  p.works(lane.stream.query(), "cudaStreamQuery after the wait");
}

void polling_sees_the_end(Probe& p) {
  const Lane lane(p);
  if (!lane || !lane.load()) return;
  const Instant give_up = p.on().clock->now() + std::chrono::seconds(20);
  int result = cuda::kNotReady;
  while (result == cuda::kNotReady && p.on().clock->now() < give_up) result = lane.stream.query();
  p.on().runtime.cudaGetLastError();
  p.works(result, "cudaStreamQuery in the end");
}

void a_stream_keeps_its_order(Probe& p) {
  const Lane lane(p);
  if (!lane) return;
  const auto set = [&](int value) {
    p.works(p.on().runtime.cudaMemsetAsync(lane.device.at(), value, kBytes, lane.stream),
            "cudaMemsetAsync");
  };
  set(1);
  lane.unload();
  set(2);
  if (!lane.stream.wait()) return;
  for (const std::uint8_t byte : lane.host.bytes())
    if (!p.expect(byte == 1, fmt::format("a byte of {} between 1 and 2", byte))) return;
}

void a_gate_holds_one_stream_alone(Probe& p) {
  if (!Gate::possible(p)) return;
  Gate gate(p);
  const Lane held(p), free(p);
  if (!gate || !held || !free || !gate.stop(held.stream)) return;
  held.load();
  free.load();
  free.stream.wait();
  p.result(held.stream.query(), cuda::kNotReady, "cudaStreamQuery before the gate");
  p.on().runtime.cudaGetLastError();
  gate.open();
  held.stream.wait();
}

void a_gate_starts_streams_together(Probe& p) {
  if (!Gate::possible(p)) return;
  Gate gate(p);
  const Lane one(p), other(p);
  const OwnEvent one_starts(p), other_starts(p);
  if (!gate || !one || !other || !one_starts || !other_starts) return;
  for (const Lane* lane : {&one, &other}) {
    gate.stop(lane->stream);
    (lane == &one ? one_starts : other_starts).record(lane->stream);
    lane->load();
  }
  gate.open();
  if (!one.stream.wait() || !other.stream.wait()) return;
  float apart_ms = 0;
  p.works(p.on().runtime.cudaEventElapsedTime(&apart_ms, one_starts, other_starts),
          "cudaEventElapsedTime");
  p.expect(apart_ms > -5 && apart_ms < 5, fmt::format("{} ms between the starts", apart_ms));
}

void a_stream_writes_a_value(Probe& p) {
  if (!Gate::possible(p)) return;
  const DeviceMemory word(p, 4);
  const PinnedMemory host(p, 4);
  const OwnStream stream(p);
  if (!word || !host || !stream) return;
  const auto address = reinterpret_cast<cuda::DevicePointer>(word.at());
  p.works(p.on().driver.cuStreamWriteValue32_v2(stream, address, 0x01020304, 0),
          "cuStreamWriteValue32");
  copy(p, host.at(), word.at(), 4, cuda::kCopyDeviceToHost, stream);
  if (stream.wait()) p.expect(*host.at() == 4 && *host.at(3) == 1, "another value stands there");
}

void an_event_orders_two_streams(Probe& p) {
  const Lane writer(p);
  const OwnStream reader(p);
  const OwnEvent written(p, cuda::kEventDisableTiming);
  if (!writer || !reader || !written) return;
  for (std::uint8_t& byte : writer.host.bytes()) byte = 7;
  p.works(p.on().runtime.cudaMemsetAsync(writer.device.at(), 1, kBytes, writer.stream),
          "cudaMemsetAsync");
  writer.load();
  written.record(writer.stream);
  p.works(p.on().runtime.cudaStreamWaitEvent(reader, written, 0), "cudaStreamWaitEvent");
  const PinnedMemory back(p, kBytes);
  copy(p, back.at(), writer.device.at(), kBytes, cuda::kCopyDeviceToHost, reader);
  if (!reader.wait()) return;
  for (const std::uint8_t byte : back.bytes())
    if (!p.expect(byte == 7, fmt::format("{} was read before it was written", byte))) return;
  writer.stream.wait();
}

void both_directions_run_at_once(Probe& p) {
  const Lane to(p), from(p);
  const OwnEvent starts(p), to_ends(p), from_ends(p);
  if (!to || !from || !starts || !to_ends || !from_ends) return;
  to.load();
  from.unload();  // the link is awake then
  if (!to.stream.wait() || !from.stream.wait()) return;
  constexpr int kLaps = 16;
  const auto span_ms = [&](bool together) {
    starts.record(to.stream);
    p.works(p.on().runtime.cudaStreamWaitEvent(from.stream, starts, 0), "cudaStreamWaitEvent");
    for (int n = 0; n < kLaps; ++n) {
      to.load();
      if (together) from.unload();
    }
    to_ends.record(to.stream);
    from_ends.record(from.stream);
    to.stream.wait(), from.stream.wait();
    return std::max(to_ends.ms_since(starts), from_ends.ms_since(starts));
  };
  const float alone_ms = span_ms(false), both_ms = span_ms(true);
  p.expect(both_ms < 1.7F * alone_ms,
           fmt::format("one direction takes {} ms, both {} ms", alone_ms, both_ms));
}

void the_device_waits_for_all_streams(Probe& p) {
  const Lane one(p), other(p);
  if (!one || !other) return;
  one.load(), other.unload();
  p.works(p.on().runtime.cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  p.works(one.stream.query(), "cudaStreamQuery of the first");
  p.works(other.stream.query(), "cudaStreamQuery of the second");
}

void a_destroyed_stream_ends_its_work(Probe& p) {
  const PinnedMemory host(p, kBytes);
  const DeviceMemory device(p, kBytes);
  if (!host || !device) return;
  fill(host.bytes(), 5);
  {
    const OwnStream stream(p);
    if (stream) copy(p, device.at(), host.at(), kBytes, cuda::kCopyHostToDevice, stream);
  }
  p.works(p.on().runtime.cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  const PinnedMemory back(p, kBytes);
  const OwnStream stream(p);
  if (!back || !stream) return;
  copy(p, back.at(), device.at(), kBytes, cuda::kCopyDeviceToHost, stream);
  if (stream.wait())
    p.expect(std::ranges::equal(back.bytes(), host.bytes()), "the copy was not done");
}

void many_streams_are_open_at_once(Probe& p) {
  std::vector<std::unique_ptr<OwnStream>> streams;
  for (int n = 0; n < 32; ++n) streams.push_back(std::make_unique<OwnStream>(p));
}

void deep_queues_are_worked_off(Probe& p) {
  constexpr int kCopies = 1000;
  const PinnedMemory host(p, 64);
  const DeviceMemory device(p, 64);
  const OwnStream stream(p);
  if (!host || !device || !stream) return;
  for (int n = 0; n < kCopies; ++n)
    if (!copy(p, device.at(), host.at(), 64, cuda::kCopyHostToDevice, stream)) return;
  stream.wait();
}

constexpr Item kItems[] = {
    {"a copy runs beside the program", "several lanes of one worker",
     a_copy_runs_beside_the_program},
    {"polling a stream sees its end", "laps with deadlines", polling_sees_the_end},
    {"a stream keeps its order", "checked copies", a_stream_keeps_its_order},
    {"a gate holds its stream and no other", "common start of lanes", a_gate_holds_one_stream_alone,
     false},
    {"a gate starts streams together", "common start of lanes", a_gate_starts_streams_together,
     false},
    {"a stream writes a value into memory", "common start of lanes", a_stream_writes_a_value,
     false},
    {"an event orders two streams", "copies while a burn runs", an_event_orders_two_streams},
    {"both directions of a link run at once", "both-ways rates", both_directions_run_at_once},
    {"the device waits for all its streams", "end of a step", the_device_waits_for_all_streams},
    {"a destroyed stream ends its work", "clean-up", a_destroyed_stream_ends_its_work},
    {"32 streams are open at once", "lanes of one worker", many_streams_are_open_at_once},
    {"1,000 copies wait in one stream", "laps ahead of the program", deep_queues_are_worked_off},
};

}  // namespace

std::span<const Item> stream_items() { return kItems; }

}  // namespace linkburn::conformance
