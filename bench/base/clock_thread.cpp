#include "bench/base/clock_thread.h"

#include <utility>

namespace linkburn {

ClockThread::ClockThread(const Clock& clock, std::function<void()> work)
    : clock_(&clock), number_(clock.announce_thread()) {
  thread_ = std::thread([&clock, number = number_, work = std::move(work)] {
    clock.enter_thread(number);
    work();
    clock.leave_thread();
  });
}

ClockThread::ClockThread(ClockThread&& other) noexcept
    : clock_(other.clock_), number_(other.number_), thread_(std::move(other.thread_)) {}

ClockThread& ClockThread::operator=(ClockThread&& other) noexcept {
  if (joinable()) join();
  clock_ = other.clock_, number_ = other.number_;
  thread_ = std::move(other.thread_);
  return *this;
}

ClockThread::~ClockThread() {
  if (joinable()) join();
}

void ClockThread::join() {
  clock_->await_thread(number_);
  thread_.join();
}

void ClockThread::detach() { thread_.detach(); }

}  // namespace linkburn
