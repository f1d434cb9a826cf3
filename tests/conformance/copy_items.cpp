// Copies: exact, in all directions, whatever was copied before.
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <vector>

#include "tests/conformance/holders.h"

namespace linkburn::conformance {
namespace {

constexpr std::size_t kMiB = 1 << 20, kRoom = 300'000;

struct Piece {
  std::size_t from, to, bytes;
};
// Odd sizes and offsets, around pages and words; the last is more than a driver stages at once.
constexpr Piece kPieces[] = {{0, 0, 1},       {1, 3, 1},         {5, 2, 7},
                             {3, 8, 4095},    {4095, 1, 4097},   {1, 4096, 65'537},
                             {7, 9, 131'071}, {13, 11, 262'147}, {0, 1, kRoom - 1}};

bool same(std::span<const std::uint8_t> one, std::span<const std::uint8_t> other) {
  return std::ranges::equal(one, other);
}

/// Host to device and back; `out` and `back` are host memory of kRoom bytes.
void goes_and_comes_back(Probe& p, std::span<std::uint8_t> out, std::span<std::uint8_t> back) {
  const DeviceMemory device(p, kRoom);
  const OwnStream stream(p);
  if (!device || !stream) return;
  unsigned seed = 0;
  for (const auto& [from, to, bytes] : kPieces) {
    fill(out, ++seed);
    std::ranges::fill(back, std::uint8_t{0});
    copy(p, device.at(to), &out[from], bytes, cuda::kCopyHostToDevice, stream);
    copy(p, &back[from], device.at(to), bytes, cuda::kCopyDeviceToHost, stream);
    if (!stream.wait()) return;
    p.expect(same(out.subspan(from, bytes), back.subspan(from, bytes)),
             fmt::format("{} bytes from {} to {} come back changed", bytes, from, to));
    const auto zero = [](std::uint8_t byte) { return byte == 0; };
    p.expect(std::ranges::all_of(back.first(from), zero) &&
                 std::ranges::all_of(back.subspan(from + bytes), zero),
             fmt::format("{} bytes from {} to {} write beside them", bytes, from, to));
  }
}

void pinned_copies_are_exact(Probe& p) {
  const PinnedMemory out(p, kRoom), back(p, kRoom);
  if (out && back) goes_and_comes_back(p, out.bytes(), back.bytes());
}

void registered_copies_are_exact(Probe& p) {
  constexpr std::size_t kPage = 4096, kBytes = (2 * kRoom + kPage - 1) / kPage * kPage;
  const std::unique_ptr<void, void (*)(void*)> memory(std::aligned_alloc(kPage, kBytes), std::free);
  const auto& runtime = p.on().runtime;
  if (!p.works(runtime.cudaHostRegister(memory.get(), kBytes, cuda::kHostRegisterPortable),
               "cudaHostRegister"))
    return;
  const std::span<std::uint8_t> bytes{static_cast<std::uint8_t*>(memory.get()), 2 * kRoom};
  goes_and_comes_back(p, bytes.first(kRoom), bytes.last(kRoom));
  p.works(runtime.cudaHostUnregister(memory.get()), "cudaHostUnregister");
}

/// What lies in device memory, through pinned memory.
bool holds(Probe& p, const std::byte* device, std::span<const std::uint8_t> wanted) {
  const PinnedMemory back(p, wanted.size());
  const OwnStream stream(p);
  if (!back || !stream) return false;
  copy(p, back.at(), device, wanted.size(), cuda::kCopyDeviceToHost, stream);
  return stream.wait() && same(back.bytes(), wanted);
}

void copies_on_a_device_are_exact(Probe& p) {
  const DeviceMemory one(p, kRoom), other(p, kRoom);
  const PinnedMemory out(p, kRoom);
  const OwnStream stream(p);
  if (!one || !other || !out || !stream) return;
  unsigned seed = 100;
  for (const auto& [from, to, bytes] : kPieces) {
    fill(out.bytes(), ++seed);
    copy(p, one.at(), out.at(), kRoom, cuda::kCopyHostToDevice, stream);
    copy(p, other.at(to), one.at(from), bytes, cuda::kCopyDeviceToDevice, stream);
    if (!stream.wait()) return;
    p.expect(holds(p, other.at(to), out.bytes().subspan(from, bytes)),
             fmt::format("{} bytes from {} to {} arrive changed", bytes, from, to));
  }
}

/// From device 0 to device 1, with or without peer access.
void copy_to_peer(Probe& p) {
  const PinnedMemory out(p, kRoom);
  const DeviceMemory from(p, kRoom);
  const OwnStream stream(p);
  const CurrentDevice on(p, 1);
  const DeviceMemory to(p, kRoom);
  if (!out || !from || !to || !stream) return;
  fill(out.bytes(), 7);
  copy(p, from.at(), out.at(), kRoom, cuda::kCopyHostToDevice, stream);
  p.works(p.on().runtime.cudaMemcpyPeerAsync(to.at(1), 1, from.at(3), 0, 262'147, stream),
          "cudaMemcpyPeerAsync");
  if (stream.wait())
    p.expect(holds(p, to.at(1), out.bytes().subspan(3, 262'147)), "the bytes arrive changed");
}

void peer_copies_are_exact(Probe& p) {
  if (p.on().count < 2) return p.skip("one device");
  copy_to_peer(p);
}

void direct_peer_copies_are_exact(Probe& p) {
  if (!has_peers(p)) return;
  const auto& runtime = p.on().runtime;
  p.works(runtime.cudaDeviceEnablePeerAccess(1, 0), "cudaDeviceEnablePeerAccess");
  copy_to_peer(p);
  runtime.cudaSetDevice(0);
  p.works(runtime.cudaDeviceDisablePeerAccess(1), "cudaDeviceDisablePeerAccess");
}

void the_direction_can_be_left_open(Probe& p) {
  const PinnedMemory out(p, kRoom), back(p, kRoom);
  const DeviceMemory device(p, kRoom);
  const OwnStream stream(p);
  if (!out || !back || !device || !stream) return;
  fill(out.bytes(), 8);
  copy(p, device.at(), out.at(), kRoom, cuda::kCopyDefault, stream);
  copy(p, back.at(), device.at(), kRoom, cuda::kCopyDefault, stream);
  p.expect(stream.wait() && same(out.bytes(), back.bytes()), "the bytes come back changed");
}

void a_copy_of_nothing_is_done(Probe& p) {
  const PinnedMemory host(p, 16);
  const DeviceMemory device(p, 16);
  const OwnStream stream(p);
  if (!host || !device || !stream) return;
  copy(p, device.at(), host.at(), 0, cuda::kCopyHostToDevice, stream);
  stream.wait();
}

/// The same copy again and again, and the host's bytes change between.
void repeats_see_what_the_host_wrote(Probe& p) {
  for (const std::size_t bytes : {std::size_t{64}, std::size_t{70'000}, kMiB}) {
    const PinnedMemory out(p, bytes);
    const DeviceMemory device(p, bytes);
    const OwnStream stream(p);
    if (!out || !device || !stream) return;
    fill(out.bytes(), 1);
    for (std::uint8_t lap = 0; lap < 4; ++lap) {
      *out.at(bytes / 2) = lap;
      copy(p, device.at(), out.at(), bytes, cuda::kCopyHostToDevice, stream);
      if (!stream.wait()) return;
      p.expect(holds(p, device.at(), out.bytes()), fmt::format("lap {} of {} bytes", lap, bytes));
    }
  }
}

/// The same copy again, and what it wrote was written over between.
void repeats_write_again(Probe& p) {
  const PinnedMemory out(p, kMiB), back(p, kMiB);
  const DeviceMemory device(p, kMiB);
  const OwnStream stream(p);
  if (!out || !back || !device || !stream) return;
  fill(out.bytes(), 2);
  for (int lap = 0; lap < 3; ++lap) {
    copy(p, device.at(), out.at(), kMiB, cuda::kCopyHostToDevice, stream);
    copy(p, back.at(), device.at(), kMiB, cuda::kCopyDeviceToHost, stream);
    if (!stream.wait()) return;
    p.expect(same(out.bytes(), back.bytes()), fmt::format("lap {} comes back changed", lap));
    std::ranges::fill(back.bytes(), std::uint8_t{0});
    p.works(p.on().runtime.cudaMemsetAsync(device.at(lap), 0x55, 1, stream), "cudaMemsetAsync");
  }
}

constexpr Item kItems[] = {
    {"copies to and from pinned memory are exact for odd sizes and offsets", "checked copies",
     pinned_copies_are_exact},
    {"copies to and from registered memory are exact for odd sizes and offsets", "checked copies",
     registered_copies_are_exact},
    {"copies on a device are exact for odd sizes and offsets", "burn",
     copies_on_a_device_are_exact},
    {"copies between devices are exact without peer access", "peer copies", peer_copies_are_exact,
     false},
    {"copies between devices are exact with peer access", "peer copies",
     direct_peer_copies_are_exact, false},
    {"the direction of a copy can be left open", "one copy call", the_direction_can_be_left_open},
    {"a copy of no bytes is done", "sweeps over sizes", a_copy_of_nothing_is_done},
    {"a repeated copy sees what the host wrote meanwhile", "checked copies",
     repeats_see_what_the_host_wrote},
    {"a repeated copy writes again what was written over", "checked copies", repeats_write_again},
};

}  // namespace

std::span<const Item> copy_items() { return kItems; }

}  // namespace linkburn::conformance
