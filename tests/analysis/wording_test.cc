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
