// Which columns of a table follow from others, found by trying formulas on their figures.
#pragma once

#include <string>
#include <vector>

#include "harness/audit/dataset/document.h"
#include "harness/audit/dataset/guess.h"

namespace scalestudy::audit {

// Sets the rule (`follows`) of columns of `x` and `%` whose figures are a ratio, share or change of
// others: of two columns, or of one column over its first row, the row above or its sum. An
// efficiency that is a speedup over a number of devices gets that number (`at`).
//
// A formula is proposed if it gives at least half of the figures and all but one within their
// rounding, over another row also each that prints 1, and if by chance fewer than 1 table in 100
// would hold one that fits as well. That chance counts every formula tried: K * P(Binomial(n, p)
// >= m), with p the width of the roundings over what the column spreads over. For a figure in the
// same cell as one of the formula's the place says most: there it is 1 in 5, and the column's
// spread does not count.
// Columns that have a rule, or whose own relation the table has figures for, are left alone.
// - name: the table's, for SQL.
void discover_relations(const DocumentTable& table,
                        const std::string& name,
                        std::vector<Guess>& guesses);

}  // namespace scalestudy::audit
