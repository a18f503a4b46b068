#include "harness/analysis/laws/volumes.h"

#include "harness/analysis/cells/claims.h"
#include "harness/analysis/cells/groups.h"
#include "stats/summary.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

struct Quantity {
  std::string name;
  std::string unit;
  std::string formula;  // of the calculated value
};

void add_row(std::vector<VolumeRow>& rows,
             const CellObservation& cell,
             const Quantity& quantity,
             std::optional<double> calculated,
             std::optional<double> measured) {
  if (!calculated || !measured || !(*calculated > 0.0) || !(*measured > 0.0)) {
    return;
  }
  VolumeRow row;
  row.cell_id = cell.row.id;
  row.quantity = quantity.name;
  row.unit = quantity.unit;
  row.formula = quantity.formula;
  row.calculated = calculated;
  row.measured = measured;
  row.ratio = *measured / *calculated;
  rows.push_back(std::move(row));
}

std::optional<double> mean_of(const CellObservation& cell, const std::string& metric) {
  return stats::mean(trial_means(cell, metric));
}

// A part of a step counts as such, as in the time of an epoch (costs.h). 0 where the study declares
// no samples of an epoch, or the cell has no batch.
double steps_of_epoch(const CellObservation& cell, const Study& study) {
  const double samples =
      study.cost && study.cost->train ? study.cost->train->samples_per_epoch : 0.0;
  const auto batch = static_cast<double>(cell.row.batch_global.value_or(0));
  return batch > 0.0 ? samples / batch : 0.0;
}

void add_bytes(std::vector<VolumeRow>& rows,
               const CellObservation& cell,
               const Study& study,
               const Communication& communication) {
  const auto found = communication.facts.find(cell.row.id);
  const auto volume = volume_of(cell, study, communication, false);
  if (found == communication.facts.end() || !volume ||
      !found->second.contains(names::kTrafficBytes)) {
    return;
  }
  const double sent = volume->sent_bytes(static_cast<double>(cell.row.devices));
  const double told = found->second.at(names::kTrafficBytes);
  const std::string formula = volume->rounds == 3.0
                                  ? "3 (N - 1)/N x parameters x bytes of their type"
                                  : "2 (N - 1)/N x parameters x bytes of their type";
  add_row(rows, cell, {.name = "traffic_bytes", .unit = "bytes", .formula = formula}, sent, told);
  if (const double steps = steps_of_epoch(cell, study); steps > 0.0) {
    add_row(rows,
            cell,
            {.name = "traffic_bytes_per_epoch",
             .unit = "bytes",
             .formula = formula + " x steps of an epoch"},
            steps * sent,
            steps * told);
  }
}

void add_times(std::vector<VolumeRow>& rows,
               const CellObservation& cell,
               const StudyObservation& observation,
               const Study& study,
               const Communication& communication) {
  const auto time_s = communication_time({&cell}, study, communication);
  if (!time_s) {
    return;
  }
  const double calculated = time_s(static_cast<double>(cell.row.devices));
  const std::string& costs = communication.ring->said;
  add_row(rows,
          cell,
          {.name = "communication_time_s", .unit = "s", .formula = "a ring at " + costs},
          calculated,
          mean_of(cell, kCommunication));
  const CellObservation* noop = noop_of(observation, cell);
  const double compute_s = noop == nullptr ? 0.0 : mean_of(*noop, kStepTime).value_or(0.0);
  const double step_s = mean_of(cell, kStepTime).value_or(0.0);
  if (!(compute_s > 0.0)) {
    return;
  }
  const std::string formula = "step of the control noop, then a ring at " + costs;
  add_row(rows,
          cell,
          {.name = "step_time_s", .unit = "s", .formula = formula},
          compute_s + calculated,
          step_s);
  if (const double steps = steps_of_epoch(cell, study); steps > 0.0) {
    add_row(rows,
            cell,
            {.name = "epoch_time_s", .unit = "s", .formula = formula + ", x steps of an epoch"},
            steps * (compute_s + calculated),
            steps * step_s);
  }
}

}  // namespace

std::vector<VolumeRow> compare_volumes(const StudyObservation& observation,
                                       const Study& study,
                                       const Communication& communication) {
  std::vector<VolumeRow> rows;
  for (const CellObservation& cell : observation.cells) {
    if (cell.row.role != CellRole::kMeasured || cell.row.devices < 2 || !has_claim(cell) ||
        study.workload == Workload::kCollective) {
      continue;
    }
    add_bytes(rows, cell, study, communication);
    add_times(rows, cell, observation, study, communication);
  }
  return rows;
}

}  // namespace scalestudy
