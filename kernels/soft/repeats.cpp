#include "kernels/soft/repeats.h"

#include <algorithm>

namespace linkburn::soft {

bool Repeats::known(const Part& to, const Part& from) const {
  return std::any_of(same_.begin(), same_.end(),
                     [&](const Same& same) { return same.to == to && same.from == from; });
}

void Repeats::add(const Part& to, const Part& from) {
  if (to.meets(from)) return;
  if (same_.size() == kMost) same_.erase(same_.begin());
  same_.push_back({to, from});
}

void Repeats::written(const Part& part) {
  std::erase_if(same_, [&](const Same& s) { return s.to.meets(part) || s.from.meets(part); });
}

void Repeats::written(int allocation) {
  std::erase_if(same_, [&](const Same& s) {
    return s.to.allocation == allocation || s.from.allocation == allocation;
  });
}

bool Repeats::concerns(int allocation) const {
  return std::any_of(same_.begin(), same_.end(), [&](const Same& s) {
    return s.to.allocation == allocation || s.from.allocation == allocation;
  });
}

}  // namespace linkburn::soft
