#include "stats/binomial_interval.h"

#include "stats/distributions.h"
#include "tests/support/catch.h"

namespace stats = scalestudy::stats;

TEST_CASE("a share has the interval of Clopper and Pearson", "[stats]") {
  // Solved by bisection of the sums of exact binomial terms.
  struct Known {
    std::size_t count;
    std::size_t n;
    double level;
    double lo;
    double hi;
  };
  for (const Known& known : {Known{3, 10, 0.95, 0.06673951, 0.65245285},
                             Known{0, 10, 0.95, 0.0, 0.30849711},
                             Known{10, 10, 0.95, 0.69150289, 1.0},
                             Known{1, 5, 0.99, 0.00100201, 0.81490273}}) {
    const auto interval = stats::binomial_interval(known.count, known.n, known.level);

    CAPTURE(known.count, known.n);
    CHECK(interval.status == stats::Status::kOk);
    CHECK(*interval.share ==
          Approx(static_cast<double>(known.count) / static_cast<double>(known.n)));
    CHECK(*interval.lo == Approx(known.lo).margin(1e-8));
    CHECK(*interval.hi == Approx(known.hi).margin(1e-8));
  }
}

TEST_CASE("a share of nothing, or of more than all, has no interval", "[stats]") {
  for (const auto& interval : {stats::binomial_interval(0, 0, 0.95),
                               stats::binomial_interval(2, 1, 0.95),
                               stats::binomial_interval(1, 2, 1.0)}) {
    CHECK(interval.status == stats::Status::kInvalidInput);
    CHECK_FALSE(interval.share.has_value());
    CHECK_FALSE(interval.lo.has_value());
    CHECK_FALSE(interval.hi.has_value());
  }
}

TEST_CASE("none or more of any number is certain", "[stats]") {
  CHECK(stats::binomial_upper_tail(5, 0.3, 0) == 1.0);
  CHECK(stats::binomial_upper_tail(2, 0.3, 1) == Approx(1.0 - 0.7 * 0.7));
}
