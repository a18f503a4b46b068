// What speedups and efficiencies are relative to, and which columns belong to one model.
#pragma once

#include <vector>

#include "harness/audit/draft/document.h"
#include "harness/audit/draft/guess.h"

namespace scalestudy::audit {

// Sets the baseline of speedups and efficiencies: what the heading says, or the row that prints 1,
// or the fewest devices if the speedup there is their number, or else one device. A column that
// prints something else there gets none, and one that is relative to something else than devices
// becomes a ratio.
void tell_baselines(const DocumentTable& table, std::vector<Guess>& guesses);

// Columns of several models side by side ("ResNet img/s | Speedup | BERT seq/s | Speedup") get the
// condition `configuration`, so that each speedup is checked against its own model. Done only if
// each of them prints 1 somewhere.
void tell_side_by_side(const DocumentTable& table, std::vector<Guess>& guesses);

// Whether the batch of all devices grows as the devices do in all rows of a table with speedups or
// efficiencies.
bool is_weak_scaling(const DocumentTable& table, const std::vector<Guess>& guesses);

}  // namespace scalestudy::audit
