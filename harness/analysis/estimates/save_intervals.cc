#include "harness/analysis/estimates/save_intervals.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <string>

#include "harness/analysis/cells/groups.h"
#include "harness/analysis/cells/row_status.h"
#include "harness/analysis/cells/sessions.h"
#include "stats/checkpoint_interval.h"
#include "stats/estimate.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

struct MeasuredTime {
  stats::Estimate s;  // without value: no trial tells it
  RowStatus status = RowStatus::kOk;
  std::int64_t n = 0;
  TrialIds trials;
};

// What follows from the values of measured times, or from their lower or upper ends.
using End = std::optional<double> stats::Estimate::*;
using Map = std::function<std::optional<double>(End)>;

enum class Kind { kUnannounced, kAnnounced, kInSave };

Kind kind_of(const CellRow& cell, const Study& study) {
  const std::string failure = effective_text(cell, effective_parameters(cell, study), "failure");
  if (failure == "enospc" || failure == "eio") {
    return Kind::kInSave;
  }
  return failure == "sigterm" ? Kind::kAnnounced : Kind::kUnannounced;
}

// The scenarios of one cell.
class CellScenario {
 public:
  CellScenario(const CellObservation& cell, const StudyObservation& observation, const Study& study)
      : cell_(cell),
        observation_(observation),
        confidence_(study.analysis.confidence),
        mtbf_s_(study.analysis.failures->mtbf_s(cell.row.devices)) {}

  void add_intervals() {
    const MeasuredTime save = save_time(confidence_);
    if (save.n == 0) {
      return;
    }
    add("young_interval_s", "s", "young", save, [&](End end) {
      return mapped(save.s.*end, stats::young_interval);
    });
    add("daly_interval_s", "s", "daly", save, [&](End end) {
      return mapped(save.s.*end, stats::daly_interval);
    });
  }

  void add_overhead() {
    const double each = (1.0 + confidence_) / 2.0;
    const MeasuredTime save = save_time(each);
    const MeasuredTime restart = restart_time(each);
    if (save.n == 0 || restart.n == 0) {
      return;
    }
    const std::optional<double> interval_s = mapped(save.s.value, stats::daly_interval);
    MeasuredTime both = save.status == RowStatus::kOk ? restart : save;
    both.n = std::min(save.n, restart.n);
    both.trials.clear();
    std::ranges::set_union(save.trials, restart.trials, std::back_inserter(both.trials));
    add("expected_overhead", "1", "daly", both, [&](End end) -> std::optional<double> {
      return interval_s && save.s.*end && restart.s.*end
                 ? stats::expected_overhead(*(save.s.*end), *(restart.s.*end), *interval_s, mtbf_s_)
                 : std::nullopt;
    });
  }

  void add_announced_overhead() {
    const MeasuredTime restart = restart_time(confidence_);
    if (restart.n > 0) {
      add("expected_overhead", "1", "announced", restart, [&](End end) {
        return mapped(restart.s.*end, stats::announced_overhead);
      });
    }
  }

  std::vector<EstimateRow> take() { return std::move(rows_); }

 private:
  MeasuredTime save_time(double level) const { return time_of(names::kSaveTime, level); }
  MeasuredTime restart_time(double level) const { return time_of(names::kDowntime, level); }

  MeasuredTime time_of(const std::string& metric, double level) const {
    const auto unit = observation_.units.find(metric);
    const SessionValues values = session_values(cell_, metric);
    if (unit == observation_.units.end() || unit->second != "s" || values.empty()) {
      return {};
    }
    const stats::MeanInterval interval =
        interval_over_trials(values, level, stats::Range::kPositive).interval;
    MeasuredTime time{.s = stats::estimate_of(interval),
                      .status = row_status(interval.status),
                      .n = 0,
                      .trials = trials_with(cell_, metric)};
    for (const auto& [session, of_session] : values) {
      time.n += static_cast<std::int64_t>(of_session.size());
    }
    return time;
  }

  std::optional<double> mapped(std::optional<double> time_s,
                               std::optional<double> (*map)(double, double)) const {
    return time_s ? map(*time_s, mtbf_s_) : std::nullopt;
  }

  void add(const std::string& metric,
           const std::string& unit,
           const std::string& method,
           const MeasuredTime& time,
           const Map& map) {
    if (observation_.units.contains(metric)) {
      return;  // a program's own, which has the name
    }
    EstimateRow& row = rows_.emplace_back();
    row.cell_id = cell_.row.id;
    row.metric = metric;
    row.unit = unit;
    row.confidence = confidence_;
    row.method = method;
    row.n = time.n;
    row.trials = time.trials;
    row.n_planned = cell_.planned;
    row.provenance = Provenance::kScenario;
    row.status = time.status;
    row.value = map(&stats::Estimate::value);
    row.lo = map(&stats::Estimate::lo);
    row.hi = map(&stats::Estimate::hi);
    if (row.value && row.lo && row.hi) {
      return;
    }
    if (!row.value || row.lo) {
      row.status = RowStatus::kNotApplicable;
    } else if (time.s.lo && time.s.hi) {
      row.status = RowStatus::kInvalidInput;
    }
    row.lo.reset();
    row.hi.reset();
  }

  const CellObservation& cell_;
  const StudyObservation& observation_;
  double confidence_;
  double mtbf_s_;
  std::vector<EstimateRow> rows_;
};

std::vector<EstimateRow> of_cell(const CellObservation& cell,
                                 const StudyObservation& observation,
                                 const Study& study) {
  CellScenario scenario(cell, observation, study);
  switch (kind_of(cell.row, study)) {
    case Kind::kUnannounced:
      scenario.add_intervals();
      scenario.add_overhead();
      break;
    case Kind::kAnnounced:
      scenario.add_announced_overhead();
      break;
    case Kind::kInSave:
      break;
  }
  return scenario.take();
}

}  // namespace

std::vector<EstimateRow> save_intervals(const StudyObservation& observation, const Study& study) {
  std::vector<EstimateRow> rows;
  for (const CellObservation& cell : observation.cells) {
    if (study.analysis.failures && cell.row.role == CellRole::kMeasured) {
      const std::vector<EstimateRow> more = of_cell(cell, observation, study);
      rows.insert(rows.end(), more.begin(), more.end());
    }
  }
  return rows;
}

}  // namespace scalestudy
