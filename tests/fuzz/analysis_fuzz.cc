// Numbers of any size that a store may hold, from analysis to report: the words of the input are
// the values of a study's trials, again and again.
#include <charconv>
#include <cmath>
#include <sstream>

#include "harness/report/figures/figures.h"
#include "harness/report/files/csv.h"
#include "harness/report/sections/sections.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/planned_study.h"

namespace {

using namespace scalestudy;

constexpr const char* kStudy = R"(version: 1
study: stored
title: Stored numbers
workload: train
parameters: {model: mlp-258k}
axes: {devices: [1, 2], batch_global: [16, 32, 64, 128], overlap: [none, thread]}
steps: {warmup: 1, measured: 3}
trials: {count: 4}
controls: [noop]
analysis:
  baseline: {devices: 1}
  thresholds: [{metric: speedup, level: 1.0, along: batch_global}]
  laws: [amdahl, usl]
  targets: [{name: pays, metric: speedup, where: {devices: 2}, at_least: 1.2}]
  time_to: [{metric: loss, at_most: 2}]
  decide: [devices, overlap]
  within: {step_time_s: 1s, cost_per_million_samples: 100}
cost: {per_device_hour: 3, currency: USD}
)";

std::vector<double> numbers_of(const std::string& input) {
  std::vector<double> numbers;
  std::istringstream words(input.substr(0, 4096));
  for (std::string word; words >> word;) {
    double number = 0.0;
    const auto end = std::from_chars(word.data(), word.data() + word.size(), number);
    if (end.ec == std::errc{} && std::isfinite(number)) {
      numbers.push_back(number);
    }
  }
  return numbers;
}

SeriesRow series(const std::string& metric, std::optional<int> rank, std::vector<double> values) {
  const int warmup = values.size() > 1 ? 1 : 0;
  return {
      .metric = metric, .unit = "s", .rank = rank, .warmup_n = warmup, .values = std::move(values)};
}

void fill(Store& store, std::int64_t study_id, const std::vector<double>& numbers) {
  SessionRow begun;
  begun.study_id = study_id;
  begun.started_at = "2026-11-22T10:00:00Z";
  begun.study_text = kStudy;
  const std::int64_t session = store.begin_session(begun, {});
  std::size_t used = 0;
  const auto next = [&] { return numbers[used++ % numbers.size()]; };
  for (const TrialRow& planned : store.trials(study_id)) {
    store.mark_running(planned.id, session, "2026-11-22T10:00:01Z");
    TrialRecord record;
    record.trial = planned;
    record.trial.state = TrialState::kOk;
    record.trial.wall_s = std::abs(next());
    record.trial.foreign_load = next();
    record.series = {series("step_time_s", {}, {next(), next(), next(), next()}),
                     series("step_time_s", 0, {next(), next(), next(), next()}),
                     series("compute_time_s", {}, {next(), next(), next(), next()}),
                     series("loss", {}, {next(), next(), next(), next()})};
    if (used % 2 == 0) {
      record.series.push_back(series("window_time_s", {}, {next()}));
    }
    record.telemetry = {{"flop_per_sample", next(), "flop"}, {"peak_bytes", next(), "bytes"}};
    store.finish_trial(record, false);
  }
}

}  // namespace

void scalestudy::test::fuzz(const std::string& input) {
  static const Study kDeclared = declare(kStudy);
  static const Matrix kMatrix = expand(kDeclared);
  const std::vector<double> numbers = numbers_of(input);
  if (numbers.empty()) {
    return;
  }
  Store store = Store::open_in_memory();
  const std::int64_t id = plan(store, kDeclared, kMatrix);
  fill(store, id, numbers);
  analyse_stored(store, id, kDeclared);
  const report::ReportInput read = report::read_input(store, id);
  (void)report::plan_figures(read);
  (void)report::build_view(read, {});
  (void)report::make_csv_files(read);
  if (input.size() % 32 == 0) {  // gnuplot takes as long as twenty of the rest
    const ReportRequest request{.study_id = id,
                                .template_file = SCALESTUDY_SOURCE_DIR "/templates/scaling.md",
                                .partials = SCALESTUDY_SOURCE_DIR "/templates/partials",
                                .figures = SCALESTUDY_SOURCE_DIR "/templates/figures"};
    require(!render_report(store, request).empty(), "a report of any numbers has files");
  }
}
