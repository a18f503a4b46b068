// Scaling laws of two or three parameters: Amdahl, Gustafson, USL.
//
// Fitted to trial values, all trials, on the log scale by default because noise is multiplicative.
// Before any statement check lack_of_fit_of_model with `fitted`; make none beyond twice the largest
// measured N. Parameters describe the curve, they are not measured causes. `df_taken`: degrees of
// freedom that were spent on the values before, by take_out_blocks. Source: METHODS.md, Curves.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "stats/robust_error.h"
#include "stats/status.h"

namespace scalestudy::stats {

enum class FitScale { kLog, kLinear };

// The serial fraction of Amdahl's law (strong scaling) or of Gustafson's (weak scaling) for which n
// devices take `ratio` times as long as one device.
double amdahl_serial(double ratio, double n);
double gustafson_serial(double ratio, double n);

struct AmdahlFit {
  Status status = Status::kInsufficientData;
  double level = 0.0;
  std::optional<double> t1;               // s, fitted time on one device
  std::optional<double> serial_fraction;  // s in t = t1 (s + (1 - s)/N)
  std::optional<double> se_serial;
  std::optional<double> serial_lo;
  std::optional<double> serial_hi;
  std::optional<double> df;
  std::optional<double> rss;   // on the scale of the fit
  std::vector<double> fitted;  // s, one per point
};

// t = t1 (s + (1 - s)/N), times in seconds.
//
//   n       devices of each trial, >= 1; t its step time, > 0; same length.
//   status  serial_below_zero: s < 0, superlinear.
//           insufficient_data: fewer than 2 distinct N, or no degree of freedom left.
//   groups  of the trials, for serial_interval() of shape_fit.h, on the log scale only; empty: the
//           residuals of all points spread alike.
AmdahlFit amdahl_fit(std::span<const double> n,
                     std::span<const double> t,
                     FitScale scale,
                     double level,
                     std::size_t df_taken = 0,
                     const TrialGroups& groups = {});

struct GustafsonFit {
  Status status = Status::kInsufficientData;
  double level = 0.0;
  std::optional<double> t1;               // s, fitted time on one device
  std::optional<double> serial_fraction;  // s in t = t1 N / (N - s (N - 1))
  std::optional<double> se_serial;
  std::optional<double> serial_lo;
  std::optional<double> serial_hi;
  std::optional<double> df;
  std::optional<double> rss;   // of ln t
  std::vector<double> fitted;  // s, one per point
};

// Weak scaling, N times the work on N devices: t = t1 N / (N - s (N - 1)), so that the scaled
// speedup N t1/t is N - s (N - 1), on the log scale. Times, not speedups: these share their base.
//
//   n, t    as for amdahl_fit, at one batch per device.
//   status  as for amdahl_fit.
GustafsonFit gustafson_fit(std::span<const double> n,
                           std::span<const double> t,
                           double level,
                           std::size_t df_taken = 0,
                           const TrialGroups& groups = {});

struct UslFit {
  Status status = Status::kInsufficientData;
  double level = 0.0;
  std::optional<double> lambda;  // throughput of one device
  std::optional<double> sigma;
  std::optional<double> kappa;
  std::optional<double> se_lambda;
  std::optional<double> se_sigma;
  std::optional<double> se_kappa;
  std::optional<double> sigma_lo;
  std::optional<double> sigma_hi;
  std::optional<double> kappa_lo;
  std::optional<double> kappa_hi;
  std::optional<double> df;
  std::optional<double> rss;     // on the scale of the fit
  std::optional<double> n_peak;  // sqrt((1 - sigma)/kappa); absent unless that is real
  std::vector<double> fitted;    // one per point, unit of y
};

// y = lambda N / (1 + sigma (N - 1) + kappa N (N - 1)), y a throughput.
//
//   n       devices of each trial, >= 1; y > 0; same length.
//   status  kappa_at_bound: the least squares lie at kappa < 0, or nowhere; refitted with kappa =
//           0, which leaves two free parameters. A bound breaks the normal theory: no se, interval
//           or peak for kappa, no interval for sigma.
//           insufficient_data: fewer than 3 distinct N, or no degree of freedom left.
//           degenerate: no finite optimum was found.
UslFit usl_fit(std::span<const double> n,
               std::span<const double> y,
               FitScale scale,
               double level,
               std::size_t df_taken = 0);

}  // namespace scalestudy::stats
