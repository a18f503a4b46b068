#include "workloads/train/input/read_ahead.h"

#include <utility>

#include "workloads/rank/affinity.h"

namespace scalestudy::train {

ReadAhead::ReadAhead(std::size_t depth, const std::vector<int>& cores, Fill fill, std::size_t first)
    : depth_(depth), fill_(std::move(fill)), wanted_(first), filled_(first) {
  if (depth > 0) {
    thread_ = std::thread([this, cores] {
      rank::run_on(cores);
      run();
    });
  }
}

void ReadAhead::wait_for(std::size_t step) {
  if (depth_ == 0) {
    fill_(step);
    return;
  }
  std::unique_lock lock(mutex_);
  wanted_ = step;
  changed_.notify_all();
  changed_.wait(lock, [&] { return filled_ > step || failure_ != nullptr; });
  if (filled_ <= step) {
    std::rethrow_exception(failure_);
  }
}

void ReadAhead::stop() {
  if (!thread_.joinable()) {
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    is_stopped_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void ReadAhead::run() {
  std::unique_lock lock(mutex_);
  while (failure_ == nullptr) {
    changed_.wait(lock, [&] { return is_stopped_ || filled_ <= wanted_ + depth_; });
    if (is_stopped_) {
      return;
    }
    const std::size_t step = filled_;
    lock.unlock();
    std::exception_ptr failure;
    try {
      fill_(step);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    if (failure == nullptr) {
      filled_ = step + 1;
    }
    failure_ = failure;
    changed_.notify_all();
  }
}

}  // namespace scalestudy::train
