// Rounding and scaling of printed numbers.
#include "harness/text/measure.h"

#include "tests/support/catch.h"

using namespace scalestudy;

namespace {

// Expected texts by hand: half-width to two significant digits, value to the same decimal.
TEST_CASE("a value is printed to the decimal of its half-width", "[base]") {
  CHECK(format_half_width({7.6249, 7.4949, 7.7549}, 1.0) == "7.62 ± 0.13");
  CHECK(format_half_width({0.0104, 0.0102, 0.0106}, 1e3) == "10.40 ± 0.20");
  CHECK(format_half_width({33712.0, 32512.0, 34912.0}, 1.0) == "33,700 ± 1200");
  // A plus or minus would reach below 0.
  CHECK(format_half_width({0.010, 0.003, 0.033}, 1e3) == "10 [3.0, 33]");
}

// Of t intervals on a logarithmic scale: the middle of [351.5, 511.2] is 431.35, 7 from the value.
TEST_CASE("a half-width is printed only where it gives both ends", "[base]") {
  CHECK(format_half_width({423.9, 351.5, 511.2}, 1.0) == "424 [352, 511]");
  CHECK(format_half_width({1.4912, 1.298, 1.713}, 1.0) == "1.49 [1.30, 1.71]");
  // A middle of 10.004 rounds to the value, and 15.641 is less than a tenth of 0.0155 off.
  CHECK(format_half_width({10.0, 9.014, 10.994}, 1.0) == "10.00 ± 0.99");
  CHECK(format_half_width({15.64, 15.6255, 15.6565}, 1.0) == "15.64 ± 0.02");
  CHECK(format_half_width({15.64, 15.6295, 15.6565}, 1.0) == "15.64 [15.63, 15.66]");
}

TEST_CASE("a unit is printed once, behind the value or its half-width", "[base]") {
  CHECK(format_half_width({7.6249, 7.4949, 7.7549}, 1.0, "ms") == "7.62 ± 0.13 ms");
  CHECK(format_half_width({0.4239, 0.3515, 0.5112}, 1e3, "ms") == "424 ms [352, 511]");
  CHECK(format_half_width({0.0123, {}, {}}, 1.0, "s") == "0.0123 s");
  CHECK(format_half_width({}, 1.0, "s") == "–");
}

// A page of "15.644 ± 0.090" is harder to read than it is exact.
TEST_CASE("a value has at most four digits, and its half-width at least one", "[base]") {
  CHECK(format_half_width({15.6441, 15.5541, 15.7341}, 1.0) == "15.64 ± 0.09");
  CHECK(format_interval({88.956, 88.872, 89.04}) == "88.96 [88.87, 89.04]");
  CHECK(format_half_width({88.956, 88.9551, 88.9569}, 1.0) == "88.9560 ± 0.0009");
  CHECK(format_interval({1.0004, 1.00031, 1.00049}, {.levels = {1.0}}) ==
        "1.00040 [1.00031, 1.00049]");
}

TEST_CASE("an interval is printed with both ends", "[base]") {
  CHECK(format_interval({1.7512, 1.7012, 1.8012}) == "1.751 [1.701, 1.801]");
  CHECK(format_interval({0.8756, 0.80, 0.95}, {.factor = 100.0}) == "87.6 [80.0, 95.0]");
}

TEST_CASE("ends more than a factor of ten apart are rounded each by itself", "[base]") {
  CHECK(format_interval({0.0331, 0.00049, 2213.0}) == "0.033 [0.00049, 2200]");
  CHECK(format_interval({3.0, 1.0, 9.9}) == "3.0 [1.0, 9.9]");
  CHECK(format_interval({0.5, -0.1, 3.0}) == "0.5 [-0.1, 3.0]");
}

TEST_CASE("an end shows on which side of its level it lies", "[base]") {
  CHECK(format_interval({2.1, 1.04, 4.1}, {.levels = {1.0}}) == "2.1 [1.04, 4.1]");
  CHECK(format_interval({0.9, 0.7999, 1.4}, {.factor = 100.0, .levels = {0.8}}) ==
        "90 [79.99, 140]");
  CHECK(format_interval({12000.0, 9999.6, 14000.0}, {.levels = {10000.0}}) ==
        "12,000 [9999.6, 14,000]");
  CHECK(format_bounds({0.7, 0.5, 0.9996}, {.levels = {1.0}}) == "[0.50, 0.9996]");
}

TEST_CASE("shares far from one are percentages like those beside them", "[base]") {
  CHECK(format_share({15.0, 3.0, 75.0}, "", {1.0}) == "1500 [300, 7500]");
  CHECK(format_share({0.0, -7.1, 0.9}, "", {0.0}) == "0 [-710, 90]");
  CHECK(format_share({0.85, 0.8, 0.9}, "", {1.0}) == "85.0 [80.0, 90.0]");
  CHECK(format_share({15.0, {}, {}}, "") == "1500");
  CHECK(format_share({}, "") == "–");
}

TEST_CASE("the unit follows the value", "[base]") {
  CHECK(format_interval({1.6239, 1.5513, 1.6951}, {.unit = "x"}) == "1.624x [1.551, 1.695]");
  CHECK(format_interval({17234.0, 16800.0, 17700.0}, {.unit = " samples/s"}) ==
        "17,230 samples/s [16,800, 17,700]");
  CHECK(format_interval({0.00123456, 0.00122, 0.00125}, {.unit = " s"}) ==
        "0.001235 s [0.001220, 0.001250]");
  CHECK(format_interval({1.6239, {}, {}}, {.unit = "x"}) == "1.624x");
}

TEST_CASE("a value alone has the digits that its interval leaves it", "[base]") {
  CHECK(format_value({7624.3, 7390.0, 7850.0}) == "7620");
  CHECK(format_value({0.0084, 0.0081, 0.0087}, 1e3) == "8.40");
  CHECK(format_value({7624.3, {}, {}}) == "7624");
  CHECK(format_value({}).empty());
}

TEST_CASE("an interval of no width is not printed", "[base]") {
  CHECK(format_interval({53377536.0, 53377536.0, 53377536.0}, {.unit = " B"}) == "53,380,000 B");
  CHECK(format_interval({2.0, 2.0, 3.0}) == "2.00 [2.00, 3.00]");
}

TEST_CASE("each of several levels is on its side of the ends", "[base]") {
  const Measure wide = {2.1, 1.04, 4.1};
  CHECK(format_interval(wide) == "2.1 [1.0, 4.1]");
  CHECK(format_interval({1.1, 1.0204, 1.18}, {.levels = {1.0, 1.02}}) == "1.100 [1.0204, 1.180]");
  CHECK(format_interval({1.2, 1.0, 1.4}, {.levels = {1.0}}) == "1.20 [1.00, 1.40]");
  CHECK(format_interval({1.2, 1.05, 3.4}, {.levels = {1.05}}) == "1.2 [1.05, 3.4]");
  CHECK(format_interval({3.0, 1.0 + 1e-15, 5.0}, {.levels = {1.0}}) == "3.0 [1.0, 5.0]");
}

TEST_CASE("changes far from one are said as factors, shares are not", "[base]") {
  CHECK(format_share({0.123, 0.09, 0.156}, " %") == "12.3 % [9.0, 15.6]");
  CHECK(format_share({0.9, 0.7999, 1.4}, " %", {0.8}) == "90 % [79.99, 140]");
  CHECK(format_share({15.0, 3.0, 75.0}, " %") == "1500 % [300, 7500]");
  CHECK(format_share({-0.5, -0.95, -0.05}, " %") == "-50 % [-95, -5]");
  CHECK(format_share({9.0, 8.0, 10.0}, " %") == "900 % [800, 1000]");
  CHECK(format_change_range(0.067, 104.0) == "from 0.067x to 100x");
  CHECK(format_change_range(0.998, 1.032) == "from -0.2 % to +3.2 %");
  CHECK(format_change_range(1.0004, 1.05) == "from +0.040 % to +5.0 %");
  CHECK(format_change(1.0937) == "+9.37 %");
  CHECK(format_change(0.88) == "-12.0 %");
  CHECK(format_change(12.5) == "12.5x");
}

TEST_CASE("a number without an interval has four digits", "[base]") {
  CHECK(format_half_width({0.0123456, {}, {}}, 1.0) == "0.01235");
  CHECK(format_interval({2.0, {}, {}}) == "2");
}

TEST_CASE("an absent number is a dash and never zero", "[base]") {
  CHECK(format_half_width({}, 1.0) == "–");
  CHECK(format_interval({}) == "–");
  CHECK(format_bounds({1.0, {}, {}}).empty());
}

TEST_CASE("a half-width of zero is not printed", "[base]") {
  CHECK(format_half_width({0.0421, 0.0421, 0.0421}, 1.0) == "0.0421");
  CHECK(format_half_width({0.12, 0.12, 0.12}, 1e3) == "120");
}

TEST_CASE("a value that rounds to zero has no minus sign", "[base]") {
  CHECK(format_interval({-0.0004, -0.11, 0.11}) == "0.00 [-0.11, 0.11]");
}

TEST_CASE("a part far below its column's unit is bounded, and zero stays zero", "[base]") {
  CHECK(format_part({4e-7, 3e-7, 5e-7}, 1e3) == "< 0.001");
  CHECK(format_part({4e-7, 3e-7, 5e-7}, 1e6) == "0.40 ± 0.10");
  CHECK(format_part({0.0, 0.0, 0.0}, 1e3) == "0");
  CHECK(format_part({}, 1e3) == "–");
}

TEST_CASE("sizes are powers of 1024, and a declared one is also told as declared", "[base]") {
  CHECK(format_amount({1536.0, {}, {}}, "bytes") == "1.5 KiB");
  CHECK(format_amount({1048576.0, {}, {}}, "bytes", {}, 1e9) == "1 MiB");
  CHECK(format_amount({1.5e9, 1.4e9, 1.6e9}, "bytes") == "1.397 GiB [1.304, 1.490]");
  CHECK(format_size(40e9) == "37.25 GiB");
  CHECK(format_size(108.0) == "108 B");
  CHECK(format_declared_amount(40e9, "bytes") == "40 GB (37.25 GiB)");
  CHECK(format_declared_amount(40e9, "B") == "40 GB (37.25 GiB)");
  CHECK(format_declared_amount(40.0 * 1024 * 1024 * 1024, "bytes") == "40 GiB");
  CHECK(format_declared_amount(0.0125, "s") == "12.5 ms");
  CHECK(format_declared_amount(0.0125, "s", 20.0) == "0.0125 s");
  CHECK(format_declared_amount(1188.0, "samples/s") == "1188 samples/s");
  CHECK(format_declared_amount(1e9, "samples/s") == "1,000,000,000 samples/s");
  CHECK(format_declared_amount(3.0, "1") == "3");
  CHECK(format_declared_amount(3.0, "") == "3");
}

TEST_CASE("a column of seconds is printed in the unit of its largest value", "[base]") {
  CHECK(scale_for("s", 12.0).unit == "s");
  CHECK(scale_for("s", 0.5).unit == "ms");
  CHECK(scale_for("s", 0.001).unit == "ms");
  CHECK(scale_for("s", 0.0005).unit == "µs");
  CHECK(scale_for("s", 0.0005).factor == 1e6);
  CHECK(scale_for("samples/s", 0.5).factor == 1.0);
  CHECK(scale_for("bytes/s", 2e9).unit == "GB/s");
  CHECK(scale_for("bytes/s", 2e9).factor == 1e-9);
}

}  // namespace
