// Which law of a scaling curve is the best at counts it has not seen.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "stats/step_law.h"

namespace scalestudy::stats {

// Fewest distinct counts for which a law is chosen: when one is left out, there must be more counts
// left than the richest law has parameters.
inline constexpr std::size_t kFewestCounts = 5;

// Errors that differ by less than this count as equal: laws that fit exactly, or are the same
// curve, differ by rounding.
inline constexpr double kErrorRounding = 1e-9;

// How well a law predicts counts that were left out of its fit.
struct HeldOutError {
  StepLaw law = StepLaw::kPerfect;
  Status status = Status::kInsufficientData;
  std::size_t free_parameters = 0;
  std::optional<double> error = {};         // mean over counts of |predicted/measured - 1|
  std::vector<double> error_by_count = {};  // by increasing count
};

struct LawChoice {
  Status status = Status::kInsufficientData;
  std::size_t counts = 0;  // distinct numbers of devices
  std::vector<HeldOutError> laws;
  std::optional<StepLaw> chosen;  // absent unless the status is ok
};

// Leaves out each distinct count once, fits the law to the others and compares its prediction with
// the geometric mean of the trials there.
//
//   status  ok; insufficient_data: fewer than 3 counts; else that of a fit that failed.
HeldOutError leave_counts_out(StepLaw law, const StepPoints& points);

// Chooses the law with the fewest parameters whose errors, paired by count, exceed those of the
// best law by at most one standard error of the difference (the one-standard-error rule of Breiman
// et al. 1984). Between laws with as many parameters the smaller error decides.
//
//   status  insufficient_data: fewer than kFewestCounts counts, no errors then; degenerate: no law
//           could be fitted.
LawChoice choose_law(const StepPoints& points, std::span<const StepLaw> candidates);

// Geometric mean of the times at count n.
double mean_time_at(const StepPoints& points, double n);

// The points at the counts for which `is_kept` returns true.
struct KeptPoints {
  std::vector<double> n;
  std::vector<double> t;
};
KeptPoints keep_points(const StepPoints& points, const std::function<bool(double n)>& is_kept);

}  // namespace scalestudy::stats
