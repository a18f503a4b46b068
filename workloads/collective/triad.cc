#include "workloads/collective/triad.h"

#include <utility>

#include "workloads/rank/affinity.h"
#include "workloads/rank/clock.h"

namespace scalestudy::collective {
namespace {

constexpr double kScalar = 3.0;  // as STREAM's

}  // namespace

HostTriad::HostTriad() : a_(kCount), b_(kCount), c_(kCount, 2.0) {
  constexpr std::size_t period = 7;
  for (std::size_t i = 0; i < kCount; ++i) {
    b_[i] = static_cast<double>(i % period);
  }
}

void HostTriad::run_part() {
  double* a = a_.data() + next_;
  const double* b = b_.data() + next_;
  const double* c = c_.data() + next_;
  for (std::size_t i = 0; i < kPart; ++i) {
    a[i] = b[i] + kScalar * c[i];
  }
  next_ = (next_ + kPart) % kCount;
}

std::vector<double> measure_triad(device::Triad& triad,
                                  const rank::World& world,
                                  std::size_t count) {
  const std::size_t parts = triad.parts_a_pass();
  std::vector<double> rates;
  for (std::size_t pass = 0; pass < count; ++pass) {
    world.barrier();
    const double begin_s = rank::now_s();
    for (std::size_t i = 0; i < parts; ++i) {
      triad.run_part();
    }
    triad.finish();
    rates.push_back(static_cast<double>(parts * triad.part_bytes()) / (rank::now_s() - begin_s));
  }
  return rates;
}

TriadThread::TriadThread(device::Triad& triad, std::vector<int> cores)
    : triad_(triad), thread_([this, cores = std::move(cores)] {
        rank::run_on(cores);
        try {
          while (!is_stopped_.load(std::memory_order_relaxed)) {
            triad_.run_part();
            parts_.fetch_add(1, std::memory_order_relaxed);
          }
          triad_.finish();
        } catch (...) {
          error_ = std::current_exception();
        }
      }) {}

TriadThread::~TriadThread() {
  join();
}

void TriadThread::join() {
  is_stopped_ = true;
  if (thread_.joinable()) {
    thread_.join();
  }
}

void TriadThread::end() {
  join();
  if (error_) {
    std::rethrow_exception(error_);
  }
}

double TriadThread::bytes() const {
  return static_cast<double>(parts_.load()) * static_cast<double>(triad_.part_bytes());
}

}  // namespace scalestudy::collective
