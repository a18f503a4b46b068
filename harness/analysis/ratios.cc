#include "harness/analysis/ratios.h"

#include <map>
#include <set>
#include <vector>

#include "stats/equivalence.h"

namespace scalestudy {
namespace {

// Below this a paired interval has so few degrees of freedom that pairing costs more than it gains.
constexpr std::size_t kLeastBlocks = 5;

std::map<SessionBlock, double> means_by_block(const CellObservation& cell) {
  std::map<SessionBlock, double> means;
  for (const TrialObservation& trial : cell.trials) {
    const auto found = trial.metrics.find(kStepTime);
    if (found != trial.metrics.end()) {
      means.emplace(session_block(trial.row), found->second.mean);
    }
  }
  return means;
}

struct Pairs {
  std::vector<double> base;
  std::vector<double> cell;
};

Pairs common_blocks(const CellObservation& base, const CellObservation& cell, double factor) {
  const std::map<SessionBlock, double> base_means = means_by_block(base);
  Pairs pairs;
  for (const auto& [block, mean] : means_by_block(cell)) {
    const auto found = base_means.find(block);
    if (found != base_means.end()) {
      pairs.base.push_back(factor * found->second);
      pairs.cell.push_back(mean);
    }
  }
  return pairs;
}

std::set<std::optional<std::int64_t>> sessions_of(const CellObservation& cell) {
  std::set<std::optional<std::int64_t>> sessions;
  for (const TrialObservation& trial : cell.trials) {
    sessions.insert(trial.row.session_id);
  }
  return sessions;
}

}  // namespace

TimeRatio time_ratio(const CellObservation& base,
                     const CellObservation& cell,
                     double factor,
                     const Study& study) {
  const double level = study.analysis.confidence;
  const double margin = study.analysis.margin;
  TimeRatio ratio;
  const Pairs pairs = common_blocks(base, cell, factor);
  if (study.order.design == OrderDesign::kBlocks && pairs.cell.size() >= kLeastBlocks) {
    ratio.method = "log_ratio_paired";
    ratio.interval = stats::log_ratio_paired(pairs.base, pairs.cell, level);
    ratio.equivalence_p =
        stats::tost_log_ratio_paired(pairs.base, pairs.cell, margin, 1.0 - level).p;
    return ratio;
  }
  std::vector<double> base_means = trial_means(base, kStepTime, false);
  for (double& mean : base_means) {
    mean *= factor;
  }
  const std::vector<double> cell_means = trial_means(cell, kStepTime, false);
  ratio.method = "log_ratio_delta";
  ratio.interval = stats::log_ratio_delta(base_means, cell_means, level);
  ratio.equivalence_p = stats::tost_log_ratio(base_means, cell_means, margin, 1.0 - level).p;
  return ratio;
}

bool is_across_sessions(const CellObservation& base, const CellObservation& cell) {
  return sessions_of(base) != sessions_of(cell);
}

double work_ratio(const CellRow& base, const CellRow& cell, const std::string& scaling) {
  if (base.batch_global.value_or(0) > 0 && cell.batch_global.value_or(0) > 0) {
    return static_cast<double>(*cell.batch_global) / static_cast<double>(*base.batch_global);
  }
  return scaling == "weak" ? device_ratio(base, cell) : 1.0;
}

double device_ratio(const CellRow& base, const CellRow& cell) {
  return static_cast<double>(cell.devices) / static_cast<double>(base.devices);
}

}  // namespace scalestudy
