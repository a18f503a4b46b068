// Texts, errors and colours of figures.
#include "harness/report/gnuplot.h"

#include <cstdlib>
#include <string>

#include "harness/base/error.h"
#include "harness/report/filter.h"
#include "tests/support/catch.h"

namespace scalestudy::report {
namespace {

using Catch::Matchers::Contains;

TEST_CASE("a gnuplot string shows what it was given", "[report]") {
  CHECK(gnuplot_string("it's") == "'it''s'");
  CHECK(gnuplot_string("a\nb") == "'a b'");
  CHECK(gnuplot_string(std::string(70, 'x')) == "'" + std::string(60, 'x') + "…'");
}

TEST_CASE("user strings neither run commands nor become subscripts", "[report]") {
  const std::string hostile = "`touch /tmp/x` a_b $(id) \"q\" <b>&\\n";
  const std::string svg =
      draw_svg("set terminal svg noenhanced\nset title " + gnuplot_string(hostile) + "\nplot x\n",
               "test.gp");

  CHECK_THAT(svg, Contains("`touch /tmp/x` a_b $(id) \"q\" &lt;b>&amp;\\n"));
}

TEST_CASE("a script that fails is reported in gnuplot's words", "[report]") {
  CHECK_THROWS_WITH(draw_svg("set terminal svg\nplot nothing_of_that_name\n", "bad.gp"),
                    Contains("bad.gp: gnuplot ended with code") &&
                        Contains("undefined variable: nothing_of_that_name"));
}

TEST_CASE("a missing gnuplot is an error of the machine that says what to install", "[report]") {
  const std::string path = std::getenv("PATH");
  setenv("PATH", "/nowhere", 1);
  try {
    draw_svg("plot x", "x.gp");
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::kMachine);
    CHECK_THAT(error.what(), Contains("install gnuplot-nox"));
  }
  setenv("PATH", path.c_str(), 1);
}

TEST_CASE("black follows the reader's colour scheme", "[report]") {
  const std::string svg = draw_svg("set terminal svg noenhanced\nplot x lc rgb 'black'\n", "x.gp");

  CHECK_THAT(svg, Contains("prefers-color-scheme:dark"));
  CHECK_THAT(svg, !Contains("\"black\"") && !Contains("'black'") && !Contains(" color='white'"));
}

TEST_CASE("a filter gets its whole input and gives its whole output", "[report]") {
  const std::string input(3'000'000, 'x');

  const FilterResult result = run_filter({"cat"}, input);

  CHECK(result.exit_code == 0);
  CHECK((result.output == input));
}

TEST_CASE("a filter that reads nothing ends with its own code", "[report]") {
  const FilterResult result =
      run_filter({"sh", "-c", "echo oops >&2; exit 3"}, std::string(1'000'000, 'x'));

  CHECK(result.exit_code == 3);
  CHECK(result.errors == "oops\n");
}

}  // namespace
}  // namespace scalestudy::report
