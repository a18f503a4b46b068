// Numbers with units.
#include "harness/text/quantity.h"

#include <limits>

#include "tests/support/catch.h"

using namespace scalestudy;

namespace {

TEST_CASE("durations are read in seconds", "[study]") {
  CHECK(parse_duration_s("90s").value == 90.0);
  CHECK(parse_duration_s("10min").value == 600.0);
  CHECK(parse_duration_s("2h").value == 7200.0);
  CHECK(parse_duration_s("1.5 h").value == 5400.0);
  CHECK(parse_duration_s("250ms").value == Approx(0.25));
  CHECK(parse_duration_s("7us").value == Approx(7e-6));
  CHECK(parse_duration_s("7 \u00b5s").value == Approx(7e-6));  // as reports write it
  CHECK(parse_duration_s("7\u03bcs").value == Approx(7e-6));
  CHECK(seconds_per_unit("\u00b5s") == 1e-6);
  CHECK(parse_duration_s("1d").value == 86400.0);
}

TEST_CASE("percentages are read as the nearest double of their fraction", "[study]") {
  CHECK(parse_percent("95%").value == 0.95);
  CHECK(parse_percent("1%").value == 0.01);
  CHECK(parse_percent("2.5 %").value == 0.025);
  CHECK(parse_percent("99.9%").value == 0.999);
}

TEST_CASE("sizes know powers of 1000 and of 1024", "[study]") {
  CHECK(parse_bytes("25MB").value == 25e6);
  CHECK(parse_bytes("25MiB").value == 26214400.0);
  CHECK(parse_bytes("1kB").value == 1000.0);
  CHECK(bytes_per_unit("GiB") == 1073741824.0);
  CHECK_FALSE(bytes_per_unit("samples").has_value());
}

TEST_CASE("rates of links are bits, by powers of 1000", "[study]") {
  CHECK(parse_bit_rate("1Gbit").value == 1e9);
  CHECK(parse_bit_rate("2.5 Mbit").value == 2.5e6);
  CHECK(parse_bit_rate("64kbit").value == 64e3);
  CHECK_FALSE(parse_bit_rate("1GB").value.has_value());
  CHECK_FALSE(parse_bit_rate("1000").value.has_value());
}

TEST_CASE("a number without its unit, or with another dimension's, has no value", "[study]") {
  for (const char* text : {"600",
                           "",
                           "s",
                           "10 minutes",
                           "10%",
                           "inf s",
                           "nan",
                           "1e999s",
                           "1e308h",
                           "10min5s",
                           "10m"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_duration_s(text).value.has_value());
    CHECK_FALSE(parse_duration_s(text).problem.empty());
  }
  CHECK_FALSE(parse_percent("0.95").value.has_value());
  CHECK_FALSE(parse_bytes("25mb").value.has_value());
}

TEST_CASE("a number without its unit is taken for the plainest one", "[study]") {
  CHECK(parse_bytes("9832").problem.starts_with(
      "9832 has no unit; a size is required, e.g. 9832B (units: B, kB, MB,"));
  CHECK(parse_duration_s("5").problem.starts_with(
      "5 has no unit; a duration is required, e.g. 5s ("));
  // 0 and less are hardly allowed in any unit.
  CHECK(parse_percent("0").problem ==
        "0 has no unit; a percentage is required, e.g. 2% (units: %)");
  CHECK(parse_percent("-1").problem ==
        "-1 has no unit; a percentage is required, e.g. 2% (units: %)");
  CHECK(parse_duration_s("0").problem ==
        "0 has no unit; a duration is required, e.g. 10min (units: us, ms, s, min, h, d)");
}

TEST_CASE("plain numbers are decimal, finite and whole texts", "[study]") {
  CHECK(parse_integer("-12") == -12);
  CHECK(parse_integer("9223372036854775807") == 9223372036854775807);
  for (const char* text : {"007", "1_000", "0x10", "1.0", "", "9223372036854775808", "+1", " 1"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_integer(text).has_value());
  }
  CHECK(parse_whole<std::size_t>("007") == 7);
  for (const char* text : {"", "-1", "7 ", "1.0", "18446744073709551616"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_whole<std::size_t>(text).has_value());
  }
  CHECK(parse_number("3e-2") == 0.03);
  CHECK_FALSE(parse_number("inf").has_value());
  CHECK_FALSE(parse_number("1.7x").has_value());
  CHECK(whole_number(-3.0) == -3);
  for (const double number : {0.5, 1e300, std::numeric_limits<double>::quiet_NaN()}) {
    CHECK_FALSE(whole_number(number).has_value());
  }
}

}  // namespace
