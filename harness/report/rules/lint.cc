// One function a rule: what breaks it, nothing when it is kept.
#include "harness/report/rules/lint.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "harness/report/input/cell_names.h"
#include "harness/report/input/declared_prices.h"
#include "harness/report/input/used_sessions.h"
#include "harness/report/rules/lint_outcome.h"
#include "harness/store/cell_name.h"
#include "harness/study/parameters/metrics.h"
#include "harness/text/text.h"
#include "workloads/names/names.h"

namespace scalestudy::report {
namespace {

constexpr std::int64_t kFewestTrials = 5;
constexpr const char* kMoreTrials =
    "run more (trials: {count: 10}, or until a precision); plan --precision 1% says how many";
constexpr const char* kMoreLogs = "import the logs of more runs";
constexpr const char* kTimesInstead =
    "extract the times (or counts) it is made of and compare those; the report makes ratios of "
    "means";
constexpr const char* kMoreValues =
    "add values between the brackets to the axis, or trials; report the bracket, not a number";

// "2 devices, batch 64; 4 devices, batch 64 and 3 more".
std::string listed(const std::vector<std::string>& names, std::size_t most = 3) {
  std::vector<std::string> shown(
      names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), most)));
  const std::size_t more = names.size() - shown.size();
  return join(shown, "; ") + (more == 0 ? "" : fmt::format(" and {} more", more));
}

// With the base that the study declares, not with the best of the measured.
bool is_of_base(const ComparisonRow& row) {
  return row.quantity != names::kFastest && !is_cheapest(row.quantity) &&
         row.quantity != names::kAgainstWinner;
}

bool is_baseline_of_some(const ReportInput& input, const CellRow& cell) {
  return std::any_of(
      input.results.comparisons.begin(),
      input.results.comparisons.end(),
      [&](const ComparisonRow& row) { return is_of_base(row) && row.baseline_cell_id == cell.id; });
}

Outcome base_case(const ReportInput& input) {
  Outcome outcome;
  const std::vector<const CellRow*> cells = measured_cells(input);
  outcome.applies = cells.size() > 1;
  for (const CellRow* cell : cells) {
    const bool is_compared =
        std::any_of(input.results.comparisons.begin(),
                    input.results.comparisons.end(),
                    [&](const ComparisonRow& row) {
                      return is_of_base(row) && row.cell_id == cell->id &&
                             (row.value || !input.used_trials(row.baseline_cell_id).empty());
                    });
    if (outcome.applies && !is_compared && !is_baseline_of_some(input, *cell)) {
      outcome.broken.push_back(cell_name(input, *cell));
    }
  }
  return outcome;
}

const char* advice_on_trials(const ReportInput& input) {
  return is_imported(input) ? kMoreLogs : kMoreTrials;
}

// What to do about a cell without a trial that counts.
const char* advice_without_trials(const ReportInput& input, const CellRow& cell) {
  bool was_run = false;
  bool was_pruned = false;
  for (const TrialRow& trial : input.trials) {
    was_run |= trial.cell_id == cell.id && has_ended(trial.state);
    was_pruned |= trial.cell_id == cell.id && trial.skip_reason == SkipReason::kPruned;
  }
  return was_pruned && !was_run ? advice_on_trials(input)
         : was_run ? "no trial of such a cell counts, and more would fail alike: find out why they "
                     "ended so (scalestudy logs TRIAL)"
         : is_imported(input) ? "import the missing logs"
                              : "run the study";
}

Outcome trials(const ReportInput& input) {
  Outcome outcome;
  std::map<std::string, std::vector<std::string>> cells;  // by what to do about them
  for (const CellRow& cell : input.cells) {
    const EstimateRow* step = input.estimate(cell.id, names::kStepTime);
    const bool is_of_race_alone = input.declared.search && step == nullptr;
    if (cell.role != CellRole::kMeasured || cell.excluded_reason || is_of_race_alone) {
      continue;
    }
    const std::int64_t n = step != nullptr ? step->n : std::ssize(input.used_trials(cell.id));
    if (n < kFewestTrials) {
      outcome.broken.push_back(fmt::format("{} ({})", cell_name(input, cell), n));
      cells[n > 0 ? advice_on_trials(input) : advice_without_trials(input, cell)].push_back(
          outcome.broken.back());
    }
  }
  for (const auto& [advice, names] : cells) {
    const std::string which = cells.size() == 1 ? "" : "for " + listed(names, 1) + ": ";
    outcome.advice.insert(which + advice);
  }
  return outcome;
}

Outcome intervals(const ReportInput& input) {
  Outcome outcome;
  outcome.applies = !measured_cells(input).empty();
  for (const CellRow* cell : measured_cells(input)) {
    const EstimateRow& step = *input.estimate(cell->id, names::kStepTime);
    if (!step.lo || !step.hi || step.method.empty()) {
      outcome.broken.push_back("step time of " + cell_name(input, *cell));
    }
  }
  for (const ComparisonRow& row : input.results.comparisons) {
    // Of a metric that is the same in all trials; of times nothing is said then.
    const bool is_exact =
        row.status == RowStatus::kZeroVariance && row.verdict != Verdict::kNotEnoughData;
    if (row.value && (!row.lo || !row.hi) && !is_exact) {
      outcome.broken.push_back(
          fmt::format("{} of {}", row.quantity, cell_name(input, input.cell(row.cell_id))));
    }
  }
  return outcome;
}

// A metric of the study's own whose mean over steps or trials says nothing: ratios and rates.
bool is_ratio_or_rate(const std::string& metric, const std::string& unit) {
  const auto names = [&](const char* word) { return metric.find(word) != std::string::npos; };
  return unit.ends_with("/s") || unit == "x" || unit == "%" || names(names::kSpeedup) ||
         names(names::kEfficiency) || names("ratio");
}

// A bandwidth of the collective's, which is made of mean times unless its median is asked for.
bool is_of_times(const ReportInput& input, const MetricRequest& request) {
  return input.declared.workload == Workload::kCollective &&
         (request.metric == names::kBusBandwidth || request.metric == names::kAlgorithmBandwidth);
}

Outcome ratios(const ReportInput& input) {
  Outcome outcome{.applies = false, .broken = {}};
  const std::vector<MetricRequest>& requests = input.declared.analysis.metrics;
  for (const MetricRequest& request : requests) {
    const auto row = std::find_if(
        input.results.estimates.begin(), input.results.estimates.end(), [&](const EstimateRow& e) {
          return e.metric == request.metric && e.statistic == Statistic::kMean;
        });
    outcome.applies = outcome.applies || row != input.results.estimates.end();
    if (row != input.results.estimates.end() && is_ratio_or_rate(row->metric, row->unit) &&
        (!is_of_times(input, request) || request.by != TrialStatistic::kMean)) {
      outcome.broken.push_back(fmt::format("{} ({})", row->metric, row->unit));
      outcome.advice.insert(is_of_times(input, request)
                                ? "leave out `by: p50`: means follow from the times"
                                : kTimesInstead);
    }
  }
  return outcome;
}

bool is_version(const std::string& name) {
  return name.starts_with("version.") || name.ends_with("_version") || name.starts_with("file.") ||
         name == "program_git";
}

Outcome versions(const ReportInput& input) {
  const std::vector<const SessionInput*> used = used_sessions(input);
  std::map<std::string, std::set<std::string>> seen;
  for (const SessionInput* session : used) {
    seen["scalestudy"].insert(session->row.tool_version + " " + session->row.tool_revision);
    for (const EnvironmentRow& fact : session->environment) {
      if (is_version(fact.name)) {
        seen[fact.name].insert(fact.value);
      }
    }
  }
  Outcome outcome;
  outcome.applies = used.size() > 1;
  for (const auto& [name, values] : seen) {
    if (values.size() > 1) {
      outcome.broken.push_back(fmt::format("{} ({})", name, values.size()));
    }
  }
  return outcome;
}

Outcome sessions(const ReportInput& input) {
  const std::size_t used = used_sessions(input).size();
  return {used > 0,
          used == 1 ? std::vector<std::string>{"all trials come from one session"}
                    : std::vector<std::string>()};
}

Outcome controls(const ReportInput& input) {
  std::set<CellRole> roles;
  bool has_devices = false;
  for (const CellRow& cell : input.cells) {
    if (!cell.excluded_reason) {
      roles.insert(cell.role);
      has_devices = has_devices || cell.devices > 1;
    }
  }
  Outcome outcome;
  outcome.applies = has_devices && !input.results.comparisons.empty() && !is_imported(input);
  if (outcome.applies && !roles.contains(CellRole::kAa)) {
    outcome.broken.emplace_back("aa (the baseline under a second name)");
    outcome.advice.insert("add aa to controls, which shows whether equal cells come out equal");
  }
  if (outcome.applies && can_run_without_communication(input) &&
      input.declared.workload == Workload::kTrain && !roles.contains(CellRole::kNoop)) {
    outcome.broken.emplace_back("noop (the same ranks without communication)");
    outcome.advice.insert("add noop to controls, which shows what communication costs");
  }
  return outcome;
}

Outcome thresholds(const ReportInput& input) {
  Outcome outcome;
  outcome.applies = !input.declared.analysis.thresholds.empty();
  for (const ThresholdRow& row : input.results.thresholds) {
    const bool is_resolved =
        row.status == RowStatus::kCrossed || row.status == RowStatus::kCrossedDown ||
        row.status == RowStatus::kAlways || row.status == RowStatus::kNotReached ||
        row.status == RowStatus::kAllTied;
    const bool is_unapplied = row.status == RowStatus::kNotApplicable;
    if (!is_resolved) {
      outcome.broken.push_back(fmt::format(
          "{} along {}{}{}",
          metric_words(row.metric),
          name_axis(row.along, input.declared.labels),
          row.group_label.empty() ? "" : ", " + curve_label(input, row.group_label),
          is_unapplied                           ? ": setting not applied"
          : row.status == RowStatus::kUnresolved ? ""
                                                 : ": " + in_words(to_word(row.status))));
      outcome.advice.insert(
          is_unapplied ? "more values do not help where a setting was not applied: correct "
                         "the setting first"
                       : kMoreValues);
    }
  }
  return outcome;
}

Outcome oversubscription(const ReportInput& input) {
  Outcome outcome;
  outcome.applies = !measured_cells(input).empty();
  for (const CellRow* cell : measured_cells(input)) {
    if (cell->oversubscribed) {
      outcome.broken.push_back(cell_name(input, *cell));
    }
  }
  return outcome;
}

// Names of prices without a source or a date.
std::vector<std::string> undeclared_prices(const ReportInput& input) {
  std::vector<std::string> names;
  for (const DeclaredRow& row : declared_rows(input)) {
    if (!row.declared.is_whole()) {
      names.push_back(row.name);
    }
  }
  return names;
}

Outcome prices(const ReportInput& input) {
  return {input.declared.cost.has_value(), undeclared_prices(input)};
}

struct Rule {
  const char* name;
  Outcome (*check)(const ReportInput&);
  const char* finding;  // with {} for what breaks it
  const char* advice;
};

static_assert(kFewestTrials == 5);  // as the rule of trials says
constexpr Rule kRules[] = {
    {"base_case",
     base_case,
     "the base was not run: {}",
     "declare analysis: {baseline: ...} so that it names a cell of the study, and measure it"},
    {"trials", trials, "fewer than five trials: {}", kMoreTrials},
    {"intervals",
     intervals,
     "without an interval: {}",
     "two trials give none, three a wide one: run more, of one seed with vary_seed: true; a value "
     "without an interval is no finding"},
    {"ratios", ratios, "averaged, although they are ratios or rates: {}", kTimesInstead},
    {"versions",
     versions,
     "several versions in one report: {}",
     "report the sessions of one version apart (compare NAME@version.X=...), or run all again"},
    {"sessions",
     sessions,
     "{}",
     "run again on another day or after a restart: intervals within one session leave out what "
     "changes between sessions"},
    {"controls", controls, "missing: {}", "add what is missing to controls"},
    {"thresholds", thresholds, "not resolved: {}", kMoreValues},
    {"oversubscription",
     oversubscription,
     "more ranks than cores or devices: {}",
     "run on a machine with as many, or take the cell out: such a cell shows that the program "
     "works, not how fast"},
    {"prices",
     prices,
     "without source or date: {}",
     "add source: and date: beside each number of cost"},
    {"knobs", knobs, "varied, but not shown to be applied: {}", "show that it was applied"},
};

}  // namespace

std::vector<LintResult> lint(const ReportInput& input) {
  std::vector<LintResult> results;
  for (const Rule& rule : kRules) {
    const Outcome outcome = rule.check(input);
    LintResult& result = results.emplace_back();
    result.rule = rule.name;
    const std::vector<std::string> advice(outcome.advice.begin(), outcome.advice.end());
    result.advice = advice.empty() ? rule.advice : join(advice, "; ");
    if (!outcome.applies) {
      result.state = LintState::kNotApplicable;
    } else if (!outcome.broken.empty()) {
      result.state = LintState::kBroken;
      result.finding = fmt::format(fmt::runtime(rule.finding), listed(outcome.broken));
    }
  }
  return results;
}

}  // namespace scalestudy::report
