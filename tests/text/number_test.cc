// Rounding of printed numbers.
#include "harness/text/number.h"

#include <limits>

#include "tests/support/catch.h"

using namespace scalestudy;

TEST_CASE("a half-width shows two significant digits", "[base]") {
  CHECK(decimals_for(0.034) == 3);
  CHECK(decimals_for(12.0) == 0);
  CHECK(decimals_for(340.0) == -1);
}

TEST_CASE("a half-width that rounds up to three digits keeps two", "[base]") {
  CHECK(decimals_for(0.0996) == 2);
  CHECK(decimals_for(0.0994) == 3);
}

TEST_CASE("a half-width that is not positive and finite chooses no decimals", "[base]") {
  CHECK_FALSE(decimals_for(0.0).has_value());
  CHECK_FALSE(decimals_for(-1.0).has_value());
  CHECK_FALSE(decimals_for(std::numeric_limits<double>::quiet_NaN()).has_value());
  CHECK_FALSE(decimals_for(std::numeric_limits<double>::infinity()).has_value());
}

TEST_CASE("significant digits are counted from the first one that is not zero", "[base]") {
  CHECK(decimals_of(1.6239, 4) == 3);
  CHECK(decimals_of(-0.01234, 3) == 4);
  CHECK(decimals_of(123456.0, 3) == -3);
  CHECK(decimals_of(0.0, 4) == 0);
}

TEST_CASE("a number is rounded to decimals, tens or hundreds", "[base]") {
  CHECK(format_decimals(1.6239, 2) == "1.62");
  CHECK(format_decimals(17234.0, -1) == "17,230");
  CHECK(format_decimals(1260.0, -2) == "1300");
}

TEST_CASE("a number that rounds to zero has no sign", "[base]") {
  CHECK(format_decimals(-0.004, 2) == "0.00");
  CHECK(format_decimals(-4.0, -1) == "0");
}

TEST_CASE("small p values are bounded and not rounded to zero", "[base]") {
  CHECK(format_p_value(0.0134) == "0.013");
  CHECK(format_p_value(0.0000312) == "< 0.0001");
  CHECK(format_p_value(1.0) == "1.0");
}
TEST_CASE("a size is printed in the largest unit that keeps it whole", "[base]") {
  CHECK(format_bytes(0) == "0 B");
  CHECK(format_bytes(8) == "8 B");
  CHECK(format_bytes(1000) == "1000 B");
  CHECK(format_bytes(65536) == "64 KiB");
  CHECK(format_bytes(1536) == "1536 B");
  CHECK(format_bytes(16777216) == "16 MiB");
}

TEST_CASE("a number in a sentence has three digits", "[base]") {
  CHECK(format_plain(123456.0) == "123,000");
  CHECK(format_plain(0.0) == "0");
  CHECK(format_plain(-0.01234) == "-0.0123");
}

TEST_CASE("declared fractions are percentages in full", "[base]") {
  CHECK(format_percent(0.02) == "2 %");
  CHECK(format_percent(0.29) == "29 %");
  CHECK(format_percent(0.005) == "0.5 %");
  CHECK(format_levels({0.95, 0.95}) == "95 %");
  CHECK(format_levels({0.98456055, 0.95, 0.98113957}) == "95 to 98.46 %");
  CHECK(format_levels({}).empty());
}

TEST_CASE("a p value in a sentence is named", "[base]") {
  CHECK(say_p_value(0.0134) == "p = 0.013");
  CHECK(say_p_value(0.00002) == "p < 0.0001");
}

TEST_CASE("counts agree with their noun", "[base]") {
  CHECK(format_count(1, "trial") == "1 trial");
  CHECK(format_count(0, "trial") == "0 trials");
}

TEST_CASE("ids are named by their ranges", "[base]") {
  CHECK(format_ranges({1, 2, 3, 7, 9, 10}) == "1-3,7,9-10");
  CHECK(format_ranges({4}) == "4");
  CHECK(format_ranges({}).empty());
}

TEST_CASE("commas begin at five digits", "[base]") {
  CHECK(format_decimals(9999.0, 0) == "9999");
  CHECK(format_decimals(12345.6, 1) == "12,345.6");
  CHECK(format_decimals(-1234567.0, 0) == "-1,234,567");
}

TEST_CASE("numbers of the CSV files read back to the same bits", "[base]") {
  const double value = 0.1 + 0.2;

  CHECK(std::stod(format_exact(value)) == value);
}

TEST_CASE("an absent number is a dash, and nothing in a CSV file", "[base]") {
  CHECK(format_p_value({}) == "–");
  CHECK(format_exact({}).empty());
}
