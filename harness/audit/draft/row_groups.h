// Groups of rows: named by a row of their own, or by a cell in the first row alone.
#pragma once

#include <vector>

#include "harness/audit/draft/document.h"
#include "harness/audit/draft/guess.h"

namespace scalestudy::audit {

// Makes a first column of the rows that name groups. Does nothing if there are no two, or if rows
// belong to none.
void fold_group_rows(DocumentTable& table);

// Fills blank cells below the name of a group of rows ("ViT-B | 1", " | 2"): those whose conditions
// on the left are the same as above and one on the right is not. Sums belong to no group.
void fill_down(DocumentTable& table, std::vector<Guess>& guesses);

}  // namespace scalestudy::audit
