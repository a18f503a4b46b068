#include "harness/analysis/compare/target_reference.h"

#include <cmath>

#include <fmt/format.h>

#include "harness/analysis/compare/findings.h"
#include "harness/study/declared/study.h"
#include "harness/text/measure.h"
#include "harness/text/number.h"
#include "stats/planning.h"

namespace scalestudy {
namespace {

constexpr double kPower = 0.8;

double share_of(const Target& target) {
  return target.at_least.value_or(target.at_most.value_or(1.0));
}

}  // namespace

std::string reference_text(const Target& target) {
  return fmt::format("{} of {}:{}",
                     format_percent(share_of(target)),
                     to_word(target.source->kind),
                     target.source->name);
}

std::string power_text(const Target& target, double log_sd, double alpha, Repeat repeat) {
  const double share = share_of(target);
  const bool can_be_met = target.at_least ? share < 1.0 : share > 1.0;
  if (!can_be_met || is_overhead(target.metric) || !(log_sd > 0.0) || !std::isfinite(log_sd)) {
    return "";
  }
  const double effect = std::abs(std::log(share)) / log_sd;
  const std::optional<std::size_t> n =
      repeat == Repeat::kSessionOfBoth
          ? stats::sample_size_two_sample(1.0, std::expm1(effect), alpha, kPower).n_per_group
          : stats::sample_size_one_sample(effect, alpha, kPower);
  if (!n) {
    return "";
  }
  return fmt::format(
      "with equal values, {} {} {:.0f} % power",
      format_count(static_cast<std::int64_t>(*n), repeat == Repeat::kTrial ? "trial" : "session"),
      repeat == Repeat::kSessionOfBoth ? "of each study give" : "give",
      100.0 * kPower);
}

}  // namespace scalestudy
