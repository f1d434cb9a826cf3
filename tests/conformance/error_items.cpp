// Errors: which calls report them, and for how long.
#include <cstring>

#include "tests/conformance/holders.h"

namespace linkburn::conformance {
namespace {

constexpr std::size_t kBytes = 64 * 1024;

void the_last_error_is_kept_until_read(Probe& p) {
  const auto& runtime = p.on().runtime;
  runtime.cudaGetLastError();
  p.result(runtime.cudaSetDevice(-1), cuda::kInvalidDevice, "cudaSetDevice of -1");
  p.result(runtime.cudaPeekAtLastError(), cuda::kInvalidDevice, "cudaPeekAtLastError");
  int device = 0;
  p.works(runtime.cudaGetDevice(&device), "cudaGetDevice after an error");
  p.result(runtime.cudaGetLastError(), cuda::kInvalidDevice, "cudaGetLastError");
  p.works(runtime.cudaGetLastError(), "a second cudaGetLastError");
}

void errors_have_names(Probe& p) {
  const auto& runtime = p.on().runtime;
  const auto name = [&](int error) { return std::string(runtime.cudaGetErrorName(error)); };
  p.expect(name(cuda::kSuccess) == "cudaSuccess", name(cuda::kSuccess));
  p.expect(name(cuda::kInvalidValue) == "cudaErrorInvalidValue", name(cuda::kInvalidValue));
  p.expect(name(cuda::kNotReady) == "cudaErrorNotReady", name(cuda::kNotReady));
  p.expect(name(cuda::kIllegalAddress) == "cudaErrorIllegalAddress", name(cuda::kIllegalAddress));
  p.expect(std::strlen(runtime.cudaGetErrorString(cuda::kIllegalAddress)) > 0, "no words");
  p.expect(runtime.cudaGetErrorName(123'456) != nullptr, "null for an error that is none");
}

void driver_errors_have_names(Probe& p) {
  const char *name = nullptr, *text = nullptr;
  const auto& driver = p.on().driver;
  p.works(driver.cuGetErrorName(cuda::kDriverNotFound, &name), "cuGetErrorName");
  p.expect(name != nullptr && std::strcmp(name, "CUDA_ERROR_NOT_FOUND") == 0,
           name != nullptr ? name : "null");
  p.works(driver.cuGetErrorString(cuda::kDriverNotFound, &text), "cuGetErrorString");
  p.expect(text != nullptr && *text != '\0', "no words");
  p.result(driver.cuGetErrorName(123'456, &name), cuda::kDriverInvalidValue,
           "cuGetErrorName of none");
}

void null_results_are_refused(Probe& p) {
  const auto& runtime = p.on().runtime;
  p.result(runtime.cudaMalloc(nullptr, kBytes), cuda::kInvalidValue, "cudaMalloc into null");
  p.result(runtime.cudaStreamCreateWithFlags(nullptr, cuda::kStreamNonBlocking),
           cuda::kInvalidValue, "cudaStreamCreateWithFlags into null");
  p.result(runtime.cudaEventCreateWithFlags(nullptr, 0), cuda::kInvalidValue,
           "cudaEventCreateWithFlags into null");
  runtime.cudaGetLastError();
}

void a_bad_copy_is_refused(Probe& p) {
  const PinnedMemory host(p, kBytes);
  const DeviceMemory device(p, kBytes);
  const OwnStream stream(p);
  if (!host || !device || !stream) return;
  const auto& runtime = p.on().runtime;
  constexpr int kNoSuchKind = 77;
  p.expect(runtime.cudaMemcpyAsync(device.at(), host.at(), kBytes, kNoSuchKind, stream) !=
               cuda::kSuccess,
           "a copy in no direction is accepted");
  p.result(runtime.cudaMemcpyAsync(nullptr, host.at(), kBytes, cuda::kCopyHostToDevice, stream),
           cuda::kInvalidValue, "cudaMemcpyAsync to null");
  runtime.cudaGetLastError();
  copy(p, device.at(), host.at(), kBytes, cuda::kCopyHostToDevice, stream);  // no harm done
  stream.wait();
}

void peer_access_is_a_switch(Probe& p) {
  if (!has_peers(p)) return;
  const auto& runtime = p.on().runtime;
  p.result(runtime.cudaDeviceDisablePeerAccess(1), cuda::kPeerAccessNotEnabled,
           "cudaDeviceDisablePeerAccess before it is enabled");
  p.works(runtime.cudaDeviceEnablePeerAccess(1, 0), "cudaDeviceEnablePeerAccess");
  p.result(runtime.cudaDeviceEnablePeerAccess(1, 0), cuda::kPeerAccessAlreadyEnabled,
           "a second cudaDeviceEnablePeerAccess");
  p.works(runtime.cudaDeviceDisablePeerAccess(1), "cudaDeviceDisablePeerAccess");
  runtime.cudaGetLastError();
}

void a_device_is_no_peer_of_itself(Probe& p) {
  int can = -1;
  p.works(p.on().runtime.cudaDeviceCanAccessPeer(&can, 0, 0), "cudaDeviceCanAccessPeer");
  p.expect(can == 0, fmt::format("it is told {}", can));
}

void peer_support_is_told_twice(Probe& p) {
  if (p.on().count < 2) return p.skip("one device");
  int can = -1, supported = -1;
  const auto& runtime = p.on().runtime;
  p.works(runtime.cudaDeviceCanAccessPeer(&can, 0, 1), "cudaDeviceCanAccessPeer");
  p.works(runtime.cudaDeviceGetP2PAttribute(&supported, cuda::kPeerAccessSupported, 0, 1),
          "cudaDeviceGetP2PAttribute");
  p.expect(can == supported, fmt::format("{} and {}", can, supported));
}

constexpr Item kItems[] = {
    {"the last error is kept until it is read", "every message of an error",
     the_last_error_is_kept_until_read},
    {"errors of the runtime have names", "every message of an error", errors_have_names},
    {"errors of the driver have names", "every message of an error", driver_errors_have_names},
    {"results into null are refused", "mistakes of ours", null_results_are_refused},
    {"a bad copy is refused and does no harm", "mistakes of ours", a_bad_copy_is_refused},
    {"peer access is enabled once and disabled once", "peer copies", peer_access_is_a_switch,
     false},
    {"a device is no peer of itself", "peer copies", a_device_is_no_peer_of_itself},
    {"peer support is the same in both calls", "peer copies", peer_support_is_told_twice, false},
};

}  // namespace

std::span<const Item> error_items() { return kItems; }

}  // namespace linkburn::conformance
