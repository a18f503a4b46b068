#include "workloads/train/saves/step_rows.h"

#include <algorithm>

namespace scalestudy::train {

std::vector<double> rows_of(const State& state, std::size_t begin, std::size_t end) {
  const RankSteps& record = state.timer->record();
  std::vector<double> rows;
  rows.reserve((end - begin) * row_size(state));
  for (std::size_t step = begin; step < end; ++step) {
    rows.insert(rows.end(), record.times[step].begin(), record.times[step].end());
    const std::span<const double> durations_s(record.collective_s);
    const auto own = durations_s.subspan(step * state.collectives, state.collectives);
    rows.insert(rows.end(), own.begin(), own.end());
    rows.push_back(state.losses[step]);
  }
  return rows;
}

RankSteps steps_of(std::span<const double> rows, const State& state) {
  RankSteps steps;
  const std::size_t count = rows.size() / row_size(state);
  for (std::size_t step = 0; step < count; ++step) {
    const std::span<const double> row = rows.subspan(step * row_size(state), row_size(state));
    std::copy_n(row.begin(), kFieldCount, steps.times.emplace_back().begin());
    const auto own = row.subspan(kFieldCount, state.collectives);
    steps.collective_s.insert(steps.collective_s.end(), own.begin(), own.end());
    state.losses[step] = row.back();
  }
  return steps;
}

}  // namespace scalestudy::train
