// Rates that a program prints, recomputed from the time of its steps by the relations of the audit.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "harness/audit/figure/figure.h"
#include "harness/store/rows/rate_words.h"

namespace scalestudy::audit {

// What a metric is by its name and unit.
struct RateKind {
  std::string quantity;    // throughput, flop_rate, mfu, step_time, each also `..._per_device`
  double unit_size = 1.0;  // base units of one of the metric's
};

// Absent for a metric that is none of these: samples, images, sequences or tokens a second, FLOP/s,
// the model's share of peak FLOP/s, the time of a step.
std::optional<RateKind> rate_kind(const std::string& metric, const std::string& unit);

// A printed rate and the run that it is of.
struct PrintedRate {
  std::string quantity;
  std::string unit;  // as printed: whether samples or tokens are counted
  Range value;       // base units, with the rounding of what is printed
  Range step_time;   // s; a rate that fits any time in it follows
  // By quantity: devices, batch_global, sequence_length, flop_per_step, peak_flop_rate ...
  std::map<std::string, Range> facts;
};

struct RateCheck {
  RateVerdict verdict = RateVerdict::kCannotBeChecked;
  std::optional<Range> recomputed;  // base units; absent for kCannotBeChecked
  std::string from;                 // the formula, or why the rate cannot be checked
};

// A figure that follows by any relation follows. If none gives it, known mistakes are tried: the
// rate of one device for that of all and the other way round, powers of 1024 for powers of 1000
// (told only if the ranges are narrow enough to tell 2.4 %), and a peak of twice or half the
// FLOP/s.
RateCheck check_rate(const PrintedRate& rate);

}  // namespace scalestudy::audit
