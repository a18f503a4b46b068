// Figures of what is projected beyond the measured numbers of devices.
#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "harness/report/figures/figures.h"
#include "harness/report/figures/gnuplot.h"
#include "harness/report/figures/projection_figures.h"
#include "harness/report/input/groups.h"
#include "tests/report/figures/drawn_figures.h"
#include "tests/report/sample_study.h"
#include "tests/report/scratch_folder.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::report;
using test::paths_of;
using test::plot_height_of;

namespace {

// The sample's batch of 64, projected to 8 devices from its 1, 2 and 4.
ReportInput projected_sample() {
  ReportInput input = test::read_sample();
  ProjectionRow row;
  row.group_label = "batch_global=64";
  row.devices = 8;
  row.value = 0.0098;
  row.lo = 0.00931;
  row.hi = 0.01029;
  row.held_out = 1;
  row.status = RowStatus::kOk;
  row.made_at = "2026-11-21T10:00:00Z";
  for (const CellRow& cell : input.cells) {
    if (cell.role == CellRole::kMeasured && cell.batch_global == 64) {
      const std::vector<std::int64_t> ids = input.used_trials(cell.id);
      row.trials.insert(row.trials.end(), ids.begin(), ids.end());
    }
  }
  input.results.projections = {row};
  return input;
}

TEST_CASE("what is projected has marks of its own beside what it rests on", "[report]") {
  ReportInput input = projected_sample();
  const Group group = group_cells(input).front();

  const std::vector<ProjectedCurve> curves = projected_curves(input, group);
  REQUIRE(curves.size() == 1);
  std::vector<std::int64_t> measured;
  for (const auto& [devices, cell] : curves[0].measured) {
    CHECK(cell->batch_global == 64);
    measured.push_back(devices);
  }
  CHECK(measured == std::vector<std::int64_t>{1, 2, 4});
  CHECK(curves[0].held_out == std::set<std::int64_t>{4});

  std::vector<FigurePlan> plans = plan_figures(input);
  std::erase_if(plans, [](const FigurePlan& plan) { return plan.kind != "projection"; });
  REQUIRE(plans.size() == 1);
  CHECK(plans[0].path == "figures/projection.svg");
  const std::string svg = draw_figures(plans, {test::sample_request(1).figures}).at(0);
  // gnuplot counts its marks from 0: a filled dot, a ring, an open diamond.
  CHECK_THAT(svg,
             Catch::Matchers::Contains("'#gpPt6'") && Catch::Matchers::Contains("'#gpPt5'") &&
                 Catch::Matchers::Contains("'#gpPt11'") &&
                 Catch::Matchers::Contains("stroke-dasharray") &&
                 Catch::Matchers::Contains("projected<"));
  CHECK(plot_height_of(svg) >= 250.0);

  CHECK_THAT(test::alt_of(input, "projection"),
             Catch::Matchers::EndsWith(
                 "batch 64: measured up to 4 devices, 4 held out of the fit; projected, not "
                 "measured: 9.80 (9.31, 10.29) ms on 8 devices"));
  input.results.projections[0].error = 0.012;
  CHECK_THAT(test::alt_of(input, "projection"),
             Catch::Matchers::EndsWith("on 8 devices, +1.2 % off what was measured later"));

  input.results.projections[0].value.reset();  // refused
  CHECK(paths_of(input, "projection").empty());
}

TEST_CASE("a figure of projections from emulated times calls nothing measured", "[report]") {
  ReportInput input = projected_sample();
  for (EstimateRow& row : input.results.estimates) {
    row.provenance = Provenance::kEmulated;
  }
  input.results.projections[0].provenance = Provenance::kEmulated;
  input.results.projections[0].error = 0.012;

  CHECK_THAT(test::alt_of(input, "projection"),
             !Catch::Matchers::Contains("measured") &&
                 Catch::Matchers::EndsWith(
                     "batch 64: emulated up to 4 devices, 4 held out of the fit; "
                     "projected, not emulated: 9.80 (9.31, 10.29) ms on 8 devices, +1.2 % off "
                     "what was emulated later"));
  std::vector<FigurePlan> plans = plan_figures(input);
  std::erase_if(plans, [](const FigurePlan& plan) { return plan.kind != "projection"; });
  const std::string svg = draw_figures(plans, {test::sample_request(1).figures}).at(0);
  CHECK_THAT(svg, Catch::Matchers::Contains("emulated") && !Catch::Matchers::Contains("measured"));
}

TEST_CASE("an older projection stays beside the line of the newest", "[report]") {
  ReportInput input = projected_sample();
  const Group group = group_cells(input).front();
  ProjectionRow older = input.results.projections[0];
  older.devices = 4;
  older.value = 0.0111;
  older.made_at = "2026-11-20T10:00:00Z";
  input.results.projections.insert(input.results.projections.begin(), older);

  const std::string text = projection_definitions(input, group).at(0);

  const std::string projected = text.substr(text.find("$projected"));
  CHECK(projected.find("11.1") < projected.find("$line"));
  CHECK(projected.find("11.1", projected.find("$line")) == std::string::npos);
  // From the most devices measured, and no fewer.
  const std::string line = text.substr(text.find("$line"));
  CHECK(line.find("SCALESTUDY_END\n4 9.6") < line.find("\n8 9.8"));
}

}  // namespace

TEST_CASE("figures of several kinds are drawn as each alone", "[report]") {
  const std::filesystem::path folder = test::sample_request(1).figures;
  const std::vector<FigurePlan> plans = plan_figures(projected_sample());
  std::set<std::string> kinds;
  std::vector<std::string> alone;
  for (const FigurePlan& plan : plans) {
    kinds.insert(plan.kind);
    alone.push_back(draw_figures({plan}, {folder}).at(0));
  }

  CHECK(kinds.size() > 2);
  CHECK(draw_figures(plans, {folder}) == alone);
}

TEST_CASE("a figure script of the user's changes no other figure", "[report]") {
  const std::filesystem::path shipped = test::sample_request(1).figures;
  const std::vector<FigurePlan> plans = plan_figures(projected_sample());
  const test::ScratchFolder own;
  const std::string kind = plans.front().kind;
  std::ofstream(own.path() / (kind + ".gp"))
      << "set terminal svg size 300,200 fontscale 3\nset linetype 1 linewidth 9\nplot x\n";

  const std::vector<std::string> before = draw_figures(plans, {shipped});
  const std::vector<std::string> after = draw_figures(plans, {own.path(), shipped});

  REQUIRE(plans.back().kind != kind);
  for (std::size_t i = 0; i < plans.size(); ++i) {
    CAPTURE(plans[i].path);
    CHECK((after[i] == before[i]) == (plans[i].kind != kind));
  }
}
