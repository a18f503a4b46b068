// Trials by a stepped clock (stepped_clock.cc): steps take what was declared of them, exactly.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/catch.h"
#include "tests/workloads/trial.h"

namespace scalestudy::test {

// A time in ms that was declared. Every sleep of a step is cut to whole nanoseconds.
inline Approx exactly(double ms) {
  return Approx(ms).epsilon(0.0).margin(1e-4);
}

// The environment of ranks with a stepped clock.
inline std::vector<std::string> by_stepped_clock(std::vector<std::string> more = {}) {
  more.emplace_back("LD_PRELOAD=" SCALESTUDY_STEPPED_CLOCK);
  return more;
}

// Two warm-up steps and three that were measured, which take the same time.
class SteppedSteps {
 public:
  explicit SteppedSteps(const protocol::Record& record)
      : start_(events_of<protocol::Start>(record).at(0)),
        samples_(events_of<protocol::Samples>(record)) {}
  // Runs it; `parameters` without their braces.
  SteppedSteps(int ranks, const std::string& parameters, std::vector<std::string> more = {})
      : SteppedSteps(run_sound(ranks,
                               R"("warmup_steps": 2, "measured_steps": 3, )" + parameters,
                               by_stepped_clock(std::move(more)))
                         .record) {}

  const protocol::Start& start() const { return start_; }
  const std::vector<protocol::Samples>& samples() const { return samples_; }

  // A metric of each measured step, over the ranks or of one.
  double value(const std::string& metric, std::optional<int> rank = std::nullopt) const {
    const std::vector<double>& values = values_of(samples_, metric, rank);
    CAPTURE(metric, values);
    REQUIRE(values.size() == 5);
    CHECK(std::abs(values[2] - values[4]) < 1e-7);
    CHECK(std::abs(values[3] - values[4]) < 1e-7);
    return values[4];
  }
  double ms(const std::string& metric, std::optional<int> rank = std::nullopt) const {
    return 1e3 * value(metric, rank);
  }

 private:
  protocol::Start start_;
  std::vector<protocol::Samples> samples_;
};

}  // namespace scalestudy::test
