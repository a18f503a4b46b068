// Which law of a scaling curve is the best at counts it has not seen.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "stats/step_law.h"

namespace scalestudy::stats {

// With fewer distinct counts no law is chosen: leaving one out must leave more of them than the
// richest law has parameters.
inline constexpr std::size_t kFewestCounts = 5;

// Errors of laws that fit exactly, or that are the same curve, differ by rounding: by less than
// this.
inline constexpr double kErrorRounding = 1e-9;

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
  std::optional<StepLaw> chosen;
};

// Each distinct count in turn is left out of the fit and predicted; measured there is the geometric
// mean of its trials.
//
//   status  ok; insufficient_data: fewer than 3 counts; else that of a fit that failed.
HeldOutError leave_counts_out(StepLaw law, const StepPoints& points);

// The law of the fewest parameters whose errors are, count by count, not above those of the best by
// more than one standard error of that difference (the one-standard-error rule of Breiman et al.
// 1984, paired); of two with as many parameters that of the smaller error.
//
//   status  insufficient_data: fewer than kFewestCounts counts, no errors then; degenerate: no law
//           could be fitted.
LawChoice choose_law(const StepPoints& points, std::span<const StepLaw> candidates);

// Geometric mean of the times at that count.
double mean_time_at(const StepPoints& points, double n);

// The points at counts for which `is_kept`.
struct KeptPoints {
  std::vector<double> n;
  std::vector<double> t;
};
KeptPoints keep_points(const StepPoints& points, const std::function<bool(double n)>& is_kept);

}  // namespace scalestudy::stats
