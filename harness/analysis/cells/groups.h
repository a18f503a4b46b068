// Cells that differ only along one axis: the curves of thresholds and scaling laws.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/observe/observation.h"
#include "harness/store/cell_parameters.h"

namespace scalestudy {

// A parameter as canonical text; devices, nodes and batches also where they follow from others.
// Empty when the cell does not have it.
std::string parameter_text(const CellRow& cell, const std::string& name);

// The same as parameter_text, and of the others the effective value; empty when there is none.
std::string effective_text(const CellRow& cell,
                           const EffectiveParameters& effective,
                           const std::string& name);

struct CurvePoint {
  double x = 0.0;     // the axis' value
  double x_lo = 0.0;  // where it is measured, the ends of its interval; else x
  double x_hi = 0.0;
  const CellObservation* cell = nullptr;
};

struct Curve {
  std::string label;               // the other varied parameters: "devices=2 model=mlp-4096"
  std::vector<CurvePoint> points;  // by increasing x
};

// Measured cells by the varied parameters other than `along` (an axis or kParameterCount), in the
// store's order of their first cell. Parameters that move together with `along` (zip) are no part
// of the label: numbers that follow from its value, and texts of which each value also stands at
// one value of it only; a model with batches of its own is a curve of its own. Cells without a
// numeric value of `along` are left out.
std::vector<Curve> curves_along(const StudyObservation& observation, const std::string& along);

// Measured cells by kComputationTime: the mean time of their control noop, with its interval. The
// model, its shape and the batch are what makes the time and are no part of the label. Cells whose
// control has no interval are left out.
std::vector<Curve> curves_along_computation(const StudyObservation& observation, double confidence);

}  // namespace scalestudy
