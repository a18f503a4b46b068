// What stands before the first table, of every study that is shipped.
#include <filesystem>
#include <string>

#include "harness/base/paths.h"
#include "harness/report/sections/sections.h"
#include "tests/report/collective_sample.h"
#include "tests/report/sample_study.h"
#include "tests/report/shipped_study.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::report;

namespace {

namespace fs = std::filesystem;
using Catch::Matchers::Contains;

std::string render(const ReportInput& input) {
  return test::render_kind(input, input.declared.report_template);
}

TEST_CASE("the first screen of every shipped study answers in 1,000 characters", "[report]") {
  int studies = 0;
  for (const auto& entry : fs::directory_iterator(shared_file("studies"))) {
    if (read_file(entry.path()).value().find("\nsearch:") != std::string::npos) {
      continue;  // its trials are chosen as it goes: tests/cli/run/search_test.cc
    }
    const std::string text = test::first_screen(render(test::run_shipped(entry.path())));
    INFO(entry.path() << "\n" << text);
    CHECK(test::length(text) <= test::kFirstScreen);
    CHECK_THAT(text, !Contains("No answer yet"));
    CHECK_THAT(text, Contains("\n- **"));
    ++studies;
  }
  CHECK(studies >= 10);
}

TEST_CASE("so does that of a hostile title, of a collective and of a bare study", "[report]") {
  Store store = Store::open_in_memory();
  const auto sample = read_input(
      store,
      test::fill_sample(store, {.title = test::kHostile, .batch_label_extra = test::kHostile}));
  CHECK(test::length(test::first_screen(render(sample))) <= test::kFirstScreen);
  CHECK(test::length(test::first_screen(render(test::collective_sample()))) <= test::kFirstScreen);
}

TEST_CASE("a study of targets alone answers them", "[report]") {
  ReportInput input = test::read_sample();
  input.results.comparisons.clear();
  input.results.thresholds.clear();
  input.make_index();

  CHECK_THAT(test::first_screen(render(input)),
             Contains("- **Target:** second device pays: missed"));

  input.results.targets.clear();
  CHECK_THAT(test::first_screen(render(input)),
             Contains("- **1 device, batch 64:** 8.40 ± 0.25 ms per step"));
}

TEST_CASE("the title says that a study is interim or mixed", "[report]") {
  ReportInput input = test::read_sample();
  const auto title = [&] {
    const std::string text = render(input);
    return text.substr(0, text.find('\n'));
  };
  CHECK(title() == "# Does a second device pay for a small MLP?");

  input.results.threats.push_back({ThreatKind::kChangedStudy, Severity::kWarning, "Changed."});
  CHECK_THAT(title(), Contains("(mixed: the study was changed between trials)"));

  input.trials.back().state = TrialState::kPlanned;
  CHECK_THAT(title(), Contains("(interim: 1 of 33 trials still to run)"));

  input.declared.workload = Workload::kTrain;
  input.declared.parameters["compute"] = std::string("declared");
  CHECK_THAT(title(), Contains("(emulated, not measured; interim: 1 of 33 trials still to run)"));

  // A command whose trials say so.
  input.declared.workload = Workload::kCommand;
  CHECK_THAT(title(), !Contains("emulated"));
  input.results.estimates.back().provenance = Provenance::kEmulated;
  CHECK_THAT(title(), Contains("(emulated, not measured; interim: 1 of 33 trials still to run)"));
  CHECK_THAT(render(input),
             Contains("No number of this report was measured: the program of its trials says"));
}

TEST_CASE("a study without an answer says what its first comparison lacks", "[report]") {
  ReportInput input = test::read_sample({.has_results = false});
  CHECK_THAT(
      render(input),
      Contains("No answer yet: no comparison of this study has enough data. It needs a "
               "baseline, and at least two trials that ended ok on both sides of a pair.\n"));

  ComparisonRow row;
  row.cell_id = input.cells.at(1).id;
  row.baseline_cell_id = input.cells.at(0).id;
  row.quantity = "speedup";
  row.verdict = Verdict::kNotEnoughData;
  row.remark = "the trials do not vary at all, so nothing can be tested";
  input.results.comparisons = {row};
  input.trials.back().state = TrialState::kPlanned;
  input.make_index();
  CHECK_THAT(render(input),
             Contains("No answer yet: 2 devices, batch 64: the trials do not vary at all, so "
                      "nothing can be tested. To continue: scalestudy run " +
                      input.study.name + "\n"));
}

}  // namespace
