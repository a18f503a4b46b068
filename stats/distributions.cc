#include "stats/distributions.h"

#include <cmath>

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/non_central_t.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>

namespace scalestudy::stats {
namespace {

namespace policies = boost::math::policies;

// Boost throws by default; statistics report a status instead. It also computes in long double by
// default: a t quantile takes 2.4 us then, not 0.3, for digits that no oracle here asks for.
using Quiet = policies::policy<policies::domain_error<policies::ignore_error>,
                               policies::pole_error<policies::ignore_error>,
                               policies::overflow_error<policies::ignore_error>,
                               policies::evaluation_error<policies::ignore_error>,
                               policies::promote_double<false>>;
using StudentT = boost::math::students_t_distribution<double, Quiet>;
using NoncentralT = boost::math::non_central_t_distribution<double, Quiet>;
using FisherF = boost::math::fisher_f_distribution<double, Quiet>;
using ChiSquared = boost::math::chi_squared_distribution<double, Quiet>;
using Normal = boost::math::normal_distribution<double, Quiet>;
using Binomial = boost::math::binomial_distribution<double, Quiet>;

// Boost numbers the terms of a noncentral t from ncp^2/2 on, as an int, and throws where that is
// none. From here on the normal part, ncp + z, is ncp to 1e-4 of it.
constexpr double kFarOut = 1e4;

double far_out_upper_tail(double t, double df, double ncp) {
  const double most = df * (ncp / t) * (ncp / t);
  return t > 0.0 && std::isfinite(most) ? cdf(ChiSquared(df), most) : 1.0;
}

}  // namespace

double student_t_critical(double level, double df) {
  return quantile(complement(StudentT(df), (1.0 - level) / 2.0));
}

double student_t_upper_tail(double t, double df) {
  return cdf(complement(StudentT(df), t));
}

double student_t_two_sided_p(double t, double df) {
  return 2.0 * cdf(complement(StudentT(df), std::abs(t)));
}

double noncentral_t_upper_tail(double t, double df, double ncp) {
  return ncp > kFarOut ? far_out_upper_tail(t, df, ncp) : cdf(complement(NoncentralT(df, ncp), t));
}

double noncentral_t_lower_tail(double t, double df, double ncp) {
  return ncp > kFarOut ? 1.0 - far_out_upper_tail(t, df, ncp) : cdf(NoncentralT(df, ncp), t);
}

double fisher_f_upper_tail(double f, double df1, double df2) {
  return cdf(complement(FisherF(df1, df2), f));
}

double chi_squared_quantile(double p, double df) {
  return quantile(ChiSquared(df), p);
}

double chi_squared_upper_tail(double x, double df) {
  return cdf(complement(ChiSquared(df), x));
}

double normal_two_sided_p(double z) {
  return 2.0 * cdf(complement(Normal(0.0, 1.0), std::abs(z)));
}

double normal_lower_tail(double z) {
  return cdf(Normal(0.0, 1.0), z);
}

double normal_quantile(double p) {
  return quantile(Normal(0.0, 1.0), p);
}

double fair_coin_lower_tail(std::size_t n, std::size_t k) {
  return cdf(Binomial(static_cast<double>(n), 0.5), static_cast<double>(k));
}

double binomial_upper_tail(std::size_t n, double p, std::size_t k) {
  return k == 0
             ? 1.0
             : cdf(complement(Binomial(static_cast<double>(n), p), static_cast<double>(k) - 1.0));
}

}  // namespace scalestudy::stats
