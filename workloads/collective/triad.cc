#include "workloads/collective/triad.h"

#include <utility>

#include "workloads/rank/affinity.h"
#include "workloads/rank/clock.h"

namespace scalestudy::collective {
namespace {

constexpr double kScalar = 3.0;  // as STREAM's

}  // namespace

Triad::Triad() : a_(kCount), b_(kCount), c_(kCount, 2.0) {
  constexpr std::size_t period = 7;
  for (std::size_t i = 0; i < kCount; ++i) {
    b_[i] = static_cast<double>(i % period);
  }
}

void Triad::run_part() {
  double* a = a_.data() + next_;
  const double* b = b_.data() + next_;
  const double* c = c_.data() + next_;
  for (std::size_t i = 0; i < kPart; ++i) {
    a[i] = b[i] + kScalar * c[i];
  }
  next_ = (next_ + kPart) % kCount;
}

std::vector<double> measure_triad(Triad& triad, const rank::World& world, std::size_t count) {
  std::vector<double> rates;
  for (std::size_t pass = 0; pass < count; ++pass) {
    world.barrier();
    const double begin_s = rank::now_s();
    for (std::size_t i = 0; i < Triad::kCount / Triad::kPart; ++i) {
      triad.run_part();
    }
    rates.push_back(static_cast<double>(Triad::kBytes) / (rank::now_s() - begin_s));
  }
  return rates;
}

TriadThread::TriadThread(Triad& triad, std::vector<int> cores)
    : thread_([this, &triad, cores = std::move(cores)] {
        rank::run_on(cores);
        while (!is_stopped_.load(std::memory_order_relaxed)) {
          triad.run_part();
          parts_.fetch_add(1, std::memory_order_relaxed);
        }
      }) {}

TriadThread::~TriadThread() {
  is_stopped_ = true;
  thread_.join();
}

double TriadThread::bytes() const {
  return static_cast<double>(parts_.load()) * static_cast<double>(Triad::kPartBytes);
}

}  // namespace scalestudy::collective
