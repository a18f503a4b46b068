// Which tested values a study adds, from its trials alone.
#include "harness/analysis/thresholds/refine.h"

#include "harness/analysis/thresholds/thresholds.h"
#include "harness/study/matrix/matrix.h"
#include "harness/text/text.h"
#include "tests/analysis/by_hand.h"
#include "tests/study/study_text.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using Catch::Matchers::Contains;

namespace {

Study study_with(const std::string& refine, const std::string& devices = "[1, 2]") {
  return test::study_of(
      std::string(test::kHead) + "axes: {devices: " + devices +
      ", batch_global: [8, 16, 32, 64, 128]}\ntrials: {count: 8}\n"
      "analysis: {baseline: {devices: 1}, thresholds: [{metric: speedup, level: 1.0, along: "
      "batch_global, refine: " +
      refine + "}]}\n");
}

// How many times as fast N devices are: N / (1 + (N - 1) crossing / batch).
double speedup(std::int64_t devices, std::int64_t batch, double crossing) {
  const auto n = static_cast<double>(devices);
  return n / (1.0 + (n - 1.0) * crossing / static_cast<double>(batch));
}

// Cells as the study makes them; two devices are as fast as one at batch 40, four at 80. Eight
// trials that vary by `spread` either way, those of added cells in their blocks.
class Lab {
 public:
  explicit Lab(const Study& study, double spread = 0.00035) : study_(study), spread_(spread) {
    for (const Cell& cell : expand(study).cells) {
      add(cell, 0);
    }
  }

  void run(const std::vector<Addition>& more) {
    observation.additions.insert(observation.additions.end(), more.begin(), more.end());
    Study extended = study_;
    extended.additions = observation.additions;
    for (const Cell& cell : expand(extended).cells) {
      if (observation.find_cell(cell.hash) == nullptr) {
        add(cell, cell.blocks.front().first);
      }
    }
  }

  // NOLINTNEXTLINE(misc-non-private-member-variables-in-classes): tests read it
  StudyObservation observation = test::make_observation({}, Scaling::kStrong);

 private:
  void add(const Cell& cell, std::int64_t first) {
    CellRow row = test::make_cell(static_cast<std::int64_t>(observation.cells.size()) + 1,
                                  cell.devices,
                                  cell.batch_global.value());
    row.hash = cell.hash;
    row.baseline = cell.baseline;
    const double centre =
        1.0 / speedup(cell.devices, *cell.batch_global, 20.0 * static_cast<double>(cell.devices));
    std::vector<double> times;
    for (int trial = 0; trial < 8; ++trial) {
      const int step = trial / 4;
      const double sign = (trial + cell.devices) % 2 == 0 ? 1.0 : -1.0;
      times.push_back(centre * (1.0 + sign * spread_ * (1.0 + step)));
    }
    CellObservation observed = test::observe_cell(row, times);
    for (TrialObservation& trial : observed.trials) {
      trial.row.block += first;
      trial.row.wall_s = 10.0;
    }
    observation.cells.push_back(std::move(observed));
  }

  const Study& study_;
  const double spread_;
};

std::string finding(const Lab& lab, const Study& study) {
  return find_thresholds(lab.observation, study).at(0).finding;
}

TEST_CASE("a value is added with its base, in blocks behind all others, until it is known",
          "[analysis]") {
  const Study study = study_with("{to: 5%, grid: 4}");
  Lab lab(study);

  const std::vector<Addition> first = next_values(lab.observation, study);

  // sqrt(32 * 64) = 45.3, of which the nearest multiple of 4 is 44
  REQUIRE(first.size() == 2);
  CHECK(first[0].value == 44);
  CHECK(first[0].axis == "batch_global");
  CHECK(first[0].first_block == 8);
  CHECK(first[0].reason == "the bracket was [32, 64]");
  CHECK(first[1].value == 44);
  CHECK(first[0].cell != first[1].cell);
  CHECK_THAT(finding(lab, study), Contains("next is 44"));

  lab.run(first);
  CHECK(lab.observation.find_cell(first[0].cell)->row.devices == 2);
  CHECK(lab.observation.find_cell(first[1].cell)->row.devices == 1);
  const std::vector<Addition> second = next_values(lab.observation, study);
  CHECK(second.empty());
  CHECK_THAT(finding(lab, study),
             Contains("44 was tested because the bracket was [32, 64]; the interval is within ±") &&
                 Contains("(±2.5 % asked for)"));
}

TEST_CASE("a value that gave nothing is not asked for again", "[analysis]") {
  const Study study = study_with("{to: 5%, grid: 4}");
  Lab lab(study);
  lab.run(next_values(lab.observation, study));
  for (CellObservation& cell : lab.observation.cells) {
    if (cell.row.batch_global == 44) {
      cell.trials.clear();
    }
  }

  CHECK(next_values(lab.observation, study).at(0).value == 48);  // on the other side of 45.3
}

TEST_CASE("a batch is added that its devices can share", "[analysis]") {
  const Study study = study_with("{to: 5%, grid: 3}");
  const Lab lab(study);

  CHECK(next_values(lab.observation, study).at(0).value == 48);  // of 42 and 48, multiples of 6
}

TEST_CASE("curves that need the same base share its blocks, at once or later", "[analysis]") {
  const Study study = study_with("{to: 0.1%, grid: 4}", "[1, 2, 4]");
  Lab lab(study);
  // Two devices cross at 40, four at 80: 44 of [32, 64] (45.3), and 92 of [64, 128] (90.5).
  std::vector<Addition> more = next_values(lab.observation, study);
  REQUIRE(more.size() == 4);
  CHECK(more[0].value == 44);
  CHECK(more[2].value == 92);

  // Batch 92 on one device is there by the time that two devices, slower now, cross at 80 as well.
  lab.run(more);
  for (CellObservation& cell : lab.observation.cells) {
    for (TrialObservation& trial : cell.trials) {
      const std::int64_t batch = cell.row.batch_global.value();
      trial.metrics[kStepTime].mean *=
          cell.row.devices == 2 ? speedup(2, batch, 40.0) / speedup(2, batch, 80.0) : 1.0;
    }
  }
  more = next_values(lab.observation, study);
  REQUIRE(more.size() >= 2);
  CHECK(more[0].value == 92);
  CHECK(more[0].first_block == 16);
  CHECK(more[1].axis.empty());
  CHECK_FALSE(more[1].value.has_value());
  CHECK(more[1].first_block == 16);
  const CellRow& base = lab.observation.find_cell(more[1].cell)->row;
  CHECK(base.batch_global == 92);
  CHECK(base.devices == 1);
}

TEST_CASE("a search ends at its number of cells and says what the rest takes", "[analysis]") {
  const Study study = study_with("{to: 0.2%, max_cells: 2}");
  Lab lab(study);
  lab.run(next_values(lab.observation, study));
  for (CellObservation& cell : lab.observation.cells) {
    if (cell.row.devices == 2 && cell.row.batch_global == 32) {
      cell.trials.pop_back();
    }
  }

  CHECK(next_values(lab.observation, study).empty());
  const std::string text = finding(lab, study);
  CHECK_THAT(text, Contains("(±0.1 % asked for): refine.max_cells are added"));
  const std::size_t at = text.find("±0.1 % takes about ");
  REQUIRE(at != std::string::npos);
  const double trials = std::stod(text.substr(at + std::string("±0.1 % takes about ").size()));
  // Two values, a cell and its base at each, 10 s a trial.
  CHECK_THAT(text,
             Contains("which now have 7 or more: about " + format_duration(40.0 * (trials - 7.0)) +
                      " more"));
}

TEST_CASE("a search that noise ends says how much of the interval is noise", "[analysis]") {
  CurveRefinement refined;
  refined.asked.to = 0.08;
  refined.step = {
      .step = stats::Refinement::kNoise, .next = {}, .width = 0.16, .noise = 0.118, .trials = {}};
  const std::string interval = "the interval is within ±8 % (±4 % asked for): ";
  CHECK(describe_refinement(refined) ==
        interval +
            "noise alone leaves ±5.9 %, which is more than asked for and most of the "
            "interval");
  refined.step.noise.reset();
  CHECK(describe_refinement(refined) ==
        interval + "closer values would differ by less than their trials vary");
}

TEST_CASE("a value that the study cannot have is told and not asked for", "[analysis]") {
  Study study = study_with("{to: 5%, grid: 4}");
  study.exclude = {{{"batch_global", {std::int64_t{44}}}}};
  const Lab lab(study);

  CHECK(next_values(lab.observation, study).empty());
  CHECK_THAT(finding(lab, study), Contains("44 cannot be measured: the study excludes it"));
}

TEST_CASE("a crossing outside what was tested adds nothing", "[analysis]") {
  const Study study = study_with("{to: 5%}");
  Lab inside(study);
  CHECK(next_values(inside.observation, study).size() == 2);
  Lab lab(study);
  for (CellObservation& cell : lab.observation.cells) {
    for (TrialObservation& trial : cell.trials) {
      trial.metrics[kStepTime].mean *= cell.row.devices == 2 ? 0.1 : 1.0;
    }
  }

  CHECK(next_values(lab.observation, study).empty());
  CHECK_THAT(finding(lab, study), Contains("the crossing lies outside what was tested"));
}

TEST_CASE("a study that refines nothing adds nothing", "[analysis]") {
  Study study = study_with("{to: 5%}");
  study.analysis.thresholds[0].refine.reset();
  const Lab lab(study);

  CHECK(next_values(lab.observation, study).empty());
  CHECK_THAT(finding(lab, study), !Contains("next is"));
}

}  // namespace
