// Where the faster of two settings changes along an axis, in words: the same for findings, first
// screens and figures.
#pragma once

#include <string>

#include "harness/store/cell_name.h"
#include "harness/store/rows/curve_rows.h"

namespace scalestudy {

struct ThresholdRequest;

// The two settings of a threshold with `between`, as readers call them.
struct TwoSettings {
  std::string base;   // "overlap=none"
  std::string other;  // "overlap=stream"
  std::string better = "faster";
  bool is_lower_better = false;  // of the metric, whose ratio is other over base
};

// - request: with `between`.
// - is_lower_better: of the request's metric.
TwoSettings two_settings(const ThresholdRequest& request,
                         bool is_lower_better,
                         const ParameterLabels& labels = {});

// "overlap=none is faster up to 2 devices, overlap=stream from 4 devices on"; between sizes "... is
// faster up to the switch point and ... beyond it; it lies between global batch 64 and 128, best
// estimate 70.6 [68, 73.8]".
std::string switch_text(const ThresholdRow& row,
                        const TwoSettings& settings,
                        const ParameterLabels& labels = {});

}  // namespace scalestudy
