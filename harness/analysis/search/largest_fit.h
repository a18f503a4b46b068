// The search for the largest batch that fits into memory (search: {largest: ...}).
#pragma once

#include <vector>

#include "harness/analysis/observe/observation.h"

namespace scalestudy {

// What the search tries next, in blocks after all planned ones. Empty once it is over. It follows
// from the stored trials alone, so that a resumed run decides alike. In each curve:
// - One trial at double the largest value, until one does not fit or search.up_to is reached; then
//   in the middle of the largest value that fits and the smallest that does not, until no multiple
//   of search.grid is left between them. A trial fits if it ends ok. A value that was tried four
//   times without a trial that counts is taken as one that does not fit.
// - trials.count trials of the largest value that fits. Memory near the edge varies: where one of
//   them does not fit, the search goes on below.
// - Whole blocks of it and of smaller values, each at most two thirds of the next, to find the
//   fastest that fits.
std::vector<Addition> next_fits(const StudyObservation& observation, const Study& study);

// `fit_share` of each measured cell that was tried: the share of its launches that fit, with the
// lower end of the one-sided interval (METHODS.md, least_share). Empty without such a search.
std::vector<EstimateRow> fit_shares(const StudyObservation& observation, const Study& study);

}  // namespace scalestudy
