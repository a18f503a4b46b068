// Two cells: tests, equivalence, ratios, families of p values, verdicts.
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "stats/compare.h"
#include "stats/equivalence.h"
#include "stats/multiplicity.h"
#include "stats/ratio_interval.h"
#include "stats/reference/adjustments.h"
#include "stats/reference/fieller.h"
#include "stats/reference/scaling.h"
#include "stats/reference/two_samples.h"
#include "stats/verdict.h"
#include "tests/stats/oracle/adapters.h"
#include "tests/stats/oracle/json_io.h"

namespace scalestudy::test {
namespace {

Json difference_json(const stats::Difference& d, const char* name_of_difference) {
  return {{"status", to_json(d.status)},
          {name_of_difference, to_json(d.diff)},
          {"se", to_json(d.se)},
          {"t", to_json(d.t)},
          {"df", to_json(d.df)},
          {"p", to_json(d.p)},
          {"lo", to_json(d.lo)},
          {"hi", to_json(d.hi)}};
}

Json welch_t(const Json& input) {
  return difference_json(
      stats::welch_t(numbers(input, "a"), numbers(input, "b"), number(input, "level")), "diff");
}

Json student_t_pooled(const Json& input) {
  return difference_json(
      stats::student_t_pooled(numbers(input, "a"), numbers(input, "b"), number(input, "level")),
      "diff");
}

Json paired_t(const Json& input) {
  return difference_json(
      stats::paired_t(numbers(input, "a"), numbers(input, "b"), number(input, "level")),
      "mean_diff");
}

Json equivalence_json(const stats::Equivalence& e, double alpha) {
  return {{"status", to_json(e.status)},
          {"t_lower", to_json(e.t_lower)},
          {"p_lower", to_json(e.p_lower)},
          {"t_upper", to_json(e.t_upper)},
          {"p_upper", to_json(e.p_upper)},
          {"df", to_json(e.df)},
          {"p", to_json(e.p)},
          {"lo", to_json(e.lo)},
          {"hi", to_json(e.hi)},
          {"equivalent", e.p && *e.p < alpha}};
}

Json tost_welch(const Json& input) {
  const double alpha = number(input, "alpha");
  return equivalence_json(stats::tost_welch(numbers(input, "a"),
                                            numbers(input, "b"),
                                            number(input, "low"),
                                            number(input, "high"),
                                            alpha),
                          alpha);
}

Json tost_log_ratio(const Json& input) {
  const double alpha = number(input, "alpha");
  return equivalence_json(
      stats::tost_log_ratio(
          numbers(input, "a"), numbers(input, "b"), number(input, "margin"), alpha),
      alpha);
}

Json ratio_json(const stats::RatioInterval& r) {
  return {{"status", to_json(r.status)},
          {"ratio", to_json(r.ratio)},
          {"se_log", to_json(r.se_log)},
          {"t", to_json(r.t)},
          {"df", to_json(r.df)},
          {"p", to_json(r.p)},
          {"lo", to_json(r.lo)},
          {"hi", to_json(r.hi)}};
}

Json log_ratio_delta(const Json& input) {
  return ratio_json(
      stats::log_ratio_delta(numbers(input, "a"), numbers(input, "b"), number(input, "level")));
}

Json log_ratio_welch(const Json& input) {
  return ratio_json(
      stats::log_ratio_welch(numbers(input, "a"), numbers(input, "b"), number(input, "level")));
}

Json log_ratio_paired(const Json& input) {
  return ratio_json(
      stats::log_ratio_paired(numbers(input, "a"), numbers(input, "b"), number(input, "level")));
}

Json fieller_ratio(const Json& input) {
  const auto f =
      stats::fieller_ratio(numbers(input, "a"), numbers(input, "b"), number(input, "level"));
  return {{"status", to_json(f.status)},
          {"ratio", to_json(f.ratio)},
          {"df", to_json(f.df)},
          {"g", to_json(f.g)},
          {"lo", to_json(f.lo)},
          {"hi", to_json(f.hi)}};
}

stats::AdjustedP adjust(const std::vector<std::optional<double>>& p, const std::string& name) {
  if (name == "holm") {
    return stats::holm(p);
  }
  if (name == "bh") {
    return stats::benjamini_hochberg(p);
  }
  if (name == "bonferroni") {
    return stats::bonferroni(p);
  }
  throw std::runtime_error("no adjustment is called '" + name + "'");
}

Json p_adjust(const Json& input) {
  const stats::AdjustedP result = adjust(optional_numbers(input, "p"), word(input, "method_name"));
  Json adjusted = Json::array();
  Json rejected = Json::array();
  for (const std::optional<double>& p : result.adjusted) {
    adjusted.push_back(to_json(p));
    rejected.push_back(p && *p <= 0.05);
  }
  return {{"status", to_json(result.status)}, {"adjusted", adjusted}, {"reject_at_0.05", rejected}};
}

Json verdict(const Json& input) {
  stats::VerdictInput arguments;
  arguments.ratio = optional_number(input, "ratio");
  arguments.lo = optional_number(input, "lo95");
  arguments.hi = optional_number(input, "hi95");
  arguments.p_adjusted = optional_number(input, "p_adjusted");
  arguments.p_tost_adjusted = optional_number(input, "p_tost_adjusted");
  arguments.margin = number(input, "margin");
  const stats::JudgedRatio v = stats::verdict(arguments);
  return {{"status", to_json(v.status)},
          {"word", std::string(stats::format_verdict(v.word))},
          {"beyond_margin", v.beyond_margin},
          {"detectable_below_margin", v.detectable_below_margin}};
}

Json scaling_summary(const Json& input) {
  const std::string mode = word(input, "mode");
  if (mode != "strong" && mode != "weak") {
    throw std::runtime_error("no scaling mode is called '" + mode + "'");
  }
  const stats::ScalingSummary s = stats::scaling_summary(
      mode == "strong" ? stats::ScalingMode::kStrong : stats::ScalingMode::kWeak,
      numbers(input, "t_base"),
      number(input, "n_base"),
      numbers(input, "t_n"),
      number(input, "n"),
      number(input, "level"));
  Json out{{"status", to_json(s.status)}, {"df", to_json(s.df)}};
  put_estimate(out, "speedup", "speedup_lo", "speedup_hi", s.speedup);
  put_estimate(out, "efficiency", "efficiency_lo", "efficiency_hi", s.efficiency);
  put_estimate(out, "overhead", "overhead_lo", "overhead_hi", s.overhead);
  put_estimate(out, "cost_ratio", "cost_ratio_lo", "cost_ratio_hi", s.cost_ratio);
  return out;
}

}  // namespace

void add_comparison_adapters(AdapterTable& table) {
  table["welch_t"] = welch_t;
  table["student_t_pooled"] = student_t_pooled;
  table["paired_t"] = paired_t;
  table["tost_welch"] = tost_welch;
  table["tost_log_ratio"] = tost_log_ratio;
  table["log_ratio_delta"] = log_ratio_delta;
  table["log_ratio_welch"] = log_ratio_welch;
  table["log_ratio_paired"] = log_ratio_paired;
  table["fieller_ratio"] = fieller_ratio;
  table["p_adjust"] = p_adjust;
  table["verdict"] = verdict;
  table["scaling_summary"] = scaling_summary;
}

}  // namespace scalestudy::test
