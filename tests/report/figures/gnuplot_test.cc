// Texts, errors and colours of figures.
#include "harness/report/figures/gnuplot.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/paths.h"
#include "tests/report/scratch_folder.h"
#include "tests/support/catch.h"
#include "tests/support/program.h"

using namespace scalestudy;
using namespace scalestudy::report;

namespace {

using Catch::Matchers::Contains;

std::vector<std::string> draw_all(const std::vector<std::string>& texts) {
  std::vector<FigureProgram> programs;
  for (const std::string& text : texts) {
    programs.push_back({.name = "test.gp", .text = text});
  }
  return draw_svgs(programs);
}

std::string draw(const std::string& program) {
  return draw_all({program}).at(0);
}

TEST_CASE("a gnuplot string shows what it was given", "[report]") {
  CHECK(gnuplot_string("it's") == "'it''s'");
  CHECK(gnuplot_string("a\nb") == "'a b'");
  CHECK(gnuplot_string(std::string(70, 'x')) == "'" + std::string(60, 'x') + "…'");
}

TEST_CASE("user strings neither run commands nor become subscripts", "[report]") {
  const std::string hostile = "`touch /tmp/x` a_b $(id) \"q\" <b>&\\n";
  const std::string svg =
      draw("set terminal svg noenhanced\nset title " + gnuplot_string(hostile) + "\nplot x\n");

  CHECK_THAT(svg, Contains("`touch /tmp/x` a_b $(id) \"q\" &lt;b>&amp;\\n"));
}

// Of figures' names alone: a study may call its parameter "top-k (%)".
TEST_CASE("a percent sign in the label of a tic is one", "[report]") {
  const std::string hostile = "top-k (%) 100 %s %";

  const std::string svg = draw("set terminal svg noenhanced\nset ytics (" + gnuplot_tic(hostile) +
                               " 0)\nplot [0:1] [-1:1] x\n");

  CHECK_THAT(svg, Contains(hostile));
}

TEST_CASE("a script that fails is reported in gnuplot's words", "[report]") {
  CHECK_THROWS_WITH(draw("set terminal svg\nplot nothing_of_that_name\n"),
                    Contains("test.gp: gnuplot ended with code") &&
                        Contains("undefined variable: nothing_of_that_name"));
}

TEST_CASE("figures drawn by one gnuplot are those drawn by one each", "[report]") {
  const std::string sets_much =
      "set terminal svg\nset title 'a'\nset logscale y\nset object 1 circle at 1,1\n"
      "array colour[2] = ['red', 'blue']\nlevel = 3\nset print '/dev/null'\nplot x, level";
  const std::string sets_nothing =
      "set terminal svg\ntitle_text = exists('level') ? 'left over' : 'b'\nset title title_text\n"
      "plot x\n";
  const std::string ends_gnuplot = "set terminal svg\nplot 2 * x\nexit\n";

  using Svgs = std::vector<std::string>;
  const Svgs much_then_nothing = draw_all({sets_much, sets_nothing});
  const Svgs with_an_end = draw_all({sets_nothing, ends_gnuplot, sets_nothing});

  CHECK((much_then_nothing == Svgs{draw(sets_much), draw(sets_nothing)}));
  CHECK((with_an_end == Svgs{draw(sets_nothing), draw(ends_gnuplot), draw(sets_nothing)}));
}

// A reset keeps options of the terminal, line types and the encoding.
TEST_CASE("nothing that a figure drawn alone sets reaches the figures after it", "[report]") {
  const std::string sets_all =
      "set terminal svg size 300,200 fontscale 3 linewidth 5\nset linetype 1 linecolor rgb 'red'\n"
      "plot x\n";
  const std::string sets_nothing = "set terminal svg\nplot 2 * x\n";
  const std::string later = "set terminal svg\nplot 3 * x\n";

  const std::vector<std::string> svgs =
      draw_svgs({{"a.gp", sets_nothing}, {"own.gp", sets_all, /*is_alone=*/true}, {"b.gp", later}});

  CHECK((svgs == std::vector{draw(sets_nothing), draw(sets_all), draw(later)}));
}

TEST_CASE("a figure that fails does not hide what the others say", "[report]") {
  const std::string good = "set terminal svg\nplot x\n";

  CHECK_THROWS_WITH(
      draw_all({"plot one_missing\n", good, "set terminal svg\n", good, "plot two_missing\n"}),
      Contains("undefined variable: one_missing") &&
          Contains("test.gp: gnuplot ended with code 0") &&
          Contains("undefined variable: two_missing"));
}

TEST_CASE("a path is loaded as it is called", "[report]") {
  const test::ScratchFolder folder;
  const std::filesystem::path script = folder.path() / "it's < ~ \"$HOME\".gp";
  std::ofstream(script) << "plot x\nplot missing\n";

  CHECK_THROWS_WITH(draw("set terminal svg\nload " + gnuplot_path(script) + "\n"),
                    Contains("\" line 2: undefined variable: missing"));
}

TEST_CASE("a missing gnuplot is an error of the machine that says what to install", "[report]") {
  const std::string path = test::search_path();
  setenv("PATH", "/nowhere", 1);
  try {
    draw("plot x");
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::kMachine);
    CHECK_THAT(error.what(), Contains("install gnuplot-nox"));
  }
  setenv("PATH", path.c_str(), 1);
}

TEST_CASE("gnuplot needs no other program on the PATH, and draws without one", "[report]") {
  const std::string program = "set terminal svg\nplot x\n";
  const std::string svg = draw(program);
  const std::optional<std::filesystem::path> gnuplot = find_program("gnuplot");
  REQUIRE(gnuplot);
  const test::ScratchFolder folder;
  std::filesystem::create_symlink(*gnuplot, folder.path() / "gnuplot");
  std::string alone;
  std::string without = svg;

  const std::string path = test::search_path();
  setenv("PATH", folder.path().c_str(), 1);
  CHECK_NOTHROW(alone = draw(program));
  if (std::filesystem::exists("/usr/bin/gnuplot")) {
    unsetenv("PATH");
    CHECK_NOTHROW(without = draw(program));
  }
  setenv("PATH", path.c_str(), 1);

  CHECK((alone == svg));
  CHECK((without == svg));
}

TEST_CASE("black follows the reader's colour scheme", "[report]") {
  const std::string svg = draw("set terminal svg noenhanced\nplot x lc rgb 'black'\n");

  CHECK_THAT(svg, Contains("prefers-color-scheme:dark"));
  CHECK_THAT(svg, !Contains("\"black\"") && !Contains("'black'") && !Contains(" color='white'"));
}

}  // namespace
