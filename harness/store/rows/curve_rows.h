// Rows about curves: thresholds along an axis, and fitted laws.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/store/rows/result_words.h"
#include "harness/study/declared/words.h"

namespace scalestudy {

// Ids of the trials that a result rests on, ascending.
using TrialIds = std::vector<std::int64_t>;

// Ids of cells that a result is about, in its order.
using CellIds = std::vector<std::int64_t>;

// Values of an axis, ascending.
using AxisValues = std::vector<double>;

struct ThresholdRow {
  std::int64_t id = 0;
  std::string metric;  // speedup | efficiency
  double level = 1.0;
  std::string along;        // axis
  std::string group_label;  // the other varied parameters: "devices=2 model=mlp-4096"
  RowStatus status = RowStatus::kInsufficientData;
  std::optional<double> bracket_lo;
  std::optional<double> bracket_hi;
  std::optional<double> estimate;
  std::optional<double> lo;  // the first end of `pieces`, and the last
  std::optional<double> hi;
  bool censored_lo = false;
  bool censored_hi = false;
  double confidence = 0.95;
  std::string method;
  std::int64_t tested_values = 0;
  std::string finding;  // sentence
  Provenance provenance = Provenance::kMeasured;
  TrialIds trials;  // trials at the tested values and of their baselines
  CellIds cells;    // the curve's, by increasing value; empty if older than schema version 27
  // The rest is absent, or empty, if older than schema version 28.
  std::optional<double> alpha_star{};  // of the question, as in ComparisonRow
  std::optional<std::int64_t> family_size{};
  std::optional<std::int64_t> rejected{};
  AxisValues pieces{};       // of the set of possible crossings: lo and hi of each, in turn
  AxisValues open_values{};  // tested values at which the difference from the level is not certain
};

// One parameter of one fitted law.
struct LawRow {
  Law law = Law::kAmdahl;
  std::string group_label;
  std::string parameter;  // serial_fraction, t1_s, sigma, kappa, lambda, n_peak, lack_of_fit_p ...
  std::string unit;       // s, bytes/s; "" for others
  std::optional<double> value;
  std::optional<double> lo;
  std::optional<double> hi;
  double confidence = 0.95;
  std::string method;
  std::int64_t n = 0;       // trials, also where their means by session are fitted
  std::int64_t levels = 0;  // distinct device counts, or message sizes
  RowStatus status = RowStatus::kInsufficientData;
  std::string finding;  // sentence, on the law's first row
  Provenance provenance = Provenance::kMeasured;
  TrialIds trials;  // trials that the law was fitted to
  CellIds cells;    // the curve's, by increasing x; empty if older than schema version 27
};

}  // namespace scalestudy
