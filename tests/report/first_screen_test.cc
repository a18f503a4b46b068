// What stands before the first table, of every study that is shipped.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/read_file.h"
#include "harness/report/sections.h"
#include "harness/report/template.h"
#include "tests/report/collective_sample.h"
#include "tests/report/growing_study.h"
#include "tests/report/sample_study.h"
#include "tests/support/catch.h"
#include "tests/support/planned_study.h"

using namespace scalestudy;
using namespace scalestudy::report;

namespace {

namespace fs = std::filesystem;
using Catch::Matchers::Contains;

constexpr std::ptrdiff_t kFirstScreen = 1000;

std::string render(const ReportInput& input) {
  const fs::path templates = shared_file("templates");
  return render_template(templates / (input.declared.report_template + ".md"),
                         {templates / "partials"},
                         build_view(input, {}),
                         [](const std::string&) { return ""; });
}

std::string first_screen(const std::string& report) {
  return report.substr(0, report.find("\n|"));
}

// Characters, not bytes.
std::ptrdiff_t length(const std::string& text) {
  return std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
}

double step_time_s(const CellRow& cell, const TrialRow& trial) {
  const auto devices = static_cast<double>(cell.devices);
  const auto batch = static_cast<double>(cell.batch_global.value_or(100));
  double size = 0.0;
  for (const CellRow::Parameter& parameter : cell.parameters) {
    size += static_cast<double>(parameter.name.size() * parameter.value.size());
  }
  const double sent = cell.devices > 1 && cell.role == CellRole::kMeasured ? 2e-3 : 0.0;
  const double noise = 1.0 + 0.02 * std::sin(static_cast<double>(7 * trial.position));
  return noise * (1e-3 + 1e-4 * batch / devices + 1e-6 * size + sent);
}

TrialRecord record_of(const Study& study, const CellRow& cell, const TrialRow& trial) {
  TrialRecord record;
  record.trial = trial;
  record.trial.state = TrialState::kOk;
  record.trial.wall_s = 2.0;
  record.trial.foreign_load = 1.5;  // a busy machine: what makes a first screen longest
  const double time_s = step_time_s(cell, trial);
  const auto add = [&](const std::string& metric, const std::string& unit, double value) {
    record.series.push_back({.metric = metric,
                             .unit = unit,
                             .rank = {},
                             .warmup_n = 0,
                             .values = std::vector<double>(20, value)});
  };
  add("step_time_s", "s", time_s);
  for (const MetricRequest& request : study.analysis.metrics) {
    if (request.metric != kTrialWallTime) {
      add(request.metric, "1", 1e6 * time_s);
    }
  }
  record.telemetry = {{"parameter_count", 258e3, "parameters"},
                      {"total_bytes", 1e6, "bytes"},
                      {"busbw_factor", 1.0, "1"}};
  return record;
}

// The study with four trials a cell, analysed.
ReportInput run(const fs::path& file) {
  Study study = test::declare(read_file(file).value());
  study.trials = Trials();
  study.trials.count = 4;
  Store store = Store::open_in_memory();
  const Matrix matrix = expand(study);
  const std::int64_t id = test::plan(store, study, matrix);
  std::map<std::int64_t, CellRow> cells;
  for (const CellRow& cell : store.cells(id)) {
    cells.emplace(cell.id, cell);
  }
  SessionRow session;
  session.study_id = id;
  session.started_at = "2026-01-01T00:00:00Z";
  session.host = "host";
  const std::int64_t session_id = store.begin_session(session, {{"cores", "2"}});
  for (TrialRow trial : store.trials(id)) {
    store.mark_running(trial.id, session_id, "2026-01-01T00:00:00Z");
    trial.session_id = session_id;
    store.finish_trial(record_of(study, cells.at(trial.cell_id), trial), false);
  }
  store.end_session(session_id, "2026-01-01T01:00:00Z", SessionEnding::kDone);
  test::analyse_stored(store, id, study);
  return read_input(store, id);
}

TEST_CASE("the first screen of every shipped study answers in 1,000 characters", "[report]") {
  int studies = 0;
  for (const auto& entry : fs::directory_iterator(shared_file("studies"))) {
    const std::string text = first_screen(render(run(entry.path())));
    INFO(entry.path() << "\n" << text);
    CHECK(length(text) <= kFirstScreen);
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
  CHECK(length(first_screen(render(sample))) <= kFirstScreen);
  CHECK(length(first_screen(render(test::collective_sample()))) <= kFirstScreen);
}

TEST_CASE("a study of targets alone answers them", "[report]") {
  Store store = Store::open_in_memory();
  ReportInput input = read_input(store, test::fill_sample(store));
  input.results.comparisons.clear();
  input.results.thresholds.clear();
  input.make_index();

  CHECK_THAT(first_screen(render(input)), Contains("- **Target:** second device pays: missed"));

  input.results.targets.clear();
  CHECK_THAT(first_screen(render(input)),
             Contains("- **1 device, batch 64:** 8.40 ± 0.25 ms a step"));
}

TEST_CASE("the title says that a study is interim or mixed", "[report]") {
  Store store = Store::open_in_memory();
  ReportInput input = read_input(store, test::fill_sample(store));
  const auto title = [&] {
    const std::string text = render(input);
    return text.substr(0, text.find('\n'));
  };
  CHECK(title() == "# Does a second device pay for a small MLP?");

  input.results.threats.push_back({ThreatKind::kChangedStudy, Severity::kWarning, "Changed."});
  CHECK_THAT(title(), Contains("(mixed: the study was changed between trials)"));

  input.trials.back().state = TrialState::kPlanned;
  CHECK_THAT(title(), Contains("(interim: 1 of 33 trials still to run)"));
}

}  // namespace
