#include "harness/analysis/estimates/save_intervals.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <string>

#include "harness/analysis/cells/groups.h"
#include "harness/analysis/cells/row_status.h"
#include "harness/analysis/cells/sessions.h"
#include "harness/analysis/estimates/costs.h"
#include "harness/text/quantity.h"
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
        kind_(kind_of(cell.row, study)) {}

  void add_intervals(double mtbf_s) {
    const MeasuredTime save = save_time(confidence_);
    if (kind_ != Kind::kUnannounced || save.n == 0) {
      return;
    }
    add("young_interval_s", "s", "young", save, [&](End end) {
      return mapped(save.s.*end, mtbf_s, stats::young_interval);
    });
    add("daly_interval_s", "s", "daly", save, [&](End end) {
      return mapped(save.s.*end, mtbf_s, stats::daly_interval);
    });
  }

  void add_overhead(double mtbf_s) {
    if (const std::optional<Overhead> overhead = overhead_at(mtbf_s, 0)) {
      add("expected_overhead", "1", method(), overhead->times, overhead->at);
    }
  }

  // The declared training at a price whose machines are preempted.
  void add_preempted_training(const Cost& cost, const Price& price, double steps) {
    const std::optional<Overhead> overhead =
        overhead_at(price.preemption_mtbf_s(cell_.row.devices), 1);
    const MeasuredTime step = mean_time(kStepTime, overhead ? overhead->level : confidence_);
    if (!overhead || step.n == 0) {
      return;
    }
    const double hours = steps / kSecondsAnHour;  // for each second of a step
    double lines_an_hour = 0.0;
    double lines = 0.0;
    for (const CostLine& line : cost.lines) {
      lines_an_hour += line.per_hour;
      lines += line.per_training;
    }
    const auto total = [&](const Price& at, double step_s) {
      return hours * step_s * (at.per_hour(cell_.row.devices, cell_.row.nodes) + lines_an_hour) +
             lines;
    };
    const Map time = [&](End end) -> std::optional<double> {
      const std::optional<double> more = overhead->at(end);
      return more && step.s.*end ? std::optional(*(step.s.*end) * (1.0 + *more)) : std::nullopt;
    };
    const MeasuredTime all = together(step, overhead->times);
    const auto add_one = [&](const std::string& metric, const std::string& unit, const Map& map) {
      add("preempted_" + metric + price_suffix(cost, price), unit, method(), all, map);
    };
    add_one("overhead", "1", overhead->at);
    add_one("training_hours", "h", [&](End end) {
      const std::optional<double> step_s = time(end);
      return step_s ? std::optional(hours * *step_s) : std::nullopt;
    });
    add_one("training_cost", cost.currency, [&](End end) {
      const std::optional<double> step_s = time(end);
      return step_s ? std::optional(total(price, *step_s)) : std::nullopt;
    });
    if (&price == &cost.price || cost.price.preemptions_per_device_hour > 0.0) {
      return;
    }
    // It falls with the overhead, and with the time of a step it rises or falls: the ends are among
    // the corners.
    const auto saving = [&](End step_end, End overhead_end) -> std::optional<double> {
      const std::optional<double> more = overhead->at(overhead_end);
      const std::optional<double> step_s = step.s.*step_end;
      return more && step_s && *step_s > 0.0
                 ? std::optional(1.0 -
                                 total(price, *step_s * (1.0 + *more)) / total(cost.price, *step_s))
                 : std::nullopt;
    };
    add_one("training_saving", "1", [&](End end) -> std::optional<double> {
      if (end == &stats::Estimate::value) {
        return saving(end, end);
      }
      const End worst = end == &stats::Estimate::lo ? &stats::Estimate::hi : &stats::Estimate::lo;
      const auto one = saving(&stats::Estimate::lo, worst);
      const auto other = saving(&stats::Estimate::hi, worst);
      if (!one || !other) {
        return std::nullopt;
      }
      return end == &stats::Estimate::lo ? std::min(*one, *other) : std::max(*one, *other);
    });
  }

  std::vector<EstimateRow> take() { return std::move(rows_); }

 private:
  struct Overhead {
    MeasuredTime times;  // those it follows from
    double level = 0.0;  // of each of them, so that all together hold at the study's confidence
    Map at;
  };

  // What failures and saves add to the work; absent where a time that it needs is not measured.
  // - others: how many other measured times the result will rest on.
  std::optional<Overhead> overhead_at(double mtbf_s, int others) const {
    if (kind_ == Kind::kInSave) {
      return std::nullopt;
    }
    const bool is_announced = kind_ == Kind::kAnnounced;
    const double level = 1.0 - (1.0 - confidence_) / (others + (is_announced ? 1 : 2));
    const MeasuredTime restart = restart_time(level);
    const MeasuredTime save = is_announced ? MeasuredTime() : save_time(level);
    if (restart.n == 0 || (!is_announced && save.n == 0)) {
      return std::nullopt;
    }
    if (is_announced) {
      return Overhead{restart, level, [=](End end) {
                        return mapped(restart.s.*end, mtbf_s, stats::announced_overhead);
                      }};
    }
    const std::optional<double> interval_s = mapped(save.s.value, mtbf_s, stats::daly_interval);
    return Overhead{together(save, restart), level, [=](End end) -> std::optional<double> {
                      return interval_s && save.s.*end && restart.s.*end
                                 ? stats::expected_overhead(
                                       *(save.s.*end), *(restart.s.*end), *interval_s, mtbf_s)
                                 : std::nullopt;
                    }};
  }

  // What is said of a result that rests on both: the worse status and the fewer trials.
  static MeasuredTime together(const MeasuredTime& one, const MeasuredTime& other) {
    MeasuredTime both = one.status == RowStatus::kOk ? other : one;
    both.n = std::min(one.n, other.n);
    both.trials.clear();
    std::ranges::set_union(one.trials, other.trials, std::back_inserter(both.trials));
    return both;
  }

  std::string method() const { return kind_ == Kind::kAnnounced ? "announced" : "daly"; }
  MeasuredTime save_time(double level) const { return time_of(names::kSaveTime, level); }
  MeasuredTime restart_time(double level) const { return time_of(names::kDowntime, level); }

  MeasuredTime time_of(const std::string& metric, double level) const {
    const auto unit = observation_.units.find(metric);
    return unit == observation_.units.end() || unit->second != "s" ? MeasuredTime()
                                                                   : mean_time(metric, level);
  }

  MeasuredTime mean_time(const std::string& metric, double level) const {
    const SessionValues values = session_values(cell_, metric);
    if (values.empty()) {
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

  static std::optional<double> mapped(std::optional<double> time_s,
                                      double mtbf_s,
                                      std::optional<double> (*map)(double, double)) {
    return time_s ? map(*time_s, mtbf_s) : std::nullopt;
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
    row.n_excluded = std::ssize(cell_.excluded);
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
  Kind kind_;
  std::vector<EstimateRow> rows_;
};

std::vector<EstimateRow> of_cell(const CellObservation& cell,
                                 const StudyObservation& observation,
                                 const Study& study) {
  CellScenario scenario(cell, observation, study);
  if (study.analysis.failures) {
    const double mtbf_s = study.analysis.failures->mtbf_s(cell.row.devices);
    scenario.add_intervals(mtbf_s);
    scenario.add_overhead(mtbf_s);
  }
  if (const std::optional<double> steps = training_steps(cell, study)) {
    for (const Price* price : prices_of(*study.cost)) {
      if (price->preemptions_per_device_hour > 0.0) {
        scenario.add_preempted_training(*study.cost, *price, *steps);
      }
    }
  }
  return scenario.take();
}

}  // namespace

std::vector<EstimateRow> save_intervals(const StudyObservation& observation, const Study& study) {
  std::vector<EstimateRow> rows;
  if (!observation.units.contains(names::kSaveTime) &&
      !observation.units.contains(names::kDowntime)) {
    return rows;
  }
  for (const CellObservation& cell : observation.cells) {
    if (cell.row.role == CellRole::kMeasured) {
      const std::vector<EstimateRow> more = of_cell(cell, observation, study);
      rows.insert(rows.end(), more.begin(), more.end());
    }
  }
  return rows;
}

}  // namespace scalestudy
