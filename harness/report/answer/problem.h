// What a first screen chooses among: the cells that share a base, the best of them by stored
// verdicts, and their names in a sentence.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "harness/report/answer/pairs.h"

namespace scalestudy::report {

// Cells under the same conditions that are compared with one base: one of them is to be chosen.
struct Problem {
  const CellRow* base = nullptr;  // nullptr if the base is under other conditions
  std::vector<const Pair*> pairs;
  std::vector<const CellRow*> cells;  // the base first, two or more
  std::vector<const CellRow*> kept;   // those of them that keep every limit
  bool has_verdict = true;            // false: no pair has a usable speedup, so nothing is chosen
  bool is_base_lost = false;          // all trials of the base failed; `kept` are measured cells
  // How all trials of all cells ended: all as kOutOfMemory, else as kFailed; absent if not all did.
  std::optional<Verdict> loss = {};

  bool is_told() const { return has_verdict || is_base_lost; }
};

// A problem for each base and all conditions of the pairs with a usable speedup, in the order of
// the pairs; after these, one for each of the pairs without, where that is all there is. The pairs
// must outlive the problems.
std::vector<Problem> problems_of(const ReportInput& input, const std::vector<Pair>& pairs);

// The best of a problem, those as good within the margin, and those not excluded as the best.
struct Chosen {
  const CellRow* best = nullptr;  // nullptr: none is known, as where one of them lacks a verdict
  std::vector<const CellRow*> equal;
  std::vector<const CellRow*> open;
  std::size_t unnamed = 0;  // more of these, which only the adjustment for many comparisons keeps

  bool is_open() const { return !open.empty() || unnamed > 0; }
};

// By throughput.
Chosen fastest_of(const ReportInput& input, const Problem& problem);

// By samples for the same cost; what costs the same an hour is as cheap as it is fast.
// - price: nullptr: device time
Chosen cheapest_of(const ReportInput& input, const Price* price, const Problem& problem);

// The study's first price; nullptr, for device time, where it declares none.
const Price* first_price(const ReportInput& input);

// Whether an hour of some cell that keeps the limits costs more than one of another.
bool differ_in_price(const Price* price, const Problem& problem);

// What sets the cell apart from the base: "2 devices". Where that begins or ends the name of
// another cell of the problem, all parameters in which its cells differ from the base: "2 devices,
// strategy ddp". Without a base, all parameters in which the cells differ.
std::string name_in_problem(const ReportInput& input, const Problem& problem, const CellRow& cell);

}  // namespace scalestudy::report
