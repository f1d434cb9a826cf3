// The thread that reads all sensors at a fixed period while the run goes through its phases.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "bench/base/clock_thread.h"
#include "bench/sensors/sensor.h"

namespace linkburn {

class Sampler {
 public:
  /// Makes all sensors of the table and takes the baseline; sampling starts with start().
  Sampler(const SensorContext& context, Duration period);
  ~Sampler();
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;

  void start();

  /// Ends the current phase and begins another: counters and values are taken at the boundary, by
  /// the caller's thread.
  void enter(Phase phase, const std::string& step);

  /// Takes the last boundary and ends the thread; notes the longest gap between two samples.
  void stop();

 private:
  void loop();
  void boundary_locked();

  const SensorContext context_;
  const Duration period_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::unique_ptr<Sensor>> sensors_;
  Moment moment_;
  bool stopping_ = false;
  Duration longest_gap_{0};
  std::int64_t samples_ = 0;
  ClockThread thread_;
};

}  // namespace linkburn
