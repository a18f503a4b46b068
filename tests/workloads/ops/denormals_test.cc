// Denormals count as zero in every thread of a workload, and nowhere else.
#include "workloads/rank/denormals.h"

#include <atomic>

#include "tests/support/catch.h"
#include "tests/workloads/fake_device.h"
#include "workloads/comm/comm.h"
#include "workloads/ops/cpu/cpu_threads.h"
#include "workloads/rank/program.h"

using namespace scalestudy;

namespace {

template <typename Real>
Real product(Real a, Real b) {
  volatile Real factor = a;  // multiplied on the thread that calls, not by the compiler
  return factor * b;
}

// On the thread that calls.
bool is_small_product_zero() {
  return product(1e-30F, 1e-10F) == 0.0F && product(1e-200, 1e-110) == 0.0;
}

// An operation marks its begin and end on the thread that performs it.
class ProductDevice final : public test::FakeDevice {
 public:
  void mark(device::Mark at) override {
    zero_count += is_small_product_zero() ? 1 : 0;
    FakeDevice::mark(at);
  }

  // NOLINTNEXTLINE(misc-non-private-member-variables-in-classes): read once the thread is through
  std::atomic<int> zero_count{0};
};

}  // namespace

TEST_CASE("a small product is 0 on main, every OpenMP and the communication thread", "[rank]") {
  constexpr int threads = 4;
  bool is_zero_on_main = false;
  int zero_count = 0;
  bool is_reported = false;
  ProductDevice device;
  device.reserve_marks(2);
  REQUIRE_FALSE(rank::flushes_denormals());

  const int exit_code = rank::run_program(0, nullptr, [&](const rank::World&, protocol::Writer*) {
    is_zero_on_main = is_small_product_zero();
#pragma omp parallel num_threads(threads) reduction(+ : zero_count)
    zero_count += is_small_product_zero() ? 1 : 0;
    is_reported = ops::cpu_threads_flush_denormals(threads);
    float gradient = 1.0F;
    const auto comm = comm::make_mpi_thread_comm(device, 1, {});
    comm->run({comm::Operation::kAllReduce, {&gradient, 1, device::DataType::kFloat32}},
              device::Interval{0, 1});
    return 0;
  });

  CHECK(exit_code == 0);
  CHECK(is_zero_on_main);
  CHECK(zero_count == threads);
  CHECK(is_reported);
  CHECK(device.zero_count == 2);
}
