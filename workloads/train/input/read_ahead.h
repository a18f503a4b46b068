// Fills the batches of coming steps: on a thread of its own, or each in its step.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace scalestudy::train {

// The batch of step s lies in slot s % (depth + 1), which the caller has.
class ReadAhead {
 public:
  // Fills the slot of a step; called in the order of steps, from the first on.
  using Fill = std::function<void(std::size_t step)>;

  //   depth  batches filled ahead of the step that computes; 0: no thread, wait_for() fills
  //   cores  that the thread may run on; none: those of the calling thread
  //   first  step that is asked for
  ReadAhead(std::size_t depth, const std::vector<int>& cores, Fill fill, std::size_t first = 0);
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;
  ~ReadAhead() { stop(); }

  // Returns once the batch of `step` is there; steps are asked for in order. From here on slots of
  // the steps before it may be filled anew. Throws what filling threw, in every call. The thread
  // that waits sleeps, and leaves its core to the one that fills.
  void wait_for(std::size_t step);

  // Waits for the batch that is being filled, and fills no more. wait_for() must not follow it.
  void stop();

 private:
  void run();

  std::size_t depth_;
  Fill fill_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t wanted_;  // the step that was asked for last
  std::size_t filled_;  // the first step whose batch is not filled
  bool is_stopped_ = false;
  std::exception_ptr failure_;  // of filling step filled_
  std::thread thread_;
};

}  // namespace scalestudy::train
