// What a column seems to be in the light of the columns beside it.
#pragma once

#include <vector>

#include "harness/audit/draft/document.h"
#include "harness/audit/draft/guess.h"

namespace scalestudy::audit {

// An overhead beside times with and without something is a share of the whole time, or of the time
// without: whichever gives more rows. It is always one of them without communication, else if
// enough rows are given.
void tell_overheads(const DocumentTable& table, std::vector<Guess>& guesses);

// Beside bandwidths of collectives, a size is the message's and a time that of one call.
void tell_collectives(const DocumentTable& table, std::vector<Guess>& guesses);

// A cost whose heading says nothing else than the price of a device ("Cost at $2/GPU-h") is at that
// price, unless a column holds prices.
void tell_prices(const DocumentTable& table, std::vector<Guess>& guesses);

// Achieved FLOP/s beside a number of devices may be those of one or of all, if the heading does not
// say which. If it says that they are of all, they are compared with those of one beside them; the
// peak may still be that of one.
void tell_flop_rates(const DocumentTable& table, std::vector<Guess>& guesses);

// Beside degrees of tensor, pipeline or context parallelism, a batch is that of a group of devices,
// unless its heading says otherwise. With the data-parallel degree, groups give the global batch.
// Nobody rounds either: degrees and batches of groups are exact.
void tell_grids(const DocumentTable& table, std::vector<Guess>& guesses);

// A column of text behind figures becomes notes if it alone tells two rows apart.
void tell_notes(const DocumentTable& table, std::vector<Guess>& guesses);

}  // namespace scalestudy::audit
