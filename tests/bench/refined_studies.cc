// Coverage of break-evens that a study searches for: the whole sequential procedure.
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "tests/bench/coverage_goals.h"
#include "tests/bench/coverage_studies.h"
#include "tests/stats/simulation/refined.h"

namespace scalestudy::test {
namespace {

constexpr std::size_t kReplicates = 4'000;

RefinedTally run_and_print(const RefinedStudy& study,
                           const std::string& rule,
                           std::uint64_t& seed) {
  const RefinedTally tally = run_refined(study, kReplicates, seed++);
  fmt::print("| {} | {:.0f} | {} | {} | {} | {} | x{:.3f} | {:.1f} | {} |\n",
             name_of(study.curve),
             100.0 * study.trial_sd,
             rule,
             percent(tally.interval),
             fmt::format("{:.0f}",
                         100.0 * static_cast<double>(tally.interval.total) /
                             static_cast<double>(kReplicates)),
             percent(tally.bracket),
             std::exp(tally.log_width),
             tally.added,
             percent(tally.reached));
  return tally;
}

}  // namespace

bool check_refined_studies(std::uint64_t seed) {
  fmt::print(
      "\n| break-even searched from five values a factor of 2 apart, anywhere in the range, to 5 "
      "%, "
      "at most 4 values more | trial sd % | trials | interval | printed | bracket | width | values "
      "added | reached |\n|---|---|---|---|---|---|---|---|---|\n");
  Goal interval{"G20", "interval that a search for a break-even ends with", 0.95, 1.0};
  Goal bracket{"G20", "its bracket", 0.98, 1.0};
  Goal signed_bracket{"G20", "negative control: bracket, trials until signs resolve", 0.0, 0.96};
  for (const Curve curve : kCurves) {
    for (const double sd : {0.01, 0.02, 0.05}) {
      for (const auto& [rule, trials, name] :
           {std::tuple(TrialsRule::kFixed, 8U, "8"),
            {TrialsRule::kFixed, 30U, "30"},
            {TrialsRule::kPrecision, 8U, "8 to 50, until 2 %, and 2"}}) {
        const RefinedTally tally = run_and_print(
            {.curve = curve, .trial_sd = sd, .rule = rule, .trials = trials}, name, seed);
        interval.add(tally.interval.share());
        bracket.add(tally.bracket.share());
      }
    }
  }
  const RefinedStudy hasty{
      .curve = Curve::kShallow, .trial_sd = 0.05, .rule = TrialsRule::kUntilSigned, .trials = 3};
  signed_bracket.add(
      run_and_print(hasty, "3 to 50, until its sign resolves", seed).bracket.share());
  fmt::print("\n");
  return report({interval, bracket, signed_bracket});
}

}  // namespace scalestudy::test
