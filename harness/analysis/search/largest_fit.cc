#include "harness/analysis/search/largest_fit.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "harness/analysis/cells/groups.h"
#include "harness/analysis/thresholds/refine.h"
#include "stats/binomial_interval.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

// Of a value whose trials do not count, as they were disturbed: of one trial, and times
// trials.count of the largest that fits.
constexpr std::int64_t kMostTries = 4;

std::int64_t fitted(const CellObservation& cell) {
  return static_cast<std::int64_t>(cell.trials.size());
}

// Launches that did not end ok. One that a retry made good counts too: near the edge the retry may
// only have been lucky.
std::int64_t unfit(const CellObservation& cell) {
  return failed_count(cell) + cell.unsupported;
}

// A value of the axis that was tried.
struct Tried {
  std::int64_t value = 0;
  const CellObservation* cell = nullptr;
};

// What is known along one curve.
struct Edge {
  std::vector<Tried> tried;       // by increasing value
  std::optional<Tried> largest;   // that fits, below `smallest`
  std::optional<Tried> smallest;  // that does not fit
  bool is_waiting = false;        // some planned trial has not been run
};

// How often the search has added the value to the curve.
std::int64_t count_added(double value, const Curve& curve, const StudyObservation& observation) {
  return std::ranges::count_if(observation.additions, [&](const Addition& addition) {
    return addition.value && static_cast<double>(*addition.value) == value &&
           std::ranges::any_of(curve.points, [&](const CurvePoint& point) {
             return point.cell->row.hash == addition.cell;
           });
  });
}

Edge edge_of(const Curve& curve, const StudyObservation& observation) {
  Edge edge;
  for (const CurvePoint& point : curve.points) {
    const CellObservation& cell = *point.cell;
    edge.is_waiting = edge.is_waiting || cell.waiting > 0;
    const bool is_known = fitted(cell) + unfit(cell) > 0;
    if (!is_known && count_added(point.x, curve, observation) < kMostTries) {
      continue;
    }
    const Tried tried{static_cast<std::int64_t>(point.x), &cell};
    edge.tried.push_back(tried);
    if (edge.smallest) {
      continue;
    }
    (!is_known || unfit(cell) > 0 ? edge.smallest : edge.largest) = tried;
  }
  return edge;
}

// Values are multiples of it: a batch of all devices is shared out evenly.
std::int64_t grid_of(const Edge& edge, const LargestFit& search) {
  return search.axis == names::kBatchGlobal
             ? std::lcm(search.grid, edge.tried.front().cell->row.devices)
             : search.grid;
}

// The value to try once; absent if nothing is left between what fits and what does not.
std::optional<std::int64_t> next_value(const Edge& edge, const LargestFit& search) {
  const std::int64_t grid = grid_of(edge, search);
  const std::int64_t fits = edge.largest ? edge.largest->value : 0;
  const std::int64_t most = search.up_to / grid * grid;
  const std::int64_t wanted =
      edge.smallest ? (fits + edge.smallest->value) / 2 : std::min(2 * fits, most);
  const std::int64_t above = fits / grid * grid + grid;  // the least on the grid
  const std::int64_t value = std::max(wanted / grid * grid, above);
  const bool is_left = edge.smallest ? value < edge.smallest->value : value <= most;
  return is_left ? std::optional(value) : std::nullopt;
}

std::string why_next(const Edge& edge) {
  const std::string fits = edge.largest ? fmt::format("{} fits", edge.largest->value) : "";
  const std::string fails =
      edge.smallest ? fmt::format("{} does not fit", edge.smallest->value) : "";
  return fits + (fits.empty() || fails.empty() ? "" : " and ") + fails;
}

// The same cell again.
Addition more_of(const Tried& tried,
                 std::int64_t first_block,
                 std::int64_t blocks,
                 const std::string& why) {
  return {.cell = tried.cell->row.hash,
          .axis = "",
          .value = std::nullopt,
          .first_block = first_block,
          .blocks = blocks,
          .reason = why};
}

// The largest value that fits, and smaller ones, each at most two thirds of the one before.
std::vector<Tried> spread_of(const Edge& edge) {
  std::vector<Tried> spread = {*edge.largest};
  for (auto tried = edge.tried.rbegin(); tried != edge.tried.rend(); ++tried) {
    if (3 * tried->value <= 2 * spread.back().value) {
      spread.push_back(*tried);
    }
  }
  return spread;
}

std::int64_t common_blocks(const CellObservation& a, const CellObservation& b) {
  std::set<std::pair<std::string, std::int64_t>> blocks;
  for (const TrialObservation& trial : a.trials) {
    blocks.emplace(trial.row.plan, trial.row.block);
  }
  return std::ranges::count_if(b.trials, [&](const TrialObservation& trial) {
    return blocks.contains({trial.row.plan, trial.row.block});
  });
}

std::vector<Addition> next_of(const Edge& edge, std::int64_t block, const Study& study) {
  const LargestFit& search = *study.largest;
  const std::int64_t trials = study.trials.count;
  if (edge.tried.empty() || edge.is_waiting) {
    return {};
  }
  if (const std::optional<std::int64_t> value = next_value(edge, search)) {
    return {{.cell = edge.tried.front().cell->row.hash,
             .axis = search.axis,
             .value = value,
             .first_block = block,
             .blocks = 1,
             .reason = why_next(edge)}};
  }
  if (!edge.largest || edge.largest->cell->planned > kMostTries * trials) {
    return {};
  }
  const CellObservation& largest = *edge.largest->cell;
  if (fitted(largest) < trials) {
    return {more_of(*edge.largest, block, trials - fitted(largest), "it is the largest that fits")};
  }
  const std::vector<Tried> spread = spread_of(edge);
  if (std::ranges::all_of(spread, [&](const Tried& tried) {
        return common_blocks(largest, *tried.cell) >= trials;
      })) {
    return {};
  }
  std::vector<Addition> more;
  for (const Tried& tried : spread) {
    more.push_back(more_of(tried, block, trials, "which of those that fit is the fastest"));
  }
  return more;
}

}  // namespace

std::vector<Addition> next_fits(const StudyObservation& observation, const Study& study) {
  std::vector<Addition> all;
  if (!study.largest) {
    return all;
  }
  const std::int64_t block = next_block(observation, study);
  for (const Curve& curve : curves_along(observation, study.largest->axis)) {
    for (Addition& addition : next_of(edge_of(curve, observation), block, study)) {
      all.push_back(std::move(addition));
    }
  }
  return all;
}

std::vector<EstimateRow> fit_shares(const StudyObservation& observation, const Study& study) {
  std::vector<EstimateRow> rows;
  for (const CellObservation& cell : observation.cells) {
    const std::int64_t n = fitted(cell) + unfit(cell);
    if (!study.largest || cell.row.role != CellRole::kMeasured || n == 0) {
      continue;
    }
    EstimateRow& row = rows.emplace_back();
    row.cell_id = cell.row.id;
    row.metric = names::kFitShare;
    row.unit = "1";
    row.value = static_cast<double>(fitted(cell)) / static_cast<double>(n);
    row.lo = stats::binomial_interval(static_cast<std::size_t>(fitted(cell)),
                                      static_cast<std::size_t>(n),
                                      2.0 * study.analysis.confidence - 1.0)  // one-sided
                 .lo;
    row.hi = 1.0;
    row.confidence = study.analysis.confidence;
    row.method = "least_share";
    row.n = n;
    row.n_planned = cell.planned;
    row.status = RowStatus::kOk;
    for (const TrialObservation& trial : cell.trials) {
      row.trials.push_back(trial.row.id);
    }
  }
  return rows;
}

}  // namespace scalestudy
