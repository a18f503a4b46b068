// The methods behind a report's numbers.
#include <array>
#include <set>
#include <string_view>

#include "harness/report/sections/sections.h"
#include "harness/study/parameters/measured_axis.h"

namespace scalestudy::report {
namespace {

static_assert(kLeastForCurve == 5);  // as threshold_piecewise says

struct MethodText {
  std::string_view id;
  std::string_view text;
};

constexpr std::array<MethodText, 27> kMethods = {{
    {"mean_ci_t", "Student t interval on the means of the trials, n - 1 degrees of freedom"},
    {"mean_ci_t_within",
     "Student t interval within sessions: mean of all trials, spread inside sessions, n - sessions "
     "degrees of freedom; says nothing about further sessions"},
    {"mean_ci_t_sessions", "Student t interval on the means of five or more sessions"},
    {"tail_across_trials",
     "quantile (type 7) of each trial's steps, then a t interval across trials; with T trials, p95 "
     "and p99 have one only if each trial has 2.5 T steps beyond the quantile"},
    {"log_ratio_delta_paired",
     "ratio of means over blocks, delta method on the log scale, paired by block, blocks - 1 "
     "degrees of freedom"},
    {"log_ratio_delta_sessions",
     "ratio of means over sessions, delta method on the log scale, paired by the means of five or "
     "more sessions"},
    {"log_ratio_paired", "ratio as the geometric mean over blocks, paired t on the log ratios"},
    {"log_ratio_delta",
     "ratio of means of unpaired trials (fewer than five blocks hold both cells); delta method on "
     "the log scale, Welch degrees of freedom"},
    {"paired_t",
     "difference of means over blocks (or sessions), paired, blocks - 1 degrees of freedom"},
    {"welch_t", "difference of means of independent trials, Welch degrees of freedom"},
    {"reduction",
     "share of the base's exposed communication that is removed, Fieller's interval over blocks "
     "(or sessions), blocks - 1 degrees of freedom"},
    {"threshold_piecewise",
     "break-even: bracket between tested values; interpolation between them among five values or "
     "more, "
     "each at most twice the one before, but not in the first or last step"},
    {"amdahl_fit",
     "Amdahl's law fitted to the times of all trials, or to the means of five or more sessions, on "
     "the log scale, after what blocks or sessions add is taken out"},
    {"gustafson_fit",
     "Gustafson's law fitted to the times of all trials, or to the means of five or more sessions, "
     "on the log scale, after what blocks or sessions add is taken out"},
    {"communication_added_fit",
     "time = computation + a communication of known time, fitted to all trials, or to the means of "
     "five or more sessions, by relative error"},
    {"communication_hidden_fit",
     "time = the longer of computation and a communication of known time, fitted on the log scale"},
    {"communication_fitted_fit",
     "time = computation + a ring whose hops and transfer are fitted too, by relative error; none "
     "below 0"},
    {"leave_counts_out",
     "mean error of a law at each number of devices when that is left out of its fit"},
    {"usl_fit",
     "universal scalability law fitted to all trials, or to the means of five or more sessions, on "
     "the log scale, after what blocks or sessions add is taken out"},
    {"alpha_beta_fit",
     "time = latency + size/bandwidth fitted to the times of all trials, or to the means of five "
     "or "
     "more sessions, each weighted by its relative error"},
    {"lack_of_fit",
     "F test of a law against one mean for each number of devices (or message size); needs more of "
     "them than the law has parameters"},
    {"least_share",
     "share of trials that fit into memory, lower end of the one-sided Clopper-Pearson interval"},
    {"median_ci_order", "median of the trial means with an order statistic interval"},
    {"variance_components",
     "one-way random effects over batches of 5 steps: spread between trials and within"},
    {"kalibera_optimal",
     "steps a trial, from the spread within and between trials and the costs of a launch and a "
     "step"},
    {"sum", "the sum over all attempts, including those that no other number uses"},
    {"stopping_rule",
     "looks after every trial from the least number on, then two trials more; never at a p value"},
}};

std::string method_text(const std::string& id) {
  for (const MethodText& method : kMethods) {
    if (method.id == id) {
      return std::string(method.text);
    }
  }
  return "see stats/METHODS.md";
}

View::List methods(const Results& results) {
  std::set<std::string> ids;
  const auto collect = [&ids](const auto& rows) {
    for (const auto& row : rows) {
      ids.insert(row.method);
    }
  };
  collect(results.estimates);
  for (const ComparisonRow& row : results.comparisons) {
    ids.insert(to_word(row.method));
  }
  collect(results.thresholds);
  collect(results.laws);
  ids.erase("");
  View::List rows;
  for (const std::string& id : ids) {
    View row;
    row.set_text("name", id);
    row.set_text("value", method_text(id));
    rows.push_back(std::move(row));
  }
  return rows;
}

void fill_methods(View& view, const ReportInput& input, const Figures& /*figures*/) {
  view.set_list("methods", methods(input.results));
}

}  // namespace

Section methods_section() {
  using enum TagKind;
  return {{{"methods", kList, "methods behind the numbers"},
           {"methods.name", kText, "id as in stats/METHODS.md and in the CSV files"},
           {"methods.value", kText, "what it does"}},
          fill_methods};
}

}  // namespace scalestudy::report
