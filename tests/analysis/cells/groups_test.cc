// Cells that differ only along one axis.
#include "harness/analysis/cells/groups.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/analysis/by_hand.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using test::make_cell;
using test::observe_cell;

namespace {

// The curves over devices of cells with these devices and nodes, as "LABEL: DEVICES ...".
std::vector<std::string> curves_of_nodes(
    const std::vector<std::pair<std::int64_t, std::int64_t>>& devices_and_nodes) {
  std::vector<CellObservation> cells;
  for (const auto& [devices, nodes] : devices_and_nodes) {
    CellRow cell = make_cell(static_cast<std::int64_t>(cells.size()) + 1, devices, 64);
    cell.nodes = nodes;
    cell.parameters.push_back({"nodes", std::to_string(nodes), ValueKind::kInteger, true});
    cells.push_back(observe_cell(cell, {}));
  }
  const StudyObservation observation = test::make_observation(cells, Scaling::kStrong);
  std::vector<std::string> texts;
  for (const Curve& curve : curves_along(observation, "devices")) {
    texts.push_back(curve.label + ":");
    for (const CurvePoint& point : curve.points) {
      texts.back() += " " + std::to_string(point.cell->row.devices);
    }
  }
  return texts;
}

}  // namespace

TEST_CASE("curves hold the cells that agree in everything else, by increasing value",
          "[analysis]") {
  const StudyObservation observation =
      test::make_observation({observe_cell(make_cell(1, 1, 64), {}),
                              observe_cell(make_cell(2, 2, 128), {}),
                              observe_cell(make_cell(3, 1, 128), {}),
                              observe_cell(make_cell(4, 2, 64), {})},
                             Scaling::kStrong);
  const std::vector<Curve> curves = curves_along(observation, "batch_global");

  REQUIRE(curves.size() == 2);
  CHECK(curves[0].label == "devices=1");
  CHECK(curves[1].label == "devices=2");
  REQUIRE(curves[1].points.size() == 2);
  CHECK(curves[1].points[0].x == 64.0);
  CHECK(curves[1].points[0].cell->row.id == 4);
  CHECK(curves[1].points[1].x == 128.0);
}

TEST_CASE("controls and cells without a number are on no curve", "[analysis]") {
  const CellRow cell = make_cell(1, 2, 64);
  CellRow odd = make_cell(3, 4, 64);
  odd.parameters[0].value = "large";
  const StudyObservation observation =
      test::make_observation({observe_cell(cell, {}),
                              observe_cell(test::make_control(2, cell, CellRole::kNoop), {}),
                              observe_cell(odd, {})},
                             Scaling::kStrong);

  const std::vector<Curve> curves = curves_along(observation, "batch_global");
  REQUIRE(curves.size() == 1);
  CHECK(curves[0].points.size() == 1);
}

TEST_CASE("parameters that move with the axis do not split a curve", "[analysis]") {
  std::vector<CellObservation> cells;
  for (const std::int64_t nodes : {1, 2, 4}) {
    CellRow cell = make_cell(nodes, 8 * nodes, 64);
    cell.parameters.push_back({"nodes", std::to_string(nodes), ValueKind::kInteger, true});
    cells.push_back(observe_cell(cell, {}));
  }
  const StudyObservation observation = test::make_observation(cells, Scaling::kStrong);
  const std::vector<Curve> curves = curves_along(observation, "devices");

  REQUIRE(curves.size() == 1);
  CHECK(curves[0].points.size() == 3);
  CHECK(curves[0].label == "batch_global=64");
}

TEST_CASE("one cell on more nodes than its devices need does not split the curve", "[analysis]") {
  using Texts = std::vector<std::string>;
  CHECK(curves_of_nodes({{1, 1}, {2, 1}, {4, 1}, {4, 2}, {8, 2}}) ==
        Texts{"batch_global=64 nodes=1 to 2: 1 2 4 8", "batch_global=64 nodes=2: 4"});
  // A device on each node, and as many on one.
  CHECK(curves_of_nodes({{1, 1}, {4, 1}, {2, 2}, {4, 4}}) ==
        Texts{"batch_global=64 nodes=1 to 4: 1 2 4", "batch_global=64 nodes=1: 4"});
}

TEST_CASE("numbers of nodes that do not follow from the devices are curves of their own",
          "[analysis]") {
  using Texts = std::vector<std::string>;
  const Texts crossed = curves_of_nodes({{4, 1}, {8, 1}, {4, 2}, {8, 2}});
  CHECK(crossed == Texts{"batch_global=64 nodes=1: 4 8", "batch_global=64 nodes=2: 4 8"});
  // 4 devices fit a node where 8 are on 2, and 8 where 16 are.
  CHECK(curves_of_nodes({{1, 1}, {4, 1}, {4, 2}, {8, 2}, {16, 2}}) ==
        Texts{"batch_global=64 nodes=1: 1 4", "batch_global=64 nodes=2: 4 8 16"});
}

TEST_CASE("text that looks like a number is no point of a curve", "[analysis]") {
  std::vector<CellObservation> cells;
  for (const char* text : {"4", "inf", "2.10"}) {
    CellRow cell = make_cell(1, 2, 64);
    cell.parameters.push_back({"clip", text, ValueKind::kText, true});
    cells.push_back(observe_cell(cell, {}));
  }
  const StudyObservation observation = test::make_observation(cells, Scaling::kNone);

  CHECK(curves_along(observation, "clip").empty());
}

TEST_CASE("models with batches of their own are curves of their own", "[analysis]") {
  std::vector<CellObservation> cells;
  for (const std::int64_t batch : {4, 8, 64, 128}) {
    CellRow cell = make_cell(batch, 2, batch);
    cell.parameters.push_back(
        {"model", batch % 3 == 2 ? "mlp-258k" : "mlp-6.9m", ValueKind::kText, true});
    cells.push_back(observe_cell(cell, {}));
  }
  const StudyObservation observation = test::make_observation(cells, Scaling::kStrong);
  const std::vector<Curve> curves = curves_along(observation, "batch_global");

  REQUIRE(curves.size() == 2);
  CHECK(curves[0].label == "devices=2 model=mlp-6.9m");
  CHECK(curves[1].label == "devices=2 model=mlp-258k");
}

TEST_CASE("sizes of a model are one curve along the number of parameters that trials report",
          "[analysis]") {
  std::vector<CellObservation> cells;
  for (const std::int64_t width : {64, 8, 16}) {
    CellRow cell = make_cell(width, 2, 32);
    cell.parameters.push_back({"model.width", std::to_string(width), ValueKind::kInteger, true});
    cells.push_back(observe_cell(cell, {1.0}));
    if (width != 16) {  // its trials did not say
      cells.back().trials.front().metrics["parameter_count"].mean =
          static_cast<double>(width * 100);
    }
  }
  const StudyObservation observation = test::make_observation(cells, Scaling::kStrong);
  const std::vector<Curve> curves = curves_along(observation, "parameter_count");

  REQUIRE(curves.size() == 1);
  CHECK(curves[0].label == "batch_global=32 devices=2");
  REQUIRE(curves[0].points.size() == 2);
  CHECK(curves[0].points[0].x == 800.0);
  CHECK(curves[0].points[0].cell->row.id == 8);
  CHECK(curves[0].points[1].x == 6400.0);
}

TEST_CASE("a text that changes with every value of the axis moves with it", "[analysis]") {
  std::vector<CellObservation> cells;
  for (const std::int64_t batch : {4, 8}) {
    CellRow cell = make_cell(batch, 2, batch);
    cell.parameters.push_back({"data", "set-" + std::to_string(batch), ValueKind::kText, true});
    cells.push_back(observe_cell(cell, {}));
  }
  const StudyObservation observation = test::make_observation(cells, Scaling::kStrong);

  CHECK(curves_along(observation, "batch_global").size() == 1);
}

TEST_CASE("a batch that follows from the other one can be an axis", "[analysis]") {
  CHECK(parameter_text(make_cell(1, 2, 64), "batch_per_device") == "32");
  CHECK(parameter_text(make_cell(1, 2, 64), "model").empty());
}

TEST_CASE("cells that differ in comm alone share a control without communication", "[analysis]") {
  const auto cell_with = [](std::int64_t id, std::int64_t devices, const char* comm) {
    CellRow cell = make_cell(id, devices, 64);
    cell.hash += comm;
    cell.parameters.push_back({"comm", comm, ValueKind::kText, true});
    return cell;
  };
  CellRow control = test::make_control(5, cell_with(2, 2, "mpi"), CellRole::kNoop);
  control.parameters.back().value = "noop";
  StudyObservation observation = test::make_observation({observe_cell(cell_with(1, 1, "shm"), {}),
                                                         observe_cell(cell_with(2, 2, "mpi"), {}),
                                                         observe_cell(cell_with(3, 2, "shm"), {}),
                                                         observe_cell(cell_with(4, 2, "noop"), {}),
                                                         observe_cell(control, {})},
                                                        Scaling::kStrong);
  const auto found = [&](std::size_t cell) {
    const CellObservation* noop = noop_of(observation, observation.cells[cell]);
    return noop == nullptr ? 0 : noop->row.id;
  };

  CHECK(found(0) == 0);
  CHECK(found(1) == 5);
  CHECK(found(2) == 5);
  CHECK(found(3) == 0);
  CHECK(found(4) == 0);
  observation.cells[2].row.parameters[0].value = "128";
  CHECK(found(2) == 0);
}
