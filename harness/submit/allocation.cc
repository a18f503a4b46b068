#include "harness/submit/allocation.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include <fmt/format.h>

#include "harness/run/attempt/time_limit.h"
#include "harness/text/number.h"
#include "harness/text/quantity.h"

namespace scalestudy {
namespace {

// Sums trials of cells.
class Sum {
 public:
  Sum(const Study& study, const Matrix& matrix) {
    std::int64_t devices_per_node = 1;
    for (const Cell& cell : matrix.cells) {
      sum_.nodes = std::max(sum_.nodes, cell.nodes);
      devices_per_node = std::max(devices_per_node, cell.devices / cell.nodes);
    }
    cost_an_hour_ =
        study.cost ? study.cost->price.per_hour(devices_per_node * sum_.nodes, sum_.nodes) : 0.0;
  }

  void add(std::int64_t nodes, double wall_s) {
    const double hours = wall_s / kSecondsAnHour;
    sum_.held_node_hours += hours * static_cast<double>(sum_.nodes);
    sum_.used_node_hours += hours * static_cast<double>(nodes);
    sum_.held_cost += hours * cost_an_hour_;
  }
  void set_bound() { sum_.is_bound = true; }
  Allocation take() const { return sum_; }

 private:
  Allocation sum_;
  double cost_an_hour_ = 0.0;
};

struct CellTimes {
  double sum_s = 0.0;
  double count = 0.0;
};

}  // namespace

std::map<std::string, double> mean_wall_times_s(const Study& study, const Store* store) {
  std::map<std::string, double> means_s;
  if (const auto row = store == nullptr ? std::nullopt : store->find_study(study.name)) {
    std::map<std::int64_t, CellTimes> times;
    for (const TrialRow& trial : store->trials(row->id)) {
      if (trial.state == TrialState::kOk && trial.wall_s) {
        times[trial.cell_id].sum_s += *trial.wall_s;
        times[trial.cell_id].count += 1.0;
      }
    }
    for (const CellRow& cell : store->cells(row->id)) {
      if (const auto found = times.find(cell.id); found != times.end()) {
        means_s[cell.hash] = found->second.sum_s / found->second.count;
      }
    }
  }
  return means_s;
}

Allocation planned_allocation(
    const Study& study,
    const Matrix& matrix,
    const std::function<std::optional<double>(const Cell&)>& wall_s,
    const std::function<bool(const Cell&, std::int64_t block)>& is_meant) {
  Sum sum(study, matrix);
  for (const Cell& cell : matrix.cells) {
    const std::optional<double> known_s = wall_s(cell);
    const double trial_s = known_s.value_or(study.limits.timeout_s.value_or(kFirstTimeLimitS));
    for (const Blocks& blocks : cell.blocks) {
      for (std::int64_t block = blocks.first; block < blocks.first + blocks.count; ++block) {
        if (is_meant(cell, block)) {
          sum.add(cell.nodes, trial_s);
          if (!known_s) {
            sum.set_bound();
          }
        }
      }
    }
  }
  return sum.take();
}

Allocation planned_allocation(
    const Study& study,
    const Matrix& matrix,
    const Store* store,
    const std::function<bool(const Cell&, std::int64_t block)>& is_meant) {
  const std::map<std::string, double> means_s = mean_wall_times_s(study, store);
  return planned_allocation(
      study,
      matrix,
      [&](const Cell& cell) -> std::optional<double> {
        const auto found = means_s.find(cell.hash);
        return found == means_s.end() ? std::nullopt : std::optional(found->second);
      },
      is_meant);
}

Allocation ended_allocation(const Study& study, const Matrix& matrix, const Store& store) {
  Sum sum(study, matrix);
  if (const auto row = store.find_study(study.name)) {
    std::map<std::int64_t, std::int64_t> nodes;
    for (const CellRow& cell : store.cells(row->id)) {
      nodes[cell.id] = cell.nodes;
    }
    // An attempt whose logs were read again is there twice, and ran once.
    std::set<std::tuple<std::int64_t, std::string, std::int64_t, std::optional<std::string>>> known;
    for (const TrialRow& trial : store.trials(row->id)) {
      if (trial.wall_s &&
          known.emplace(trial.cell_id, trial.plan, trial.block, trial.started_at).second) {
        sum.add(nodes.at(trial.cell_id), *trial.wall_s);
      }
    }
  }
  return sum.take();
}

std::string allocation_text(const Study& study, const Allocation& allocation, bool is_over) {
  if (allocation.nodes == 1 || !(allocation.held_node_hours > 0.0)) {
    return "";
  }
  const double percent =
      std::round(100.0 * allocation.used_node_hours / allocation.held_node_hours);
  constexpr double small = 50.0;
  return fmt::format(
      "Each job {} {} nodes, as many as the largest cell needs: {}{} node-hours in all{}. The "
      "trials {} {:.0f} % of them.{}",
      is_over ? "held" : "holds",
      allocation.nodes,
      is_over               ? ""
      : allocation.is_bound ? "at most "
                            : "about ",
      format_plain(allocation.held_node_hours),
      study.cost ? fmt::format(", {} {} at the declared price",
                               format_plain(allocation.held_cost),
                               study.cost->currency)
                 : "",
      is_over ? "used" : "use",
      percent,
      is_over || percent >= small
          ? ""
          : " A study of its own for the small cells would hold fewer nodes, but comparisons "
            "between numbers of nodes need blocks that have both.");
}

}  // namespace scalestudy
