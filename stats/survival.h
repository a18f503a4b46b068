// Times until something happens, where some trials end before it does: those are censored.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "stats/status.h"

namespace scalestudy::stats {

// The time until the event, or, without it, the time until which there was none.
struct Lifetime {
  double time = 0.0;  // > 0, any unit
  bool has_event = true;
};

// The survival curve from one time of an event to the next.
struct SurvivalStep {
  double time = 0.0;
  std::size_t at_risk = 0;   // lifetimes that reach `time`, those censored at it included
  std::size_t events = 0;    // at `time`
  double survival = 0.0;     // share without the event after `time`
  std::optional<double> lo;  // of its log-log interval; absent where survival is 0
  std::optional<double> hi;
};

// The product-limit estimate of Kaplan and Meier, a step for each distinct time of an event, with
// the interval of Greenwood's variance on the scale of log(-log(survival)).
//
//   returns  nothing where no lifetime has an event, for input that is not positive and finite, and
//            for a level outside (0, 1).
//   source   Kaplan & Meier 1958; Kalbfleisch & Prentice 1980.
std::vector<SurvivalStep> kaplan_meier(std::span<const Lifetime> lifetimes, double level);

struct MedianLifetime {
  Status status = Status::kInsufficientData;
  std::size_t n = 0;
  std::size_t events = 0;
  std::optional<double> median;  // time from which half or fewer are without the event
  std::optional<double> lo;      // absent: no event
  std::optional<double> hi;      // absent: not known, the interval is open above
};

// The median; if the curve is 1/2 over a range of times, the middle of that range. Without
// censoring it is the ordinary median. The interval is that of Brookmeyer and Crowley: the times at
// which the interval of the survival curve contains 1/2.
//
//   status  not_reached: more than half are without the event at the end of the curve, so that
//           there is no median; lo is then a lower bound. unattainable: no interval of so few
//           covers `level` (n < 5 at 95 %); the median is given. invalid_input: as in
//           kaplan_meier().
//   source  Brookmeyer & Crowley 1982; METHODS.md, Times until something is reached.
MedianLifetime median_lifetime(std::span<const Lifetime> lifetimes, double level);

struct LogRank {
  Status status = Status::kInsufficientData;
  double excess = 0.0;            // events of b beyond those expected if both were alike
  std::optional<double> p;        // two-sided
  bool is_exact = false;          // p counts all divisions into two groups of these sizes
  std::optional<double> least_p;  // the smallest p that lifetimes of these numbers can give
};

// Whether a and b have the same distribution, by their log-rank scores: exactly, over all divisions
// of the pooled lifetimes, up to 200,000 divisions; beyond, by the chi-squared distribution.
//
//   status  insufficient_data: a side is empty, or there is no event.
//   source  Mantel 1966; Peto & Peto 1972.
LogRank log_rank(std::span<const Lifetime> a, std::span<const Lifetime> b);

}  // namespace scalestudy::stats
