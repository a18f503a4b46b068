#include "harness/analysis/compare/questions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>

#include "harness/analysis/cells/efficiency.h"
#include "harness/analysis/cells/groups.h"
#include "harness/analysis/compare/choices.h"
#include "harness/analysis/compare/comparisons.h"
#include "harness/analysis/compare/findings.h"
#include "harness/analysis/compare/verdict_word.h"
#include "harness/study/parameters/metrics.h"
#include "stats/distributions.h"

namespace scalestudy {
namespace {

constexpr double kVerdictLevel = 1.0;
constexpr std::size_t kCellsOfValue = 2;  // the cell and its base

bool has_quantity(const CellObservation& cell,
                  const StudyObservation& observation,
                  const Study& study,
                  const std::string& quantity) {
  const CellObservation* base = observation.find_cell(cell.row.baseline);
  return quantity == kEfficiency
             ? base != nullptr && has_efficiency(*base, cell, observation, study)
             : base != &cell;
}

// Comparisons that the searches for break-evens of the quantity at that level may still add.
std::size_t count_more(const std::string& quantity,
                       double level,
                       const StudyObservation& observation,
                       const Study& study) {
  std::size_t more = 0;
  for (const ThresholdRequest& request : study.analysis.thresholds) {
    if (!request.refine || request.metric != quantity || request.level != level) {
      continue;
    }
    for (const Curve& curve : curves_along(observation, request.along)) {
      const auto has = [&](const CurvePoint& point) {
        return has_quantity(*point.cell, observation, study, quantity);
      };
      if (std::ranges::none_of(curve.points, has)) {
        continue;
      }
      const auto added = static_cast<std::size_t>(
          std::ranges::count_if(observation.additions, [&](const Addition& addition) {
            return addition.axis == request.along &&
                   std::ranges::any_of(curve.points, [&](const CurvePoint& point) {
                     return has(point) && point.cell->row.hash == addition.cell;
                   });
          }));
      const std::size_t most = static_cast<std::size_t>(request.refine->max_cells) / kCellsOfValue;
      more += most - std::min(most, added);
    }
  }
  return more;
}

std::set<double> levels_of(const std::string& quantity, const Study& study) {
  std::set<double> levels = {kVerdictLevel};
  for (const ThresholdRequest& request : study.analysis.thresholds) {
    if (request.metric == quantity && request.is_relative) {
      levels.insert(request.level);
    }
  }
  for (const Limit& limit : study.analysis.within) {
    if (limit.metric == quantity && is_relative(quantity)) {
      levels.insert(ratio_level(quantity, limit.level));
    }
  }
  for (const Target& target : study.analysis.targets) {
    if (target.metric == quantity && is_relative(quantity) &&
        !target.source) {  // others are no ratios
      levels.insert(ratio_level(quantity, target.at_least.value_or(target.at_most.value_or(0.0))));
    }
  }
  return levels;
}

// p of the ratio against a level, without an allowance for looks.
std::optional<double> plain_p(const stats::RatioInterval& ratio, double level) {
  if (!ratio.ratio || !ratio.se_log || !ratio.df) {
    return std::nullopt;
  }
  return level > 0.0 ? p_of(std::log(*ratio.ratio / level), *ratio.se_log, *ratio.df) : 0.0;
}

std::vector<std::optional<double>> p_values(const Question& question) {
  std::vector<std::optional<double>> values;
  for (const auto& [id, decision] : question.cells) {
    values.push_back(decision.p);
  }
  return values;
}

// The side of the level that the question's own test shows, whatever those of other levels do.
int tested_side(const Decision& decision, const Question& question) {
  if (!decision.p) {
    return side_of(decision.value, question.level);
  }
  const bool is_resolved = *decision.p < question.resolution.alpha_star;
  return !is_resolved ? 0 : decision.value > question.level ? 1 : -1;
}

// Whether the cell's tests at the levels that follow from the side show it, too: above a level is
// above all smaller ones, below it is below all greater ones.
// - questions: by ascending level; the side is one of the level of questions[at].
bool follows_at_other_levels(const std::vector<Question>& questions,
                             std::size_t at,
                             std::int64_t cell_id,
                             int side) {
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const bool has_to_follow = side > 0 ? i < at : i > at;
    const auto found = questions[i].cells.find(cell_id);
    if (has_to_follow && found != questions[i].cells.end() &&
        tested_side(found->second, questions[i]) != side) {
      return false;
    }
  }
  return true;
}

// The side of another level that follows from the verdict; 0 where none does.
int side_by_verdict(const Question& verdict, std::int64_t cell_id, double level) {
  const auto found = verdict.cells.find(cell_id);
  const int side = found == verdict.cells.end() ? 0 : tested_side(found->second, verdict);
  const bool is_beyond = side > 0 ? level < verdict.level : level > verdict.level;
  return is_beyond ? side : 0;
}

// The side that agrees with the other levels; 0 where they leave it open.
// - verdict: the question whose test is kept; nullptr if no verdict is among them.
int settled_side(const std::vector<Question>& questions,
                 std::size_t at,
                 std::int64_t cell_id,
                 const Question* verdict) {
  const Question& question = questions[at];
  const Decision& decision = question.cells.at(cell_id);
  const int side = tested_side(decision, question);
  if (&question == verdict || !decision.p) {
    return side;
  }
  const int by_verdict =
      verdict == nullptr ? 0 : side_by_verdict(*verdict, cell_id, question.level);
  if (by_verdict != 0) {
    return by_verdict;
  }
  return follows_at_other_levels(questions, at, cell_id, side) ? side : 0;
}

// Sets signs that agree over the levels. Each level's tests are a family of their own, with its own
// alpha*, so that one level may resolve what another, which follows from it, leaves open. Such a
// side is not certain. The verdict, which readers are told, is kept: its own side is certain.
// - verdict_level: that of the verdicts; absent where there are none.
void settle(std::vector<Question>& questions, std::optional<double> verdict_level) {
  const Question* verdict = nullptr;
  for (const Question& question : questions) {
    verdict = question.level == verdict_level ? &question : verdict;
  }
  for (std::size_t i = 0; i < questions.size(); ++i) {
    for (auto& [cell_id, decision] : questions[i].cells) {
      decision.sign = settled_side(questions, i, cell_id, verdict);
    }
  }
}

}  // namespace

double confidence_of(int sign, double alpha, double p) {
  constexpr double aside = 1e-9;  // of p, so that the interval ends beyond the level, or before it
  const double error =
      sign == 0 ? std::min(alpha, p * (1.0 - aside)) : std::max(alpha, p * (1.0 + aside));
  return 1.0 - std::clamp(error, 1e-15, 0.5);
}

int side_of(double value, double level) {
  constexpr double rounding = 4.0 * std::numeric_limits<double>::epsilon();
  const bool is_equal =
      std::abs(value - level) <= rounding * std::max(std::abs(value), std::abs(level));
  return is_equal ? 0 : value > level ? 1 : -1;
}

double p_of(double distance, double se, double df) {
  if (!(se > 0.0)) {
    return distance == 0.0 ? 1.0 : 0.0;
  }
  return stats::student_t_two_sided_p(distance / se, df);
}

std::optional<double> p_against(const TimeRatio& ratio, double level) {
  const std::optional<double> p = plain_p(ratio.interval, level);
  return p ? std::optional(ratio.looks.two_sided(*p)) : std::nullopt;
}

FamilyRule verdict_rule(const std::string& quantity,
                        const StudyObservation& observation,
                        const Study& study) {
  return {.more = count_more(quantity, kVerdictLevel, observation, study),
          .all = verdicts_and_choices(quantity, observation, study)};
}

double ratio_level(const std::string& quantity, double level) {
  return is_overhead(quantity) ? 1.0 - level : level;
}

std::vector<Question> ask(const std::string& quantity,
                          const StudyObservation& observation,
                          const Study& study) {
  const double alpha = 1.0 - study.analysis.confidence;
  const std::vector<Comparison> family = family_of(quantity, observation, study);
  const FamilyRule rule = verdict_rule(quantity, observation, study);
  std::vector<Question> questions;
  for (const double level : levels_of(quantity, study)) {
    Question& question = questions.emplace_back();
    question.level = level;
    for (const Comparison& comparison : family) {
      const TimeRatio& ratio = comparison.ratio;
      const std::optional<double> p = p_against(ratio, level);
      const bool is_tested = comparison.row.p_value && p;
      if (!comparison.no_claim && (is_tested || is_exact(comparison))) {
        question.cells[comparison.cell->row.id] = {.value = *ratio.interval.ratio, .p = p};
      }
    }
    question.resolution =
        level == kVerdictLevel && rule.all
            ? stats::resolve_all(*rule.all + rule.more, alpha)
            : stats::resolve(
                  p_values(question), alpha, count_more(quantity, level, observation, study));
  }
  settle(questions, kVerdictLevel);
  for (const Comparison& comparison : family) {
    const TimeRatio& ratio = comparison.ratio;
    for (Question& question : questions) {
      const auto found = question.cells.find(comparison.cell->row.id);
      if (found == question.cells.end()) {
        continue;
      }
      const std::optional<double> p = plain_p(ratio.interval, question.level);
      const double level = ratio.looks.level(question.resolution.alpha_star);
      found->second.confidence = p ? confidence_of(found->second.sign, level, *p) : 1.0 - level;
    }
  }
  return questions;
}

std::vector<Question> ask(const std::vector<Member>& members,
                          const std::vector<double>& levels,
                          double alpha) {
  std::vector<Question> questions;
  for (const double level : std::set(levels.begin(), levels.end())) {
    Question& question = questions.emplace_back();
    question.level = level;
    for (const Member& member : members) {
      const std::optional<double> p = member.is_exact ? std::nullopt : member.p(level);
      if (p || member.is_exact) {
        question.cells[member.cell_id] = {.value = member.value, .p = p};
      }
    }
    question.resolution = stats::resolve(p_values(question), alpha);
  }
  settle(questions, std::nullopt);
  return questions;
}

const Question& at_level(const std::vector<Question>& questions, double level) {
  const auto found = std::ranges::find(questions, level, &Question::level);
  if (found == questions.end()) {
    throw std::logic_error("at_level: no question is asked there");
  }
  return *found;
}

}  // namespace scalestudy
