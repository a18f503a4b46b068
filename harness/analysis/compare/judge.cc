// Verdicts on comparisons: p values of a family, and the word and sentences of each.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "harness/analysis/cells/claims.h"
#include "harness/analysis/cells/sessions.h"
#include "harness/analysis/compare/comparisons.h"
#include "harness/analysis/compare/findings.h"
#include "harness/analysis/compare/verdict_word.h"
#include "stats/multiplicity.h"

namespace scalestudy {
namespace {

// Values far worse than those of the better quarter: below 75 % of its last, or above twice it.
// Half of the seeds may have failed, so it is not the median.
std::size_t count_failed(std::vector<double> values, bool is_higher_better) {
  if (values.empty()) {
    return 0;
  }
  std::ranges::sort(values);
  const std::size_t quarter = (values.size() - 1) / 4;
  const double good = is_higher_better ? values[values.size() - 1 - quarter] : values[quarter];
  return static_cast<std::size_t>(std::ranges::count_if(values, [&](double value) {
    return is_higher_better ? value < 0.75 * good : value > 2.0 * good;
  }));
}

std::vector<double> values_of_seeds(const CellObservation& cell, const MetricRequest& request) {
  std::vector<double> values;
  for (const auto& [session, of_session] :
       session_values(cell, request.metric, statistic_of(request), Seeds::kOfBlock)) {
    values.insert(values.end(), of_session.begin(), of_session.end());
  }
  return values;
}

// Where some learned far less than the rest: how many seeds of each side.
std::string describe_failed_seeds(const Comparison& comparison) {
  const MetricRequest& request = *comparison.request;
  const std::vector<double> base = values_of_seeds(*comparison.base, request);
  const std::vector<double> cell = values_of_seeds(*comparison.cell, request);
  const std::size_t of_base = count_failed(base, request.is_higher_better);
  const std::size_t of_cell = count_failed(cell, request.is_higher_better);
  return of_base + of_cell == 0
             ? ""
             : fmt::format(
                   "{} of {} seeds of this cell and {} of {} of its base failed to train "
                   "({} of its best quarter)",
                   of_cell,
                   cell.size(),
                   of_base,
                   base.size(),
                   request.is_higher_better ? "below 75 %" : "above 200 %");
}

using PField = std::optional<double> ComparisonRow::*;

// Holm, where `more` members are not known yet.
void adjust(std::vector<Comparison>& family, std::size_t more, PField from, PField to) {
  std::vector<std::optional<double>> p_values;
  p_values.reserve(family.size());
  for (const Comparison& comparison : family) {
    p_values.push_back(comparison.no_claim ? std::nullopt : comparison.row.*from);
  }
  p_values.resize(p_values.size() + more, 1.0);
  const stats::AdjustedP adjusted = stats::holm(p_values);
  for (std::size_t i = 0; i < family.size(); ++i) {
    family[i].row.*to = adjusted.status == stats::Status::kOk ? adjusted.adjusted[i] : std::nullopt;
  }
}

void note_resolution(Comparison& comparison, const stats::Resolution& resolution) {
  ComparisonRow& row = comparison.row;
  comparison.family_size = std::max<std::size_t>(resolution.family, 1);
  if (row.p_adjusted) {
    row.alpha_star = resolution.alpha_star;
    row.family_size = static_cast<std::int64_t>(resolution.family);
    row.rejected = static_cast<std::int64_t>(resolution.rejected);
  }
}

void step_down(std::vector<Comparison>& family, std::size_t more) {
  adjust(family, more, &ComparisonRow::p_value, &ComparisonRow::p_adjusted);
  adjust(family, more, &ComparisonRow::equivalence_p, &ComparisonRow::equivalence_p_adjusted);
  std::vector<std::optional<double>> p_values;
  for (const Comparison& comparison : family) {
    p_values.push_back(comparison.row.p_adjusted ? comparison.row.p_value : std::nullopt);
  }
  for (Comparison& comparison : family) {
    note_resolution(comparison, stats::resolve(p_values, comparison.alpha, more));
  }
}

// Whether the two cells have in common the batch that the scaling keeps.
bool keep_batch(const CellRow& base, const CellRow& cell, Scaling scaling) {
  return scaling == Scaling::kWeak ? base.batch_per_device == cell.batch_per_device
                                   : base.batch_global == cell.batch_global;
}

}  // namespace

void judge(Comparison& comparison, Scaling scaling) {
  ComparisonRow& row = comparison.row;
  const stats::RatioInterval& interval = comparison.ratio.interval;
  const stats::Estimate ratio = better_ratio_in_family(comparison);
  comparison.verdict = stats::verdict({.status = interval.status,
                                       .ratio = ratio.value,
                                       .lo = ratio.lo,
                                       .hi = ratio.hi,
                                       .p_adjusted = row.p_adjusted,
                                       .p_tost_adjusted = row.equivalence_p_adjusted,
                                       .margin = row.margin,
                                       .alpha = comparison.alpha});
  if (is_exact(comparison)) {
    comparison.verdict = exact_verdict(comparison);
  }
  comparison.failed_seeds = comparison.is_of_seeds ? describe_failed_seeds(comparison) : "";
  if (!comparison.failed_seeds.empty() &&
      comparison.verdict.word == stats::VerdictWord::kEquivalent) {
    comparison.verdict.word = stats::VerdictWord::kNoDetectableDifference;
  }
  row.scaling =
      keep_batch(comparison.base->row, comparison.cell->row, scaling) ? scaling : Scaling::kNone;
  row.verdict = comparison.no_claim ? comparison.no_claim->verdict
                                    : stored_verdict(comparison, comparison.verdict.word);
  row.doubted_cells = comparison.no_claim ? comparison.no_claim->doubted : CellIds();
  row.finding = describe_comparison(comparison);
  row.remark = describe_remark(comparison);
}

void allow_for(Comparison& comparison, std::size_t family_size) {
  ComparisonRow& row = comparison.row;
  const auto allowed = [&](std::optional<double> p) {
    return p && !comparison.no_claim
               ? std::optional(std::min(1.0, *p * static_cast<double>(family_size)))
               : std::nullopt;
  };
  row.p_adjusted = allowed(row.p_value);
  row.equivalence_p_adjusted = allowed(row.equivalence_p);
  note_resolution(comparison, stats::resolve_all(family_size, comparison.alpha));
}

std::vector<ComparisonRow> judge_family(std::vector<Comparison> family,
                                        Scaling scaling,
                                        const FamilyRule& rule) {
  if (!rule.all) {
    step_down(family, rule.more);
  }
  std::vector<ComparisonRow> rows;
  for (Comparison& comparison : family) {
    if (rule.all) {
      allow_for(comparison, *rule.all + rule.more);
    }
    judge(comparison, scaling);
    rows.push_back(std::move(comparison.row));
  }
  return rows;
}

}  // namespace scalestudy
