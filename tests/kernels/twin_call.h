// Calls of twins with plain C++ values, as a launch on a device has them.
#pragma once

#include <array>
#include <string_view>

#include "bench/base/result.h"
#include "kernels/twins.h"

namespace linkburn::test {

inline const Twin& twin(std::string_view name) {
  const Twin* found = find_twin(name);
  check(found != nullptr, "no twin of that name");
  return *found;
}

template <class... Arguments>
void run_twin(std::string_view name, LaunchSize size, Effort effort, Arguments... arguments) {
  const std::array<void*, sizeof...(Arguments)> pointers{&arguments...};
  check(twin(name).arguments.size() == pointers.size(), "wrong number of arguments");
  twin(name).run(size, pointers.data(), effort);
}

template <class... Arguments>
double work_of(std::string_view name, LaunchSize size, Arguments... arguments) {
  const std::array<void*, sizeof...(Arguments)> pointers{&arguments...};
  return twin(name).work(size, pointers.data());
}

}  // namespace linkburn::test
