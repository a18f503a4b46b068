// What each cell is compared with.
#include "harness/study/matrix/baseline.h"

#include "tests/study/study_text.h"
#include "tests/support/catch.h"

using namespace scalestudy;

namespace {

using test::baseline_of;
using test::cell_of;
using test::matrix_of;

TEST_CASE("the baseline equals the cell in all that the baseline does not name", "[study]") {
  const Matrix matrix = matrix_of(
      "axes: {devices: [1, 2], batch_global: [8, 16]}\nanalysis: {baseline: {devices: 1}}\n");

  CHECK(baseline_of(matrix, "devices=2 batch_global=16") == "devices=1 batch_global=16");
  CHECK(baseline_of(matrix, "devices=1 batch_global=8") == "devices=1 batch_global=8");
}

TEST_CASE("an exact counterpart is preferred over the fallback", "[study]") {
  const Matrix matrix = matrix_of(
      "parameters: {batch_per_device: 8}\naxes: {devices: [1, 2], "
      "env.OMPI_MCA_mpi_yield_when_idle: [default, 1]}\n"
      "analysis: {baseline: {devices: 1}}\n");

  CHECK(baseline_of(matrix, "devices=2 env.OMPI_MCA_mpi_yield_when_idle=1") ==
        "devices=1 env.OMPI_MCA_mpi_yield_when_idle=1");
}

TEST_CASE("several nodes are compared with one device on one node", "[study]") {
  const Matrix matrix = matrix_of(
      "parameters: {batch_per_device: 8}\nzip: [{nodes: 1, devices: 1}, {nodes: 2, devices: 16}]\n"
      "analysis: {baseline: {devices: 1}}\n");

  CHECK(matrix.cells[1].nodes == 2);
  CHECK(baseline_of(matrix, "devices=16 nodes=2") == "devices=1 nodes=1");
}

TEST_CASE("a cell without a counterpart says which one is missing and why", "[study]") {
  const Matrix missing = matrix_of(
      "include: [{devices: 1, batch_global: 8}, {devices: 2, batch_global: 12}]\n"
      "analysis: {baseline: {devices: 1}}\n");
  const Matrix excluded = matrix_of(
      "axes: {devices: [1, 2], batch_global: [8, 16]}\nexclude: [{devices: 1, batch_global: 16}]\n"
      "analysis: {baseline: {devices: 1}}\n");
  // A study that is new with it is refused.
  const Matrix fixed = expand(parse_stored_study(
      std::string(test::kHead) + "parameters: {devices: 2}\naxes: {batch_global: [8]}\nanalysis: "
                                 "{baseline: {devices: 1}}\n",
      "s.yaml"));

  CHECK_FALSE(missing.cells[1].baseline.has_value());
  CHECK(missing.cells[1].baseline_problem ==
        "its baseline would be the cell batch_global=12 devices=1, which the study does not have");
  CHECK(
      cell_of(excluded, "devices=2 batch_global=16").baseline_problem ==
      "its baseline would be the cell batch_global=16 devices=1, which is excluded: exclude rule 1 "
      "(batch_global=16, devices=1)");
  CHECK(fixed.cells[0].baseline_problem ==
        "the baseline asks for devices=1, and parameters fix it at 2");
}

TEST_CASE("a cell that lacks what the baseline names is not its own baseline", "[study]") {
  const Matrix matrix =
      expand(test::study_of("version: 1\nstudy: s\nworkload: command\ncommand: ./reads-parameters\n"
                            "axes: {size: [1, 2], model: [a, b]}\ninclude: [{model: c}]\n"
                            "analysis: {baseline: {size: 1}}\n"));

  CHECK(baseline_of(matrix, "size=2 model=a") == "size=1 model=a");
  CHECK(baseline_of(matrix, "size=1 model=a") == "size=1 model=a");
  CHECK_FALSE(cell_of(matrix, "model=c").baseline.has_value());
  CHECK(cell_of(matrix, "model=c").baseline_problem ==
        "the baseline asks for size=1, and this cell has none");
}

TEST_CASE("a study without a baseline compares nothing and complains about nothing", "[study]") {
  const Matrix matrix = matrix_of("axes: {devices: [1, 2], batch_global: [8]}\n");

  CHECK_FALSE(matrix.cells[1].baseline.has_value());
  CHECK(matrix.cells[1].baseline_problem.empty());
}

TEST_CASE("each cell runs once on each side, and the first side is what is compared with",
          "[study]") {
  const std::string rest =
      "axes: {devices: [1, 2]}\nparameters: {batch_global: 8}\n"
      "include: [{devices: 4, batch_global: 16}]\n"
      "sides: [{name: 12e3, commit: v1}, {name: here}]\n";
  const Matrix matrix = matrix_of(rest);

  REQUIRE(matrix.cells.size() == 6);
  CHECK(matrix.cells[0].varied.at("side") == Value(std::string("12e3")));  // not the number 12000
  CHECK(matrix.cells[0].baseline == matrix.cells[0].hash);
  CHECK(matrix.cells[1].baseline == matrix.cells[0].hash);
  CHECK(matrix.cells[5].label == "devices=4 batch_global=16 side=here");
  CHECK(matrix.cells[5].baseline == matrix.cells[4].hash);

  const Matrix by_devices = matrix_of(rest + "analysis: {baseline: {devices: 1, side: here}}\n");
  CHECK(by_devices.cells[0].baseline == by_devices.cells[1].hash);
  const Matrix targeted = matrix_of(
      rest +
      "analysis: {targets: [{name: t, metric: speedup, where: {side: here}, at_least: 0.97}]}\n");
  CHECK(targeted.cells[1].baseline == targeted.cells[0].hash);
  const auto problems = [&](const std::string& text) {
    return test::problems_of(test::kSized + text);
  };
  CHECK_THAT(problems("axes: {size: [1]}\nsides: [{name: a}]\n"), Catch::Contains("two or more"));
  CHECK_THAT(problems("axes: {size: [1], side: [2]}\nsides: [{name: a}, {name: b}]\n"),
             Catch::Contains("side is what tells sides apart"));
  CHECK_THAT(problems("axes: {size: [1]}\nsides: [{name: a}, {name: a}]\n"),
             Catch::Contains("two sides are named a"));
  CHECK_THAT(
      problems("axes: {size: [1], env.A: [1]}\nsides: [{name: a, env: {A: 2}}, {name: b}]\n"),
      Catch::Contains("env.A is varied, and set by a side as well"));
  CHECK_THAT(problems("axes: {size: [1]}\nparameters: {env.A: default}\n"
                      "sides: [{name: a, env: {A: 2}}, {name: b}]\n"),
             Catch::Contains("env.A is a parameter, and set by a side as well"));
}

}  // namespace
