// STREAM's triad on the memory of a rank's buffers, alone and while operations run.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

#include "workloads/device/triad.h"
#include "workloads/rank/world.h"

namespace scalestudy::collective {

// The triad on three arrays of 32 MiB in the host's memory, together larger than the caches of most
// cores; a part takes about 10 us.
class HostTriad final : public device::Triad {
 public:
  // Also touches all pages.
  HostTriad();

  void run_part() override;
  void finish() override {}
  std::size_t part_bytes() const override { return kPartBytes; }
  std::size_t parts_a_pass() const override { return kCount / kPart; }
  std::size_t memory_bytes() const override { return kBytes; }
  double result(std::size_t i) const override { return a_.at(i); }

  static constexpr std::size_t kCount = std::size_t{1} << 22U;  // of each array
  static constexpr std::size_t kPart = std::size_t{1} << 13U;   // divides it
  static constexpr std::size_t kPartBytes = 3 * kPart * sizeof(double);
  static constexpr std::size_t kBytes = 3 * kCount * sizeof(double);

 private:
  std::vector<double> a_;
  std::vector<double> b_;
  std::vector<double> c_;
  std::size_t next_ = 0;
};

// Bytes/s of each of `count` passes, all ranks at once; the first is warm-up. Every rank calls.
std::vector<double> measure_triad(device::Triad& triad,
                                  const rank::World& world,
                                  std::size_t count);

// A thread that runs a triad again and again until end().
class TriadThread {
 public:
  // cores  that the thread may run on; empty: those of the calling thread.
  TriadThread(device::Triad& triad, std::vector<int> cores);
  ~TriadThread();  // as end(), but throws nothing
  TriadThread(const TriadThread&) = delete;
  TriadThread& operator=(const TriadThread&) = delete;

  // Bytes moved so far; on a GPU one part may be missing.
  double bytes() const;
  // Ends the thread. Throws the error that ended it before, if there was one.
  void end();

 private:
  void join();

  device::Triad& triad_;
  std::atomic<bool> is_stopped_ = false;
  std::atomic<std::size_t> parts_ = 0;
  std::exception_ptr error_;  // read when the thread has ended
  std::thread thread_;
};

}  // namespace scalestudy::collective
