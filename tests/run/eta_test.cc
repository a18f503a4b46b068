#include "harness/run/eta.h"

#include "tests/support/catch.h"

using namespace scalestudy;

TEST_CASE("there is no estimate before a trial has finished", "[run]") {
  const Eta eta;

  CHECK_FALSE(eta.total_s({{1, 5}}).has_value());
  CHECK_FALSE(eta.trial_s(1).has_value());
}

TEST_CASE("cells that differ are estimated each by its own trials", "[run]") {
  Eta eta;
  eta.add_finished(1, 1.0);
  eta.add_finished(1, 3.0);
  eta.add_finished(2, 100.0);

  // 2 x 2 s + 3 x 100 s
  CHECK(eta.total_s({{1, 2}, {2, 3}}) == Approx(304.0));
}

TEST_CASE("a cell that has not run yet is estimated by all trials", "[run]") {
  Eta eta;
  eta.add_finished(1, 1.0);
  eta.add_finished(2, 3.0);

  CHECK(eta.total_s({{3, 4}}) == Approx(8.0));
}
