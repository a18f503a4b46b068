// Which result of a study a published figure is, by the table of equal quantities.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/analysis/studies/equal_quantity_table.h"
#include "harness/analysis/studies/measured_study.h"

namespace scalestudy {

// A result that a figure can be compared with.
struct EqualResult {
  std::string name;  // metric of an estimate, or quantity of a comparison
  bool is_comparison = false;
  Conversion conversion = Conversion::kFactor;
  // Published base units in one unit of the result, for that cell; absent if the study does not
  // declare what this needs.
  std::function<std::optional<double>(const CellRow&)> factor;
  bool is_as_stored = true;     // the result needs no conversion at all
  std::string note;             // how the two definitions differ; empty if they do not
  FigureConditions conditions;  // of the figure, without those that chose the result
};

// The results that the figure can be compared with, best first, whether the study measured them or
// not. Empty if scalestudy has no such result.
// - conditions: of the figure; some of them choose the result, such as the phase of a step, the
//   name of a price or the number of tokens.
std::vector<EqualResult> equal_results(const MeasuredStudy& measured,
                                       const PublishedFigureRow& figure,
                                       const FigureConditions& conditions);

// Why no study can have a counterpart of that quantity; empty if one can.
std::string never_compared(const PublishedFigureRow& figure);

}  // namespace scalestudy
