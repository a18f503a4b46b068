// A study's cells and results, as published figures are looked up among them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/analysis/observe/observation.h"
#include "harness/store/cell_parameters.h"

namespace scalestudy {

using FigureConditions = std::map<std::string, std::string>;  // by name

struct MeasuredStudy {
  Scaling scaling = Scaling::kNone;
  bool is_collective = false;  // the built-in workload
  const Study* study = nullptr;
  std::vector<const CellRow*> cells;                      // that claim anything
  std::map<std::int64_t, const CellRow*> any_cells;       // by id, controls too
  std::map<std::int64_t, EffectiveParameters> effective;  // of these
  std::set<std::string> names;                            // of metrics and quantities
  std::map<std::pair<std::int64_t, std::string>, const EstimateRow*> means;
  std::map<std::pair<std::int64_t, std::string>, const ComparisonRow*> comparisons;
};

// Keeps pointers into all three.
MeasuredStudy index_study(const StudyObservation& observation,
                          const Study& study,
                          const Results& results);

// Numbers are compared as numbers, words without regard to case.
bool is_same(const std::string& left, const std::string& right);

// Whether a publication calls this study's `value` by `word`: the same, or as the study declares.
bool is_called(const MeasuredStudy& measured, const std::string& value, const std::string& word);

// Whether a measured cell says anything under that name.
bool is_said(const MeasuredStudy& measured, const std::string& name);

// Whether the cell says each condition, with that value; operations in any spelling. A cell whose
// network is narrower than its model's does not agree with a mere name of the model.
bool agrees(const MeasuredStudy& measured, const CellRow& cell, const FigureConditions& conditions);

// Why a figure with which several cells agree is not compared: in which parameters they differ, and
// how to assume these.
std::string several_agree(const MeasuredStudy& measured, const std::vector<const CellRow*>& cells);

}  // namespace scalestudy
