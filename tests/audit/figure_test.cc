// What printed figures stand for.
#include "harness/audit/figure/figure.h"

#include <cmath>
#include <limits>
#include <vector>

#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::audit;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Figure figure_of(const std::string& text, Dimension dimension, const std::string& unit = "") {
  FigureReading reading;
  reading.dimension = dimension;
  reading.unit = unit;
  const ParsedFigure parsed = parse_figure(text, reading);
  INFO(parsed.problem);
  REQUIRE(parsed.figure);
  return *parsed.figure;
}

std::string figure_problem(const std::string& text,
                           Dimension dimension,
                           const std::string& unit = "") {
  FigureReading reading;
  reading.dimension = dimension;
  reading.unit = unit;
  return parse_figure(text, reading).problem;
}

struct FigureCase {
  const char* text;
  Dimension dimension;
  const char* unit;
  double lo;
  double hi;
};

void check(const std::vector<FigureCase>& cases) {
  for (const FigureCase& c : cases) {
    CAPTURE(c.text);
    const Figure figure = figure_of(c.text, c.dimension, c.unit);
    REQUIRE(figure.range);
    CHECK((figure.range->lo == c.lo || figure.range->lo == Approx(c.lo).epsilon(1e-12)));
    CHECK((figure.range->hi == c.hi || figure.range->hi == Approx(c.hi).epsilon(1e-12)));
  }
}

TEST_CASE("a figure stands for half a unit in its last place either way", "[audit]") {
  check({{"3.85", Dimension::kRatio, "", 3.845, 3.855},
         {"4,371", Dimension::kRate, "img/s", 4370.5, 4371.5},
         {"97.8%", Dimension::kRatio, "", 0.9775, 0.9785},
         {"-15%", Dimension::kRatio, "", -0.155, -0.145},
         {"+5%", Dimension::kRatio, "", 0.045, 0.055},
         {"7.60", Dimension::kTime, "ms", 7.595e-3, 7.605e-3},
         {"$2,163", Dimension::kMoney, "", 2162.5, 2163.5},
         {"145K tok/s", Dimension::kRate, "", 144500, 145500},
         {"145K", Dimension::kRate, "tok/s", 144500, 145500},
         {"3e-4", Dimension::kOther, "", 2.5e-4, 3.5e-4},
         {"0%", Dimension::kRatio, "", -0.005, 0.005},
         {"1.21x*", Dimension::kRatio, "", 1.205, 1.215},
         {"128s**", Dimension::kTime, "", 127.5, 128.5}});
}

TEST_CASE("trailing zeros of an integer may be rounding", "[audit]") {
  check({{"4000", Dimension::kCount, "", 3500, 4500},
         {"1,150", Dimension::kRate, "img/s", 1145, 1155},
         {"40.0", Dimension::kCount, "", 39.95, 40.05},
         {"$2,000", Dimension::kMoney, "", 1500, 2500}});
  FigureReading reading;
  reading.dimension = Dimension::kRatio;
  reading.zeros_are_digits = true;
  CHECK(parse_figure("40%", reading).figure->range->lo == Approx(0.395));
}

TEST_CASE("an exact figure stands for its value alone", "[audit]") {
  FigureReading reading;
  reading.dimension = Dimension::kCount;
  reading.is_exact = true;

  const Figure figure = *parse_figure("4,096", reading).figure;

  CHECK(figure.form == FigureForm::kExact);
  CHECK(figure.range->lo == 4096.0);
  CHECK(figure.range->hi == 4096.0);
}

TEST_CASE("an approximate figure stands for a whole unit or 5 %, whichever is more", "[audit]") {
  check({{"~4K", Dimension::kCount, "", 3000, 5000},
         {"~122.4s", Dimension::kTime, "", 116.28, 128.52},  // 5 % of 122.4 is 6.12
         {"≈360 img/s", Dimension::kRate, "", 342, 378},     // 5 % of 360 is 18, a unit 10
         {"~87%", Dimension::kRatio, "", 0.8265, 0.9135}});
}

TEST_CASE("a span reaches from its first to its second number", "[audit]") {
  check({{"15-20ms", Dimension::kTime, "", 14.5e-3, 20.5e-3},
         {"62.50-62.70%", Dimension::kRatio, "", 0.62495, 0.62705},
         {"15,000-25,000 samples/sec", Dimension::kRate, "", 14500, 25500},
         {"~12–15 GB/s", Dimension::kBandwidth, "", 11e9, 16e9},
         {"20 to 30", Dimension::kCount, "", 15, 35},
         {"±0.1%", Dimension::kRatio, "", -0.0015, 0.0015}});
  CHECK_FALSE(figure_of("15-20ms", Dimension::kTime).value);
}

TEST_CASE("a bound is open to one side", "[audit]") {
  check({{"<5s", Dimension::kTime, "", -kInfinity, 5.5},
         {"≤ 10%", Dimension::kRatio, "", -kInfinity, 0.105},
         {">85%", Dimension::kRatio, "", 0.845, kInfinity},
         {"50+", Dimension::kCount, "", 49.5, kInfinity},
         {"95%+", Dimension::kRatio, "", 0.945, kInfinity},
         {"120+ hours", Dimension::kTime, "", 119.5 * 3600, kInfinity}});
  CHECK_FALSE(figure_of("<5s", Dimension::kTime).range->is_bounded());
}

TEST_CASE("what is not printed is no figure", "[audit]") {
  for (const char* text :
       {"", "-", "–", "—", "N/A", "n/a", " - ", "OOM", "Failed", "DNF", "n/s", "×"}) {
    CAPTURE(text);
    const Figure figure = figure_of(text, Dimension::kTime);
    CHECK(figure.form == FigureForm::kAbsent);
    CHECK_FALSE(figure.value);
    CHECK_FALSE(figure.range);
  }
}

TEST_CASE("a spread or an interval beside a figure is kept and does not widen it", "[audit]") {
  const Figure spread = figure_of("1,234 ± 45", Dimension::kRate, "img/s");
  const Figure interval = figure_of("0.531 [0.468, 0.603]", Dimension::kRatio);
  const Figure whole = figure_of("3030 [2860, 3220]", Dimension::kRate, "samples/s");

  CHECK(spread.range->hi == Approx(1234.5));
  CHECK(spread.spread == Approx(45.0));
  CHECK(interval.range->hi == Approx(0.5315));
  CHECK(interval.interval->lo == Approx(0.468));
  CHECK(whole.interval->hi == Approx(3220.0));
}

TEST_CASE("texts that are no figures are refused", "[audit]") {
  for (const char* text : {"fast",
                           "12,34",
                           "1,2345",
                           "0,412",
                           "1.2.3",
                           "5 ms - 2 s",
                           "[1, 2]",
                           "± x",
                           "1 [2",
                           "1e999",
                           "<5-6",
                           "17.1ms → 21.2ms",
                           "--5"}) {
    CAPTURE(text);
    CHECK_FALSE(figure_problem(text, Dimension::kTime, "ms").empty());
  }
}

TEST_CASE("a unit that disagrees with the column's is refused", "[audit]") {
  CHECK(figure_problem("3.2 s", Dimension::kTime, "ms") ==
        "\"3.2 s\" is in \"s\" and the declared unit is \"ms\": units disagree");
  CHECK(figure_problem("3.2 ms", Dimension::kTime, "ms").empty());
  CHECK(figure_problem("3.2", Dimension::kTime) == "\"3.2\" has no unit; declare `unit` (in s)");
  CHECK(figure_problem("3.2 GB", Dimension::kTime) ==
        "\"3.2 GB\" is in \"GB\", which is not a unit of this quantity (s)");
}

TEST_CASE("digits behind a space or an apostrophe are no unit", "[audit]") {
  CHECK(
      figure_problem("1 150", Dimension::kOther) ==
      "\"1 150\" has \"150\" where its unit should be; thousands are separated by commas or not at "
      "all");
  for (const char* text :
       {"23 500 000 ms", "4'371", "4’371", "1\u00a0150", "1\u202f150", "1_150"}) {
    CAPTURE(text);
    CHECK_THAT(figure_problem(text, Dimension::kOther), Catch::Contains("thousands are separated"));
  }
  for (const char* text : {"2 8-GPU nodes", "2 4xlarge", "5 'units'"}) {
    CAPTURE(text);
    CHECK(figure_problem(text, Dimension::kOther).empty());
  }
}

TEST_CASE("ranges meet at their edges and not one unit beyond", "[audit]") {
  CHECK(meet({0.1 + 0.2, 1.0}, {0.0, 0.3}));  // 0.30000000000000004
  CHECK(meet({1.0, 2.0}, {2.0, 3.0}));
  CHECK_FALSE(meet({1.0, 2.0}, {2.0001, 3.0}));
  CHECK(meet({-kInfinity, 5.0}, {4.0, 6.0}));
  CHECK_FALSE(meet({-kInfinity, 5.0}, {6.0, 7.0}));
}

TEST_CASE("a value is written like the figure it is compared with", "[audit]") {
  CHECK(format_like(figure_of("88.7%", Dimension::kRatio), 0.88264, 1) == "88.26%");
  CHECK(format_like(figure_of("$2,160", Dimension::kMoney), 2328.4, 1) == "$2328");
  CHECK(format_like(figure_of("7.60", Dimension::kTime, "ms"), 0.0123456, 1) == "12.346 ms");
  CHECK(format_like(figure_of("3x", Dimension::kRatio), 3.21, 1) == "3.2x");
}

TEST_CASE("a figure that was cut off stands for less than one unit more", "[audit]") {
  const auto is_cut = [](const char* text, double value) {
    const Figure figure = *parse_figure(text, {Dimension::kRatio, ""}).figure;
    return is_cut_off_from(figure, {value, value});
  };

  CHECK(is_cut("1.97", 1.97));
  CHECK(is_cut("1.97", 1.979999));
  CHECK_FALSE(is_cut("1.97", 1.98));
  CHECK_FALSE(is_cut("1.97", 1.969));
  CHECK(is_cut("-1.97", -1.979));
  CHECK_FALSE(is_cut("-1.97", -1.98));
  CHECK_FALSE(is_cut("-1.97", -1.969));
  CHECK(is_cut("40.5%", 0.4059));
  CHECK_FALSE(is_cut("~1.97", 1.975));  // forms that are no rounding are not cut off either
  CHECK_FALSE(is_cut(">1.97", 1.975));
}

}  // namespace
