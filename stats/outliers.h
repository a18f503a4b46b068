// Classification of unusual values. Nothing is ever removed here.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "stats/status.h"

namespace scalestudy::stats {

inline constexpr double kModifiedZThreshold = 3.5;

enum class ZScale { kMad, kMeanAd, kNone };

struct ModifiedZ {
  Status status = Status::kInsufficientData;
  std::optional<double> median;
  std::optional<double> mad;      // median |x - median|, unscaled
  std::optional<double> mean_ad;  // mean |x - median|
  ZScale scale_used = ZScale::kNone;
  std::vector<double> scores;  // in the order of x
  std::vector<bool> outlier;   // |score| > threshold, strictly
  std::size_t n_outliers = 0;
};

// M_i = 0.6745 (x_i - median) / MAD. MAD = 0: (x_i - median) / (1.253314 mean|x - median|). Both 0:
// all scores 0, status zero_variance.
//
//   x          any unit, measurement order. invalid_input when not finite or threshold <= 0.
//   caution    in clean normal samples it flags something in 28 % (n = 3) to 9 % (n = 100) of them.
//   source     Iglewicz & Hoaglin 1993 with their rounded constants.
ModifiedZ modified_z(std::span<const double> x, double threshold = kModifiedZThreshold);

struct HighOutliers {
  Status status = Status::kInsufficientData;
  std::optional<double> p;  // how often a normal sample holds values as far above the rest
};

// Whether up to `most` values stand out above the rest, with an error rate: Grubbs' one-sided test
// of the largest value, again without it, and so on; Bonferroni over values and steps, so that p <
// a in at most a share a of normal samples, and one outlier does not hide another.
//
//   x       any unit on which clean values are normal: logarithms of times.
//   status  insufficient_data: n < 3; zero_variance: all equal; invalid_input: not finite, most 0.
//   source  Grubbs 1950; Rosner 1975 for the sequence. A sample without its largest values is
//           lighter in that tail than a normal one, so that later steps err on the safe side.
HighOutliers high_outliers(std::span<const double> x, std::size_t most);

}  // namespace scalestudy::stats
