#include "harness/analysis/studies/planned_targets.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "harness/analysis/cells/efficiency.h"
#include "harness/analysis/compare/targets.h"
#include "harness/analysis/observe/observation.h"
#include "harness/store/cell_name.h"
#include "harness/store/trial_plan.h"
#include "harness/text/number.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

// The cells as they will be, without trials.
StudyObservation planned_cells(const Matrix& matrix, Scaling scaling) {
  StudyObservation planned;
  planned.study.scaling = scaling;
  for (CellRow& row : cell_rows(matrix, {})) {
    if (!row.excluded_reason) {
      planned.cells.emplace_back().row = std::move(row);
    }
  }
  return planned;
}

// "no efficiency, because ..."; "" if the cell can have one, or has no baseline.
std::string why_none(const CellObservation& cell,
                     const StudyObservation& planned,
                     const Study& study) {
  const CellObservation* base = planned.find_cell(cell.row.baseline);
  if (base == nullptr) {
    return "";
  }
  if (base->row.devices == cell.row.devices) {
    return "no efficiency, because the base has as many devices";
  }
  return planned.study.scaling == Scaling::kNone ? "no efficiency, because the study has no batch"
                                                 : why_no_efficiency(*base, cell, planned, study);
}

// What keeps a target or limit on the efficiency from being met: "by 1 of 2 cells, such as 2
// devices: no efficiency, because ..."; "" if nothing does.
std::string obstacle(const Target& target, const StudyObservation& planned, const Study& study) {
  Target any = target;
  any.metric = kStepTime;
  bool has_base = false;
  std::int64_t meant = 0;
  std::int64_t lacking = 0;
  std::string first;
  for (const CellObservation& cell : planned.cells) {
    if (!is_target_cell(cell.row, target, study)) {
      has_base = has_base || is_target_cell(cell.row, any, study);
      continue;
    }
    ++meant;
    const std::string why = why_none(cell, planned, study);
    if (!why.empty() && ++lacking == 1) {
      first = describe_cell(cell.row, study.labels) + ": " + why;
    }
  }
  if (meant == 0 && has_base) {
    return ": it means no cell but baselines, which have no efficiency";
  }
  return first.empty()
             ? ""
             : fmt::format(" by {} of {}, such as {}", lacking, format_count(meant, "cell"), first);
}

// What to do about it: where a cell would have an efficiency if the study had a batch, it must get
// one, or the target must mean that cell alone.
std::string advice_on(bool is_limit, const Study& study, const Matrix& matrix) {
  const StudyObservation scaled = planned_cells(matrix, Scaling::kStrong);
  const bool can_have = std::ranges::any_of(scaled.cells, [&](const CellObservation& cell) {
    const CellObservation* base = scaled.find_cell(cell.row.baseline);
    return cell.row.role == CellRole::kMeasured && base != nullptr &&
           has_efficiency(*base, cell, scaled, study);
  });
  if (!can_have) {
    return "No cell of this study can have one: let cells differ from their baseline in the number "
           "of devices alone";
  }
  return matrix.scaling == Scaling::kNone
             ? "Add parameters: {batch_per_device: N} or {batch_global: N}"
             : fmt::format(
                   "{} select only cells that differ from their baseline in the number of "
                   "devices alone",
                   is_limit ? "Use a target instead, and let its where" : "Let where");
}

}  // namespace

std::vector<std::string> targets_without_efficiency(const Study& study, const Matrix& matrix) {
  const StudyObservation planned = planned_cells(matrix, matrix.scaling);
  std::vector<std::string> sentences;
  for (const Target& target : with_limits(study.analysis)) {
    const std::string lack =
        target.metric == names::kEfficiency ? obstacle(target, planned, study) : "";
    if (lack.empty()) {
      continue;
    }
    const bool is_limit = target.name == limit_name(target.metric);
    sentences.push_back(
        fmt::format("{} cannot be met{}. {}",
                    is_limit ? "limit on efficiency" : fmt::format("target \"{}\"", target.name),
                    lack,
                    advice_on(is_limit, study, matrix)));
  }
  return sentences;
}

}  // namespace scalestudy
