// Tails and quantiles of the reference distributions. The only file that includes Boost.Math.
//
// Degrees of freedom need not be whole. Upper tails come from complements, so p values of 1e-130
// keep their digits. Arguments outside a distribution's domain give NaN: callers check first.
#pragma once

#include <cstddef>

namespace scalestudy::stats {

// t with P(|t_df| <= t) = level; level in (0, 1), df > 0.
double student_t_critical(double level, double df);

// P(t_df >= t).
double student_t_upper_tail(double t, double df);

// P(|t_df| >= |t|).
double student_t_two_sided_p(double t, double df);

// P(T >= t) and P(T <= t), T noncentral t with noncentrality `ncp`.
double noncentral_t_upper_tail(double t, double df, double ncp);
double noncentral_t_lower_tail(double t, double df, double ncp);

// P(F_{df1,df2} >= f).
double fisher_f_upper_tail(double f, double df1, double df2);

// x with P(chi^2_df <= x) = p; p in (0, 1), df > 0.
double chi_squared_quantile(double p, double df);

// P(chi^2_df >= x); x >= 0, df > 0.
double chi_squared_upper_tail(double x, double df);

// P(|Z| >= |z|), Z standard normal.
double normal_two_sided_p(double z);

// P(Z <= z), and z with P(Z <= z) = p for p in (0, 1); Z standard normal.
double normal_lower_tail(double z);
double normal_quantile(double p);

// P(X <= k), X ~ Binomial(n, 1/2).
double fair_coin_lower_tail(std::size_t n, std::size_t k);

// P(X >= k), X ~ Binomial(n, p); p in [0, 1].
double binomial_upper_tail(std::size_t n, double p, std::size_t k);

}  // namespace scalestudy::stats
