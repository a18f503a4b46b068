// A race of many settings over whole blocks: which setting leads, how long a round is, and how many
// fresh blocks confirm the leader.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>

#include "stats/status.h"

namespace scalestudy::stats {

struct RaceStanding {
  double level = 0.0;  // mean of the setting's values, with block effects taken out
  std::size_t n = 0;   // how many values it has
};

struct RaceStandings {
  Status status = Status::kInsufficientData;
  std::map<std::int64_t, RaceStanding> of;  // by setting
  // Residual standard deviation of one value, given its setting and its block; absent if no degrees
  // of freedom are left or nothing varies.
  std::optional<double> sd;
};

// Where the settings of a race are. Settings may lack blocks: one that left lacks all later ones.
// - y: one value per trial, on the scale on which blocks add (logarithms); higher is better.
// - setting, block: of each value.
// - status, source: as take_out_blocks.
RaceStandings race_standings(std::span<const double> y,
                             std::span<const std::int64_t> setting,
                             std::span<const std::int64_t> block);

// Rounds that halve this many settings to one, rounding up: 6 for 64, 0 for 1.
std::size_t halving_rounds(std::size_t settings);

// Blocks of the next round of sequential halving: the remaining budget divided by the remaining
// rounds, in whole blocks, at least one.
//   budget  > 0 if something is left, in the unit of `block`, the cost of one block.
//   source  Karnin, Koren & Somekh, Almost optimal exploration in multi-armed bandits, ICML 2013,
//           algorithm 1; values of earlier rounds stay, as in Jamieson & Talwalkar, AISTATS 2016.
std::size_t halving_blocks(double budget, double block, std::size_t settings);

// Blocks after which the better of two settings that differ by the ratio 1 + rel_diff leads with a
// probability of `chance`: 2 (z sd / ln(1 + rel_diff))^2, rounded up, one at least. 0 for arguments
// out of range: sd, rel_diff > 0 and chance in (1/2, 1).
std::size_t blocks_to_lead(double sd, double rel_diff, double chance);

// Smallest number of blocks, 2 to 10^6, in which a paired t test on logarithms detects a ratio of 1
// + rel_diff, and two one-sided tests call equal settings equivalent within it, each with `power`.
// - sd: residual standard deviation of one value, given its setting and block, > 0.
// - alpha: of each test; divide it by the number of tests for the first step of Holm.
// - returns: nothing for arguments out of range, or if 10^6 blocks are not enough.
// - source: noncentral t with n - 1 degrees of freedom; equivalence by shifted t on both sides.
std::optional<std::size_t> blocks_to_confirm(double sd,
                                             double rel_diff,
                                             double alpha,
                                             double power);

}  // namespace scalestudy::stats
