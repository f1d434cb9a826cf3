#include "bench/sensors/sampler.h"

#include "bench/sensors/table.h"

namespace linkburn {

Sampler::Sampler(const SensorContext& context, Duration period)
    : context_(context), period_(period) {
  for (const SensorInfo* info : sensors()) sensors_.push_back(info->make(context));
  const std::lock_guard lock(mutex_);
  boundary_locked();
}

Sampler::~Sampler() { stop(); }

void Sampler::start() {
  thread_ = ClockThread(context_.clock, [this] { loop(); });
}

void Sampler::boundary_locked() {
  moment_.now = context_.clock.now();
  for (const auto& sensor : sensors_) sensor->boundary(moment_);
}

void Sampler::enter(Phase phase, const std::string& step) {
  const std::lock_guard lock(mutex_);
  boundary_locked();
  moment_.phase = phase;
  moment_.step = step;
}

void Sampler::loop() {
  std::unique_lock lock(mutex_);
  Instant last = context_.clock.now();
  Instant next = last;
  while (!stopping_) {
    const Instant now = context_.clock.now();
    if (now < next) {
      context_.clock.wait(changed_, lock, next);
      continue;
    }
    longest_gap_ = std::max(longest_gap_, now - last);
    last = now;
    moment_.now = now;
    for (const auto& sensor : sensors_) sensor->sample(moment_);
    ++samples_;
    // A late sample does not shift the raster, and missed ones are not made up for.
    while (next <= now) next += period_;
  }
}

void Sampler::stop() {
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) return;
    stopping_ = true;
    boundary_locked();
    context_.clock.notify_all(changed_);
  }
  if (thread_.joinable()) thread_.join();
  const double gap_ms = std::chrono::duration<double, std::milli>(longest_gap_).count();
  context_.evidence.append(Reading{ComponentId::node(),
                                   "longest_sampling_gap",
                                   "ms",
                                   gap_ms,
                                   std::to_string(samples_) + " samples",
                                   moment_.phase,
                                   {}});
}

}  // namespace linkburn
