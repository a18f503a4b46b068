#include "harness/host/calibration.h"

#include <algorithm>
#include <array>

#include <fcntl.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/clock.h"

namespace scalestudy {
namespace {

constexpr std::size_t kSize = 96;    // three matrices of doubles: 216 KiB, in the cache of a core
constexpr std::size_t kRepeats = 9;  // odd, for the median
constexpr int kProducts = 12;        // in each: about 5 ms

using Matrix = std::array<std::array<double, kSize>, kSize>;  // row-major

// In static memory: a child of a fork must not ask for any.
struct Work {
  Matrix a;
  Matrix b;
  Matrix c;
  std::array<double, kRepeats> times_s;
};

void multiply(Work& work) {
  for (std::size_t row = 0; row < kSize; ++row) {
    for (std::size_t inner = 0; inner < kSize; ++inner) {
      const double factor = work.a[row][inner];
      for (std::size_t column = 0; column < kSize; ++column) {
        work.c[row][column] += factor * work.b[inner][column];
      }
    }
  }
}

// Median over the repeats, of which the first brings the core up to its clock.
double time_here(Work& work) {
  const SystemClock clock;
  for (std::size_t row = 0; row < kSize; ++row) {
    for (std::size_t column = 0; column < kSize; ++column) {
      work.a[row][column] = 1.0 / static_cast<double>(1 + row + column);
      work.b[row][column] = 1.0 / static_cast<double>(1 + row + kSize - column);
      work.c[row][column] = 0.0;
    }
  }
  for (double& time_s : work.times_s) {
    const double started_s = clock.monotonic_s();
    for (int product = 0; product < kProducts; ++product) {
      multiply(work);
    }
    time_s = clock.monotonic_s() - started_s;
  }
  std::nth_element(work.times_s.begin(), work.times_s.begin() + kRepeats / 2, work.times_s.end());
  // A sum that is never negative: the product is used, and not optimised away.
  return work.c[kSize / 2][kSize / 2] < 0.0 ? 0.0 : kRepeats * work.times_s[kRepeats / 2];
}

[[noreturn]] void run_child(int cpu, int report) {
  static Work work;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(cpu), &set);
  sched_setaffinity(0, sizeof(set), &set);  // where it may not, it is timed where it is
  const double time_s = time_here(work);
  _exit(write(report, &time_s, sizeof(time_s)) == sizeof(time_s) ? 0 : 1);
}

}  // namespace

std::optional<double> time_product(const std::vector<int>& cpus) {
  std::array<int, 2> ends{};
  if (cpus.empty() || pipe2(ends.data(), O_CLOEXEC) != 0) {
    return std::nullopt;
  }
  std::vector<pid_t> children;
  for (const int cpu : cpus) {
    const pid_t child = fork();
    if (child == 0) {
      run_child(cpu, ends[1]);
    }
    if (child > 0) {
      children.push_back(child);
    }
  }
  close(ends[1]);
  std::size_t told = 0;
  double slowest_s = 0.0;
  for (double time_s = 0.0; read(ends[0], &time_s, sizeof(time_s)) == sizeof(time_s); ++told) {
    slowest_s = std::max(slowest_s, time_s);
  }
  close(ends[0]);
  for (const pid_t child : children) {
    waitpid(child, nullptr, 0);
  }
  return told == cpus.size() && slowest_s > 0.0 ? std::optional(slowest_s) : std::nullopt;
}

}  // namespace scalestudy
