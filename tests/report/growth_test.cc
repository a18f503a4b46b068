// What analysis and report take of ever more cells.
#include <algorithm>
#include <limits>

#include "tests/report/growing_study.h"
#include "tests/support/catch.h"
#include "tests/support/statements.h"

using namespace scalestudy::test;

namespace {

// Reading statements that analysis and report of so many cells run.
long statements_of(GrowingStudy growing) {
  Statements::clear();
  growing.analyse_again();
  growing.report();
  return Statements::count_reading();
}

// CPU time of `many` over that of `few`, each the least of three in turn: on a loaded machine a
// single one of a tenth of a second is now and then twice as long.
template <typename Run>
double growth(GrowingStudy& few, GrowingStudy& many, const Run& run) {
  double of_few_s = std::numeric_limits<double>::infinity();
  double of_many_s = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 3; ++i) {
    of_few_s = std::min(of_few_s, run(few).cpu_s);
    of_many_s = std::min(of_many_s, run(many).cpu_s);
  }
  return of_many_s / of_few_s;
}

}  // namespace

TEST_CASE("a made-up study has the cells that a run would store", "[report]") {
  const GrowingStudy growing(1);

  const auto kinds =
      growing.store
          .query(
              "SELECT DISTINCT name, kind, varied FROM cell_parameter WHERE name IN "
              "('batch_global', 'comm', 'devices', 'learning_rate', 'precision') ORDER BY name")
          .rows;

  using Row = std::vector<scalestudy::Field>;
  const std::int64_t yes = 1;
  const std::int64_t no = 0;
  CHECK(kinds == std::vector<Row>{{"batch_global", "integer", yes},
                                  {"comm", "text", no},
                                  {"devices", "integer", yes},
                                  {"learning_rate", "real", yes},
                                  {"precision", "text", no}});
}

TEST_CASE("the store is asked as often for many cells as for few", "[report]") {
  const Statements statements;

  const long of_few = statements_of(GrowingStudy(1));
  const long of_many = statements_of(GrowingStudy(2));

  CHECK(of_few > 10);
  CHECK(of_many == of_few);
}

// 48 and 192 cells. What grows with the square of them takes up to 16 times as long; a report that
// found out for each result row which attempts count took 12 times, one whose costs were looked for
// among those of all cells 7.5.
TEST_CASE("analysis and report of four times the cells take less than six times as long",
          "[report][slow]") {
  GrowingStudy few(2);
  GrowingStudy many(8);
  REQUIRE(many.cells == 4 * few.cells);

  CHECK(growth(few, many, [](GrowingStudy& study) { return study.analyse_again(); }) < 6.0);
  CHECK(growth(few, many, [](GrowingStudy& study) { return study.report(); }) < 6.0);
}
