#include "harness/analysis/thresholds/refine.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/study/matrix/matrix.h"
#include "harness/text/number.h"
#include "harness/text/text.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

constexpr std::int64_t kCellsOfValue = 2;  // the cell and its base

// "[64, 128]"
std::string bracket_text(const stats::Bracket& bracket) {
  return "[" + format_axis_value(bracket.lo.value_or(0.0)) + ", " +
         format_axis_value(bracket.hi.value_or(0.0)) + "]";
}

std::map<std::string, std::string> parameters_of(const CellRow& cell) {
  std::map<std::string, std::string> values;
  for (const CellRow::Parameter& parameter : cell.parameters) {
    values[parameter.name] = parameter.value;
  }
  return values;
}

// The measured cell that is `like` but for the axis; nullptr for none.
const CellObservation* find_like(const StudyObservation& observation,
                                 const CellRow& like,
                                 const std::string& axis,
                                 std::int64_t value) {
  auto wanted = parameters_of(like);
  wanted[axis] = std::to_string(value);
  const auto found = std::ranges::find_if(observation.cells, [&](const CellObservation& cell) {
    return cell.row.role == CellRole::kMeasured && parameters_of(cell.row) == wanted;
  });
  return found == observation.cells.end() ? nullptr : &*found;
}

// The cell at the value, and its base in the same blocks, which another curve may have already.
std::vector<Addition> cells_at(std::int64_t value,
                               const std::string& why,
                               const TestedCurve& curve,
                               const ThresholdRequest& request,
                               const StudyObservation& observation,
                               const Study& study) {
  const CellRow& cell = curve.points.front().cell->row;
  const CellRow& base = curve.bases.front()->row;
  Addition addition{.cell = cell.hash,
                    .axis = request.along,
                    .value = value,
                    .first_block = next_block(observation, study),
                    .blocks = std::nullopt,
                    .reason = why};
  std::vector<Addition> additions{addition};
  addition.cell = base.hash;
  if (const CellObservation* known = find_like(observation, base, request.along, value)) {
    addition.cell = known->row.hash;
    addition.axis = "";
    addition.value.reset();
  }
  additions.push_back(addition);
  return additions;
}

// Why the study cannot have them; empty when it can.
std::string refusal(const std::vector<Addition>& more,
                    const StudyObservation& observation,
                    const Study& study) {
  Study extended = study;
  extended.additions = observation.additions;
  try {
    const std::size_t excluded = expand(extended).excluded.size();
    extended.additions.insert(extended.additions.end(), more.begin(), more.end());
    return expand(extended).excluded.size() > excluded ? "the study excludes it" : "";
  } catch (const Error& error) {
    return error.what();
  }
}

// A batch is shared out evenly.
double grid_of(const TestedCurve& curve, const ThresholdRequest& request) {
  std::int64_t grid = request.refine->grid;
  if (request.along == names::kBatchGlobal) {
    for (const CellRow* row : {&curve.points.front().cell->row, &curve.bases.front()->row}) {
      grid = std::lcm(grid, row->devices);
    }
  }
  return static_cast<double>(grid);
}

double mean_wall_s(const CellObservation& cell) {
  double sum_s = 0.0;
  for (const TrialObservation& trial : cell.trials) {
    sum_s += trial.row.wall_s.value_or(0.0);
  }
  return cell.trials.empty() ? 0.0 : sum_s / static_cast<double>(cell.trials.size());
}

// What values inside the bracket have, and cost.
void measure_cost(const TestedCurve& curve,
                  const stats::Bracket& bracket,
                  CurveRefinement& refined) {
  double sum_s = 0.0;
  std::size_t values = 0;
  for (std::size_t i = 0; i < curve.values.size(); ++i) {
    const stats::TestedValue& value = curve.values[i];
    if (!bracket.lo || !bracket.hi || value.x < *bracket.lo || value.x > *bracket.hi) {
      continue;
    }
    const auto trials = static_cast<std::size_t>(value.df + 1.5);
    refined.trials = values == 0 ? trials : std::min(refined.trials, trials);
    sum_s += mean_wall_s(*curve.points[i].cell) + mean_wall_s(*curve.bases[i]);
    ++values;
  }
  if (sum_s > 0.0) {
    refined.pair_s = sum_s / static_cast<double>(values);
  }
}

std::string width_text(double width) {
  return fmt::format("±{:.2g} %", 100.0 * width / 2.0);
}

std::string why_ended(const CurveRefinement& refined) {
  if (!refined.refused.empty()) {
    return fmt::format("{} cannot be measured: {}",
                       format_axis_value(refined.step.next.value_or(0.0)),
                       refined.refused);
  }
  switch (refined.step.step) {
    case stats::Refinement::kMostValues:
      return "refine.max_cells are added";
    case stats::Refinement::kGrid:
      return "no multiple of the grid is left inside the bracket";
    case stats::Refinement::kNoise:
      return refined.step.noise
                 ? fmt::format(
                       "noise alone leaves {}, which is more than asked for and most of the "
                       "interval",
                       width_text(*refined.step.noise))
                 : "closer values would differ by less than their trials vary";
    case stats::Refinement::kOutside:
      return "the crossing lies outside what was tested, and a search stays inside";
    case stats::Refinement::kNoBracket:
      return "a search needs a tested value on either side of one crossing, both resolved";
    case stats::Refinement::kNext:
      return "next is " + format_axis_value(refined.step.next.value_or(0.0));
    case stats::Refinement::kReached:
      break;
  }
  return "";
}

// What the width takes from here on, of the two values beside the crossing.
std::string rest_text(const CurveRefinement& refined) {
  if (!refined.step.trials || *refined.step.trials <= refined.trials) {
    return "";
  }
  std::string text = fmt::format(
      "; {} takes about {} trials of the cell and of its base at both values beside the crossing, "
      "which now have {} or more",
      width_text(refined.asked.to),
      *refined.step.trials,
      refined.trials);
  if (refined.pair_s) {
    text += ": about " +
            format_duration(2.0 * *refined.pair_s *
                            static_cast<double>(*refined.step.trials - refined.trials)) +
            " more";
  }
  return text;
}

}  // namespace

std::int64_t next_block(const StudyObservation& observation, const Study& study) {
  std::int64_t next = study.trials.count;
  for (const Addition& addition : observation.additions) {
    next = std::max(next, addition.first_block + addition.blocks.value_or(study.trials.count));
  }
  return next;
}

CurveRefinement refine_curve(const TestedCurve& curve,
                             const ThresholdRequest& request,
                             const StudyObservation& observation,
                             const Study& study) {
  CurveRefinement refined;
  refined.asked = *request.refine;
  if (curve.values.empty()) {
    return refined;
  }
  for (const Addition& addition : observation.additions) {
    if (addition.axis == request.along &&
        std::ranges::any_of(curve.points, [&](const CurvePoint& point) {
          return point.cell->row.hash == addition.cell;
        })) {
      refined.added.push_back(addition);
    }
  }
  const stats::Threshold threshold = threshold_of(curve, request, study);
  const auto most = static_cast<std::size_t>(refined.asked.max_cells / kCellsOfValue);
  refined.step = stats::refine(curve.values,
                               threshold,
                               curve.tried,
                               1.0 - curve.resolution.alpha_star,
                               {.width = refined.asked.to,
                                .most = most - std::min(most, refined.added.size()),
                                .grid = grid_of(curve, request)});
  measure_cost(curve, threshold.bracket, refined);
  if (refined.step.next) {
    refined.next = cells_at(static_cast<std::int64_t>(*refined.step.next),
                            "the bracket was " + bracket_text(threshold.bracket),
                            curve,
                            request,
                            observation,
                            study);
    refined.refused = refusal(refined.next, observation, study);
  }
  return refined;
}

std::vector<Addition> next_values(const StudyObservation& observation, const Study& study) {
  std::vector<Addition> all;
  for (const ThresholdRequest& request : study.analysis.thresholds) {
    if (!request.refine) {
      continue;
    }
    for (const TestedCurve& curve : tested_curves(observation, request, study)) {
      const CurveRefinement refined = refine_curve(curve, request, observation, study);
      for (const Addition& addition : refined.next) {
        const bool is_known = std::ranges::any_of(all, [&](const Addition& other) {
          return std::tie(other.cell, other.axis, other.value) ==
                 std::tie(addition.cell, addition.axis, addition.value);
        });
        if (refined.refused.empty() && !is_known) {
          all.push_back(addition);
        }
      }
    }
  }
  return all;
}

std::string describe_refinement(const CurveRefinement& refined) {
  std::vector<std::string> parts;
  for (const Addition& addition : refined.added) {
    parts.push_back(
        fmt::format("{} was tested because {}", addition.value.value_or(0), addition.reason));
  }
  const std::string reached =
      fmt::format("{} ({} asked for)",
                  refined.step.width ? "the interval is within " + width_text(*refined.step.width)
                                     : "no interval of it is known",
                  width_text(refined.asked.to));
  const bool is_reached = refined.step.step == stats::Refinement::kReached;
  parts.push_back(is_reached ? reached : reached + ": " + why_ended(refined) + rest_text(refined));
  return join(parts, "; ");
}

}  // namespace scalestudy
