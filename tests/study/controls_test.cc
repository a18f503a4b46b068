// Which cells controls add: those without communication, twins, other devices, and of a pipeline.
#include "harness/study/matrix/controls.h"

#include "harness/study/parameters/parameter_rules.h"
#include "tests/study/study_text.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using Catch::Contains;

namespace {

std::vector<Cell> device_cells(const std::string& rest) {
  std::vector<Cell> found;
  for (const Cell& cell : test::matrix_of(rest).cells) {
    if (cell.role == CellRole::kDeviceMatch) {
      found.push_back(cell);
    }
  }
  return found;
}

}  // namespace

TEST_CASE("a target that no control of a command can decide says so", "[study]") {
  const std::string problems = test::problems_of(
      "version: 1\nstudy: s\nworkload: command\ncommand: [a, \"{devices}\"]\naxes: {devices: [1, "
      "2]}\n"
      "parameters: {batch_global: 8}\nanalysis:\n  baseline: {devices: 1}\n"
      "  targets: [{name: t, metric: communication_overhead, at_most: 10%}]\n");
  CHECK_THAT(problems,
             Contains("extract exposed_communication_time_s") && !Contains("add controls"));
}

TEST_CASE("noop controls copy each multi-device cell with communication switched off", "[study]") {
  const Matrix matrix = test::matrix_of(
      "axes: {devices: [1, 2], batch_global: [8]}\ncontrols: [noop]\nanalysis: {baseline: "
      "{devices: 1}}\n");

  REQUIRE(matrix.cells.size() == 3);
  const Cell& control = matrix.cells[2];
  CHECK(control.role == CellRole::kNoop);
  CHECK(control.label == "devices=2 batch_global=8 control=noop");
  CHECK(control.parameters.at("comm") == Value(std::string("noop")));
  CHECK(control.control_of == matrix.cells[1].hash);
  CHECK(control.baseline == matrix.cells[0].hash);
  CHECK(control.hash != matrix.cells[1].hash);
}

TEST_CASE("each control repeats the cells that it is about with one thing changed", "[study]") {
  const Matrix matrix = test::matrix_of(
      "axes: {devices: [1, 2], batch_global: [8], overlap: [none, poll]}\n"
      "controls: [start_wait, barrier, noop]\n"
      "exclude: [{devices: 1, overlap: poll}]\n");

  std::vector<std::string> labels;
  for (const Cell& cell : matrix.cells) {
    if (cell.role != CellRole::kMeasured) {
      labels.push_back(cell.label);
    }
  }
  CHECK(labels ==
        std::vector<std::string>{"devices=2 batch_global=8 overlap=none control=noop",
                                 "devices=2 batch_global=8 overlap=none control=barrier",
                                 "devices=2 batch_global=8 overlap=poll control=noop",
                                 "devices=2 batch_global=8 overlap=poll control=barrier",
                                 "devices=2 batch_global=8 overlap=poll control=start_wait"});
  CHECK(matrix.cells[4].parameters.at("payload") == Value(std::string("element")));
  CHECK(matrix.cells[7].parameters.at("overlap") == Value(std::string("start_wait")));
  CHECK(matrix.cells[7].role == CellRole::kStartWait);
}

TEST_CASE("a cell that does not communicate anyway gets no noop control", "[study]") {
  CHECK(test::matrix_of(
            "axes: {devices: [2], batch_global: [8], comm: [mpi, noop]}\ncontrols: [noop]\n")
            .cells.size() == 3);
}

TEST_CASE("a control that adds no cell is refused where it stands", "[study]") {
  const std::string one_device =
      test::kHead + std::string("axes: {devices: [1], batch_global: [8]}\ncontrols: [noop]\n");
  const std::string no_baseline =
      test::kHead + std::string("axes: {devices: [2], batch_global: [8]}\ncontrols: [noop, aa]\n");

  CHECK_THAT(test::problems_of(one_device), Contains("s.yaml:5:11: control noop adds no"));
  CHECK_THAT(test::problems_of(no_baseline), Contains("add analysis.baseline"));
  CHECK_THAT(test::problems_of(no_baseline), !Contains("noop adds"));
}

TEST_CASE("aa controls are twins of the baselines and of nothing else", "[study]") {
  const Matrix matrix = test::matrix_of(
      "axes: {devices: [1, 2], batch_global: [8]}\ncontrols: [aa]\nanalysis: {baseline: {devices: "
      "1}}\n");

  REQUIRE(matrix.cells.size() == 3);
  CHECK(matrix.cells[2].role == CellRole::kAa);
  CHECK(matrix.cells[2].control_of == matrix.cells[0].hash);
  CHECK(matrix.cells[2].parameters == matrix.cells[0].parameters);
}

TEST_CASE("device_match repeats the one-device cell of the largest batch on each further device",
          "[study]") {
  const std::string text =
      "axes: {devices: [1, 2, 4], batch_global: [8, 64, 16]}\ncontrols: [device_match]\n";
  const Matrix matrix = test::matrix_of(text);
  const std::vector<Cell> cells = device_cells(text);

  // Device 0 is the cell itself.
  REQUIRE(cells.size() == 3);
  CHECK(cells[0].label == "devices=1 batch_global=64 on_device=1 control=device_match");
  CHECK(cells[2].label == "devices=1 batch_global=64 on_device=3 control=device_match");
  for (std::size_t i = 0; i < cells.size(); ++i) {
    CHECK(cells[i].control_of == matrix.cells[1].hash);
    CHECK(cells[i].devices == 1);
    CHECK(cells[i].blocks.front().count == matrix.cells[1].blocks.front().count);
    CHECK(cells[i].parameters.at(kOnDevice) == Value(static_cast<std::int64_t>(i + 1)));
    CHECK(cells[i].varied.contains(kOnDevice));
  }
  CHECK(cells[0].hash != cells[1].hash);
  CHECK(cells[0].hash != matrix.cells[1].hash);
}

TEST_CASE("device_match is of the devices of one node", "[study]") {
  CHECK(device_cells("parameters: {batch_per_device: 8}\nzip: [{nodes: 1, devices: 1}, {nodes: 2, "
                     "devices: 4}]\ncontrols: [device_match]\n")
            .size() == 1);
}

TEST_CASE("device_match that has nothing to repeat is refused", "[study]") {
  const auto problems = [](const std::string& rest) {
    return test::problems_of(test::kHead + rest + "controls: [device_match]\n");
  };

  for (const char* rest : {"axes: {devices: [1], batch_global: [8]}\n",
                           "axes: {devices: [2, 4], batch_global: [8]}\n",
                           "parameters: {compute: declared, declared_sample_ms: 1}\n"
                           "axes: {devices: [1, 2], batch_global: [8]}\n"}) {
    CAPTURE(rest);
    CHECK_THAT(problems(rest), Contains("control device_match adds no cell"));
  }
  CHECK_THAT(test::problems_of("version: 1\nstudy: s\nworkload: command\ncommand: [\"true\"]\n"
                               "controls: [device_match]\n"),
             Contains("control device_match needs workload: train; which device a command"));
  CHECK_THAT(
      test::problems_of(test::kHead +
                        std::string("parameters: {on_device: 1, batch_global: 8, devices: 1}\n")),
      Contains("no parameter \"on_device\""));
}

// A stage computes with what another one sends.
TEST_CASE("stages of a pipeline have no control without communication", "[study]") {
  const Matrix matrix = expand(test::study_of(
      test::kHead +
      std::string(
          "axes: {devices: [1, 2], strategy: [ddp, pipeline]}\nparameters: {batch_global: 8}\n"
          "controls: [noop, barrier, aa]\nanalysis: {baseline: {devices: 1}}\n")));

  std::vector<std::string> controls;
  for (const Cell& cell : matrix.cells) {
    if (cell.role != CellRole::kMeasured) {
      controls.push_back(cell.label);
    }
  }
  CHECK(controls == std::vector<std::string>{"devices=1 strategy=ddp control=aa",
                                             "devices=1 strategy=pipeline control=aa",
                                             "devices=2 strategy=ddp control=noop",
                                             "devices=2 strategy=ddp control=barrier"});
  CHECK(matrix.scaling == Scaling::kStrong);
  REQUIRE(matrix.cells[3].label == "devices=2 strategy=pipeline");
  REQUIRE(matrix.cells[1].label == "devices=1 strategy=pipeline");
  CHECK(matrix.cells[3].baseline == matrix.cells[1].hash);
  CHECK_THAT(test::problems_of(test::kHead +
                               std::string("parameters: {strategy: pipeline, batch_global: 8, "
                                           "devices: 2}\ncontrols: [noop]\n")),
             Contains("which stages of a pipeline could not"));
}

TEST_CASE("cells that differ in comm alone share their control without communication", "[study]") {
  const Matrix matrix = expand(test::study_of(
      test::kHead +
      std::string("axes: {devices: [1, 2], comm: [mpi, shm]}\nparameters: {batch_global: 8}\n"
                  "controls: [noop, barrier]\n")));

  std::vector<std::string> controls;
  for (const Cell& cell : matrix.cells) {
    if (cell.role != CellRole::kMeasured) {
      controls.push_back(cell.label);
    }
  }
  CHECK(controls == std::vector<std::string>{"devices=2 comm=mpi control=noop",
                                             "devices=2 comm=mpi control=barrier",
                                             "devices=2 comm=shm control=barrier"});
}
