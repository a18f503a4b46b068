// What a first screen chooses among: the cells that share a base, and what each is called there.
#pragma once

#include <string>
#include <vector>

#include "harness/report/answer/pairs.h"

namespace scalestudy::report {

// The cells of one base: what is chosen among, under the same conditions.
struct Problem {
  const CellRow* base = nullptr;
  std::vector<const Pair*> pairs;
};

// One a base of the pairs with a usable speedup, in the order of the pairs, which must outlive
// them.
std::vector<Problem> problems_of(const std::vector<Pair>& pairs);

// What sets the cell apart from the base, "2 devices"; where another is called so and more, by all
// in which cells of the problem differ from the base: "2 devices, strategy=ddp".
std::string name_in_problem(const ReportInput& input, const Problem& problem, const CellRow& cell);

}  // namespace scalestudy::report
