// Which measured number stands beside a published one: the same quantity under the same conditions.
#pragma once

#include <map>
#include <string>

#include "harness/base/measure.h"
#include "harness/report/input.h"

namespace scalestudy::report {

struct Counterpart {
  const CellRow* cell = nullptr;  // nullptr: there is none, and `reason` says why
  Measure measure;                // in the figure's base unit
  std::string unit;               // as stored: "samples/s"
  std::int64_t n = 0;             // trials or pairs
  std::string reason;
  bool is_measured_quantity = true;  // whether the study measured this quantity in any cell
};

// Every condition of the figure must be said of the cell too, with the same value (numbers as
// numbers, words without regard to case): by a parameter of that name, which may be the study's or
// the workload's default, or by what a cell always has (devices, nodes, batches). The figure must
// name its model when the study does. A ratio also needs the same baseline. Several cells that fit
// are none.
Counterpart find_counterpart(const ReportInput& input, const PublishedFigureRow& figure);

// Names and texts of a JSON object as the store keeps them.
std::map<std::string, std::string> parse_conditions(const std::string& json);

// "published.csv": every published figure of the study with full precision, and its counterpart.
std::string published_csv(const ReportInput& input);

}  // namespace scalestudy::report
