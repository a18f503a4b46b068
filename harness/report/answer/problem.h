// What a first screen chooses among: the cells that share a base, and their names in a sentence.
#pragma once

#include <string>
#include <vector>

#include "harness/report/answer/pairs.h"

namespace scalestudy::report {

// A base and the cells that are compared with it: one of them, or the base, is to be chosen.
struct Problem {
  const CellRow* base = nullptr;
  std::vector<const Pair*> pairs;
};

// A problem for each base of the pairs with a usable speedup, in the order of the pairs. The pairs
// must outlive the problems.
std::vector<Problem> problems_of(const std::vector<Pair>& pairs);

// What sets the cell apart from the base: "2 devices". Where that begins the name of another cell
// of the problem, all parameters in which its cells differ from the base: "2 devices,
// strategy=ddp".
std::string name_in_problem(const ReportInput& input, const Problem& problem, const CellRow& cell);

}  // namespace scalestudy::report
