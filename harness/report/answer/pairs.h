// Pairs of a cell and its base, on which every sentence about a speedup rests.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "harness/report/input/input.h"

namespace scalestudy::report {

// A cell beside its base.
struct Pair {
  const CellRow* cell = nullptr;
  const CellRow* base = nullptr;
  const ComparisonRow* speedup = nullptr;
  std::string name;       // what sets the cell apart from its base: "2 devices"
  std::string base_name;  // and the base from it: "1 device"
  // What both have alike: "batch 256"; "" where nothing is varied, and of a common base.
  std::string where;
};

// Whether it says how its sides stand to each other: it has a value and enough data, nobody was
// oversubscribed, and what sets the sides apart is known to be applied. No sentence rests on
// another.
bool is_usable(const ComparisonRow& row);

// Ids of cells that ask for a setting which, as comparisons with them found, was not applied or is
// unconfirmed.
std::set<std::int64_t> unapplied_cells(const ReportInput& input);

// Those with a speedup, in the order of groups and cells.
std::vector<Pair> pairs_of(const ReportInput& input);

// Whether cells differ from their bases in the number of devices.
bool are_of_devices(const std::vector<Pair>& pairs);

}  // namespace scalestudy::report
