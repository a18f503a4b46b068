#include "tests/stats/simulation/curves.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "stats/alpha_beta.h"
#include "stats/ratio_interval.h"
#include "stats/scaling_law.h"
#include "stats/threshold.h"

namespace scalestudy::test {
namespace {

constexpr double kCurveLevel = 0.95;
constexpr double kTrialSd = 0.02;

std::vector<double> arm(std::size_t trials, double log_level, Noise& noise) {
  std::vector<double> times(trials);
  for (double& time : times) {
    time = std::exp(log_level) * noise.factor(kTrialSd);
  }
  return times;
}

std::vector<stats::TestedValue> measure(Curve curve,
                                        double crossing,
                                        std::size_t trials,
                                        Noise& noise) {
  std::vector<stats::TestedValue> values;
  for (int value = 0; value < kTestedValues; ++value) {
    const double x = std::ldexp(kLadderLow, value);
    const std::vector<double> base = arm(trials, log_speedup(curve, x, crossing), noise);
    const std::vector<double> cell = arm(trials, 0.0, noise);
    const stats::RatioInterval ratio = stats::log_ratio_delta(base, cell, kCurveLevel);
    values.push_back({.x = x, .g = std::log(*ratio.ratio), .se = *ratio.se_log, .df = *ratio.df});
  }
  return values;
}

bool holds(const std::vector<stats::Piece>& set, double x) {
  return std::any_of(set.begin(), set.end(), [&](const stats::Piece& piece) {
    return piece.lo <= x && x <= piece.hi;
  });
}

bool holds(const stats::Bracket& bracket, double x) {
  return (!bracket.lo || *bracket.lo <= x) && (!bracket.hi || x <= *bracket.hi);
}

}  // namespace

std::string_view name_of(Curve curve) {
  switch (curve) {
    case Curve::kLinear:
      return "linear in ln x";
    case Curve::kRealistic:
      return "S = N/(1 + K/x)";
    case Curve::kSaturating:
      return "saturating";
    case Curve::kShallow:
      return "shallow";
  }
  throw std::logic_error("name_of: not a Curve");
}

double log_speedup(Curve curve, double x, double crossing) {
  switch (curve) {
    case Curve::kLinear:
      return 0.4 * std::log(x / crossing);
    case Curve::kRealistic: {
      constexpr double devices = 8.0;
      return std::log(devices / (1.0 + (devices - 1.0) * crossing / x));
    }
    case Curve::kSaturating: {
      constexpr double top = 1.3;
      const double scale = crossing / std::log(top / (top - 1.0));
      return std::log(top * (1.0 - std::exp(-x / scale)));
    }
    case Curve::kShallow:
      return 0.04 * std::log(x / crossing);
  }
  throw std::logic_error("log_speedup: not a Curve");
}

ThresholdTally run_thresholds(
    Curve curve, std::size_t trials, double crossing, std::size_t replicates, std::uint64_t seed) {
  Noise noise(seed);
  ThresholdTally tally;
  double log_widths = 0.0;
  for (std::size_t r = 0; r < replicates; ++r) {
    const double truth = crossing > 0.0 ? crossing : 16.0 * std::pow(16.0, noise.uniform());
    const stats::Threshold threshold = stats::threshold_piecewise(
        measure(curve, truth, trials, noise), 0.0, kCurveLevel, stats::Direction::kIncreasing);
    tally.curvature.add(holds(threshold.set_curvature, truth));
    tally.linear.add(holds(threshold.set_linear, truth));
    tally.bracket.add(holds(threshold.bracket, truth));
    tally.two_sided.add(threshold.bracket.lo && threshold.bracket.hi);
    tally.crossed.add(threshold.status == stats::Status::kCrossed);
    tally.unresolved.add(threshold.status == stats::Status::kUnresolved);
    if (!threshold.set_curvature.empty()) {
      ++tally.found;
      log_widths +=
          std::log(threshold.set_curvature.back().hi / threshold.set_curvature.front().lo);
    }
  }
  tally.log_width = tally.found == 0 ? 0.0 : log_widths / static_cast<double>(tally.found);
  return tally;
}

LawTally run_laws(std::size_t trials, std::size_t replicates, std::uint64_t seed) {
  constexpr double sigma = 0.05;
  constexpr double kappa = 0.01;
  constexpr double serial = 0.05;
  Noise noise(seed);
  std::vector<double> devices;
  for (const double n : {1.0, 2.0, 4.0, 8.0, 16.0}) {
    devices.insert(devices.end(), trials, n);
  }
  LawTally tally;
  for (std::size_t r = 0; r < replicates; ++r) {
    std::vector<double> rates;
    std::vector<double> times;
    for (const double n : devices) {
      rates.push_back(n / (1.0 + sigma * (n - 1.0) + kappa * n * (n - 1.0)) *
                      noise.factor(kTrialSd));
      times.push_back((serial + (1.0 - serial) / n) * noise.factor(kTrialSd));
    }
    const stats::UslFit usl = stats::usl_fit(devices, rates, stats::FitScale::kLog, kCurveLevel);
    tally.kappa_at_bound.add(usl.status == stats::Status::kKappaAtBound);
    if (usl.sigma_lo) {
      tally.sigma.add_interval(*usl.sigma_lo, *usl.sigma_hi, sigma);
    }
    if (usl.kappa_lo) {
      tally.kappa.add_interval(*usl.kappa_lo, *usl.kappa_hi, kappa);
    }
    const stats::AmdahlFit amdahl =
        stats::amdahl_fit(devices, times, stats::FitScale::kLog, kCurveLevel);
    if (amdahl.serial_lo) {
      tally.serial.add_interval(*amdahl.serial_lo, *amdahl.serial_hi, serial);
    }
  }
  return tally;
}

LineTally run_lines(std::size_t trials, std::size_t replicates, std::uint64_t seed) {
  constexpr double alpha_s = 5e-6;
  constexpr double bandwidth = 2e9;
  Noise noise(seed);
  std::vector<double> bytes;
  for (const double size : {8.0, 128.0, 2048.0, 32768.0, 524288.0, 8388608.0, 67108864.0}) {
    bytes.insert(bytes.end(), trials, size);
  }
  LineTally tally;
  for (std::size_t r = 0; r < replicates; ++r) {
    std::vector<double> times_s;
    times_s.reserve(bytes.size());
    for (const double size : bytes) {
      times_s.push_back((alpha_s + size / bandwidth) * noise.factor(kTrialSd));
    }
    const stats::AlphaBetaFit fit = stats::alpha_beta_fit(bytes, times_s, kCurveLevel);
    if (fit.alpha_lo) {
      tally.alpha.add_interval(*fit.alpha_lo, *fit.alpha_hi, alpha_s);
    }
    if (fit.bandwidth_lo && fit.bandwidth_hi) {
      tally.bandwidth.add_interval(*fit.bandwidth_lo, *fit.bandwidth_hi, bandwidth);
    }
  }
  return tally;
}

}  // namespace scalestudy::test
