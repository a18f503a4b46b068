// What the nodes of a study's jobs are held for, beside what its trials use of them: a job holds as
// many nodes as its largest cell needs, in every trial.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "harness/store/store.h"
#include "harness/study/declared/study.h"
#include "harness/study/matrix/matrix.h"

namespace scalestudy {

struct Allocation {
  std::int64_t nodes = 1;        // that each job holds
  double held_node_hours = 0.0;  // while trials run; starting jobs and programs is not in it
  double used_node_hours = 0.0;  // of the nodes that the trials' cells have
  double held_cost = 0.0;        // at the study's first price, every device of a node that some
                                 // cell uses included; 0 without a price
  bool is_bound = false;         // some trial counts with its time limit
};

// The mean wall time of each cell's ok trials of the study, by its hash; without a store none.
std::map<std::string, double> mean_wall_times_s(const Study& study, const Store* store);

// The allocation of trials that are still to run.
// - wall_s: how long a trial of that cell took before; absent: its time limit counts.
// - is_meant: which trials of the plan are meant.
Allocation planned_allocation(const Study& study,
                              const Matrix& matrix,
                              const std::function<std::optional<double>(const Cell&)>& wall_s,
                              const std::function<bool(const Cell&, std::int64_t block)>& is_meant);

// The same, by the mean time of each cell's ok trials in the store; nullptr: there are none.
Allocation planned_allocation(const Study& study,
                              const Matrix& matrix,
                              const Store* store,
                              const std::function<bool(const Cell&, std::int64_t block)>& is_meant);

// The allocation of every attempt in the store that has ended.
Allocation ended_allocation(const Study& study, const Matrix& matrix, const Store& store);

// "Each job holds 4 nodes, as many as the largest cell needs: about 12.3 node-hours in all, 402 USD
// at the declared price. The trials use 34 % of them.", with what to do if that is less than half;
// "" if no cell has several nodes, or nothing is held.
// - is_over: "Each job held ... ".
std::string allocation_text(const Study& study, const Allocation& allocation, bool is_over);

}  // namespace scalestudy
