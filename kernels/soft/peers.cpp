// The entry points of peer access between GPUs.
#include "bench/drill/model.h"
#include "kernels/soft/entry.h"
#include "kernels/soft/functions.h"
#include "kernels/soft/process.h"

namespace linkburn::cuda {
namespace {

using soft::Cost, soft::gpu_of, soft::kNoGpu, soft::Needs, soft::runtime_call, soft::Session;

RuntimeError can_reach(Session& session, int device, int peer, int* can) {
  const int from = gpu_of(session, device), to = gpu_of(session, peer);
  if (from == kNoGpu || to == kNoGpu) return kInvalidDevice;
  *can = from != to && drill::peers(session.state(), from, to) ? 1 : 0;
  return kSuccess;
}

bool& access(Session& session, int gpu, int peer) {
  auto& context = session.cuda().contexts[static_cast<std::size_t>(gpu)];
  return context.peers[static_cast<std::size_t>(peer)];
}

}  // namespace

RuntimeError cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return runtime_call("cudaDeviceCanAccessPeer", Needs::device, Cost::call,
                      [&](Session& s, int) { return can_reach(s, device, peer, can); });
}

RuntimeError cudaDeviceGetP2PAttribute(int* value, int attribute, int from, int to) {
  return runtime_call("cudaDeviceGetP2PAttribute", Needs::device, Cost::call, [&](Session& s, int) {
    if (attribute != kPeerAccessSupported || from == to) return kInvalidValue;
    return can_reach(s, from, to, value);
  });
}

RuntimeError cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  return runtime_call("cudaDeviceEnablePeerAccess", Needs::context, Cost::call,
                      [&](Session& s, int gpu) {
                        const int to = gpu_of(s, peer);
                        if (to == kNoGpu || to == gpu) return kInvalidDevice;
                        if (flags != 0) return kInvalidValue;
                        if (!drill::peers(s.state(), gpu, to)) return kPeerAccessUnsupported;
                        if (access(s, gpu, to)) return kPeerAccessAlreadyEnabled;
                        if (const auto error = soft::use_context(s, to, soft::Api::runtime))
                          return error;
                        access(s, gpu, to) = true;
                        return kSuccess;
                      });
}

RuntimeError cudaDeviceDisablePeerAccess(int peer) {
  return runtime_call("cudaDeviceDisablePeerAccess", Needs::context, Cost::call,
                      [&](Session& s, int gpu) {
                        const int to = gpu_of(s, peer);
                        if (to == kNoGpu) return kInvalidDevice;
                        if (!access(s, gpu, to)) return kPeerAccessNotEnabled;
                        access(s, gpu, to) = false;
                        return kSuccess;
                      });
}

}  // namespace linkburn::cuda
