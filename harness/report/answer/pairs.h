// Pairs of a cell and its base, on which every sentence about a speedup rests.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "harness/report/input/input.h"

namespace scalestudy::report {

// A measured cell and the base that its speedup is over.
struct Pair {
  const CellRow* cell = nullptr;
  const CellRow* base = nullptr;
  const ComparisonRow* speedup = nullptr;
  std::string name;       // what sets the cell apart from its base: "2 devices"
  std::string base_name;  // what sets the base apart from the cell: "1 device"
  // The varied parameters that both have alike: "batch 256"; "" where there is none, or where all
  // cells have a common base.
  std::string where;
  bool is_within = true;  // both keep the limits of the study
  bool is_choice = true;  // both are under the same conditions, so that the verdict recommends one
};

// Whether sentences may rest on the comparison: it has a value and enough data, no side was
// oversubscribed, and the setting that sets the sides apart is known to be applied.
bool is_usable(const ComparisonRow& row);

// Whether the study wants a verdict on the pair. It wants none on batches that a search for the
// largest only probed, nor on speed if a search goes by another metric and nothing says how much
// work a step does.
bool wants_verdict(const ReportInput& input, const Pair& pair);

// " (not after adjustment)" if the interval, which allows for this comparison alone, excludes
// equality, and the verdict, which allows for all, is open. " (no spread, so the ratio may be
// rounding)" if times that do not vary leave the verdict open. Else "".
std::string verdict_note(const ComparisonRow& row);

// The verdict's word with that note, as tables have it.
std::string noted_verdict(const ComparisonRow& row);

// Ids of the cells that ask for a setting which was not applied or is unconfirmed, as a comparison
// with them found.
std::set<std::int64_t> unapplied_cells(const ReportInput& input);

// The pairs of all cells that have a speedup, in the order of groups and cells.
std::vector<Pair> pairs_of(const ReportInput& input);

// Those that differ in something else than devices, nodes and batch, are under the same conditions,
// and have a speedup: the fastest first, those whose speed makes no claim last.
std::vector<Pair> techniques_of(const ReportInput& input);

// The base and the cell of each.
std::vector<const CellRow*> sides_of(const std::vector<Pair>& pairs);

// Whether the two sides of some pair differ in their number of devices.
bool are_of_devices(const std::vector<Pair>& pairs);

}  // namespace scalestudy::report
