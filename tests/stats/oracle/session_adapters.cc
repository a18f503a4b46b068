// Trials in order: drift, stopping, planning, variance components.
#include <cmath>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "stats/drift.h"
#include "stats/planning.h"
#include "stats/reference/adaptive.h"
#include "stats/reference/steady_state.h"
#include "stats/stopping.h"
#include "stats/variance_components.h"
#include "tests/stats/oracle/adapters.h"
#include "tests/stats/oracle/json_io.h"

namespace scalestudy::test {
namespace {

Json mann_kendall_theil_sen(const Json& input) {
  const stats::MannKendall m =
      stats::mann_kendall_stratified(std::vector<std::vector<double>>{numbers(input, "y")});
  return {{"status", to_json(m.status)},
          {"S", to_json(m.s)},
          {"var_S", to_json(m.var_s)},
          {"z", to_json(m.z)},
          {"p", to_json(m.p)},
          {"theil_sen_slope", to_json(m.theil_sen_slope)}};
}

Json drift_slopes(const Json& input) {
  const stats::DriftSlopes d = stats::drift_slopes(groups(input, "steps"), number(input, "level"));
  return {{"status", to_json(d.status)},
          {"slope_per_100_steps", d.slope_per_100_steps},
          {"mean_slope", to_json(d.mean_slope.mean)},
          {"t", to_json(d.t)},
          {"df", to_json(d.mean_slope.df)},
          {"p", to_json(d.p)},
          {"lo", to_json(d.mean_slope.lo)},
          {"hi", to_json(d.mean_slope.hi)}};
}

stats::Looks looks_of(const Json& input) {
  const std::string name = word(input, "looks");
  if (name == "every") {
    return stats::Looks::kEvery;
  }
  if (name == "widening") {
    return stats::Looks::kWidening;
  }
  throw std::runtime_error("'looks' holds '" + name + "'");
}

std::string word_of(stats::StopReason reason) {
  return reason == stats::StopReason::kContinue    ? "continue"
         : reason == stats::StopReason::kPrecision ? "precision"
                                                   : "budget";
}

Json stopping_rule(const Json& input) {
  stats::StoppingPlan plan;
  plan.rel_half_width = number(input, "rel_half_width");
  plan.t_min = whole_number(input, "t_min");
  plan.t_max = whole_number(input, "t_max");
  plan.extra = whole_number(input, "extra");
  plan.level = number(input, "level");
  plan.looks = looks_of(input);
  const stats::Stopping s = stats::stopping_rule(numbers(input, "trials"), plan);
  return {{"status", to_json(s.status)},
          {"target_met_at", to_json(s.target_met_at)},
          {"stop_at", to_json(s.stop_at)},
          {"reason", word_of(s.reason)},
          {"mean", to_json(s.mean)},
          {"rel_half_width", to_json(s.rel_half_width)}};
}

Json sample_size_ci(const Json& input) {
  const stats::SampleSize s = stats::sample_size_ci(
      number(input, "cv"), number(input, "rel_half_width"), number(input, "level"));
  return {
      {"status", to_json(s.status)}, {"n", to_json(s.n)}, {"half_width", to_json(s.half_width)}};
}

Json mser5(const Json& input) {
  const auto s = stats::mser5(numbers(input, "x"), whole_number(input, "batch"));
  return {{"status", to_json(s.status)},
          {"batches", s.batches},
          {"truncate_batches", to_json(s.truncate_batches)},
          {"truncate_steps", to_json(s.truncate_steps)},
          {"mser_min", to_json(s.mser_min)}};
}

Json power_t_two_sample(const Json& input) {
  return {{"power",
           to_json(stats::power_t_two_sample(number(input, "n"),
                                             number(input, "delta"),
                                             number(input, "sd"),
                                             number(input, "alpha")))}};
}

Json sample_size_two_sample(const Json& input) {
  const double cv = number(input, "cv");
  const double rel_diff = number(input, "rel_diff");
  const double alpha = number(input, "alpha");
  const auto s = stats::sample_size_two_sample(cv, rel_diff, alpha, number(input, "power"));
  const auto n = static_cast<double>(s.n_per_group.value_or(0));
  const double delta = std::log1p(rel_diff);
  return {{"status", to_json(s.status)},
          {"n_per_group", to_json(s.n_per_group)},
          {"power_at_n", to_json(stats::power_t_two_sample(n, delta, cv, alpha))},
          {"power_at_n_minus_1", to_json(stats::power_t_two_sample(n - 1.0, delta, cv, alpha))}};
}

Json two_stage_plan(const Json& input) {
  const auto p = stats::two_stage_plan(numbers(input, "pilot"),
                                       number(input, "rel_half_width"),
                                       number(input, "level"),
                                       whole_number(input, "t_max"));
  return {{"status", to_json(p.status)},
          {"total_trials", to_json(p.total_trials)},
          {"unlimited_total", to_json(p.unlimited_total)}};
}

Json kalibera_optimal(const Json& input) {
  const auto k = stats::kalibera_optimal(
      groups(input, "groups"), number(input, "cost_trial_s"), number(input, "cost_step_s"));
  return {{"status", to_json(k.status)},
          {"optimal_steps_real", to_json(k.optimal_steps_real)},
          {"optimal_steps", to_json(k.optimal_steps)}};
}

Json variance_components(const Json& input) {
  const auto v = stats::variance_components(groups(input, "groups"));
  return {{"status", to_json(v.status)},
          {"trials", v.trials},
          {"ms_between", to_json(v.ms_between)},
          {"ms_within", to_json(v.ms_within)},
          {"n0", to_json(v.n0)},
          {"var_within", to_json(v.var_within)},
          {"var_between_raw", to_json(v.var_between_raw)},
          {"var_between", to_json(v.var_between)},
          {"F", to_json(v.f)},
          {"p", to_json(v.p)}};
}

}  // namespace

void add_session_adapters(AdapterTable& table) {
  table["mann_kendall_theil_sen"] = mann_kendall_theil_sen;
  table["drift_slopes"] = drift_slopes;
  table["stopping_rule"] = stopping_rule;
  table["sample_size_ci"] = sample_size_ci;
  table["mser5"] = mser5;
  table["power_t_two_sample"] = power_t_two_sample;
  table["sample_size_two_sample"] = sample_size_two_sample;
  table["two_stage_plan"] = two_stage_plan;
  table["kalibera_optimal"] = kalibera_optimal;
  table["variance_components"] = variance_components;
}

}  // namespace scalestudy::test
