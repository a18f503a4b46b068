#include "harness/analysis/laws/projection_finding.h"

#include <algorithm>
#include <cmath>

#include "harness/analysis/laws/law_finding.h"
#include "harness/text/measure.h"
#include "harness/text/number.h"

namespace scalestudy {
namespace {

std::string count_text(double devices) {
  return std::to_string(std::llround(devices));
}

std::string model_name(stats::StepLaw law) {
  switch (law) {
    case stats::StepLaw::kPerfect:
      return "perfect scaling";
    case stats::StepLaw::kAmdahl:
      return law_name(Law::kAmdahl);
    case stats::StepLaw::kGustafson:
      return law_name(Law::kGustafson);
    case stats::StepLaw::kUsl:
      return law_name(Law::kUsl);
    case stats::StepLaw::kAdded:
      return law_name(Law::kCommunicationAdded);
    case stats::StepLaw::kHidden:
      return law_name(Law::kCommunicationHidden);
    case stats::StepLaw::kRing:
      return law_name(Law::kCommunicationFitted);
    case stats::StepLaw::kPower:
      return "a power law";
  }
  return "";
}

// The first rival, the simplest, that the model is not closer than; nullptr if it is closer than
// all.
const stats::HeldOutError* unbeaten_rival(const stats::ProjectionCheck& check) {
  const auto found = std::ranges::find_if(check.rivals, [&](const stats::HeldOutError& rival) {
    return !(rival.error && *check.error + stats::kErrorRounding < *rival.error);
  });
  return found == check.rivals.end() ? nullptr : &*found;
}

// "3.4 % off, but must be closer than Gustafson's law, which was 0.75 % off; perfect scaling 15.3
// %, the universal scalability law 20.1 %"; "12.0 % off (at most 10.0 % is allowed); ...".
std::string say_errors(const stats::ProjectionCheck& check) {
  const stats::HeldOutError* unbeaten = unbeaten_rival(check);
  std::string text = say_error(*check.error) + " off";
  if (!(*check.error <= check.limit)) {
    text += " (at most " + say_error(check.limit) + " is allowed)";
  }
  if (unbeaten != nullptr) {
    text += ", but must be closer than " + model_name(unbeaten->law) + ", which " +
            (unbeaten->error ? "was " + say_error(*unbeaten->error) + " off" : "cannot be fitted");
  }
  const char* separator = "; ";
  for (const stats::HeldOutError& rival : check.rivals) {
    if (&rival != unbeaten) {
      text += separator + model_name(rival.law) + " " +
              (rival.error ? say_error(*rival.error) : "cannot be fitted");
      separator = ", ";
    }
  }
  return text;
}

// The other laws that the interval spans: "a power law and usl".
std::string list_alternatives(const stats::ProjectionCheck& check) {
  std::string text;
  for (std::size_t i = 0; i < check.alternatives.size(); ++i) {
    const bool is_last = i + 1 == check.alternatives.size();
    text += (i == 0 ? "" : is_last ? " and " : ", ") + model_name(check.alternatives[i]);
  }
  return text + (check.alternatives.size() == 1 ? " says" : " say");
}

// Where the check was made: "fitted up to 8 devices and asked for 16".
std::string where_checked(const stats::ProjectionCheck& check) {
  return "fitted up to " + count_text(check.most_fitted) + " devices and asked for " +
         (check.held_out == 1 ? count_text(check.most)
                              : "the " + std::to_string(check.held_out) + " counts up to " +
                                    count_text(check.most));
}

}  // namespace

std::string describe_check(const stats::ProjectionCheck& check,
                           Scaling scaling,
                           bool shares_blocks,
                           const std::string& missing) {
  if (scaling == Scaling::kNone) {
    return "neither the batch per device nor the global batch is fixed, so it is unknown how work "
           "grows with devices";
  }
  if (!shares_blocks) {
    return "no blocks contain its cells together, so the effect of blocks cannot be separated from "
           "that "
           "of devices";
  }
  if (check.counts < check.held_out + stats::kFewestFittedCounts) {
    return (check.counts == 1 ? "there is " : "there are ") +
           format_count(static_cast<std::int64_t>(check.counts), "distinct device count") + ", " +
           std::to_string(check.held_out) + " of them held out for the check; " +
           std::to_string(stats::kFewestFittedCounts) + " smaller ones are needed";
  }
  if (!check.error) {
    return "no model of a communicating step can be fitted" +
           (missing.empty() ? scaling == Scaling::kStrong
                                  ? std::string(": under strong scaling its costs must be known "
                                                "(analysis.communication), since fitted to the "
                                                "step times they make it the universal "
                                                "scalability law")
                                  : std::string()
                            : ": " + missing);
  }
  return model_name(check.model) + ", " + where_checked(check) + ", was " + say_errors(check) +
         (check.is_passed ? "; the interval spans what " + list_alternatives(check) + " too" : "") +
         (missing.empty() || check.model != stats::StepLaw::kRing
              ? ""
              : "; the costs of communication are fitted: " + missing);
}

std::string list_constants(const Scenario& scenario) {
  return "computation " + format_plain(1e3 * scenario.compute_s) + " ms per step, " +
         format_declared_amount(scenario.bytes, "bytes") + " of gradients, " +
         format_plain(1e6 * scenario.hop_latency_s) + " µs and " +
         format_plain(1e-9 * scenario.bytes_per_second) + " GB/s per hop of a ring, " +
         std::to_string(scenario.batch_per_device) + " samples per device, communication " +
         (scenario.is_hidden ? "behind" : "after") + " computation; source: " + scenario.source +
         (scenario.date.empty() ? ", without a date" : ", " + scenario.date);
}

}  // namespace scalestudy
