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

// The metric by which a study asks for the wall time of whole trials, as measured by the harness,
// s.
inline constexpr const char* kTrialWallTime = "wall_s";

// The statistic over a trial's measured steps that is the trial's value of a metric.
enum class TrialStatistic { kMean, kP50 };

template <>
inline constexpr std::string_view kWords<TrialStatistic> = "mean|p50";

// A metric, beside the step time, by which cells are compared.
struct MetricRequest {
  std::string metric;  // as stored, or kTrialWallTime
  bool is_higher_better = false;
  TrialStatistic by = TrialStatistic::kMean;
  double margin = 0.0;  // in (0, 1), like AnalysisOptions::margin; 0: use that one
};

// How a run refines a threshold: it adds values to the axis until the crossing is known closely
// enough.
struct RefineRequest {
  double to = 0.05;            // wanted relative width of its interval: 0.05 is +-2.5 %; in (0, 1)
  std::int64_t max_cells = 8;  // most cells added to a curve; each value takes two, one its base
  std::int64_t grid = 1;       // added values are multiples of it
};

// Two settings of one axis. `base` is the study's baseline, so that a ratio above 1 speaks for
// `other`.
struct BetweenRequest {
  std::string name;
  Value base;
  Value other;
};

struct ThresholdRequest {
  // A metric of metrics.h with is_threshold, or a MetricRequest's: then its ratio to the baseline.
  // If not is_relative, a MetricRequest's or one with is_target that compares nothing.
  std::string metric;
  double level = 1.0;  // a ratio; in the metric's unit if not is_relative
  std::string along;   // a numeric axis, or names::kParameterCount
  bool is_relative = true;
  std::optional<RefineRequest> refine{};
  std::optional<BetweenRequest> between{};  // only curves of the one setting, against the other
};

// Where the value comes from that a target's level is a share of.
enum class ReferenceKind { kPublished, kStudy };

template <>
inline constexpr std::string_view kWords<ReferenceKind> = "published|study";

struct TargetSource {
  ReferenceKind kind = ReferenceKind::kPublished;
  std::string
      name;  // of the publication, with "/" and what chooses a figure of it; or of the study
};

struct Target {
  std::string name;
  std::string metric;              // a metric of metrics.h with is_target, or a MetricRequest's
  Parameters where;                // axis values that select the cells
  std::optional<double> at_least;  // exactly one of at_least and at_most is present
  std::optional<double> at_most;
  std::optional<TargetSource> source{};  // at_least or at_most is then a share of its value
};

// A value that training is to reach: how long that takes, and in how many trials it happens.
struct TimeToRequest {
  std::string metric;              // as stored; of `train` accuracy, held_out_loss or loss
  std::optional<double> at_least;  // exactly one of at_least and at_most is present
  std::optional<double> at_most;

  [[nodiscard]] double level() const { return at_least ? *at_least : at_most.value_or(0.0); }
  [[nodiscard]] bool is_reached_by(double value) const {
    return at_least ? value >= *at_least : at_most && value <= *at_most;
  }
};

// What a recommended setting has to keep.
struct Limit {
  std::string metric;     // one of a target, or what `cost` makes of the step time
  bool is_least = false;  // at least the level; else at most
  double level = 0.0;     // in the metric's unit as stored
};

// Fewest numbers of devices, or sizes of messages, at which a law is told: any law of two
// parameters goes through two points.
inline constexpr std::int64_t kFewestLawLevels = 3;

struct AnalysisOptions {
  double confidence = 0.95;  // in (0.5, 1)
  OutlierRule outliers;
  Parameters baseline;   // e.g. {devices: 1}; empty: no comparisons
  double margin = 0.02;  // in (0, 1): smaller relative differences do not matter to this study
  std::vector<std::string> decide;  // names that a recommendation chooses; empty: is_choice()
  std::vector<MetricRequest> metrics;
  std::vector<ThresholdRequest> thresholds;
  std::vector<TimeToRequest> time_to;
  std::vector<Law> laws;
  std::vector<Target> targets;
  std::vector<Limit> within;
  std::optional<CommunicationSource> communication;
  std::optional<ProjectionRequest> projection;
  std::vector<Scenario> scenarios;
  std::optional<FailureRate> failures;
};

// The name under which the results of a limit are stored among targets, "within peak_bytes".
inline std::string limit_name(const std::string& metric) {
  return "within " + metric;
}

// The study's request for that metric; nullptr if it has none.
const MetricRequest* find_request(const AnalysisOptions& analysis, std::string_view metric);

}  // namespace scalestudy
