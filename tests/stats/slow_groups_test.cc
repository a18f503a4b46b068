#include "stats/slow_groups.h"

#include <cmath>
#include <limits>

#include "tests/support/catch.h"

using namespace scalestudy::stats;

TEST_CASE("a label's values are held against the others by a pooled t", "[stats]") {
  const std::vector<LabelledValue> values = {
      {1.0, {"a"}}, {2.0, {"a"}}, {3.0, {"a", "b"}}, {5.0, {"b"}}, {6.0, {"c"}}};

  const SlowGroups groups = slow_groups(values);

  REQUIRE(groups.status == Status::kOk);
  REQUIRE(groups.labels.size() == 2);  // only one value has c
  // By hand. a: means 2 and 5.5, squares 2 + 0.5 over 3, se = sqrt(5/6 (1/3 + 1/2)) = 0.8333;
  // t = -4.2 of 3 degrees of freedom. b: means 4 and 3, squares 2 + 14 over 3, t = 0.4743.
  CHECK(groups.labels[0].label == "a");
  CHECK(groups.labels[0].difference == Approx(-3.5));
  CHECK(groups.labels[0].n_with == 3);
  CHECK(groups.labels[0].n_without == 2);
  // P(t_3 >= t) = 1/2 - (atan(t/sqrt 3) + (t/sqrt 3)/(1 + t^2/3))/pi, for a and b:
  const auto upper_tail = [](double t) {
    const double x = t / std::sqrt(3.0);
    return 0.5 - (std::atan(x) + x / (1.0 + x * x)) / M_PI;
  };
  CHECK(groups.labels[0].p == Approx(upper_tail(-4.2)).epsilon(1e-9));
  CHECK(groups.labels[1].difference == Approx(1.0));
  CHECK(groups.labels[1].p ==
        Approx(upper_tail(1.0 / std::sqrt(16.0 / 3.0 * (0.5 + 1.0 / 3.0)))).epsilon(1e-9));
  CHECK(groups.labels[1].p_adjusted == Approx(2.0 * groups.labels[1].p));
}

TEST_CASE("what no label can be told from has none", "[stats]") {
  CHECK(slow_groups({}).status == Status::kInsufficientData);
  const std::vector<LabelledValue> all = {{1.0, {"a"}}, {2.0, {"a"}}, {3.0, {"a"}}};
  CHECK(slow_groups(all).status == Status::kInsufficientData);
  const std::vector<LabelledValue> same = {{1.0, {"a"}}, {1.0, {"a"}}, {1.0, {"b"}}, {1.0, {"b"}}};
  CHECK(slow_groups(same).status == Status::kZeroVariance);
  const std::vector<LabelledValue> flat = {{2.0, {"a"}}, {2.0, {"a"}}, {1.0, {"b"}}, {1.0, {"b"}}};
  CHECK(slow_groups(flat).labels.at(0).p == 1.0);
  std::vector<LabelledValue> none = same;
  none[2].value = std::numeric_limits<double>::quiet_NaN();
  CHECK(slow_groups(none).status == Status::kInvalidInput);
  CHECK(slow_groups(none).labels.empty());
}
