#include "harness/analysis/laws/law_finding.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "harness/text/measure.h"
#include "harness/text/number.h"

namespace scalestudy {
namespace {

const LawRow* find_row(const std::vector<LawRow>& rows, const std::string& parameter) {
  const auto found = std::ranges::find(rows, parameter, &LawRow::parameter);
  return found == rows.end() || !found->value ? nullptr : &*found;
}

// "1, 2 and 4 devices".
std::string list_devices(const LawFacts& facts) {
  std::string text;
  for (std::size_t i = 0; i < facts.devices.size(); ++i) {
    const bool is_last = i + 1 == facts.devices.size();
    text += (i == 0 ? "" : is_last ? " and " : ", ") + std::to_string(facts.devices[i]);
  }
  return text + (text == "1" ? " device" : " devices");
}

// A value on a bound was cut there: of it, only how far it may be from the bound is known.
std::string describe_serial(const LawRow& serial) {
  const auto percent = [](double share) {
    return format_decimals(100.0 * share, decimals_of(100.0 * share, 2)) + " %";
  };
  if (*serial.value <= 0.0) {
    return "no measurable serial fraction" +
           (serial.hi && *serial.hi > 0.0 ? " (at most " + percent(*serial.hi) + ")" : "");
  }
  if (*serial.value >= 1.0) {
    return serial.lo && *serial.lo < 1.0 ? "serial fraction of at least " + percent(*serial.lo)
                                         : "no measurable parallel fraction";
  }
  return "serial fraction " + format_share(measure_of(serial), " %");
}

std::string describe_parameters(const std::vector<LawRow>& rows) {
  const LawRow* serial = find_row(rows, "serial_fraction");
  if (serial != nullptr) {
    return describe_serial(*serial);
  }
  if (const LawRow* compute = find_row(rows, "compute_s")) {
    const LawRow* hop = find_row(rows, "hop_latency_s");
    const LawRow* transfer = find_row(rows, "transfer_s");
    return "computation " + format_plain(1e3 * *compute->value) + " ms" +
           (hop == nullptr || transfer == nullptr
                ? std::string()
                : ", " + format_plain(1e6 * *hop->value) + " µs per hop and " +
                      format_plain(1e3 * *transfer->value) + " ms to send the gradients once");
  }
  const LawRow* sigma = find_row(rows, "sigma");
  const LawRow* kappa = find_row(rows, "kappa");
  std::string text;
  if (sigma != nullptr) {
    text = "sigma " + format_interval(measure_of(*sigma));
  }
  if (kappa != nullptr && kappa->lo) {
    text += ", kappa " + format_interval(measure_of(*kappa));
  }
  return text;
}

// Where the curve turns, if that is near enough to be said and the interval of kappa does not allow
// for a curve that never turns.
std::string describe_limit(const std::vector<LawRow>& rows, const LawFacts& facts) {
  const LawRow* peak = find_row(rows, "n_peak");
  const LawRow* kappa = find_row(rows, "kappa");
  const bool may_never_turn = kappa != nullptr && kappa->lo && *kappa->lo <= 0.0;
  return (peak == nullptr || may_never_turn
              ? std::string()
              : "; the curve's peak, at " + format_plain(*peak->value) +
                    " devices, is a projection") +
         "; nothing is said above " + std::to_string(2 * facts.devices.back()) + " devices";
}

std::string describe_untested(const std::vector<LawRow>& rows, const LawFacts& facts) {
  std::string text =
      describe_parameters(rows) + ", solved from " + list_devices(facts) + " and not tested: ";
  if (facts.devices.size() <= facts.free_parameters) {
    text += "any step times at " + std::to_string(facts.devices.size()) +
            " device counts agree with " + law_name(rows.front().law) +
            ", so there is no lack-of-fit test";
  } else {
    text +=
        "the trials do not scatter, or are too few for their blocks, so there is no lack-of-fit "
        "test";
  }
  return text + "; nothing is said about other numbers of devices";
}

// Nothing where a lack-of-fit test was made.
std::string untested_note(const std::vector<LawRow>& rows) {
  return find_row(rows, "lack_of_fit_p") != nullptr ? "" : " (solved, not tested)";
}

// Why a law says nothing about a study.
std::string describe_inapplicable(Law law, const LawFacts& facts) {
  const std::string scaling = "; this study's scaling is " + to_word(facts.scaling);
  switch (law) {
    case Law::kAmdahl:
      return law_name(law) + " is about a fixed global batch (strong scaling)" + scaling;
    case Law::kGustafson:
      return law_name(law) + " is about a fixed batch per device (weak scaling)" + scaling;
    case Law::kCommunicationFitted:
      return law_name(law) + " is told from " + law_name(Law::kUsl) + " by weak scaling alone" +
             scaling;
    case Law::kCommunicationAdded:
    case Law::kCommunicationHidden:
      return law_name(law) +
             " needs gradients that are sent (not comm noop or payload element), how much is sent, "
             "what that takes (analysis.communication), and a fixed batch, per device or in all";
    default:
      return law_name(law) + " needs throughput over devices, which this study does not give";
  }
}

std::string scaled(const LawRow& row, double factor, const char* unit) {
  return format_interval(measure_of(row), {.factor = factor, .unit = unit});
}

}  // namespace

std::string law_name(Law law) {
  switch (law) {
    case Law::kAmdahl:
      return "Amdahl's law";
    case Law::kUsl:
      return "the universal scalability law";
    case Law::kAlphaBeta:
      return "one latency and one bandwidth";
    case Law::kGustafson:
      return "Gustafson's law";
    case Law::kCommunicationAdded:
      return "computation with communication after it";
    case Law::kCommunicationHidden:
      return "computation with communication behind it";
    case Law::kCommunicationFitted:
      return "computation with a fitted ring after it";
  }
  return "";
}

std::string say_error(double share) {
  return format_decimals(100.0 * share, share < 0.01 ? 2 : 1) + " %";
}

std::string describe_law(const std::vector<LawRow>& rows, const LawFacts& facts) {
  const LawRow& row = rows.front();
  const LawRow* test = find_row(rows, "lack_of_fit_p");
  const std::string tested =
      test == nullptr ? "" : " (lack of fit " + say_p_value(*test->value) + ")";
  if (row.status == RowStatus::kNotApplicable) {
    return describe_inapplicable(row.law, facts);
  }
  if (row.status == RowStatus::kOk) {
    return law_name(row.law) + " is not rejected at " + list_devices(facts) + tested + ": " +
           describe_parameters(rows) + describe_limit(rows, facts);
  }
  if (row.status == RowStatus::kUntested) {
    return describe_untested(rows, facts);
  }
  if (row.status == RowStatus::kRejected) {
    return law_name(row.law) + " is rejected at " + list_devices(facts) + tested +
           ": the values themselves are all that can be said";
  }
  if (row.status == RowStatus::kSerialBelowZero) {
    const std::string parameters = describe_parameters(rows);
    return parameters.empty() ? law_name(row.law) + " does not apply at " + list_devices(facts) +
                                    ": by the mean times, scaling is more than linear"
                              : parameters + ": this fit alone does not exclude linear scaling" +
                                    untested_note(rows);
  }
  if (row.status == RowStatus::kSerialAboveOne) {
    const std::string parameters = describe_parameters(rows);
    return parameters.empty()
               ? law_name(row.law) + " does not apply at " + list_devices(facts) +
                     (row.law == Law::kGustafson
                          ? ": by the mean times, more devices do less in the same time"
                          : ": by the mean times, more devices make the step slower")
               : parameters + ": this fit alone does not exclude that more devices gain nothing" +
                     untested_note(rows);
  }
  if (row.status == RowStatus::kKappaAtBound) {
    return law_name(row.law) + " is not rejected at " + list_devices(facts) + tested + ": " +
           describe_parameters(rows) + "; no retrograde term detected, so no peak is derived" +
           describe_limit(rows, facts);
  }
  if (!facts.shares_blocks) {
    return law_name(row.law) +
           " cannot be fitted: no blocks contain its cells together, so the effect of blocks "
           "cannot be "
           "separated from that of devices";
  }
  const std::size_t least = row.law == Law::kUsl || row.law == Law::kCommunicationFitted ? 3
                            : row.law == Law::kAmdahl || row.law == Law::kGustafson      ? 2
                                                                                         : 1;
  if (facts.devices.size() < least) {
    return law_name(row.law) + " cannot be fitted: it needs " + std::to_string(least) +
           " numbers of devices with trials that count, and has " +
           std::to_string(facts.devices.size());
  }
  return law_name(row.law) + " cannot be fitted to " + format_count(row.n, "trial") + " at " +
         format_count(row.levels, "device count") + " (" + to_word(row.status) + ")";
}

std::string describe_alpha_beta(const std::vector<LawRow>& rows,
                                const std::vector<std::int64_t>& sizes) {
  const RowStatus status = rows.front().status;
  if (sizes.size() < 2) {
    return "latency and bandwidth cannot be fitted: a fit needs 2 sizes with trials that count; "
           "there " +
           std::string(sizes.size() == 1 ? "is " : "are ") + std::to_string(sizes.size());
  }
  if (status != RowStatus::kOk && status != RowStatus::kUntested &&
      status != RowStatus::kRejected && status != RowStatus::kAlphaBelowZero) {
    return "latency and bandwidth cannot be fitted to " + format_count(rows.front().n, "trial") +
           " of " + format_count(static_cast<std::int64_t>(sizes.size()), "size") + " (" +
           to_word(status) + ")";
  }
  const std::string range =
      "from " + format_bytes(sizes.front()) + " to " + format_bytes(sizes.back());
  const LawRow* residual = find_row(rows, "relative_residual_sd");
  const std::string misses =
      residual == nullptr
          ? ""
          : "; times lie " + format_percent(std::round(1000.0 * *residual->value) / 1000.0) +
                " from the line (standard deviation)";
  if (status == RowStatus::kAlphaBelowZero) {
    return "one latency and one bandwidth do not describe the times " + range +
           ": the line's latency is below zero" + untested_note(rows) + misses;
  }
  const LawRow* test = find_row(rows, "lack_of_fit_p");
  const std::string tested =
      test == nullptr ? "" : " (lack of fit " + say_p_value(*test->value) + ")";
  if (status == RowStatus::kRejected) {
    return "one latency and one bandwidth are rejected " + range + tested + misses +
           ": the values themselves are all that can be said";
  }
  const LawRow* alpha = find_row(rows, "alpha_s");
  const LawRow* bandwidth = find_row(rows, "bandwidth_bytes_per_s");
  const std::string parameters =
      (alpha == nullptr ? std::string() : "latency " + scaled(*alpha, 1e6, " µs")) +
      (bandwidth == nullptr ? std::string()
                            : " and bandwidth " + scaled(*bandwidth, 1e-9, " GB/s"));
  return parameters +
         (status == RowStatus::kOk
              ? " are not rejected " + range + tested
              : ", solved " + range + " and not tested: too few sizes or replicates") +
         misses + "; nothing is said about other sizes";
}

}  // namespace scalestudy
