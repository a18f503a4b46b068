// One cell: description, outliers, intervals, throughput.
#include <numeric>

#include <nlohmann/json.hpp>

#include "stats/mean_interval.h"
#include "stats/median_interval.h"
#include "stats/outliers.h"
#include "stats/reference/batch_means.h"
#include "stats/reference/description.h"
#include "stats/reference/tail.h"
#include "stats/reference/throughput.h"
#include "tests/stats/oracle/adapters.h"
#include "tests/stats/oracle/json_io.h"

namespace scalestudy::test {
namespace {

Json descriptive(const Json& input) {
  const stats::Description d = stats::descriptive(numbers(input, "x"));
  return {{"status", to_json(d.status)},
          {"n", d.n},
          {"mean", to_json(d.mean)},
          {"sd", to_json(d.sd)},
          {"variance", to_json(d.variance)},
          {"cv", to_json(d.cv)},
          {"min", to_json(d.min)},
          {"max", to_json(d.max)},
          {"median", to_json(d.median)},
          {"q25", to_json(d.q25)},
          {"q75", to_json(d.q75)},
          {"p95", to_json(d.p95)},
          {"mad_raw", to_json(d.mad_raw)},
          {"mad_sigma", to_json(d.mad_sigma)},
          {"harmonic_mean", to_json(d.harmonic_mean)},
          {"geometric_mean", to_json(d.geometric_mean)},
          {"lag1_autocorrelation", to_json(d.lag1_autocorrelation)}};
}

std::string word_of(stats::ZScale scale) {
  return scale == stats::ZScale::kMad      ? "mad"
         : scale == stats::ZScale::kMeanAd ? "mean_ad"
                                           : "none";
}

Json modified_z(const Json& input) {
  const stats::ModifiedZ z = stats::modified_z(numbers(input, "x"), number(input, "threshold"));
  return {{"status", to_json(z.status)},
          {"median", to_json(z.median)},
          {"mad", to_json(z.mad)},
          {"mean_ad", to_json(z.mean_ad)},
          {"scale_used", word_of(z.scale_used)},
          {"scores", z.scores},
          {"outlier", z.outlier},
          {"n_outliers", z.n_outliers}};
}

Json tukey_fences(const Json& input) {
  const stats::TukeyFences f = stats::tukey_fences(numbers(input, "x"));
  return {{"status", to_json(f.status)},
          {"q1", to_json(f.q1)},
          {"q3", to_json(f.q3)},
          {"inner_lo", to_json(f.inner_lo)},
          {"inner_hi", to_json(f.inner_hi)},
          {"outer_lo", to_json(f.outer_lo)},
          {"outer_hi", to_json(f.outer_hi)},
          {"low_severe", f.low_severe},
          {"low_mild", f.low_mild},
          {"high_mild", f.high_mild},
          {"high_severe", f.high_severe}};
}

Json mean_ci_t(const Json& input) {
  const stats::MeanInterval m = stats::mean_ci_t(numbers(input, "x"), number(input, "level"));
  return {{"status", to_json(m.status)},
          {"n", m.n},
          {"mean", to_json(m.mean)},
          {"sd", to_json(m.sd)},
          {"se", to_json(m.se)},
          {"df", to_json(m.df)},
          {"t_crit", to_json(m.t_crit)},
          {"lo", to_json(m.lo)},
          {"hi", to_json(m.hi)}};
}

Json median_ci_order(const Json& input) {
  const auto m = stats::median_ci_order(numbers(input, "x"), number(input, "level"));
  return {{"status", to_json(m.status)},
          {"median", to_json(m.median)},
          {"lo", to_json(m.lo)},
          {"hi", to_json(m.hi)},
          {"rank_lo", to_json(m.rank_lo)},
          {"rank_hi", to_json(m.rank_hi)},
          {"coverage", to_json(m.coverage)},
          {"max_coverage", to_json(m.max_coverage)}};
}

Json batch_means_ci(const Json& input) {
  const stats::BatchMeans b = stats::batch_means_ci(numbers(input, "x"), number(input, "level"));
  return {{"status", to_json(b.status)},
          {"batches", b.batches},
          {"batch_size", to_json(b.batch_size)},
          {"dropped", to_json(b.dropped)},
          {"mean", to_json(b.interval.mean)},
          {"lo", to_json(b.interval.lo)},
          {"hi", to_json(b.interval.hi)}};
}

Json tail_across_trials(const Json& input) {
  const stats::TailAcrossTrials t =
      stats::tail_across_trials(groups(input, "steps"), number(input, "p"), number(input, "level"));
  Json out{{"status", to_json(t.status)}, {"trial_quantiles", t.trial_quantiles}};
  put_estimate(out, "estimate", "lo", "hi", stats::estimate_of(t.across_trials));
  return out;
}

// The two means of rates that the product must never print: the case lists them so that a test can
// tell them from the throughput.
void put_forbidden_means(Json& out,
                         const std::vector<std::vector<double>>& steps,
                         const std::vector<double>& trial_rates,
                         double samples_per_step) {
  const auto count = static_cast<double>(trial_rates.size());
  out["arithmetic_mean_of_trial_rates"] =
      std::accumulate(trial_rates.begin(), trial_rates.end(), 0.0) / count;
  double rates = 0.0;
  double step_count = 0.0;
  for (const std::vector<double>& trial : steps) {
    for (const double step_time_s : trial) {
      rates += samples_per_step / step_time_s;
      step_count += 1.0;
    }
  }
  out["wrong_mean_of_step_rates"] = rates / step_count;
}

Json cell_throughput(const Json& input) {
  const auto steps = groups(input, "steps");
  const double samples_per_step = number(input, "samples_per_step");
  const stats::CellThroughput c = stats::cell_throughput(steps,
                                                         samples_per_step,
                                                         number(input, "gpus"),
                                                         number(input, "price_per_gpu_hour"),
                                                         number(input, "level"));
  Json out{{"status", to_json(c.status)},
           {"trial_step_time_s", c.trial_step_time_s},
           {"trial_throughput", c.trial_throughput},
           {"per_gpu", to_json(c.per_gpu.value)}};
  put_estimate(out, "step_time_s", "step_lo", "step_hi", stats::estimate_of(c.step_time));
  put_estimate(out, "throughput", "throughput_lo", "throughput_hi", c.throughput);
  if (c.cost_per_million_samples) {
    put_estimate(
        out, "cost_per_million_samples", "cost_lo", "cost_hi", *c.cost_per_million_samples);
  }
  if (!c.trial_throughput.empty()) {
    put_forbidden_means(out, steps, c.trial_throughput, samples_per_step);
  }
  return out;
}

Json cell_throughput_unequal(const Json& input) {
  const auto c = stats::cell_throughput_unequal(
      groups(input, "steps"), groups(input, "samples"), number(input, "level"));
  Json out{{"status", to_json(c.status)},
           {"trial_throughput", c.trial_throughput},
           {"seconds_per_sample", to_json(c.seconds_per_sample.mean)}};
  put_estimate(out, "throughput", "throughput_lo", "throughput_hi", c.throughput);
  return out;
}

}  // namespace

void add_cell_adapters(AdapterTable& table) {
  table["descriptive"] = descriptive;
  table["modified_z"] = modified_z;
  table["tukey_fences"] = tukey_fences;
  table["mean_ci_t"] = mean_ci_t;
  table["median_ci_order"] = median_ci_order;
  table["batch_means_ci"] = batch_means_ci;
  table["tail_across_trials"] = tail_across_trials;
  table["cell_throughput"] = cell_throughput;
  table["cell_throughput_unequal"] = cell_throughput_unequal;
}

}  // namespace scalestudy::test
