#include "harness/analysis/compare/targets.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "harness/analysis/cells/claims.h"
#include "harness/analysis/cells/efficiency.h"
#include "harness/analysis/cells/groups.h"
#include "harness/analysis/compare/findings.h"
#include "harness/analysis/compare/questions.h"
#include "harness/analysis/compare/survivors.h"
#include "harness/analysis/compare/target_finding.h"
#include "harness/analysis/compare/target_questions.h"
#include "harness/store/cell_name.h"
#include "harness/study/parameters/metrics.h"
#include "harness/text/number.h"
#include "harness/text/text.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

using enum TargetVerdict;

// A single device neither communicates nor differs from its own baseline, so a target on such a
// quantity does not mean that cell.
bool has_quantity(const CellRow& cell, const std::string& metric) {
  if (metric == names::kOverhead) {
    return cell.devices > 1;
  }
  return !is_relative(metric) || cell.baseline != cell.hash;
}

bool is_baseline(const CellRow& cell) {
  return cell.role == CellRole::kMeasured && cell.baseline == cell.hash;
}

TargetUnit unit_of(const std::string& name,
                   const StudyObservation& observation,
                   const Results& results) {
  const std::optional<double> largest = largest_estimate(results, name);
  if (const Metric* metric = find_metric(name)) {
    return {metric->kind == MetricKind::kRatio ? "x" : std::string(metric->unit), largest};
  }
  const auto measured = observation.units.find(name);
  const auto made = std::ranges::find(results.estimates, name, &EstimateRow::metric);
  const std::string unit = measured != observation.units.end() ? measured->second
                           : made != results.estimates.end()   ? made->unit
                                                               : "";
  return {unit == "1" ? "" : unit, largest};
}

// A target with the question that decides it.
struct Asked {
  const Target& target;
  const Question& question;
  const TargetReferences& references;
  bool is_alone = false;  // it means one cell
};

// By the question's decision; by the interval where the only cell has no test against the level.
TargetVerdict verdict_of(const TargetResultRow& row, const Asked& asked) {
  const auto found = asked.question.cells.find(*row.cell_id);
  if (found == asked.question.cells.end()) {
    return asked.is_alone && !asked.target.source ? decide(row) : kUndecided;
  }
  if (!found->second.p && found->second.sign == 0) {
    return kMet;  // the level itself, for certain
  }
  const bool is_inverse = is_overhead(row.metric) && !asked.target.source;
  const int above = is_inverse ? -found->second.sign : found->second.sign;
  const int wanted = row.bound == Bound::kAtLeast ? 1 : -1;
  return above == 0 ? kUndecided : above == wanted ? kMet : kMissed;
}

// The comparison that keeps the cell's metric from a claim; nullptr if none does. Doubts about the
// base alone matter only to a ratio to it.
const ComparisonRow* comparison_of(const CellRow& cell,
                                   const std::string& metric,
                                   const RowsByCell& results) {
  const ComparisonRow* found = results.comparison(cell.id);
  return found != nullptr &&
                 (is_relative(metric) ||
                  std::ranges::find(found->doubted_cells, cell.id) != found->doubted_cells.end())
             ? found
             : nullptr;
}

// Says of a target that is met which of its trials, or of their base's, count with a later attempt.
// If that is more than a tenth of the launches of either, the target is not met: what ended well
// was chosen after what did not.
void allow_for_chosen(const CellObservation* base, JudgedCell& judged) {
  std::vector<std::string> notes;
  bool is_choice = false;
  for (const CellObservation* cell : {judged.cell, base}) {
    if (cell != nullptr && cell->chosen.trials > 0) {
      notes.push_back(chosen_note(*cell));
      is_choice = is_choice || is_mostly_chosen(*cell);
    }
  }
  if (judged.row.verdict != kMet || notes.empty()) {
    return;
  }
  judged.chosen = join(notes, "; ");
  if (is_choice) {
    judged.missing = "would be met, but " + judged.chosen + ": the best of several is no evidence";
  }
}

// The cell's level, where it is from, and how many repeats the test needs.
void take_reference(const Asked& asked,
                    const StudyObservation& observation,
                    const Study& study,
                    JudgedCell& judged) {
  const TargetReference* reference = reference_of(asked.target, *judged.cell, asked.references);
  judged.reference = reference_text(asked.target);
  if (reference == nullptr || !reference->value) {
    judged.missing = reference == nullptr ? "it has no reference" : reference->missing;
    return;
  }
  judged.row.level = level_of(asked.target) * *reference->value;
  judged.origin = *reference;
  const double alpha = asked.question.resolution.alpha_star;
  const RepeatSpread spread =
      repeat_spread_of(*judged.cell, judged.row.metric, *reference, observation, study);
  judged.power = power_text(asked.target,
                            spread.log_sd,
                            alpha > 0.0 ? alpha : 1.0 - study.analysis.confidence,
                            reference->ratio       ? Repeat::kSessionOfBoth
                            : spread.is_of_session ? Repeat::kSession
                                                   : Repeat::kTrial);
}

// What may be said of the cell whatever the limit is; kNotEnoughData if nothing speaks against it.
// - is_of_cell: the metric is of the cell alone, so that it says how its trials ended.
Verdict verdict_without_limit(const CellObservation& cell,
                              const ComparisonRow* compared,
                              bool is_of_cell) {
  if (cell.row.oversubscribed || cell.has_software_type) {
    return cell.row.oversubscribed ? Verdict::kNoClaim : Verdict::kSoftwareType;
  }
  if (compared != nullptr) {
    return compared->verdict;
  }
  const std::optional<NoClaim> lost = is_of_cell ? why_lost(cell, cell) : std::nullopt;
  return lost ? lost->verdict : Verdict::kNotEnoughData;
}

JudgedCell judge_cell(const TargetResultRow& declared,
                      const TargetUnit& unit,
                      const CellObservation& observed,
                      const StudyObservation& observation,
                      const RowsByCell& results,
                      const Asked& asked,
                      const Study& study) {
  const Question& question = asked.question;
  JudgedCell judged{.cell = &observed, .row = declared, .unit = unit};
  TargetResultRow& row = judged.row;
  row.cell_id = observed.row.id;
  judged.missing = fill_value(observed.row, results, row);
  if (row.metric == kEfficiency && !row.value) {
    const CellObservation* base = observation.find_cell(observed.row.baseline);
    const std::string none =
        base == nullptr ? "" : why_no_efficiency(*base, observed, observation, study);
    judged.missing = none.empty() ? judged.missing : none;
  }
  if (asked.target.source) {
    take_reference(asked, observation, study, judged);
  }
  row.verdict = verdict_of(row, asked);
  judged.missing =
      judged.missing.empty() ? say_opposite_sessions(observed, row, study) : judged.missing;
  const ComparisonRow* compared = comparison_of(observed.row, row.metric, results);
  allow_for_chosen(is_relative(row.metric) && compared != nullptr
                       ? observation.find_cell(compared->baseline_cell_id)
                       : nullptr,
                   judged);
  const bool is_of_cell = !is_relative(row.metric) && (!asked.target.source || judged.origin);
  const Verdict alone = verdict_without_limit(observed, compared, is_of_cell);
  if (!is_claim(alone)) {
    judged.missing = to_word(alone);
    judged.is_lost = alone == Verdict::kFailed || alone == Verdict::kOutOfMemory;
  }
  if (judged.missing.empty()) {
    judged.missing =
        impossible_note(observed, row.metric, results.estimate(observed.row.id), study);
  }
  if (!judged.missing.empty()) {
    row.verdict = kUndecided;
  }
  const auto decided = question.cells.find(observed.row.id);
  if (decided != question.cells.end() && decided->second.p) {
    row.alpha_star = question.resolution.alpha_star;
    row.family_size = static_cast<std::int64_t>(question.resolution.family);
    row.rejected = static_cast<std::int64_t>(question.resolution.rejected);
  } else if (const EstimateRow* made = results.estimate(observed.row.id);
             decided != question.cells.end() && made != nullptr) {
    judged.sameness = ", the same in " + format_all(made->n, "trial");
  }
  row.finding = describe_target(judged);
  return judged;
}

// What others are compared with is as good as itself: its row if that is too little for a limit.
std::optional<TargetResultRow> missed_by_base(const TargetResultRow& declared,
                                              const TargetUnit& unit,
                                              const CellObservation& base) {
  const bool wants_more = declared.bound == Bound::kAtLeast;
  if (wants_more ? *declared.level <= 1.0 : *declared.level >= 1.0) {
    return std::nullopt;
  }
  JudgedCell judged{.cell = &base, .row = declared, .unit = unit};
  judged.row.cell_id = base.row.id;
  judged.row.value = 1.0;
  judged.row.verdict = kMissed;
  judged.row.finding = describe_target(judged);
  return judged.row;
}

// The rows of the bases that miss a limit on a metric that compares with them.
std::vector<TargetResultRow> missed_by_bases(const TargetResultRow& declared,
                                             const TargetUnit& unit,
                                             const StudyObservation& observation) {
  std::vector<TargetResultRow> rows;
  for (const CellObservation& cell : observation.cells) {
    if (is_relative(declared.metric) && declared.metric != names::kOverhead &&
        is_baseline(cell.row)) {
      if (std::optional<TargetResultRow> missed = missed_by_base(declared, unit, cell)) {
        rows.push_back(*std::move(missed));
      }
    }
  }
  return rows;
}

std::vector<const CellObservation*> cells_of(const Target& target,
                                             const StudyObservation& observation,
                                             const Study& study) {
  std::vector<const CellObservation*> matching;
  for (const CellObservation& cell : observation.cells) {
    if (is_target_cell(cell.row, target, study)) {
      matching.push_back(&cell);
    }
  }
  return matching;
}

// The rows of one target.
// - questions: those that are asked about its metric and its source
std::vector<TargetResultRow> judge_target(const Target& target,
                                          const std::vector<Question>& questions,
                                          const StudyObservation& observation,
                                          const Study& study,
                                          const Results& results,
                                          const TargetReferences& references) {
  TargetResultRow declared;
  declared.name = target.name;
  declared.metric = target.metric;
  declared.bound = target.at_least ? Bound::kAtLeast : Bound::kAtMost;
  const double level = level_of(target);
  declared.level = target.source ? std::nullopt : std::optional(level);
  const TargetUnit unit = unit_of(target.metric, observation, results);
  const RowsByCell found = rows_of(results, target.metric, study);
  const bool is_of_ratio = is_relative(target.metric) && !target.source;
  const std::vector<const CellObservation*> matching = cells_of(target, observation, study);
  const Asked asked{
      .target = target,
      .question = at_level(questions, is_of_ratio ? ratio_level(target.metric, level) : level),
      .references = references,
      .is_alone = matching.size() == 1};
  std::vector<JudgedCell> cells;
  for (const CellObservation* cell : matching) {
    cells.push_back(judge_cell(declared, unit, *cell, observation, found, asked, study));
  }

  std::vector<TargetResultRow> rows;
  const bool is_limit = target.name == limit_name(target.metric);
  if (cells.empty() && !is_limit) {
    declared.verdict = kUndecided;
    declared.finding =
        describe_no_cell(declared, target.where, unit, target.source ? reference_text(target) : "");
    rows.push_back(declared);
  } else if (cells.size() > 1 && !is_limit) {
    rows.push_back(judge_whole(declared, cells));
  }
  for (JudgedCell& judged : cells) {
    rows.push_back(std::move(judged.row));
  }
  if (is_limit) {
    const std::vector<TargetResultRow> missed = missed_by_bases(declared, unit, observation);
    rows.insert(rows.end(), missed.begin(), missed.end());
  }
  return rows;
}

}  // namespace

std::vector<Target> with_limits(const AnalysisOptions& analysis) {
  std::vector<Target> all = analysis.targets;
  for (const Limit& limit : analysis.within) {
    Target& target = all.emplace_back();
    target.name = limit_name(limit.metric);
    target.metric = limit.metric;
    (limit.is_least ? target.at_least : target.at_most) = limit.level;
  }
  return all;
}

bool is_target_cell(const CellRow& cell, const Target& target, const Study& study) {
  if (cell.role != CellRole::kMeasured || !has_quantity(cell, target.metric)) {
    return false;
  }
  if (target.where.empty()) {
    return true;
  }
  const EffectiveParameters effective = effective_parameters(cell, study);
  return std::ranges::all_of(target.where, [&](const auto& wanted) {
    return effective_text(cell, effective, wanted.first) == format_value(wanted.second);
  });
}

std::vector<TargetResultRow> judge_targets(const StudyObservation& observation,
                                           const Study& study,
                                           const Results& results,
                                           const TargetReferences& references) {
  std::vector<TargetResultRow> rows;
  std::map<std::string, std::vector<Question>> asked;
  for (const Target& target : with_limits(study.analysis)) {
    const std::string subject =
        target.metric +
        (target.source ? "\n" + to_word(target.source->kind) + ":" + target.source->name : "");
    if (!asked.contains(subject)) {
      asked[subject] = ask_target(target, observation, study, results, references);
    }
    const std::vector<TargetResultRow> more =
        judge_target(target, asked[subject], observation, study, results, references);
    rows.insert(rows.end(), more.begin(), more.end());
  }
  return rows;
}

}  // namespace scalestudy
