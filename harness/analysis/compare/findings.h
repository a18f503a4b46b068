// Verdicts as sentences with their numbers.
#pragma once

#include <optional>
#include <string>

#include "harness/analysis/cells/claims.h"
#include "harness/analysis/compare/ratios.h"
#include "harness/analysis/observe/observation.h"
#include "stats/estimate.h"
#include "stats/verdict.h"
#include "workloads/names/names.h"

namespace scalestudy {

using names::kAgainstWinner, names::kEfficiency, names::kFastest, names::kOverhead,
    names::kOverlapGain, names::kSpeedup;
// The parts of kOverhead by the control barrier: waiting for other ranks, and moving gradients.
inline constexpr const char* kSynchronization = "synchronization_overhead";
inline constexpr const char* kTransfer = "transfer_overhead";
inline constexpr const char* kAa = "aa";
inline constexpr const char* kDeviceMatch =
    "device_match";  // a device's throughput over device 0's
// The effect of a setting on average over combinations of others, and the combinations in which it
// differs from that (main_effects.h).
inline constexpr const char* kMainEffect = "main_effect";
inline constexpr const char* kInteraction = "interaction";
// kCheapest (harness/study/declared/cost.h): the samples that a cell trains for the same cost, over
// those of the cheapest cell.
// Further quantities are the names of metrics that the study asks for: values over the baseline's.

// A comparison before it is a stored row.
struct Comparison {
  const CellObservation* cell = nullptr;
  const CellObservation* base = nullptr;
  TimeRatio ratio;
  stats::JudgedRatio verdict;
  double alpha =
      0.05;  // the error rate of its question: 1 - the confidence that the study declares
  std::optional<NoClaim> no_claim{};       // why_no_claim() or why_lost()
  const MetricRequest* request = nullptr;  // set for a metric that the study asks for
  bool is_of_seeds = false;                // each value is what one seed learned
  std::string failed_seeds{};              // how many seeds did not train: no equivalence then
  std::string no_efficiency{};             // of a speedup: why_no_efficiency()
  std::size_t family_size = 1;  // comparisons that the p value is adjusted for, this one included
  ComparisonRow row;
};

// Whether the quantity is a share of the step.
bool is_overhead(const std::string& quantity);

// The value of a quantity from a ratio of step times: the ratio, or 1 - ratio for a share of the
// step.
stats::Estimate quantity_of(const std::string& quantity, const stats::RatioInterval& ratio);

// The comparison as a sentence: "2 devices, batch 256: 1.62x [1.55, 1.70] the throughput of 1
// device (strong scaling, paired over 8 blocks): faster by more than 2 %".
std::string describe_comparison(const Comparison& comparison);

// What that sentence adds to the columns value, verdict, method and n: "by more than 2 %; left out
// without a partner: 1 trial of this cell and 0 of the other". Of a speedup also why it has no
// efficiency. Empty if it adds nothing.
std::string describe_remark(const Comparison& comparison);

// The note as " (note)"; empty if the note is.
std::string in_brackets(const std::string& note);

}  // namespace scalestudy
