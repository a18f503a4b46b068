// A device without memory, whose clock moves by a fixed time a mark, or by hand.
#pragma once

#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "workloads/device/device.h"

namespace scalestudy::test {

class FakeDevice : public device::Device {
 public:
  explicit FakeDevice(double mark_s = 1.0) : mark_s_(mark_s) {}

  std::string description() const override { return "fake"; }
  bool is_host_memory() const override { return true; }
  void* allocate(std::size_t /*bytes*/) override { return nullptr; }
  void release(void* /*block*/) noexcept override {}
  void copy_to_device(void* /*to*/, const void* /*from*/, std::size_t /*bytes*/) override {}
  void copy_to_host(void* /*to*/, const void* /*from*/, std::size_t /*bytes*/) override {}
  void copy(void* /*to*/, const void* /*from*/, std::size_t /*bytes*/) override {}
  void clear(void* /*block*/, std::size_t /*bytes*/) override {}
  void wait() override {}
  void reserve_marks(std::size_t count) override { marks_s_.assign(count, -1.0); }
  void mark(device::Mark at) override {
    marks_s_.at(at) = now_s;
    now_s += mark_s_;
  }
  double elapsed_s(device::Mark from, device::Mark to) override {
    REQUIRE(marks_s_.at(from) >= 0.0);
    REQUIRE(marks_s_.at(to) >= 0.0);
    return marks_s_[to] - marks_s_[from];
  }

  // NOLINTNEXTLINE(misc-non-private-member-variables-in-classes): tests move it by hand
  double now_s = 0.0;

 private:
  double mark_s_;
  std::vector<double> marks_s_;
};

}  // namespace scalestudy::test
