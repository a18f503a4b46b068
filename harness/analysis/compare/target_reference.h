// Values from elsewhere that targets ask for a share of: a published figure, or another study's.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "harness/analysis/observe/observation.h"
#include "stats/ratio_interval.h"

namespace scalestudy {

// The value that a target's level is a share of, for one cell.
struct TargetReference {
  std::optional<double> value;  // in the metric's unit; > 0
  std::string told;             // where it is from: "published in paper, table_2/throughput/3"
  std::string missing;          // why there is none
  // The cell over the cell of another study, over the means of sessions; absent for a published
  // figure, which the test takes as a constant.
  std::optional<stats::RatioInterval> ratio;
};

// By the target's name and the cell's id.
using TargetReferences = std::map<std::pair<std::string, std::int64_t>, TargetReference>;

// "95 % of published:paper".
std::string reference_text(const Target& target);

// What a test against a reference repeats.
enum class Repeat {
  kTrial,
  kSession,        // where the test takes a session as the unit
  kSessionOfBoth,  // a session of this study and one of the other
};

// How many repeats the target needs: "with equal values, 6 trials give 80 % power". Empty if no
// number shows it: equal values do not meet the target or are its level, or it is on an overhead,
// which is not tested as a ratio.
// - log_sd: of one repeat's value on the scale of logarithms.
// - source: METHODS.md, Sessions: the noncentral t at the question's alpha.
std::string power_text(const Target& target, double log_sd, double alpha, Repeat repeat);

}  // namespace scalestudy
