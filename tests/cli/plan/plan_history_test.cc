// What earlier trials say of trials to come.
#include "harness/cli/plan/plan_history.h"

#include <cmath>
#include <vector>

#include "stats/summary.h"
#include "tests/support/catch.h"

using namespace scalestudy;

TEST_CASE("earlier trials have the spread of their sessions, and its degrees of freedom", "[cli]") {
  // Each 1/21 from the mean of its session: 4/21^2 over 4 - 2 degrees of freedom.
  Past past;
  past.step_time_s = {1.0, 1.1, 2.0, 2.2};
  past.session = {1, 1, 2, 2};

  CHECK(past.df_in_one_session() == 2.0);
  const std::vector<double> of_session = past.as_in_one_session_s();
  CHECK(*stats::mean(of_session) == Approx(1.575));
  CHECK(*stats::coefficient_of_variation(of_session) == Approx(std::sqrt(2.0) / 21.0));
}

TEST_CASE("trials that hardly share a session have the spread of all", "[cli]") {
  Past past;
  past.step_time_s = {1.0, 3.0, 5.0, 1.0};
  past.session = {1, 2, 3, 3};

  CHECK(past.df_in_one_session() == 3.0);
  CHECK(past.as_in_one_session_s() == past.step_time_s);

  past.session = {1, 1, 1, 1};
  CHECK(past.df_in_one_session() == 3.0);
  CHECK(past.as_in_one_session_s() == past.step_time_s);
}
