// The questions of a study: on which side of a level each of its comparisons is resolved to be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/compare/ratios.h"
#include "harness/analysis/observe/observation.h"
#include "stats/multiplicity.h"

namespace scalestudy {

// How the p values of a family are adjusted.
struct FamilyRule {
  std::size_t more = 0;  // comparisons that a search for a break-even may still add
  // The size of a Bonferroni family: the verdicts, and the comparisons that choose the best
  // cell, in one. Absent: Holm over the comparisons themselves.
  std::optional<std::size_t> all{};
};

// The rule for the verdicts of the quantity. Source: METHODS.md, Families.
FamilyRule verdict_rule(const std::string& quantity,
                        const StudyObservation& observation,
                        const Study& study);

// What is decided of one comparison.
struct Decision {
  double value = 0.0;  // of the ratio, or of the metric
  // Against the level; only comparisons with a p are members of the family. Absent for a value
  // without a spread, which is compared with the level as it is.
  std::optional<double> p;
  int sign = 0;  // +1 above the level, -1 below it; 0 not certain, without p: the level itself
  // Of the two-sided interval that excludes the level exactly if sign is not 0.
  double confidence = 0.0;
};

struct Question {
  double level = 1.0;  // of the ratio behind the quantity, or of the metric
  stats::Resolution resolution;
  std::map<std::int64_t, Decision> cells;  // by cell id
};

// The level of the ratio behind the quantity: 1 - level for a share of the step.
double ratio_level(const std::string& quantity, double level);

// The questions about a quantity that compares cells with their baselines, by ascending level: that
// of the verdicts (1), and those of all thresholds and targets. Levels agree: what is above a level
// is above every smaller one, and what the verdict has resolved is resolved at every level beyond.
// To that end a cell is above a level only if it is at all smaller levels, too, those of other
// questions included, and below likewise.
std::vector<Question> ask(const std::string& quantity,
                          const StudyObservation& observation,
                          const Study& study);

// The same about values that are compared with nothing else.
// - is_exact: a count without a spread, so that `p` is not asked.
// - p: two-sided, of the cell's mean against a level.
struct Member {
  std::int64_t cell_id = 0;
  double value = 0.0;
  bool is_exact = false;
  std::function<std::optional<double>(double level)> p;
};
std::vector<Question> ask(const std::vector<Member>& members,
                          const std::vector<double>& levels,
                          double alpha);

// The question at that level; one of `questions` has it.
const Question& at_level(const std::vector<Question>& questions, double level);

// Two-sided p of the ratio against a level, with the looks of its cells allowed for.
std::optional<double> p_against(const TimeRatio& ratio, double level);

// The level of a two-sided interval that excludes the value tested by p exactly if `sign` is not 0:
// 1 - alpha, or as little beyond p as that takes.
double confidence_of(int sign, double alpha, double p);

// The side of the level on which a value without a spread lies; 0 if they differ by rounding alone.
int side_of(double value, double level);

// Two-sided p of a t on `df` degrees of freedom; no spread at all leaves no doubt.
double p_of(double distance, double se, double df);

}  // namespace scalestudy
