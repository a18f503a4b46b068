// What follows from ranks that slept is emulated, and stands beside nothing that was measured.
#include <algorithm>
#include <set>

#include "harness/analysis/analyse.h"
#include "harness/analysis/laws/communication.h"
#include "harness/analysis/laws/projections.h"
#include "harness/analysis/studies/sides.h"
#include "harness/analysis/threats/threats.h"
#include "harness/study/parameters/parameter_rules.h"
#include "tests/analysis/by_hand.h"
#include "tests/analysis/stored_study.h"
#include "tests/store/sample_publications.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using Catch::Matchers::Contains;
using test::make_cell;
using test::observe_cell;
using test::StoredStudy;

namespace {

Study study_that_computes(const std::string& compute) {
  Study study;
  study.workload = Workload::kTrain;
  study.parameters["compute"] = compute;
  study.analysis.laws = {Law::kAmdahl};
  study.analysis.thresholds = {{.metric = "speedup", .level = 1.5, .along = "devices"}};
  Target& target = study.analysis.targets.emplace_back();
  target.name = "fast";
  target.metric = "step_time_s";
  target.at_most = 1.0;
  return study;
}

// 1, 2, 4 and 8 devices, three trials each, of which the last one's program told `facts`.
StoredStudy finished_study(const std::vector<TelemetryRow>& facts = {}) {
  std::vector<CellRow> cells;
  for (const std::int64_t devices : {1, 2, 4, 8}) {
    cells.push_back(make_cell(0, devices, 64));
  }
  StoredStudy stored(Scaling::kStrong, cells, 3);
  for (std::int64_t block = 0; block < 3; ++block) {
    for (const CellRow& cell : cells) {
      const double noise_s = block % 2 == 0 ? 0.001 : 0.0;
      const double time_s = 0.1 / static_cast<double>(cell.devices) + noise_s;
      stored.finish(
          {.cell = cell.hash,
           .block = block,
           .series = {test::step_times({time_s, time_s, 1.01 * time_s}, 0)},
           .facts = block == 2 && cell.devices == 8 ? facts : std::vector<TelemetryRow>{}});
    }
  }
  return stored;
}

// scalestudy-train as a program of one's own.
Study make_command() {
  Study study = study_that_computes("real");
  study.workload = Workload::kCommand;
  return study;
}

template <typename Rows>
std::set<Provenance> provenances(const Rows& rows) {
  std::set<Provenance> found;
  for (const auto& row : rows) {
    found.insert(row.provenance);
  }
  return found;
}

using Found = std::set<Provenance>;

}  // namespace

TEST_CASE("every row of a study whose ranks slept is emulated, and stored so", "[analysis]") {
  const auto [compute, expected] = GENERATE(table<std::string, Provenance>(
      {{"declared", Provenance::kEmulated}, {"real", Provenance::kMeasured}}));
  CAPTURE(compute);
  StoredStudy stored = finished_study();

  const Results results = analyse(stored.store(), stored.study_id(), study_that_computes(compute));

  CHECK(provenances(results.estimates) == Found{expected});
  CHECK(provenances(results.comparisons) == Found{expected});
  CHECK(provenances(results.thresholds) == Found{expected});
  CHECK(provenances(results.laws) == Found{expected});
  CHECK(provenances(results.targets) == Found{expected});
  CHECK(results.comparisons.front().verdict == Verdict::kFaster);
  stored.store().replace_results(stored.study_id(), results);
  CHECK(provenances(stored.store().results(stored.study_id()).laws) == Found{expected});
}

TEST_CASE("every row of a study with emulated links is emulated, of cells without them too",
          "[analysis]") {
  StoredStudy stored = finished_study();
  Study study = study_that_computes("real");
  study.axes.push_back({"interconnect.bandwidth", {0.0, 1000.0}});

  const Results results = analyse(stored.store(), stored.study_id(), study);

  CHECK(provenances(results.estimates) == Found{Provenance::kEmulated});
  CHECK(provenances(results.comparisons) == Found{Provenance::kEmulated});
  study.axes.back().values = {0.0};  // none
  CHECK_FALSE(is_emulated(study));
  study.include.push_back({{"interconnect.bandwidth", 100.0}});
  CHECK(is_emulated(study));
  study.workload = Workload::kCommand;
  CHECK_FALSE(is_emulated(study));
}

TEST_CASE("what emulated links cost is not taken for a measured cost", "[analysis]") {
  StoredStudy stored = finished_study();
  StudyRow row;
  row.name = "links";
  row.source_text =
      "version: 1\nstudy: links\nworkload: collective\n"
      "parameters: {devices: 2, interconnect.bandwidth: 1Gbit}\naxes: {message_bytes: [8, 16]}\n";
  stored.store().put_study(row);
  Study study = study_that_computes("real");
  study.analysis.communication.emplace().study = "links";

  const Communication found = find_communication(stored.store(), {}, study);

  CHECK_FALSE(found.ring);
  CHECK_THAT(found.missing, Contains("study links is emulated"));
}

TEST_CASE("cells of linked ranks are told to be emulated, whatever the workload", "[analysis]") {
  CellRow cell = make_cell(1, 2, 8);
  cell.parameters.push_back({"interconnect.bandwidth", "1000", ValueKind::kReal, false});
  CellRow alone = make_cell(2, 1, 8);
  alone.parameters = cell.parameters;
  Study study = study_that_computes("real");
  study.workload = Workload::kCollective;

  const auto threats = training_threats(
      test::make_observation({observe_cell(cell, {1.0, 1.1}), observe_cell(alone, {1.0, 1.1})},
                             Scaling::kStrong),
      study);

  REQUIRE(threats.size() == 1);
  CHECK(threats[0].kind == ThreatKind::kEmulated);
  CHECK_THAT(threats[0].finding, Contains("1 of 2 cells") && Contains("of no network"));
}

TEST_CASE("a command's own parameter compute emulates nothing", "[analysis]") {
  StoredStudy stored = finished_study();
  Study study = study_that_computes("declared");
  study.workload = Workload::kCommand;

  CHECK(provenances(analyse(stored.store(), stored.study_id(), study).estimates) ==
        Found{Provenance::kMeasured});
}

TEST_CASE("a command whose program says that its ranks slept is emulated", "[analysis]") {
  const auto [value, expected] = GENERATE(
      table<double, Provenance>({{1.0, Provenance::kEmulated}, {0.0, Provenance::kMeasured}}));
  CAPTURE(value);
  StoredStudy stored = finished_study({{.name = "emulated", .value = value, .unit = "1"}});
  PublicationRow publication = test::make_publication("paper", {"1.9x"});
  publication.study_id = stored.study_id();
  publication.figures[0].conditions = R"({"devices":"2"})";
  stored.store().put_publications({publication});

  const Results results = analyse(stored.store(), stored.study_id(), make_command());

  CHECK(provenances(results.estimates) == Found{expected});
  CHECK(provenances(results.comparisons) == Found{expected});
  REQUIRE(results.counterparts.size() == 1);
  CHECK((results.counterparts[0].reason == "this study is emulated, it measures nothing") ==
        (expected == Provenance::kEmulated));
}

TEST_CASE("projections of emulated times are emulated, and not scored by measured ones",
          "[analysis]") {
  const StudyObservation observation = test::make_observation(
      {observe_cell(make_cell(1, 1, 64), {1.0, 1.1}), observe_cell(make_cell(2, 2, 64), {0.6})},
      Scaling::kStrong);
  Study study = study_that_computes("declared");
  study.analysis.projection = ProjectionRequest{.to = {4}, .hold_out = 0, .devices_per_node = 0};
  study.analysis.scenarios.emplace_back().devices = {8};
  study.analysis.scenarios.front().compute_s = 1.0;
  study.analysis.scenarios.front().bytes_per_second = 1.0;
  ProjectionRow earlier;
  earlier.devices = 2;
  earlier.value = 0.5;
  earlier.status = RowStatus::kOk;

  const auto rows = project_cells(observation, study, {}, {}, {earlier});

  REQUIRE(rows.size() == 2);  // without the one of before, which was projected from measured times
  CHECK(rows[0].devices == 4);
  CHECK(rows[0].provenance == Provenance::kEmulated);
  CHECK(rows[1].provenance == Provenance::kScenario);
}

TEST_CASE("measured costs and printed figures are not set beside emulated times", "[analysis]") {
  StoredStudy stored = finished_study();
  PublicationRow publication = test::make_publication("paper", {"1.9x"});
  publication.study_id = stored.study_id();
  publication.figures[0].conditions = R"({"devices":"2"})";
  stored.store().put_publications({publication});
  Study study = study_that_computes("declared");
  study.analysis.communication.emplace().study = "by-hand";

  const Results results = analyse(stored.store(), stored.study_id(), study);
  const Communication found = find_communication(stored.store(), {}, study);

  REQUIRE(results.counterparts.size() == 1);
  CHECK(results.counterparts[0].reason == "this study is emulated, it measures nothing");
  CHECK_FALSE(found.ring);
  CHECK_THAT(found.missing, Contains("is not mixed with emulated times"));
}

TEST_CASE("an emulated cell has no partner that was measured", "[analysis]") {
  Side a;
  a.study = study_that_computes("declared");
  a.observation =
      test::make_observation({observe_cell(make_cell(1, 1, 8), {1.0, 1.1})}, Scaling::kStrong);
  Side b = a;
  CHECK(compare_sides(a, b, 0.02, 0.95).cells.size() == 1);

  b.study = study_that_computes("real");
  const SideComparison comparison = compare_sides(a, b, 0.02, 0.95);

  CHECK(comparison.cells.empty());
  CHECK(comparison.only_a.size() == 1);
  CHECK(comparison.only_b.size() == 1);

  a.study = b.study = make_command();
  CHECK(compare_sides(a, b, 0.02, 0.95).cells.size() == 1);
  a.observation.cells[0].trials[1].is_emulated = true;
  CHECK(compare_sides(a, b, 0.02, 0.95).cells.empty());
  b.observation.cells[0].trials[0].is_emulated = true;
  CHECK(compare_sides(a, b, 0.02, 0.95).cells.size() == 1);
}

TEST_CASE("cells of ranks that sleep are told to be emulated", "[analysis]") {
  CellRow cell = make_cell(1, 2, 8);
  cell.parameters.push_back({"compute", "declared", ValueKind::kText, false});

  const auto threats =
      training_threats(test::make_observation({observe_cell(cell, {1.0, 1.1})}, Scaling::kStrong),
                       study_that_computes("declared"));

  REQUIRE(threats.size() == 1);
  CHECK(threats[0].kind == ThreatKind::kEmulated);
  CHECK(threats[0].severity == Severity::kWarning);
  CHECK_THAT(threats[0].finding, Contains("nothing about a machine"));
}
