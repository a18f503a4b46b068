#include "harness/cli/plan/refinement.h"

#include <algorithm>
#include <cstdint>
#include <set>

#include <fmt/format.h>

#include "harness/analysis/observe/observe.h"
#include "harness/analysis/search/largest_fit.h"
#include "harness/analysis/thresholds/refine.h"
#include "harness/text/number.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

bool refines(const Study& study) {
  return std::ranges::any_of(study.analysis.thresholds, [](const ThresholdRequest& request) {
    return request.refine.has_value();
  });
}

// Cells that are compared with another one, by all they vary but the axis.
std::int64_t count_curves(const Matrix& matrix, const std::string& along) {
  std::set<std::string> curves;
  for (const Cell& cell : matrix.cells) {
    if (cell.role != CellRole::kMeasured || !cell.baseline || *cell.baseline == cell.hash) {
      continue;
    }
    std::string key;
    for (const auto& [name, value] : cell.varied) {
      key += name == along ? "" : name + "=" + format_value(value) + ";";
    }
    curves.insert(key);
  }
  return static_cast<std::int64_t>(curves.size());
}

}  // namespace

FurtherCellsRule further_cells_rule(const Study& study, Terminal& terminal) {
  if (!refines(study) && !study.largest) {
    return {};
  }
  return [&study, &terminal](const Store& store, std::int64_t study_id) {
    const StudyObservation observation = observe(store, study_id, study);
    std::vector<Addition> more = next_values(observation, study);
    if (more.empty()) {
      more = next_fits(observation, study);
    }
    std::set<std::string> told;
    for (const Addition& addition : more) {
      if (addition.value && told.insert(addition.axis + std::to_string(*addition.value)).second) {
        terminal.note(
            fmt::format("adds {}={}: {}", addition.axis, *addition.value, addition.reason));
      }
    }
    return more;
  };
}

std::string refinement_text(const Study& study, const Matrix& matrix, const PlanHistory& history) {
  if (study.largest) {
    return fmt::format("search.largest adds trials until it is known which {} fits, up to {}",
                       study.largest->axis,
                       study.largest->up_to);
  }
  std::int64_t cells = 0;
  for (const ThresholdRequest& request : study.analysis.thresholds) {
    cells += request.refine ? request.refine->max_cells * count_curves(matrix, request.along) : 0;
  }
  cells -= std::ssize(study.additions);
  if (!refines(study) || cells <= 0) {
    return "";
  }
  double sum_s = 0.0;
  std::int64_t known = 0;
  for (const Cell& cell : matrix.cells) {
    if (const auto past = history.find(cell.hash); past != history.end()) {
      sum_s += past->second.mean_time_s();
      ++known;
    }
  }
  const std::int64_t trials = cells * study.trials.count;
  return fmt::format("refine may add up to {}{} of {}{}: {}",
                     study.additions.empty() ? "" : "another ",
                     format_count(cells, "cell"),
                     study.trials.until ? "at most " : "",
                     format_count(study.trials.count, "trial"),
                     known == 0 ? "time unknown until a trial has run"
                                : "about " +
                                      format_duration(sum_s / static_cast<double>(known) *
                                                      static_cast<double>(trials)) +
                                      " more");
}

}  // namespace scalestudy
