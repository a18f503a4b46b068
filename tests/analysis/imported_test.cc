// What is not known of trials that were read from logs takes away what rests on it, and no more.
#include <algorithm>
#include <set>

#include "harness/analysis/analyse.h"
#include "harness/analysis/observe/observe.h"
#include "harness/store/rows/launch_order.h"
#include "tests/analysis/by_hand.h"
#include "tests/analysis/found_rows.h"
#include "tests/analysis/stored_study.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using Catch::Matchers::Contains;
using test::make_cell;

namespace {

struct Told {
  bool blocks = false;
  bool order = false;
  double apart = 1.0;  // the numbers of the order
};

Study imported_command() {
  Study study;
  study.workload = Workload::kCommand;
  study.analysis.baseline = {{"devices", std::int64_t{1}}};
  study.trials.until = 0.01;
  return study;
}

// Eight logs of 1 device and eight of 2, which take 100 ms and 60 ms a step, each run 2 % more than
// the one before it.
Results analyse_logs(const Told& declared) {
  Store store = Store::open_in_memory();
  StudyRow row;
  row.name = "logs";
  row.scaling = Scaling::kStrong;
  const std::int64_t study_id = store.put_study(row);
  CellRow one = make_cell(0, 1, 64);
  CellRow two = make_cell(0, 2, 64);
  one.baseline = one.hash;
  two.baseline = one.hash;
  store.put_cells(study_id, {one, two}, "");
  std::vector<TrialRecord> records;
  for (const CellRow& cell : store.cells(study_id)) {
    for (std::int64_t run = 0; run < 8; ++run) {
      TrialRecord& record = records.emplace_back();
      TrialRow& trial = record.trial;
      trial.study_id = study_id;
      trial.cell_id = cell.id;
      trial.state = TrialState::kOk;
      trial.provenance = TrialProvenance::kImported;
      trial.source = cell.hash + std::to_string(run) + ".log";
      trial.source_hash = trial.source;
      trial.has_block = declared.blocks;
      trial.has_order = declared.order;
      trial.plan = declared.blocks ? "imported" : *trial.source;
      trial.block = declared.blocks ? run : 0;
      trial.position = declared.order ? *position_of(declared.apart * double(run)) : 0;
      const double time_s = (cell.devices == 1 ? 0.100 : 0.060) * (1.0 + 0.02 * double(run));
      record.series = {test::step_times({time_s, 1.01 * time_s, 0.99 * time_s}, 0)};
    }
  }
  store.add_imported(records);
  return analyse(store, study_id, imported_command());
}

const ComparisonRow& speedup(const Results& results) {
  return *std::ranges::find_if(results.comparisons, [](const ComparisonRow& row) {
    return row.quantity == "speedup" && row.cell_id != row.baseline_cell_id;
  });
}

}  // namespace

TEST_CASE("imported trials without declared blocks are not paired", "[analysis]") {
  const Results results = analyse_logs({});

  CHECK(speedup(results).method == RatioMethod::kIndependent);
  CHECK(speedup(results).n == 8);
  // mean(0.06 x) is 0.6 of mean(0.1 x)
  CHECK(*speedup(results).value == Approx(1.0 / 0.6));
  CHECK(speedup(results).verdict == Verdict::kFaster);
}

TEST_CASE("declared blocks of imported trials pair them", "[analysis]") {
  const Results results = analyse_logs({.blocks = true});

  CHECK(speedup(results).method == RatioMethod::kPaired);
  CHECK(speedup(results).n == 8);
}

TEST_CASE("drift of imported trials is assessed if their order is declared", "[analysis]") {
  CHECK_FALSE(test::has_threat(analyse_logs({}), ThreatKind::kDrift));
  CHECK_FALSE(test::has_threat(analyse_logs({.blocks = true}), ThreatKind::kDrift));

  const Results results = analyse_logs({.order = true});

  const auto drift = std::ranges::find(results.threats, ThreatKind::kDrift, &ThreatRow::kind);
  REQUIRE(drift != results.threats.end());
  CHECK(drift->severity == Severity::kWarning);  // seven steps of 2 % each, in both cells
  CHECK_THAT(drift->finding, Contains("+14.0 % from the first trial of a cell to its last"));
}

TEST_CASE("an order of numbers with fractions is the one of their values", "[analysis]") {
  const Results results = analyse_logs({.order = true, .apart = 0.25});

  const auto drift = std::ranges::find(results.threats, ThreatKind::kDrift, &ThreatRow::kind);
  REQUIRE(drift != results.threats.end());
  CHECK_THAT(drift->finding, Contains("+14.0 % from the first trial of a cell to its last"));
}

TEST_CASE("imported trials are warned of, and say what is not known of them", "[analysis]") {
  const auto finding = [](const Told& declared) {
    const Results results = analyse_logs(declared);
    return std::ranges::find(results.threats, ThreatKind::kImported, &ThreatRow::kind)->finding;
  };
  CHECK_THAT(finding({}),
             Contains("16 trials were read from logs: scalestudy did not run them") &&
                 Contains("comparisons are not paired") && Contains("drift is not assessed"));
  CHECK_THAT(finding({.blocks = true, .order = true}),
             Contains("from 5 on, comparisons are paired by them") && !Contains("drift"));
}

TEST_CASE("results of imported trials are marked as imported", "[analysis]") {
  const Results results = analyse_logs({});

  std::set<Provenance> found;
  for (const EstimateRow& row : results.estimates) {
    found.insert(row.provenance);
  }
  for (const ComparisonRow& row : results.comparisons) {
    found.insert(row.provenance);
  }
  CHECK(found == std::set{Provenance::kImported});
}

TEST_CASE("a rule that ends a run has no part in imported trials", "[analysis]") {
  CHECK_FALSE(test::has_threat(analyse_logs({}), ThreatKind::kAdaptive));
}
