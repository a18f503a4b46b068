// Studies whose truth is known, from the study file to the text of the report: how often is what
// they say wrong, and does one place of a report ever contradict another?
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "tests/stats/simulation/experiment.h"

namespace scalestudy::test {

struct SaidTally {
  Tally wrong_of_two;   // of studies of two cells a problem: some verdict is wrong
  Tally wrong_of_more;  // of studies of three or more: some verdict is wrong, or a best dropped
  Tally wrong_targets;  // of questions (a study and a level): some target is wrongly decided
  Tally kept_best;      // of problems of three or more cells: the true best is not excluded
  Tally covered;        // of break-evens with a set, trials as a normal sample: it holds the truth
  Tally covered_if_slow;     // the same with slow launches among the trials
  std::size_t resolved = 0;  // verdicts of two cells a problem that are faster or slower
  std::size_t by_holm = 0;   // the same by Holm's procedure, computed here from their p values
  std::size_t studies = 0;
  std::map<std::string, int> contradictions;  // in words, with their numbers
};

// Draws a study by its seed: 2 to 12 pairs in problems of 2 to 8 cells, 3 to 20 trials that vary by
// 4 or 10 %, in two of five studies with a tenth of the launches three times slower. The gain grows
// with the batch; in half of the studies that of some pair is within two standard errors of none,
// in a quarter all cells are equal. A study of 1 and 2 devices with five batches and eight trials
// or more adds up to four cells to find its break-even (refine), as `run` does.
// - is_rendered: makes the report's texts as well, and looks for contradictions among them.
void add_simulated_study(std::uint64_t seed, bool is_rendered, SaidTally& tally);

// Writes these texts into a folder, for contradictions.py; none of the figures.
// - files: by path, as ReportFiles.
std::map<std::string, std::string> simulated_report(std::uint64_t seed);

}  // namespace scalestudy::test
