// The section analysis of a study: plain data. Contract: `version: 1` of study files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/study/declared/projection_options.h"
#include "harness/study/declared/value.h"
#include "harness/study/declared/words.h"

namespace scalestudy {

enum class OutlierMethod { kModifiedZ, kTukey };

template <>
inline constexpr std::string_view kWords<OutlierMethod> = "modified-z|tukey";

struct OutlierRule {
  OutlierMethod rule = OutlierMethod::kModifiedZ;
  double threshold = 3.5;  // modified-z: |M|; tukey: multiples of the IQR
};

// What a threshold may run along though it is no axis: how many parameters the model has, as its
// trials report.
inline constexpr const char* kParameterCount = "parameter_count";

// The wall time of a whole trial as the harness saw it, where a study asks for it by this name.
inline constexpr const char* kTrialWallTime = "wall_s";

// What of a metric's measured steps a trial counts for.
enum class TrialStatistic { kMean, kP50 };

template <>
inline constexpr std::string_view kWords<TrialStatistic> = "mean|p50";

// A metric that trials measure beside the time of a step, and that cells are compared by.
struct MetricRequest {
  std::string metric;  // as stored, or kTrialWallTime
  bool is_higher_better = false;
  TrialStatistic by = TrialStatistic::kMean;
  double margin = 0.0;  // in (0, 1), as AnalysisOptions::margin; 0: that one
};

// Values that a run adds to the axis until the crossing is known closely enough.
struct RefineRequest {
  double to = 0.05;            // width of its interval: 0.05 is +-2.5 %; in (0, 1)
  std::int64_t max_cells = 8;  // added, of each curve: a value takes two, one of them its base
  std::int64_t grid = 1;       // added values are multiples of it
};

struct ThresholdRequest {
  std::string
      metric;  // of metrics.h, those that are thresholds; or a MetricRequest's: over the base
  double level = 1.0;
  std::string along;  // a numeric axis, or kParameterCount
  std::optional<RefineRequest> refine{};
};

struct Target {
  std::string name;
  std::string metric;              // of metrics.h, those that are targets, or a MetricRequest's
  Parameters where;                // axis values that select the cells
  std::optional<double> at_least;  // exactly one of the two
  std::optional<double> at_most;
};

struct AnalysisOptions {
  double confidence = 0.95;  // in (0.5, 1)
  OutlierRule outliers;
  Parameters baseline;   // e.g. {devices: 1}; empty: no comparisons
  double margin = 0.02;  // in (0, 1): smaller relative differences do not matter to this study
  std::vector<MetricRequest> metrics;
  std::vector<ThresholdRequest> thresholds;
  std::vector<Law> laws;
  std::vector<Target> targets;
  std::optional<CommunicationSource> communication;
  std::optional<ProjectionRequest> projection;
  std::vector<Scenario> scenarios;
  std::optional<FailureRate> failures;
};

// The metric of that name, nullptr where the study asks for none.
const MetricRequest* find_request(const AnalysisOptions& analysis, std::string_view metric);

}  // namespace scalestudy
