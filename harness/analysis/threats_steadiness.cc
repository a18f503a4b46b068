// Threats from how the step times moved: over the session, inside a trial, and in single outliers.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>

#include "harness/analysis/screen.h"
#include "harness/analysis/threats.h"
#include "harness/analysis/wording.h"
#include "stats/distributions.h"
#include "stats/drift.h"
#include "stats/mean_interval.h"
#include "stats/multiplicity.h"
#include "stats/summary.h"

namespace scalestudy {
namespace {

constexpr double kAlpha = 0.05;
constexpr double kLeastSlope = 0.005;          // per 100 steps, relative
constexpr std::size_t kLeastDriftPoints = 4;   // fewer cannot reach p < 0.05 in a rank test
constexpr std::size_t kMostDriftPoints = 400;  // Theil-Sen looks at all pairs
// A state that one launch in ten is in is met by 29 trials with 95 % (statistics.md 4).
constexpr std::size_t kTrialsToMeetRareStates = 29;

// ln(trial mean / geometric mean of its cell) by run position: what is left when cells are taken
// out.
std::map<std::int64_t, double> deviations_by_position(const StudyObservation& observation) {
  std::map<std::int64_t, double> deviations;
  for (const CellObservation& cell : observation.cells) {
    std::vector<double> logs;
    std::vector<std::int64_t> positions;
    for (const TrialObservation& trial : cell.trials) {
      const auto found = trial.metrics.find(kStepTime);
      if (found != trial.metrics.end() && found->second.mean > 0.0) {
        logs.push_back(std::log(found->second.mean));
        positions.push_back(trial.row.position);
      }
    }
    const double centre = stats::mean(logs).value_or(0.0);
    for (std::size_t i = 0; logs.size() > 1 && i < logs.size(); ++i) {
      deviations[positions[i]] = logs[i] - centre;
    }
  }
  return deviations;
}

// Means of consecutive runs of trials: of blocks, where the order is blocks and every block has all
// cells once. Runs are lengthened until few enough are left.
std::vector<double> deviation_sequence(const StudyObservation& observation, const Study& study) {
  const std::map<std::int64_t, double> deviations = deviations_by_position(observation);
  const std::size_t block =
      study.order.design == OrderDesign::kBlocks ? observation.cells.size() : 1;
  std::size_t length = std::max<std::size_t>(block, 1);
  while (deviations.size() / length > kMostDriftPoints) {
    length *= 2;
  }
  std::map<std::int64_t, std::vector<double>> runs;
  for (const auto& [position, deviation] : deviations) {
    runs[position / static_cast<std::int64_t>(length)].push_back(deviation);
  }
  std::vector<double> sequence;
  for (const auto& [run, values] : runs) {
    sequence.push_back(stats::mean(values).value_or(0.0));
  }
  return sequence;
}

}  // namespace
}  // namespace scalestudy
