// Cells that differ only along one axis: the curves of thresholds and scaling laws.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/observe/observation.h"
#include "harness/store/cell_parameters.h"

namespace scalestudy {

// A parameter's value as canonical text; devices, nodes and batches also if they follow from
// others. Empty if the cell does not have it.
std::string parameter_text(const CellRow& cell, const std::string& name);

// parameter_text, or else the effective value of the parameter; empty if there is none.
std::string effective_text(const CellRow& cell,
                           const EffectiveParameters& effective,
                           const std::string& name);

// The cell's control without communication, nullptr where there is none. Cells that differ in comm
// alone share one: without communication they are the same training.
const CellObservation* noop_of(const StudyObservation& observation, const CellObservation& cell);

struct CurvePoint {
  double x = 0.0;     // the axis' value
  double x_lo = 0.0;  // ends of its interval if the value is measured, else x
  double x_hi = 0.0;
  const CellObservation* cell = nullptr;
};

struct Curve {
  std::string label;               // the other varied parameters: "devices=2 model=mlp-4096"
  std::vector<CurvePoint> points;  // by increasing x
};

// Ids of the curve's cells, in its order.
CellIds cell_ids(const Curve& curve);

// Groups measured cells into curves by the varied parameters other than `along` (an axis or
// names::kParameterCount), in the store's order of their first cell. Parameters that move together
// with `along` (zip) are no part of the label: numbers that follow from its value, and texts each
// of which occurs at only one value of it. A model with batches of its own is a curve of its own.
// Cells without a numeric value of `along` are left out.
std::vector<Curve> curves_along(const StudyObservation& observation, const std::string& along);

// Groups measured cells into curves along kComputationTime: the mean time of their control noop,
// with its interval. The model, its shape and the batch determine that time and are no part of the
// label. Cells whose control has no interval are left out.
std::vector<Curve> curves_along_computation(const StudyObservation& observation, double confidence);

}  // namespace scalestudy
