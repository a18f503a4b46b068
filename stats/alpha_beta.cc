#include "stats/alpha_beta.h"

#include <cmath>
#include <vector>

#include "stats/bounds.h"
#include "stats/check.h"
#include "stats/distributions.h"
#include "stats/estimate.h"
#include "stats/least_squares.h"

namespace scalestudy::stats {

AlphaBetaFit alpha_beta_fit(std::span<const double> bytes,
                            std::span<const double> seconds,
                            double level,
                            std::size_t df_taken) {
  AlphaBetaFit result;
  result.level = level;
  if (!all_positive(bytes) || !all_positive(seconds) || bytes.size() != seconds.size() ||
      !is_level(level)) {
    result.status = Status::kInvalidInput;
    return result;
  }
  if (bytes.size() < 3 + df_taken) {
    return result;
  }
  std::vector<std::vector<double>> columns(2);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    columns[0].push_back(1.0 / seconds[i]);
    columns[1].push_back(bytes[i] / seconds[i]);
  }
  const auto fit = least_squares(columns, std::vector<double>(bytes.size(), 1.0));
  if (!fit) {
    result.status = Status::kDegenerate;
    return result;
  }
  const double df = static_cast<double>(bytes.size() - df_taken) - 2.0;
  const double variance = fit->rss / df;
  const double t = student_t_critical(level, df);
  const double alpha = fit->coef[0];
  const double beta = fit->coef[1];
  const double se_alpha = std::sqrt(variance * fit->unscaled_covariance[0]);
  const double se_beta = std::sqrt(variance * fit->unscaled_covariance[3]);
  const Estimate bandwidth = invert_estimate(
      keep_inside({.value = beta, .lo = beta - t * se_beta, .hi = beta + t * se_beta},
                  Range::kPositive),
      1.0);
  result.status = Status::kOk;
  result.alpha_s = alpha;
  result.beta_s_per_byte = beta;
  result.se_alpha = se_alpha;
  result.se_beta = se_beta;
  result.alpha_lo = alpha - t * se_alpha;
  result.alpha_hi = alpha + t * se_alpha;
  result.bandwidth_bytes_per_s = bandwidth.value;
  result.bandwidth_lo = bandwidth.lo;
  result.bandwidth_hi = bandwidth.hi;
  result.rel_residual_sd = std::sqrt(variance);
  result.df = df;
  return result;
}

}  // namespace scalestudy::stats
