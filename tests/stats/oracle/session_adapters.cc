// Trials in order: drift, stopping, planning, variance components.
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "stats/drift.h"
#include "stats/stopping.h"
#include "stats/variance_components.h"
#include "tests/stats/oracle/adapters.h"
#include "tests/stats/oracle/json_io.h"

namespace scalestudy::oracle {
namespace {

Json mann_kendall_theil_sen(const Json& input) {
  const stats::MannKendall m = stats::mann_kendall_theil_sen(numbers(input, "y"));
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

Json stopping_rule(const Json& input) {
  if (word(input, "looks") != "every") {
    throw std::runtime_error("only looks after every trial are offered");
  }
  stats::StoppingPlan plan;
  plan.rel_half_width = number(input, "rel_half_width");
  plan.t_min = whole_number(input, "t_min");
  plan.t_max = whole_number(input, "t_max");
  plan.extra = whole_number(input, "extra");
  plan.level = number(input, "level");
  const stats::Stopping s = stats::stopping_rule(numbers(input, "trials"), plan);
  return {{"status", to_json(s.status)},
          {"target_met_at", to_json(s.target_met_at)},
          {"stop_at", to_json(s.stop_at)},
          {"reason", std::string(stats::format_stop_reason(s.reason))},
          {"mean", to_json(s.mean)},
          {"rel_half_width", to_json(s.rel_half_width)}};
}

Json sample_size_ci(const Json& input) {
  const stats::SampleSize s = stats::sample_size_ci(
      number(input, "cv"), number(input, "rel_half_width"), number(input, "level"));
  return {
      {"status", to_json(s.status)}, {"n", to_json(s.n)}, {"half_width", to_json(s.half_width)}};
}

Json variance_components(const Json& input) {
  const auto v = stats::variance_components(groups(input, "groups"), number(input, "level"));
  return {{"status", to_json(v.status)},
          {"trials", v.trials},
          {"n_total", v.n_total},
          {"grand_mean", to_json(v.grand_mean)},
          {"mean_of_trial_means", to_json(v.trial_means.mean)},
          {"ms_between", to_json(v.ms_between)},
          {"ms_within", to_json(v.ms_within)},
          {"n0", to_json(v.n0)},
          {"var_within", to_json(v.var_within)},
          {"var_between_raw", to_json(v.var_between_raw)},
          {"var_between", to_json(v.var_between)},
          {"icc", to_json(v.icc)},
          {"F", to_json(v.f)},
          {"p", to_json(v.p)},
          {"lo", to_json(v.trial_means.lo)},
          {"hi", to_json(v.trial_means.hi)}};
}

}  // namespace

void add_session_adapters(AdapterTable& table) {
  table["mann_kendall_theil_sen"] = mann_kendall_theil_sen;
  table["drift_slopes"] = drift_slopes;
  table["stopping_rule"] = stopping_rule;
  table["sample_size_ci"] = sample_size_ci;
  table["variance_components"] = variance_components;
}

}  // namespace scalestudy::oracle
