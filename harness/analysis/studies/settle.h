// What would settle the comparisons that a finished study leaves open: how many blocks more.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/observe/observation.h"

namespace scalestudy {

// An open comparison on the scale of logarithms: of paired blocks, or of trials that are no pairs.
struct OpenRatio {
  double log_ratio = 0.0;   // as measured
  double log_sd = 0.0;      // of one block's logarithm of the ratio, > 0
  double log_margin = 0.0;  // smaller differences do not matter
  double alpha = 0.05;      // two-sided
  double sides = 1.0;       // degrees of freedom of n blocks: sides (n - 1); 2 without pairs
};

// The probability that so many blocks (2 or more) show a difference or equivalence within the
// margin, if the measured ratio is the true one.
// - source: one-sample t on logarithms by a shifted t, as in METHODS.md, Sessions.
double chance_to_decide(const OpenRatio& open, std::int64_t blocks);

// The fewest blocks, from `least` to `most`, whose chance_to_decide() is 0.8. Absent if no number
// up to `most` has it.
std::optional<std::int64_t> blocks_that_decide(const OpenRatio& open,
                                               std::int64_t least,
                                               std::int64_t most);

struct Settling {
  std::int64_t more_blocks = 0;       // 0: no number that can be recommended settles anything
  int count = 0;                      // trials of each cell with these blocks
  double time_s = 0.0;                // of these blocks, by the trials so far
  std::vector<std::string> settled;   // cells whose comparison they would probably settle
  std::vector<std::string> possible;  // cells whose comparison the most blocks settle with a chance
                                      // of 0.5 to 0.8
  std::vector<std::string> beyond;    // the other cells whose comparison stays open
  std::vector<std::string> nightly;   // open comparisons between sessions, which further blocks do
                                      // not settle
  bool has_budget = false;            // whether a budget was given
  bool is_imported = false;           // the blocks cannot be run, nor is their time known
};

// Considers up to four times the blocks that the study has, as far as the budget allows if there is
// one.
// - comparisons: those of the observation.
// - returns: nullopt if nothing is open, trials are still to run, or the study decides by itself
//   when it has enough of them (search, until, for: verdicts).
std::optional<Settling> what_settles(const StudyObservation& observation,
                                     const Study& study,
                                     const std::vector<ComparisonRow>& comparisons,
                                     double budget_s = std::numeric_limits<double>::infinity());

// "8 more blocks (about 9 min) would probably settle 2 open comparisons (2 devices, batch 64; 2
// devices, batch 128)."; or what four times as many trials may do. "" if only comparisons between
// sessions are open.
std::string settling_sentence(const Settling& settling);

// That sentence with the command that runs the blocks (not of imported trials), and what open
// comparisons between sessions need. At least one line.
// - run: "scalestudy run demo"
std::vector<std::string> settling_lines(const Settling& settling, const std::string& run);

// The notes undecided: settling_lines().
std::vector<ThreatRow> settling_threats(const StudyObservation& observation,
                                        const Study& study,
                                        const std::vector<ComparisonRow>& comparisons);

}  // namespace scalestudy
