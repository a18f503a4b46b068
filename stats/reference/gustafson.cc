#include "stats/reference/gustafson.h"

#include <cmath>
#include <vector>

#include "stats/distributions.h"
#include "stats/least_squares.h"
#include "stats/scaling_law_check.h"

namespace scalestudy::stats {

GustafsonLine gustafson_line(std::span<const double> n,
                             std::span<const double> scaled_speedup,
                             double level) {
  GustafsonLine result;
  result.level = level;
  result.status = check_scaling_points(n, scaled_speedup, 1, level, 0);
  if (result.status != Status::kOk) {
    return result;
  }
  std::vector<std::vector<double>> columns(1);
  std::vector<double> lost;
  for (std::size_t i = 0; i < n.size(); ++i) {
    columns[0].push_back(n[i] - 1.0);
    lost.push_back(n[i] - scaled_speedup[i]);
  }
  const auto fit = least_squares(columns, lost);
  if (!fit) {
    result.status = Status::kDegenerate;
    return result;
  }
  const double df = static_cast<double>(n.size()) - 1.0;
  const double se = std::sqrt(fit->rss / df * fit->unscaled_covariance.front());
  const double half_width = student_t_critical(level, df) * se;
  result.serial_fraction = fit->coef.front();
  result.se = se;
  result.lo = fit->coef.front() - half_width;
  result.hi = fit->coef.front() + half_width;
  result.df = df;
  return result;
}

}  // namespace scalestudy::stats
