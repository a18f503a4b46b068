// Rounding and names in the sentences of a report.
#include "harness/analysis/wording.h"

#include "tests/analysis/by_hand.h"
#include "tests/support/catch.h"

using namespace scalestudy;

TEST_CASE("an interval is rounded to two digits of its half-width", "[analysis]") {
  CHECK(format_with_interval(1.6239, 1.5513, 1.6951, "x") == "1.624x [1.551, 1.695]");
  CHECK(format_with_interval(1.6239, 1.51, 1.74, "x") == "1.62x [1.51, 1.74]");
  CHECK(format_with_interval(17234.0, 16800.0, 17700.0, " samples/s") ==
        "17230 samples/s [16800, 17700]");
  CHECK(format_with_interval(0.00123456, 0.00122, 0.00125, " s") ==
        "0.001235 s [0.001220, 0.001250]");
}

TEST_CASE("an end shows on which side of its level it lies", "[analysis]") {
  CHECK(format_with_interval(2.1, 1.04, 4.1, "x") == "2.1x [1.0, 4.1]");
  CHECK(format_with_interval(2.1, 1.04, 4.1, "x", {1.0}) == "2.1x [1.04, 4.1]");
  CHECK(format_with_interval(0.7, 0.5, 0.9996, "x", {1.0}) == "0.70x [0.50, 0.9996]");
  CHECK(format_with_interval(1.1, 1.0204, 1.18, "x", {1.0, 1.02}) == "1.100x [1.0204, 1.180]");
  CHECK(format_with_interval(1.2, 1.0, 1.4, "x", {1.0}) == "1.20x [1.00, 1.40]");
  CHECK(format_with_interval(1.2, 1.05, 3.4, "x", {1.05}) == "1.2x [1.05, 3.4]");
  CHECK(format_percent_with_interval(0.9, 0.7999, 1.4, {0.8}) == "90 % [79.99, 140]");
  CHECK(format_with_interval(3.0, 1.0 + 1e-15, 5.0, "x", {1.0}) == "3.0x [1.0, 5.0]");
}

TEST_CASE("shares and changes far from one are said as factors", "[analysis]") {
  CHECK(format_percent_with_interval(15.0, 3.0, 75.0) == "15x [3.0, 75]");
  CHECK(format_percent_with_interval(-0.5, -0.95, -0.05) == "-0.50x [-0.95, -0.05]");
  CHECK(format_percent_with_interval(9.0, 8.0, 10.0) == "900 % [800, 1000]");
  CHECK(format_change_range(0.067, 104.0) == "from 0.067x to 100x");
  CHECK(format_change_range(0.998, 1.032) == "from -0.2 % to +3.2 %");
  CHECK(format_change_range(1.0004, 1.05) == "from +0.040 % to +5.0 %");
  CHECK(format_change(1.0937) == "+9.37 %");
  CHECK(format_change(0.88) == "-12.0 %");
  CHECK(format_change(12.5) == "12.5x");
}

TEST_CASE("a number without an interval has three digits", "[analysis]") {
  CHECK(format_with_interval(1.6239, std::nullopt, std::nullopt, "x") == "1.62x");
  CHECK(format_plain(123456.0) == "123000");
  CHECK(format_plain(0.0) == "0");
  CHECK(format_plain(-0.01234) == "-0.0123");
}

TEST_CASE("fractions are said as percentages", "[analysis]") {
  CHECK(format_percent_with_interval(0.123, 0.09, 0.156) == "12.3 % [9.0, 15.6]");
  CHECK(format_percent(0.02) == "2 %");
  CHECK(format_percent(0.29) == "29 %");
  CHECK(format_percent(0.005) == "0.5 %");
}

TEST_CASE("p values below the fourth decimal are not spelled out", "[analysis]") {
  CHECK(say_p_value(0.0134) == "p = 0.013");
  CHECK(say_p_value(0.00002) == "p < 0.0001");
}

TEST_CASE("counts agree with their noun", "[analysis]") {
  CHECK(format_count(1, "trial") == "1 trial");
  CHECK(format_count(0, "trial") == "0 trials");
}

TEST_CASE("a cell is named by its devices and what varies", "[analysis]") {
  CHECK(describe_cell(test::make_cell(1, 2, 256)) == "2 devices at batch_global=256");
}

TEST_CASE("a baseline is named by what sets it apart", "[analysis]") {
  CellRow base = test::make_cell(1, 1, 256);
  CellRow cell = test::make_cell(2, 2, 256);
  CHECK(describe_against(base, cell) == "1 device");

  base = cell;
  base.parameters.push_back({"env.NCCL_ALGO", "default", "text", true});
  cell.parameters.push_back({"env.NCCL_ALGO", "Ring", "text", true});
  CHECK(describe_against(base, cell) == "env.NCCL_ALGO=default");
}
