// A weak-scaling study whose steps are those of a ring of known costs.
#pragma once

#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "tests/analysis/by_hand.h"

namespace scalestudy::test {

// A cell of a weak-scaling study with 32 samples a device.
inline CellRow weak_cell(std::int64_t id, std::int64_t devices) {
  CellRow cell = make_cell(id, devices, 32 * devices);
  cell.hash = "d" + std::to_string(devices);
  cell.baseline = "d1";
  cell.label = "devices=" + std::to_string(devices);
  cell.batch_per_device = 32;
  cell.parameters = {{"devices", std::to_string(devices), ValueKind::kInteger, true}};
  return cell;
}

// 20 ms of computation and a ring of 50 us a hop and 4 ms for the gradients: with gradients of 40
// MB 10 GB/s.
inline double ring_step_s(std::int64_t devices) {
  const auto n = static_cast<double>(devices);
  return 0.020 + 2.0 * (n - 1.0) * 50e-6 + 2.0 * (n - 1.0) / n * 0.004;
}

// Trials 1 % and 2 % above and below, so that their geometric mean is the law's; the least squares
// of relative errors then lie a few 1e-4 below it.
inline CellObservation observe_law(CellRow row, double centre_s) {
  return in_session(
      observe_cell(std::move(row),
                   {centre_s * 1.01, centre_s / 1.01, centre_s * 1.02, centre_s / 1.02}),
      0);
}

inline std::vector<CellObservation> ring_cells(const std::vector<std::int64_t>& devices) {
  std::vector<CellObservation> cells;
  for (const std::int64_t count : devices) {
    cells.push_back(observe_law(weak_cell(std::ssize(cells) + 1, count), ring_step_s(count)));
  }
  return cells;
}

inline Study projected_study(const std::vector<std::int64_t>& to) {
  Study study;
  study.workload = Workload::kCommand;
  study.order.design = OrderDesign::kBatch;
  study.analysis.laws = {Law::kGustafson};
  study.analysis.projection = ProjectionRequest{.to = to, .hold_out = 0, .devices_per_node = 0};
  return study;
}

}  // namespace scalestudy::test
