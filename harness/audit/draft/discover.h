// Which columns of a table follow from others, found by trying formulas on their figures.
#pragma once

#include <string>
#include <vector>

#include "harness/audit/draft/document.h"
#include "harness/audit/draft/guess.h"

namespace scalestudy::audit {

// Sets the rule (`follows`) of columns of `x` and `%` whose figures are a ratio, share or change of
// others: of two columns, of one column over its first row, the row above or its sum, or what a
// column leaves of 100 %. An efficiency that is a speedup over a number of devices gets that number
// (`at`). A column of times, sizes, bandwidths, rates or costs gets a rule if it is a sum of
// columns beside it, a count of times, a quotient of sizes or counts and times, or a price times a
// time.
//
// A formula is proposed if it gives at least half of the figures and all but one within their
// rounding, and if by chance fewer than 1 table in 100 would hold one that fits as well. It is not
// if the row that it gets wrong is more likely another kind of row than a misprint
// (is_of_other_rows() in fit.h). The chance counts every formula tried: K * P(Binomial(n, p) >= m),
// with p the width of the roundings over what the column spreads over. For a figure in the same
// cell as one of the formula's the place says most: there it is 1 in 5, and the column's spread
// does not count.
// Of the formulas that the heading names (a speedup, a compression, time saved) the chance may be 1
// in 20, if they give all rows or all but one of four or more. One that gives as many and is not
// chosen is noted (`note`) up to a chance of 1 in 5. Of amounts the chance may be 1 in 1000, and
// all rows must follow, or all but one of four or more. For these, and for what a column leaves of
// 100 %, there is a note instead if a remark in the wrong row ("8 (one restart)") may explain it.
// Columns that have a rule, or whose own relation the table has figures for, are left alone.
// - name: the table's, for SQL.
void discover_relations(const DocumentTable& table,
                        const std::string& name,
                        std::vector<Guess>& guesses);

}  // namespace scalestudy::audit
