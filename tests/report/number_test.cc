// Rounding and scaling of printed numbers.
#include "harness/report/number.h"

#include "tests/support/catch.h"

namespace scalestudy::report {
namespace {

// Expected texts by hand: half-width to two significant digits, value to the same decimal.
TEST_CASE("a value is printed to the decimal of its half-width", "[report]") {
  CHECK(format_half_width({7.6249, 7.4949, 7.7549}, 1.0) == "7.62 ± 0.13");
  CHECK(format_half_width({0.0104, 0.0102, 0.0106}, 1e3) == "10.40 ± 0.20");
  CHECK(format_half_width({33712.0, 32512.0, 34912.0}, 1.0) == "33,700 ± 1200");
}

TEST_CASE("an interval is printed with both ends", "[report]") {
  CHECK(format_interval({1.7512, 1.7012, 1.8012}, 1.0) == "1.751 [1.701, 1.801]");
  CHECK(format_interval({0.8756, 0.80, 0.95}, 100.0) == "87.6 [80.0, 95.0]");
}

TEST_CASE("ends more than a factor of ten apart are rounded each by itself", "[report]") {
  CHECK(format_interval({0.0331, 0.00049, 2213.0}, 1.0) == "0.033 [0.00049, 2200]");
  CHECK(format_interval({3.0, 1.0, 9.9}, 1.0) == "3.0 [1.0, 9.9]");
  CHECK(format_interval({0.5, -0.1, 3.0}, 1.0) == "0.5 [-0.1, 3.0]");
}

TEST_CASE("an end shows on which side of its level it lies", "[report]") {
  CHECK(format_interval({2.1, 1.04, 4.1}, 1.0, 1.0) == "2.1 [1.04, 4.1]");
  CHECK(format_interval({0.9, 0.7999, 1.4}, 100.0, 0.8) == "90 [79.99, 140]");
  CHECK(format_interval({12000.0, 9999.6, 14000.0}, 1.0, 10000.0) == "12,000 [9999.6, 14,000]");
  CHECK(format_bounds({0.7, 0.5, 0.9996}, 1.0, 1.0) == "[0.50, 0.9996]");
}

TEST_CASE("shares far from one are factors in a column of percentages", "[report]") {
  CHECK(format_percent_interval({15.0, 3.0, 75.0}, 1.0) == "15x [3.0, 75]");
  CHECK(format_percent_interval({0.85, 0.8, 0.9}, 1.0) == "85.0 [80.0, 90.0]");
  CHECK(format_percent_interval({15.0, {}, {}}) == "15x");
  CHECK(format_percent_interval({}) == "–");
}

TEST_CASE("a number without an interval has four digits", "[report]") {
  CHECK(format_half_width({0.0123456, {}, {}}, 1.0) == "0.01235");
  CHECK(format_interval({2.0, {}, {}}, 1.0) == "2");
}

TEST_CASE("an absent number is a dash and never zero", "[report]") {
  CHECK(format_half_width({}, 1.0) == "–");
  CHECK(format_interval({}, 1.0) == "–");
  CHECK(format_bounds({1.0, {}, {}}, 1.0).empty());
  CHECK(format_p({}) == "–");
  CHECK(format_exact({}).empty());
}

TEST_CASE("an interval of no width does not round the value away", "[report]") {
  CHECK(format_half_width({0.0421, 0.0421, 0.0421}, 1.0) == "0.04210 ± 0.00000");
}

TEST_CASE("a value that rounds to zero has no minus sign", "[report]") {
  CHECK(format_interval({-0.0004, -0.11, 0.11}, 1.0) == "0.00 [-0.11, 0.11]");
}

TEST_CASE("a part far below its column's unit is bounded, and zero stays zero", "[report]") {
  CHECK(format_part({4e-7, 3e-7, 5e-7}, 1e3) == "< 0.001");
  CHECK(format_part({4e-7, 3e-7, 5e-7}, 1e6) == "0.40 ± 0.10");
  CHECK(format_part({0.0, 0.0, 0.0}, 1e3) == "0 ± 0");
  CHECK(format_part({}, 1e3) == "–");
}

TEST_CASE("commas begin at five digits", "[report]") {
  CHECK(format_decimals(9999.0, 0) == "9999");
  CHECK(format_decimals(12345.6, 1) == "12,345.6");
  CHECK(format_decimals(-1234567.0, 0) == "-1,234,567");
}

TEST_CASE("a column of seconds is printed in the unit of its largest value", "[report]") {
  CHECK(scale_for("s", 12.0).unit == "s");
  CHECK(scale_for("s", 0.5).unit == "ms");
  CHECK(scale_for("s", 0.0005).unit == "µs");
  CHECK(scale_for("s", 0.0005).factor == 1e6);
  CHECK(scale_for("samples/s", 0.5).factor == 1.0);
}

TEST_CASE("numbers of the CSV files read back to the same bits", "[report]") {
  const double value = 0.1 + 0.2;

  CHECK(std::stod(format_exact(value)) == value);
}

}  // namespace
}  // namespace scalestudy::report
