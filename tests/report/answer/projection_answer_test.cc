// What the first screen says of projections that the study asks for, and what they cost.
#include "harness/report/answer/projection_answer.h"

#include <cstdint>
#include <string>
#include <variant>

#include "harness/report/sections/sections.h"
#include "tests/report/sample_study.h"
#include "tests/report/shipped_study.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::report;
using Catch::Matchers::Contains;

namespace {

// Asks for 8 and 16 devices; 64 samples take 9.8 ms on 8 devices.
ReportInput asked_sample() {
  ReportInput input = test::read_sample();
  input.declared.analysis.projection.emplace().to = {8, 16};
  return input;
}

void project(ProjectionRow& row) {
  row.status = RowStatus::kOk;
  row.value = 0.0098;
  row.lo = 0.00931;
  row.hi = 0.01029;
  row.throughput = 64.0 / 0.0098;
}

TEST_CASE("what is projected is told of the most devices, what is not with its status",
          "[report]") {
  ReportInput input = asked_sample();
  CHECK(projection_text(input).empty());
  project(test::add_refused(input, "batch_global=64", 8));
  test::add_refused(input, "batch_global=64", 16).status = RowStatus::kUnsupported;
  const std::string one = "8 devices (batch 64): 9.80 ms [9.31, 10.29] per step";
  const std::string both = one + "; 16 devices: unsupported; why: section Projection";
  CHECK(projection_text(input) == both);
  CHECK_THAT(test::render_kind(input, "scaling"),
             Contains("**Projected, not measured:** " + both + "."));

  project(test::add_refused(input, "batch_global=64", 16));  // of a newer session
  CHECK(projection_text(input) == "16 devices (batch 64): 9.80 ms [9.31, 10.29] per step");
  project(test::add_refused(input, "batch_global=256", 8));
  project(test::add_refused(input, "batch_global=1024", 8));
  CHECK(projection_text(input) == "up to 16 devices, for 3 curves");

  for (ProjectionRow& row : input.results.projections) {
    row.measured = 0.01;
  }
  CHECK(projection_text(input).empty());
}

TEST_CASE("what is refused for some curves alone says for which, or for how many", "[report]") {
  ReportInput input = asked_sample();
  project(test::add_refused(input, "batch_global=64", 16));
  test::add_refused(input, "batch_global=256", 16);
  const std::string one = "16 devices (batch 64): 9.80 ms [9.31, 10.29] per step";
  const std::string why = "; why: section Projection";
  CHECK(projection_text(input) == one + "; 16 devices (batch 256): refused" + why);

  test::add_refused(input, "batch_global=1024", 16);
  CHECK(projection_text(input) == one + "; 16 devices: refused for 2 of 3 curves" + why);
  for (const char* curve : {"batch_global=64", "batch_global=256", "batch_global=1024"}) {
    test::add_refused(input, curve, 8);
  }
  input.results.projections.back().status = RowStatus::kExtrapolated;
  CHECK(projection_text(input) ==
        one +
            "; 8 devices (batch 1024): extrapolated; 8 and 16 devices: refused for 2 of 3 curves" +
            why);
  input.results.projections.back().status = RowStatus::kRefused;
  CHECK(projection_text(input) ==
        one + "; 8 devices: refused; 16 devices: refused for 2 of 3 curves" + why);
}

TEST_CASE("projections that are all refused say why, or where that is told", "[report]") {
  ReportInput input = asked_sample();
  for (const char* curve : {"batch_global=64", "batch_global=256"}) {
    test::add_refused(input, curve, 8);
    test::add_refused(input, curve, 16);
  }
  CHECK(projection_text(input) == "8 and 16 devices: refused, because too few counts");
  input.results.projections.back().finding = "another reason";
  CHECK(projection_text(input) == "8 and 16 devices: refused; why: section Projection");
  input.declared.analysis.projection.reset();
  CHECK(projection_text(input).empty());
}

TEST_CASE("what was not measured is listed in one sentence", "[report]") {
  const auto said = [](const ReportInput& input) {
    return text_of(build_view(input, {}), "unmeasured");
  };
  ReportInput input = test::read_sample({.has_publications = false});
  input.results.volumes = {};
  CHECK(said(input).empty());
  test::add_refused(input, "batch_global=64", 8);
  CHECK(said(input) == "[Projection](#projection)");  // the study asks for none, so no line has it
  input.results.projections.emplace_back().provenance = Provenance::kScenario;
  input.declared.analysis.projection.emplace().to = {8};
  const std::string all =
      "[Projection](#projection), [Scenarios](#scenarios) and the line \"Projected, not measured\"";
  CHECK(said(input) == all);
  CHECK_THAT(test::render_kind(input, "scaling"),
             Contains("Every number of this report outside " + all +
                      " was measured by the trials of this study"));
  CHECK(said(test::read_sample()).starts_with("[Published figures](#published-figures)"));

  VolumeRow& volume = input.results.volumes.emplace_back();
  volume.cell_id = input.cells.front().id;
  volume.quantity = "traffic_bytes";
  volume.ratio = 2.0;
  CHECK(said(input) ==
        "[Projection](#projection), [Scenarios](#scenarios), the column \"By first principles\" of "
        "[First principles](#first-principles) and the line \"Projected, not measured\"");
}

// 8 devices at 3 USD an hour for 1e6 / 64 steps of 9.8 ms: 1.0208 USD.
TEST_CASE("the table of projections has what a million samples cost", "[report]") {
  ReportInput input = asked_sample();
  project(test::add_refused(input, "batch_global=64", 8));
  const auto cost = [&] {
    const View view = build_view(input, {});
    const View& table = std::get<View::List>(view.values().at("projections")).at(0);
    const auto& rows = std::get<View::List>(table.values().at("rows"));
    return std::get<std::string>(rows.at(0).values().at("cost"));
  };
  CHECK_THAT(cost(), Contains("1.021 [0.970, 1.072]"));
  input.declared.cost->price.per_node_hour = 24.0;
  CHECK_THAT(cost(), !Contains("["));
}

}  // namespace
