// What is said of a fitted law.
#include "harness/analysis/laws/law_finding.h"

#include <optional>

#include "tests/support/catch.h"

using namespace scalestudy;

namespace {

LawRow make_row(Law law,
                RowStatus status,
                const std::string& parameter,
                std::optional<double> value = {},
                double half_width = 0.0) {
  LawRow row;
  row.law = law;
  row.group_label = "batch_global=64";  // not said: it is a column
  row.parameter = parameter;
  row.status = status;
  row.value = value;
  row.n = 8;
  row.levels = 2;
  if (value && half_width > 0.0) {
    row.lo = *value - half_width;
    row.hi = *value + half_width;
  }
  return row;
}

// Of Amdahl's law, its serial fraction and the p value of its lack of fit, where it was tested.
std::string amdahl(RowStatus status,
                   std::optional<double> serial,
                   std::optional<double> p_value,
                   const LawFacts& facts) {
  return describe_law({make_row(Law::kAmdahl, status, "serial_fraction", serial, 0.01),
                       make_row(Law::kAmdahl, status, "lack_of_fit_p", p_value)},
                      facts);
}

std::string usl(RowStatus status, const LawRow& kappa, std::optional<double> peak) {
  return describe_law({make_row(Law::kUsl, status, "sigma", 0.05, 0.01),
                       kappa,
                       make_row(Law::kUsl, status, "n_peak", peak),
                       make_row(Law::kUsl, status, "lack_of_fit_p", 0.4)},
                      {.scaling = Scaling::kStrong, .devices = {1, 2, 4}});
}

std::string line(RowStatus status,
                 std::optional<double> p_value,
                 const std::vector<std::int64_t>& sizes) {
  return describe_alpha_beta({make_row(Law::kAlphaBeta, status, "alpha_s", 5e-6, 1e-7),
                              make_row(Law::kAlphaBeta, status, "bandwidth_bytes_per_s", 2e9, 1e7),
                              make_row(Law::kAlphaBeta, status, "relative_residual_sd", 0.0123),
                              make_row(Law::kAlphaBeta, status, "lack_of_fit_p", p_value)},
                             sizes);
}

const LawFacts kFour = {.scaling = Scaling::kStrong, .devices = {1, 2, 4, 8}};
const LawFacts kTwo = {.scaling = Scaling::kStrong, .devices = {1, 2}};

}  // namespace

TEST_CASE("a law that was tested is not rejected, and nothing is said far beyond", "[analysis]") {
  CHECK(amdahl(RowStatus::kOk, 0.1, 0.9, kFour) ==
        "Amdahl's law is not rejected at 1, 2, 4 and 8 devices (lack of fit p = "
        "0.90): serial fraction 10.0 % [9.0, 11.0]; nothing is said above 16 devices");
}

TEST_CASE("a law through as many points as it has parameters is not tested", "[analysis]") {
  CHECK(amdahl(RowStatus::kUntested, 0.1, {}, kTwo) ==
        "serial fraction 10.0 % [9.0, 11.0], solved from 1 and 2 devices and not "
        "tested: any step times at 2 device counts agree with Amdahl's law, so there is no "
        "lack-of-fit test; nothing is said about other numbers of devices");
}

TEST_CASE("a rejected law leaves the measured values", "[analysis]") {
  CHECK(amdahl(RowStatus::kRejected, {}, 0.00001, kFour) ==
        "Amdahl's law is rejected at 1, 2, 4 and 8 devices (lack of fit p < "
        "0.0001): the values themselves are all that can be said");
}

TEST_CASE("a serial fraction out of its range is said to be", "[analysis]") {
  CHECK(amdahl(RowStatus::kSerialBelowZero, 0.0, {}, kTwo) ==
        "no measurable serial fraction (at most 1.0 %): this fit alone does not exclude linear "
        "scaling (solved, not tested)");
  CHECK(amdahl(RowStatus::kSerialBelowZero, {}, {}, kTwo) ==
        "Amdahl's law does not apply at 1 and 2 devices: by the mean times, scaling is more than "
        "linear");
  CHECK(amdahl(RowStatus::kSerialAboveOne, 1.0, {}, kTwo) ==
        "serial fraction of at least 99 %: this fit alone does not exclude that more devices gain "
        "nothing (solved, not tested)");
  CHECK(amdahl(RowStatus::kSerialAboveOne, {}, {}, kTwo) ==
        "Amdahl's law does not apply at 1 and 2 devices: by the mean times, more devices make the "
        "step slower");
}

TEST_CASE("what a law cannot be fitted to is told with what it needs", "[analysis]") {
  CHECK(amdahl(RowStatus::kNotApplicable, {}, {}, {.scaling = Scaling::kWeak, .devices = {1, 2}}) ==
        "Amdahl's law is about a fixed global batch (strong scaling); this "
        "study's scaling is weak");
  CHECK(
      amdahl(RowStatus::kInsufficientData, {}, {}, {.scaling = Scaling::kStrong, .devices = {}}) ==
      "Amdahl's law cannot be fitted: it needs 2 numbers of devices with trials "
      "that count, and has 0");
  CHECK(amdahl(RowStatus::kInsufficientData,
               {},
               {},
               {.scaling = Scaling::kStrong, .devices = {1, 2}, .shares_blocks = false}) ==
        "Amdahl's law cannot be fitted: no blocks contain its cells together, so the effect of "
        "blocks "
        "cannot be separated from that of devices");
}

TEST_CASE("a peak that was derived is a projection, and none is said otherwise", "[analysis]") {
  CHECK(usl(RowStatus::kOk, make_row(Law::kUsl, RowStatus::kOk, "kappa", 0.02, 0.01), 7.0) ==
        "the universal scalability law is not rejected at 1, 2 and 4 devices "
        "(lack of fit p = 0.40): sigma 0.050 [0.040, 0.060], kappa 0.020 [0.010, 0.030]; the "
        "curve's peak, at 7.00 devices, is a projection; nothing is said above 8 devices");
  CHECK(usl(RowStatus::kOk, make_row(Law::kUsl, RowStatus::kOk, "kappa", 0.01, 0.01), 9.7) ==
        "the universal scalability law is not rejected at 1, 2 and 4 devices "
        "(lack of fit p = 0.40): sigma 0.050 [0.040, 0.060], kappa 0.010 [0.000, 0.020]; nothing "
        "is said above 8 devices");
  CHECK(usl(RowStatus::kKappaAtBound,
            make_row(Law::kUsl, RowStatus::kKappaAtBound, "kappa", 0.0),
            {}) ==
        "the universal scalability law is not rejected at 1, 2 and 4 devices "
        "(lack of fit p = 0.40): sigma 0.050 [0.040, 0.060]; no retrograde term detected, so no "
        "peak is derived; nothing is said above 8 devices");
}

TEST_CASE("latency and bandwidth are told with the sizes they hold for", "[analysis]") {
  CHECK(line(RowStatus::kOk, 0.9, {8, 16777216}) ==
        "latency 5.00 µs [4.90, 5.10] and bandwidth 2.000 GB/s [1.990, 2.010] are "
        "not rejected from 8 B to 16 MiB (lack of fit p = 0.90); times lie 1.2 % from the line "
        "(standard deviation); nothing is said about other sizes");
  CHECK(
      line(RowStatus::kRejected, 0.001, {8, 16777216}) ==
      "one latency and one bandwidth are rejected from 8 B to 16 MiB (lack of "
      "fit p = 0.0010); times lie 1.2 % from the line (standard deviation): the values themselves "
      "are all that can be said");
  CHECK(line(RowStatus::kAlphaBelowZero, 0.5, {1000, 4000}) ==
        "one latency and one bandwidth do not describe the times from 1000 B to "
        "4000 B: the line's latency is below zero; times lie 1.2 % from the line (standard "
        "deviation)");
  CHECK(line(RowStatus::kUntested, {}, {8, 1048576}) ==
        "latency 5.00 µs [4.90, 5.10] and bandwidth 2.000 GB/s [1.990, 2.010], "
        "solved from 8 B to 1 MiB and not tested: too few sizes or replicates; times lie 1.2 % "
        "from the line (standard deviation); nothing is said about other sizes");
  CHECK(line(RowStatus::kInsufficientData, {}, {}) ==
        "latency and bandwidth cannot be fitted: a fit needs 2 sizes with trials that count; "
        "there are 0");
}
