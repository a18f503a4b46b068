// Which trials of two cells are paired.
#include "harness/analysis/ratios.h"

#include "tests/analysis/by_hand.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using test::in_session;
using test::make_cell;
using test::observe_cell;

namespace {

CellObservation base() {
  return observe_cell(make_cell(1, 1, 8), {1.0, 1.1, 1.2, 1.3, 1.4, 1.5});
}

CellObservation cell() {
  return observe_cell(make_cell(2, 2, 8), {0.5, 0.6, 0.7, 0.8, 0.9, 1.0});
}

}  // namespace

TEST_CASE("blocks of one number in two sessions make no pair", "[analysis]") {
  const CellObservation first = in_session(base(), 1);
  const CellObservation later = in_session(cell(), 2);

  CHECK(time_ratio(first, later, 1.0, {}).method == "log_ratio_delta");
  CHECK(is_across_sessions(first, later));
}

TEST_CASE("a study resumed after three blocks keeps all its pairs", "[analysis]") {
  const CellObservation first = in_session(in_session(base(), 1), 2, 3);
  const CellObservation second = in_session(in_session(cell(), 1), 2, 3);
  const TimeRatio ratio = time_ratio(first, second, 1.0, {});

  CHECK(ratio.method == "log_ratio_paired");
  CHECK(ratio.interval.n_a == 6);
  CHECK_FALSE(is_across_sessions(first, second));
}

TEST_CASE("a trial that a later session ran again leaves the others their pairs", "[analysis]") {
  const TimeRatio ratio =
      time_ratio(in_session(base(), 1), in_session(in_session(cell(), 1), 2, 5), 1.0, {});

  CHECK(ratio.method == "log_ratio_paired");
  CHECK(ratio.interval.n_a == 5);
}
