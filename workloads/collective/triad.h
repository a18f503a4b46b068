// STREAM's triad on a rank's memory, by itself and on a thread while operations run.
#pragma once

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

#include "workloads/rank/world.h"

namespace scalestudy::collective {

// a = b + s c over three arrays of doubles, 32 MiB each, together beyond the caches of most cores.
// source: J. D. McCalpin, STREAM (www.cs.virginia.edu/stream), whose bytes these are: two arrays
// read and one written, what a cache reads before it writes not counted.
class Triad {
 public:
  // Also touches all pages.
  Triad();

  // Over the next part of the arrays, of about 10 us, from the begin again behind their end.
  void run_part();

  // a[i] of a part that was run, for the check of what it computes: b[i] + 3 c[i] = i % 7 + 6.
  double result(std::size_t i) const { return a_.at(i); }

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

// Bytes a second of passes over all of it, all ranks at once; the first of `count` is warm-up.
// Every rank calls.
std::vector<double> measure_triad(Triad& triad, const rank::World& world, std::size_t count);

// A thread that runs it again and again, until it ends.
class TriadThread {
 public:
  // cores  that it may run on; none: those of the calling thread.
  TriadThread(Triad& triad, std::vector<int> cores);
  ~TriadThread();
  TriadThread(const TriadThread&) = delete;
  TriadThread& operator=(const TriadThread&) = delete;

  // Moved so far.
  double bytes() const;

 private:
  std::atomic<bool> is_stopped_ = false;
  std::atomic<std::size_t> parts_ = 0;
  std::thread thread_;
};

}  // namespace scalestudy::collective
