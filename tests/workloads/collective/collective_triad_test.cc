#include <chrono>
#include <stdexcept>
#include <thread>

#include "tests/support/catch.h"
#include "workloads/collective/triad.h"

using namespace scalestudy;
using collective::HostTriad;

TEST_CASE("a part of the triad computes b + 3 c, and a pass all of it", "[collective]") {
  HostTriad triad;
  CHECK(triad.result(0) == 0.0);

  triad.run_part();

  // b = 0, 1, ... 6, 0 ...; c = 2.
  CHECK(triad.result(0) == 6.0);
  CHECK(triad.result(9) == 8.0);
  CHECK(triad.result(HostTriad::kPart) == 0.0);
  for (std::size_t i = 1; i < HostTriad::kCount / HostTriad::kPart; ++i) {
    triad.run_part();
  }
  // 2^3 = 1 modulo 7, so that 2^22 - 1 = 2 - 1.
  CHECK(triad.result(HostTriad::kCount - 1) == 7.0);
}

TEST_CASE("the bytes of a pass are those that STREAM counts", "[collective]") {
  // Two arrays of 2^22 doubles read and one written.
  CHECK(HostTriad::kBytes == 3 * 8 * 4'194'304);
  CHECK(HostTriad::kPartBytes * (HostTriad::kCount / HostTriad::kPart) == HostTriad::kBytes);
}

TEST_CASE("a thread runs it until it ends", "[collective]") {
  HostTriad triad;
  {
    const collective::TriadThread thread(triad, {});
    while (thread.bytes() < static_cast<double>(HostTriad::kBytes)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  CHECK(triad.result(HostTriad::kCount - 1) == 7.0);
}

namespace {

// A GPU that fails in its third part.
class FailingTriad final : public device::Triad {
 public:
  void run_part() override {
    if (++parts_ == 3) {
      throw std::runtime_error("part 3");
    }
  }
  void finish() override {}
  std::size_t part_bytes() const override { return 1; }
  std::size_t parts_a_pass() const override { return 1; }
  std::size_t memory_bytes() const override { return 1; }
  double result(std::size_t /*i*/) const override { return 0.0; }

 private:
  int parts_ = 0;
};

}  // namespace

TEST_CASE("a triad that fails ends its thread, and says so when that is ended", "[collective]") {
  FailingTriad triad;
  collective::TriadThread thread(triad, {});
  while (thread.bytes() < 2.0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  CHECK_THROWS_WITH(thread.end(), "part 3");
  CHECK(thread.bytes() == 2.0);
}
