#include "harness/analysis/laws/law_points.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "harness/analysis/cells/claims.h"
#include "harness/analysis/cells/sessions.h"
#include "stats/block_effects.h"
#include "stats/summary.h"

namespace scalestudy {
namespace {

// The sessions that all cells share.
std::set<SessionId> common_sessions(const std::vector<const CellObservation*>& cells) {
  std::map<SessionId, std::size_t> counts;
  for (const CellObservation* cell : cells) {
    for (const auto& [session, values] : session_values(*cell, kStepTime)) {
      ++counts[session];
    }
  }
  std::set<SessionId> sessions;
  for (const auto& [session, count] : counts) {
    if (count == cells.size()) {
      sessions.insert(session);
    }
  }
  return sessions;
}

void add_point(LawPoints& points,
               const CellObservation& cell,
               double x,
               std::int64_t block,
               double step_time_s) {
  points.x.push_back(x);
  points.step_time_s.push_back(step_time_s);
  points.levels.insert(static_cast<std::int64_t>(x));
  points.cells.push_back(cell.row.id);
  points.blocks.push_back(block);
}

// The trials of the cells, each at its x.
LawPoints points_of_trials(const std::vector<const CellObservation*>& cells,
                           const std::vector<double>& x,
                           const Study& study) {
  std::map<SessionBlock, std::int64_t> numbers;  // of blocks of all sessions one after the other
  LawPoints points;
  points.is_blocked = study.order.design == OrderDesign::kBlocks;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    for (const TrialObservation& trial : cells[i]->trials) {
      const auto found = trial.metrics.find(kStepTime);
      if (found != trial.metrics.end()) {
        const auto next = static_cast<std::int64_t>(numbers.size());
        add_point(points,
                  *cells[i],
                  x[i],
                  numbers.emplace(session_block(trial.row), next).first->second,
                  found->second.mean);
        points.trials.push_back(trial.row.id);
      }
    }
  }
  return points;
}

// On the log scale the mean of a cell's trials becomes the logarithm of their mean.
void centre_on_means(LawPoints& points) {
  std::map<std::int64_t, std::vector<double>> by_cell;
  for (std::size_t i = 0; i < points.x.size(); ++i) {
    by_cell[points.cells[i]].push_back(points.step_time_s[i]);
  }
  for (std::size_t i = 0; i < points.x.size(); ++i) {
    const double mean = *stats::mean(by_cell.at(points.cells[i]));
    if (mean > 0.0) {
      points.step_time_s[i] = mean * std::exp(points.step_time_s[i] / mean - 1.0);
    }
  }
}

// What blocks add hides what separates a law from the points, so it goes first. Times that are none
// stay as they are: the fit refuses them.
void take_out_blocks(LawPoints& points) {
  if (!points.is_blocked) {
    return;
  }
  const stats::BlockAdjusted adjusted =
      stats::take_out_blocks(logs(points.step_time_s), points.cells, points.blocks);
  for (std::size_t i = 0; i < adjusted.values.size(); ++i) {
    points.step_time_s[i] = std::exp(adjusted.values[i]);
  }
  const bool is_apart = adjusted.status == stats::Status::kInsufficientData;
  points.df_taken = is_apart ? points.x.size() : adjusted.df;
}

// The mean of each cell in these sessions, as if a session were a block. What the blocks of a
// session add is taken out first, because some may lack a cell.
LawPoints points_of_sessions(const std::vector<const CellObservation*>& cells,
                             const std::vector<double>& x,
                             const std::set<SessionId>& sessions,
                             const Study& study) {
  LawPoints points;
  points.is_blocked = true;
  std::map<SessionId, LawPoints> parts;
  for (const CellObservation* cell : cells) {
    for (const TrialObservation& trial : cell->trials) {
      const auto found = trial.metrics.find(kStepTime);
      if (found != trial.metrics.end() && sessions.contains(trial.row.session_id)) {
        add_point(parts[trial.row.session_id], *cell, 0.0, trial.row.block, found->second.mean);
        points.trials.push_back(trial.row.id);
      }
    }
  }
  std::int64_t number = 0;
  for (auto& [session, part] : parts) {
    part.is_blocked = study.order.design == OrderDesign::kBlocks;
    centre_on_means(part);
    take_out_blocks(part);
    std::map<std::int64_t, std::vector<double>> log_s;  // by cell
    for (std::size_t i = 0; i < part.x.size(); ++i) {
      log_s[part.cells[i]].push_back(std::log(part.step_time_s[i]));
    }
    for (std::size_t i = 0; i < cells.size(); ++i) {
      add_point(
          points, *cells[i], x[i], number, std::exp(*stats::mean(log_s.at(cells[i]->row.id))));
    }
    ++number;
  }
  return points;
}

// The trials of the cells, each at its x; or, where many sessions have all cells, their means.
LawPoints points_at(const std::vector<const CellObservation*>& cells,
                    const std::vector<double>& x,
                    const Study& study) {
  const std::set<SessionId> sessions = common_sessions(cells);
  return sessions.size() >= kSessionsAsUnit ? points_of_sessions(cells, x, sessions, study)
                                            : points_of_trials(cells, x, study);
}

}  // namespace

std::optional<stats::StepLaw> step_law_of(Law law) {
  switch (law) {
    case Law::kAmdahl:
      return stats::StepLaw::kAmdahl;
    case Law::kUsl:
      return stats::StepLaw::kUsl;
    case Law::kGustafson:
      return stats::StepLaw::kGustafson;
    case Law::kCommunicationAdded:
      return stats::StepLaw::kAdded;
    case Law::kCommunicationHidden:
      return stats::StepLaw::kHidden;
    case Law::kCommunicationFitted:
      return stats::StepLaw::kRing;
    case Law::kAlphaBeta:
      break;
  }
  return std::nullopt;
}

std::vector<double> logs(const std::vector<double>& values) {
  std::vector<double> result;
  result.reserve(values.size());
  for (const double value : values) {
    result.push_back(std::log(value));
  }
  return result;
}

namespace {

// Whether the curve lacks such a cell and `base`, of another curve, stands for it: no cell of its
// own has as many devices, and both do the same work, a device's or all.
bool is_borrowed(const CellObservation& base, const CurvePoint& point, const Curve& curve) {
  const CellRow& row = base.row;
  const CellRow& own = point.cell->row;
  return (row.batch_global == own.batch_global || row.batch_per_device == own.batch_per_device) &&
         std::ranges::none_of(curve.points, [&](const CurvePoint& other) {
           return other.cell->row.devices == row.devices;
         });
}

}  // namespace

std::vector<const CellObservation*> law_cells(const Curve& curve,
                                              const StudyObservation& observation) {
  std::vector<const CellObservation*> cells;
  for (const CurvePoint& point : curve.points) {
    for (const CellObservation* cell :
         {observation.find_cell(point.cell->row.baseline), point.cell}) {
      const bool is_usable = cell != nullptr && has_claim(*cell) &&
                             (cell == point.cell || is_borrowed(*cell, point, curve));
      if (is_usable && std::ranges::find(cells, cell) == cells.end()) {
        cells.push_back(cell);
      }
    }
  }
  return cells;
}

LawPoints points_of(const Curve& curve, const StudyObservation& observation, const Study& study) {
  const std::vector<const CellObservation*> cells = law_cells(curve, observation);
  std::vector<double> devices;
  std::map<std::int64_t, double> work;  // by cell
  for (const CellObservation* cell : cells) {
    devices.push_back(static_cast<double>(cell->row.devices));
    work[cell->row.id] = static_cast<double>(cell->row.batch_global.value_or(0));
  }
  LawPoints points = points_at(cells, devices, study);
  centre_on_means(points);
  take_out_blocks(points);
  for (std::size_t i = 0; i < points.x.size(); ++i) {
    if (work[points.cells[i]] > 0.0) {
      points.throughput.push_back(work[points.cells[i]] / points.step_time_s[i]);
    }
  }
  return points;
}

LawPoints message_points(const Curve& curve, const Study& study) {
  std::vector<const CellObservation*> cells;
  std::vector<double> bytes;
  for (const CurvePoint& point : curve.points) {
    if (has_claim(*point.cell)) {
      cells.push_back(point.cell);
      // A command seldom reports them, and its axis then says them.
      bytes.push_back(point.cell->total_bytes.value_or(point.x));
    }
  }
  LawPoints points = points_at(cells, bytes, study);
  take_out_blocks(points);
  return points;
}

}  // namespace scalestudy
