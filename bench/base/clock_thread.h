// A thread that uses a clock: std::thread, and a drill knows of it.
#pragma once

#include <functional>
#include <thread>

#include "bench/base/clock.h"

namespace linkburn {

class ClockThread {
 public:
  ClockThread() = default;
  ClockThread(const Clock& clock, std::function<void()> work);
  ClockThread(ClockThread&& other) noexcept;
  ClockThread& operator=(ClockThread&& other) noexcept;  ///< joins what was there
  ~ClockThread();                                        ///< joins

  bool joinable() const { return thread_.joinable(); }
  void join();
  /// The clock has to outlive the thread then.
  void detach();

 private:
  const Clock* clock_ = nullptr;
  int number_ = 0;
  std::thread thread_;
};

}  // namespace linkburn
