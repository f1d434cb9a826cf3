// How a call into the software NVML runs: initialised first, then the turn, then the device.
//
// A lost GPU answers kGpuLost to everything but its PCI address, which the library knows from its
// start. No call needs a CUDA context.
#pragma once

#include <cstring>

#include "kernels/nvml_functions.h"
#include "kernels/soft/nvml_readings.h"
#include "kernels/soft/session.h"

namespace linkburn::nvml {

// The exports, declared from the list, so that a definition that differs does not compile.
extern "C" {
#define LINKBURN_SOFT_DECLARE(name, result, parameters) result name parameters;
LINKBURN_NVML_FUNCTIONS(LINKBURN_SOFT_DECLARE, LINKBURN_SOFT_DECLARE)
#undef LINKBURN_SOFT_DECLARE
}

}  // namespace linkburn::nvml

namespace linkburn::soft {

/// How often the process has initialised NVML and not shut it down. Touched inside calls only.
int& nvml_users();

nvml::Device nvml_handle(int gpu);
/// Index of State::gpus; kNoGpu for what is no handle.
int gpu_of(nvml::Device device);

bool lost(const drill::State& state, int gpu);

/// A call that names no device: answer(session).
template <class Answer>
nvml::Return ask_library(const char* name, Answer answer) {
  Session* session = Session::current();
  if (session == nullptr) return nvml::kUninitialized;
  const Call call(*session, name, Cost::call);
  return nvml_users() == 0 ? nvml::kUninitialized : answer(*session);
}

/// A call about a device, lost or not: answer(state, gpu).
template <class Answer>
nvml::Return ask_identity(const char* name, nvml::Device device, Answer answer) {
  Session* session = Session::current();
  if (session == nullptr) return nvml::kUninitialized;
  const int gpu = gpu_of(device);
  const Call call(*session, name, Cost::call, gpu);
  if (nvml_users() == 0) return nvml::kUninitialized;
  return gpu == kNoGpu ? nvml::kInvalidArgument : answer(session->state(), gpu);
}

/// A call about a device that answers.
template <class Answer>
nvml::Return ask(const char* name, nvml::Device device, Answer answer) {
  return ask_identity(name, device, [&](const drill::State& state, int gpu) {
    return lost(state, gpu) ? nvml::kGpuLost : answer(state, gpu);
  });
}

/// Hands out a value where there is one.
template <class To, class T>
nvml::Return give(To* to, const Reading<T>& reading) {
  if (to == nullptr) return nvml::kInvalidArgument;
  if (reading.result == nvml::kSuccess) *to = static_cast<To>(reading.value);
  return reading.result;
}

/// The same for a value that is always there.
template <class To, class T>
nvml::Return give_value(To* to, const T& value) {
  return give(to, Reading<T>{nvml::kSuccess, value});
}

/// Hands out a text where it fits. Empty: such a device has none.
inline nvml::Return give_text(char* to, unsigned bytes, const char* text) {
  if (to == nullptr) return nvml::kInvalidArgument;
  if (*text == '\0') return nvml::kNotSupported;
  if (std::strlen(text) >= bytes) return nvml::kInsufficientSize;
  std::strcpy(to, text);
  return nvml::kSuccess;
}

}  // namespace linkburn::soft
