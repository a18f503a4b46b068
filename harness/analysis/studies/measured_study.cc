#include "harness/analysis/studies/measured_study.h"

#include <algorithm>

#include <fmt/format.h>

#include "harness/analysis/cells/groups.h"
#include "harness/study/parameters/parameter_rules.h"
#include "harness/text/quantity.h"
#include "harness/text/text.h"
#include "workloads/names/names.h"
#include "workloads/names/operations.h"

namespace scalestudy {
namespace {

// What the study says of the cell under that name; empty when it says nothing.
std::string said_of(const MeasuredStudy& measured, const CellRow& cell, const std::string& name) {
  if (name == "scaling" && measured.scaling != Scaling::kNone) {
    return to_word(measured.scaling);
  }
  // What nccl-tests says of each line, and all runs of `collective` have alike.
  static const std::map<std::string, std::string> kFixed{
      {"place", "out_of_place"}, {"precision", "fp32"}, {"redop", "sum"}, {"root", "0"}};
  if (const auto fixed = kFixed.find(name); measured.is_collective && fixed != kFixed.end()) {
    return fixed->second;
  }
  return effective_text(cell, measured.effective.at(cell.id), name);
}

// A look at a narrower network has its model's name, and is another.
bool has_other_width(const MeasuredStudy& measured, const CellRow& cell) {
  const EffectiveParameters& effective = measured.effective.at(cell.id);
  const auto width = effective.find("model.width");
  return width != effective.end() && !width->second.is_default;
}

// "alltoall" is all_to_all: publications, and older imports of nccl-tests, spell operations so.
bool is_same_operation(const std::string& left, const std::string& right) {
  const names::OperationInfo* known = names::find_operation(left);
  return known != nullptr && known == names::find_operation(right);
}

}  // namespace

MeasuredStudy index_study(const StudyObservation& observation,
                          const Study& study,
                          const Results& results) {
  MeasuredStudy measured;
  measured.scaling = observation.study.scaling;
  measured.is_collective = study.workload == Workload::kCollective;
  measured.study = &study;
  for (const CellObservation& cell : observation.cells) {
    measured.any_cells.emplace(cell.row.id, &cell.row);
    measured.effective.emplace(cell.row.id, effective_parameters(cell.row, study));
    if (cell.row.role == CellRole::kMeasured) {
      measured.cells.push_back(&cell.row);
    }
  }
  for (const EstimateRow& row : results.estimates) {
    measured.names.insert(row.metric);
    if (row.statistic == Statistic::kMean && row.variant == Variant::kAll) {
      measured.means.emplace(std::pair(row.cell_id, row.metric), &row);
    }
  }
  for (const ComparisonRow& row : results.comparisons) {
    measured.names.insert(row.quantity);
    measured.comparisons.emplace(std::pair(row.cell_id, row.quantity), &row);
  }
  return measured;
}

bool is_same(const std::string& left, const std::string& right) {
  const std::optional<double> number = parse_number(left);
  return (number && number == parse_number(right)) || lowered(left) == lowered(right);
}

bool is_called(const MeasuredStudy& measured, const std::string& value, const std::string& word) {
  const auto theirs = measured.study->published_as.find(value);
  return is_same(value, word) || (theirs != measured.study->published_as.end() &&
                                  std::ranges::any_of(theirs->second, [&](const std::string& one) {
                                    return is_same(one, word);
                                  }));
}

bool is_said(const MeasuredStudy& measured, const std::string& name) {
  return std::any_of(measured.cells.begin(), measured.cells.end(), [&](const CellRow* cell) {
    return !said_of(measured, *cell, name).empty();
  });
}

bool agrees(const MeasuredStudy& measured,
            const CellRow& cell,
            const FigureConditions& conditions) {
  if (conditions.contains(names::kModel) && !conditions.contains("model.width") &&
      has_other_width(measured, cell)) {
    return false;
  }
  return std::all_of(conditions.begin(), conditions.end(), [&](const auto& condition) {
    const std::string said = said_of(measured, cell, condition.first);
    return !said.empty() &&
           (is_called(measured, said, condition.second) ||
            (condition.first == names::kOperation && is_same_operation(said, condition.second)));
  });
}

std::string several_agree(const MeasuredStudy& measured, const std::vector<const CellRow*>& cells) {
  std::vector<std::string> names;
  for (const auto& parameter : measured.effective.at(cells.front()->id)) {
    const std::string& name = parameter.first;
    const std::string said = said_of(measured, *cells.front(), name);
    if (std::ranges::any_of(
            cells, [&](const CellRow* cell) { return said_of(measured, *cell, name) != said; })) {
      names.push_back(name);
    }
  }
  const std::string text = fmt::format("{} cells have these conditions", cells.size());
  return names.empty() ? text
                       : fmt::format("{}; they differ in {}: import again with --assume {}=VALUE",
                                     text,
                                     join(names, ", "),
                                     join(names, "=VALUE,"));
}

}  // namespace scalestudy
