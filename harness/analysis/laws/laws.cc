#include "harness/analysis/laws/laws.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "harness/analysis/cells/groups.h"
#include "harness/analysis/cells/row_status.h"
#include "harness/analysis/compare/ratios.h"
#include "harness/analysis/laws/law_finding.h"
#include "harness/analysis/laws/law_points.h"
#include "stats/alpha_beta.h"
#include "stats/bounds.h"
#include "stats/estimate.h"
#include "stats/regression.h"
#include "stats/scaling_law.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

// p of the law against one mean per distinct x; absent when the points cannot tell.
std::optional<double> lack_of_fit_p(const LawPoints& points,
                                    const std::vector<double>& measured,
                                    const std::vector<double>& fitted,
                                    std::size_t parameters) {
  return fitted.size() == measured.size()
             ? stats::lack_of_fit_of_model(
                   points.x, logs(measured), logs(fitted), parameters, points.df_taken)
                   .p
             : std::nullopt;
}

RowStatus judge_fit(stats::Status fit, std::optional<double> p, double confidence) {
  if (fit != stats::Status::kOk && fit != stats::Status::kKappaAtBound &&
      fit != stats::Status::kSerialBelowZero) {
    return row_status(fit);
  }
  if (!p) {
    return fit == stats::Status::kSerialBelowZero ? row_status(fit) : RowStatus::kUntested;
  }
  return *p < 1.0 - confidence ? RowStatus::kRejected : row_status(fit);
}

// The unit of a law's parameter; "" of a plain number.
std::string unit_of(std::string_view parameter) {
  constexpr auto times = std::to_array<std::string_view>(
      {"t1_s", "compute_s", "hop_latency_s", "transfer_s", "growth_s", "alpha_s"});
  return std::ranges::find(times, parameter) != times.end() ? "s"
         : parameter == "bandwidth_bytes_per_s"             ? "bytes/s"
                                                            : "";
}

class LawRows {
 public:
  // is_outside  what was measured is resolved to lie outside the law.
  explicit LawRows(LawRow shared, bool is_outside = false)
      : shared_(std::move(shared)), is_outside_(is_outside) {}

  // A law that is rejected, or does not apply, has no parameters.
  void add(const std::string& parameter, const stats::Estimate& estimate) {
    LawRow row = shared_;
    row.parameter = parameter;
    row.unit = unit_of(parameter);
    if (row.status != RowStatus::kRejected && !is_outside_) {
      row.value = estimate.value;
      row.lo = estimate.lo;
      row.hi = estimate.hi;
    }
    rows_.push_back(std::move(row));
  }

  // A number of devices that follows from the curve: only of a law that was tested and kept, and
  // no further out than twice the most that were measured (METHODS.md, Curves).
  void add_projected_devices(const std::string& parameter,
                             std::optional<double> devices,
                             std::int64_t most_measured) {
    const bool is_said = shared_.status == RowStatus::kOk && devices &&
                         *devices <= 2.0 * static_cast<double>(most_measured);
    add(parameter, {.value = is_said ? devices : std::nullopt, .lo = {}, .hi = {}});
    rows_.back().provenance = Provenance::kProjected;
  }

  // How well the law describes the points: of a rejected one too.
  void add_test(const std::string& parameter,
                std::optional<double> value,
                const std::string& method) {
    LawRow row = shared_;
    row.parameter = parameter;
    row.value = value;
    row.method = method;
    row.status = value ? RowStatus::kOk : RowStatus::kInsufficientData;
    rows_.push_back(std::move(row));
  }

  void add_lack_of_fit(std::optional<double> p) { add_test("lack_of_fit_p", p, "lack_of_fit"); }

  const std::vector<LawRow>& all() const { return rows_; }

  std::vector<LawRow> take(const std::string& finding) {
    rows_.front().finding = finding;
    return std::move(rows_);
  }

 private:
  LawRow shared_;
  bool is_outside_;
  std::vector<LawRow> rows_;
};

LawRow shared_row(Law law, const Curve& curve, const LawPoints& points, const Study& study) {
  LawRow row;
  row.law = law;
  row.group_label = curve.label;
  row.cells = cell_ids(curve);
  row.confidence = study.analysis.confidence;
  row.method = to_word(law) + "_fit";
  row.n = static_cast<std::int64_t>(points.trials.size());
  row.levels = static_cast<std::int64_t>(points.levels.size());
  row.trials = points.trials;
  std::ranges::sort(row.trials);
  return row;
}

LawFacts facts_of(const LawPoints& points, Scaling scaling, std::size_t free_parameters) {
  LawFacts facts;
  facts.scaling = scaling;
  facts.free_parameters = free_parameters;
  facts.shares_blocks = points.shares_blocks();
  facts.devices.assign(points.levels.begin(), points.levels.end());
  return facts;
}

// The ratio of the times of two cells, the first of which has one device, as their speedup has it;
// without an interval where there are other cells, or no such ratio.
stats::RatioInterval only_ratio(const std::vector<const CellObservation*>& cells,
                                const Study& study) {
  return cells.size() == 2 && cells[0]->row.devices == 1 && cells[1]->row.devices > 1
             ? time_ratio(*cells[1], *cells[0], 1.0, study).interval
             : stats::RatioInterval();
}

stats::AmdahlFit amdahl_of(const LawPoints& points, double confidence) {
  return stats::amdahl_fit(points.x,
                           points.step_time_s,
                           stats::FitScale::kLog,
                           confidence,
                           points.df_taken,
                           points.groups());
}

stats::GustafsonFit gustafson_of(const LawPoints& points, double confidence) {
  return stats::gustafson_fit(
      points.x, points.step_time_s, confidence, points.df_taken, points.groups());
}

// Whether the serial fraction is resolved to lie outside 0 to 1.
template <typename Fit>
bool is_outside(const Fit& fit) {
  return fit.serial_lo.value_or(0.0) > 1.0 || fit.serial_hi.value_or(0.0) < 0.0;
}

// A law of a serial fraction, which is one of one scaling alone. Two cells have it from the numbers
// of their speedup.
//   fit_points  gives stats::AmdahlFit or stats::GustafsonFit
//   serial_of   stats::amdahl_serial or stats::gustafson_serial
template <typename Fit>
std::vector<LawRow> fit_serial_law(LawRow shared,
                                   const std::vector<const CellObservation*>& cells,
                                   double (*serial_of)(double ratio, double n),
                                   const LawPoints& points,
                                   Scaling scaling,
                                   const Study& study,
                                   const Fit& fit_points) {
  if (scaling != (shared.law == Law::kAmdahl ? Scaling::kStrong : Scaling::kWeak)) {
    shared.status = RowStatus::kNotApplicable;
    LawRows rows(shared);
    rows.add("serial_fraction", {});
    return rows.take(describe_law(rows.all(), facts_of(points, scaling, 2)));
  }
  auto fit = fit_points();
  if (const stats::RatioInterval ratio = only_ratio(cells, study);
      fit.serial_fraction && ratio.ratio && ratio.lo && ratio.hi) {
    const auto n = static_cast<double>(cells[1]->row.devices);
    fit.serial_fraction = serial_of(*ratio.ratio, n);
    fit.serial_lo = serial_of(*ratio.lo, n);
    fit.serial_hi = serial_of(*ratio.hi, n);
    fit.status = *fit.serial_fraction < 0.0 ? stats::Status::kSerialBelowZero : stats::Status::kOk;
  }
  const std::optional<double> p = lack_of_fit_p(points, points.step_time_s, fit.fitted, 2);
  shared.status = judge_fit(fit.status, p, study.analysis.confidence);
  if (shared.status != RowStatus::kRejected && fit.serial_fraction.value_or(0.0) > 1.0) {
    shared.status = RowStatus::kSerialAboveOne;
  }
  LawRows rows(shared, is_outside(fit));
  rows.add("serial_fraction",
           stats::cut(
               {.value = fit.serial_fraction, .lo = fit.serial_lo, .hi = fit.serial_hi}, 0.0, 1.0));
  rows.add("t1_s", {.value = fit.t1, .lo = std::nullopt, .hi = std::nullopt});
  rows.add_lack_of_fit(p);
  return rows.take(describe_law(rows.all(), facts_of(points, scaling, 2)));
}

std::vector<LawRow> fit_amdahl(const Curve& curve,
                               const std::vector<const CellObservation*>& cells,
                               const LawPoints& points,
                               Scaling scaling,
                               const Study& study) {
  const LawRow shared = shared_row(Law::kAmdahl, curve, points, study);
  return fit_serial_law(shared, cells, stats::amdahl_serial, points, scaling, study, [&] {
    return amdahl_of(points, study.analysis.confidence);
  });
}

std::vector<LawRow> fit_gustafson(const Curve& curve,
                                  const std::vector<const CellObservation*>& cells,
                                  const LawPoints& points,
                                  Scaling scaling,
                                  const Study& study) {
  const LawRow shared = shared_row(Law::kGustafson, curve, points, study);
  return fit_serial_law(shared, cells, stats::gustafson_serial, points, scaling, study, [&] {
    return gustafson_of(points, study.analysis.confidence);
  });
}

// The laws of a communicating step, whose parameters have no intervals.
std::vector<LawRow> fit_communicating(Law law,
                                      const Curve& curve,
                                      const LawPoints& points,
                                      const stats::StepPoints& step_points,
                                      Scaling scaling,
                                      const Study& study) {
  LawRow shared = shared_row(law, curve, points, study);
  const std::vector<stats::StepLaw> applicable = stats::laws_that_apply(step_points);
  const stats::StepLaw step_law = *step_law_of(law);
  const std::size_t parameters = stats::parameter_count(step_law);
  if (scaling == Scaling::kNone || std::ranges::find(applicable, step_law) == applicable.end()) {
    shared.status = RowStatus::kNotApplicable;
    LawRows rows(shared);
    rows.add("compute_s", {});
    return rows.take(describe_law(rows.all(), facts_of(points, scaling, parameters)));
  }
  const stats::FittedStep fit =
      points.shares_blocks() ? stats::fit_step_law(step_law, step_points) : stats::FittedStep();
  std::vector<double> fitted;
  for (std::size_t i = 0; fit.time_s && i < points.x.size(); ++i) {
    fitted.push_back(fit.time_s(points.x[i]));
  }
  const std::optional<double> p = lack_of_fit_p(points, points.step_time_s, fitted, parameters);
  shared.status = judge_fit(fit.status, p, study.analysis.confidence);
  LawRows rows(shared);
  for (const auto& [name, value] : fit.parameters) {
    rows.add(std::string(name), {.value = value, .lo = std::nullopt, .hi = std::nullopt});
  }
  if (fit.parameters.empty()) {
    rows.add("compute_s", {});
  }
  rows.add_lack_of_fit(p);
  return rows.take(describe_law(rows.all(), facts_of(points, scaling, parameters)));
}

std::vector<LawRow> fit_usl(const Curve& curve,
                            const LawPoints& points,
                            Scaling scaling,
                            const Study& study) {
  LawRow shared = shared_row(Law::kUsl, curve, points, study);
  if (points.throughput.size() != points.step_time_s.size() || scaling == Scaling::kNone) {
    shared.status = RowStatus::kNotApplicable;
    LawRows rows(shared);
    rows.add("sigma", {});
    return rows.take(describe_law(rows.all(), facts_of(points, scaling, 3)));
  }
  const stats::UslFit fit = stats::usl_fit(points.x,
                                           points.throughput,
                                           stats::FitScale::kLog,
                                           study.analysis.confidence,
                                           points.df_taken);
  const std::size_t parameters = fit.status == stats::Status::kKappaAtBound ? 2 : 3;
  const std::optional<double> p = lack_of_fit_p(points, points.throughput, fit.fitted, parameters);
  shared.status = judge_fit(fit.status, p, study.analysis.confidence);
  LawRows rows(shared);
  rows.add("sigma", {.value = fit.sigma, .lo = fit.sigma_lo, .hi = fit.sigma_hi});
  rows.add("kappa",
           stats::cut({.value = fit.kappa, .lo = fit.kappa_lo, .hi = fit.kappa_hi},
                      0.0,
                      std::numeric_limits<double>::infinity()));
  rows.add("lambda", {.value = fit.lambda, .lo = std::nullopt, .hi = std::nullopt});
  rows.add_projected_devices(
      "n_peak", fit.n_peak, points.levels.empty() ? 0 : *points.levels.rbegin());
  rows.add_lack_of_fit(p);
  return rows.take(describe_law(rows.all(), facts_of(points, scaling, parameters)));
}

// Times of the line at the points; empty where it is not above 0 throughout.
std::vector<double> fitted_times(const stats::AlphaBetaFit& fit, const LawPoints& points) {
  std::vector<double> fitted;
  for (const double bytes : points.x) {
    const double time_s = fit.alpha_s.value_or(0.0) + fit.beta_s_per_byte.value_or(0.0) * bytes;
    if (!(time_s > 0.0)) {
      return {};
    }
    fitted.push_back(time_s);
  }
  return fitted;
}

std::vector<LawRow> fit_alpha_beta(const Curve& curve, const Study& study) {
  const LawPoints points = message_points(curve, study);
  LawRow shared = shared_row(Law::kAlphaBeta, curve, points, study);
  const stats::AlphaBetaFit fit = stats::alpha_beta_fit(
      points.x, points.step_time_s, study.analysis.confidence, points.df_taken);
  const std::optional<double> p =
      lack_of_fit_p(points, points.step_time_s, fitted_times(fit, points), 2);
  const bool is_below_zero = fit.alpha_s.value_or(0.0) < 0.0;
  shared.status =
      is_below_zero ? RowStatus::kAlphaBelowZero : judge_fit(fit.status, p, shared.confidence);
  LawRows rows(shared, is_below_zero);
  rows.add("alpha_s",
           stats::keep_inside({.value = fit.alpha_s, .lo = fit.alpha_lo, .hi = fit.alpha_hi},
                              stats::Range::kPositive));
  rows.add("bandwidth_bytes_per_s",
           {.value = fit.bandwidth_bytes_per_s, .lo = fit.bandwidth_lo, .hi = fit.bandwidth_hi});
  rows.add_test("relative_residual_sd", fit.rel_residual_sd, shared.method);
  rows.add_lack_of_fit(p);
  return rows.take(describe_alpha_beta(rows.all(), {points.levels.begin(), points.levels.end()}));
}

std::vector<LawRow> fit_over_devices(Law law,
                                     const Curve& curve,
                                     const StudyObservation& observation,
                                     const Study& study,
                                     const Communication& communication) {
  const LawPoints points = points_of(curve, observation, study);
  const std::vector<const CellObservation*> cells = law_cells(curve, observation);
  const Scaling scaling = observation.study.scaling;
  switch (law) {
    case Law::kAmdahl:
      return fit_amdahl(curve, cells, points, scaling, study);
    case Law::kGustafson:
      return fit_gustafson(curve, cells, points, scaling, study);
    case Law::kUsl:
      return fit_usl(curve, points, scaling, study);
    default:
      break;
  }
  stats::StepPoints step_points = points.step_points(scaling);
  step_points.communication_s = communication_time(cells, study, communication);
  return fit_communicating(law, curve, points, step_points, scaling, study);
}

}  // namespace

bool may_apply(stats::StepLaw law, const LawPoints& points, double confidence) {
  return law == stats::StepLaw::kAmdahl      ? !is_outside(amdahl_of(points, confidence))
         : law == stats::StepLaw::kGustafson ? !is_outside(gustafson_of(points, confidence))
                                             : true;
}

std::vector<LawRow> fit_laws(const StudyObservation& observation,
                             const Study& study,
                             const Communication& communication) {
  std::vector<LawRow> rows;
  for (Law law : study.analysis.laws) {
    if (law == Law::kAlphaBeta) {
      for (const Curve& curve : curves_along(observation, names::kMessageBytes)) {
        for (LawRow& row : fit_alpha_beta(curve, study)) {
          rows.push_back(std::move(row));
        }
      }
      continue;
    }
    for (const Curve& curve : curves_along(observation, names::kDevices)) {
      const std::vector<LawRow> fitted =
          fit_over_devices(law, curve, observation, study, communication);
      rows.insert(rows.end(), fitted.begin(), fitted.end());
    }
  }
  return rows;
}

}  // namespace scalestudy
