#include "stats/regression.h"

#include <cmath>
#include <map>
#include <vector>

#include "stats/check.h"
#include "stats/distributions.h"
#include "stats/sum.h"
#include "stats/summary.h"

namespace scalestudy::stats {

LinearFit linreg(std::span<const double> x, std::span<const double> y) {
  LinearFit result;
  if (!all_finite(x) || !all_finite(y) || x.size() != y.size()) {
    result.status = Status::kInvalidInput;
    return result;
  }
  if (x.size() < 3) {
    return result;
  }
  const Moments m_x = moments(x);
  const Moments m_y = moments(y);
  if (!(m_x.variance > 0.0)) {
    result.status = Status::kDegenerate;
    return result;
  }
  const auto sum = [&](const auto& term) { return pairwise_sum(0, x.size(), term); };
  const auto n = static_cast<double>(x.size());
  const double s_xx = m_x.variance * (n - 1.0);
  const double slope =
      sum([&](std::size_t i) { return (x[i] - m_x.mean) * (y[i] - m_y.mean); }) / s_xx;
  const double rss = sum([&](std::size_t i) {
    const double residual = (y[i] - m_y.mean) - slope * (x[i] - m_x.mean);
    return residual * residual;
  });
  const double df = n - 2.0;
  const double variance = rss / df;
  result.status = Status::kOk;
  result.slope = slope;
  result.intercept = m_y.mean - slope * m_x.mean;
  result.se_slope = std::sqrt(variance / s_xx);
  result.se_intercept = std::sqrt(variance * (1.0 / n + m_x.mean * m_x.mean / s_xx));
  result.cov = -m_x.mean * variance / s_xx;
  result.residual_sd = std::sqrt(variance);
  result.df = df;
  return result;
}

LackOfFit lack_of_fit_of_model(std::span<const double> x,
                               std::span<const double> y,
                               std::span<const double> fitted,
                               std::size_t parameters,
                               std::size_t df_taken) {
  LackOfFit result;
  if (!all_finite(x) || !all_finite(y) || !all_finite(fitted) || x.size() != y.size() ||
      x.size() != fitted.size()) {
    result.status = Status::kInvalidInput;
    return result;
  }
  std::map<double, std::vector<std::size_t>> levels;
  for (std::size_t i = 0; i < x.size(); ++i) {
    levels[x[i]].push_back(i);
  }
  if (levels.size() <= parameters || x.size() <= levels.size() + df_taken) {
    return result;
  }
  double pure_error = 0.0;
  double misfit = 0.0;
  for (const auto& [value, members] : levels) {
    std::vector<double> replicates;
    for (const std::size_t i : members) {
      replicates.push_back(y[i]);
    }
    const Moments m = moments(replicates);
    const auto count = static_cast<double>(members.size());
    const double gap = m.mean - fitted[members.front()];
    pure_error += m.variance * (count - 1.0);
    misfit += count * gap * gap;
  }
  if (!(pure_error > 0.0)) {
    result.status = Status::kZeroVariance;
    return result;
  }
  result.status = Status::kOk;
  result.df1 = static_cast<double>(levels.size() - parameters);
  result.df2 = static_cast<double>(x.size() - levels.size() - df_taken);
  result.f = (misfit / *result.df1) / (pure_error / *result.df2);
  result.p = fisher_f_upper_tail(*result.f, *result.df1, *result.df2);
  return result;
}

}  // namespace scalestudy::stats
