// Builds findings and their words.
#include "harness/audit/check/finding.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "harness/audit/check/ledger.h"
#include "harness/text/number.h"

namespace scalestudy::audit {
namespace {

constexpr int kMostExtraDigits = 4;

// "0.05 %", "12 %", "3.4 times".
std::string size_text(double gap) {
  const double size = std::abs(gap);
  if (size >= 1.0) {
    return format_decimals(size + 1.0, decimals_of(size + 1.0, 2)) + " times";
  }
  return format_decimals(size * 100.0, std::max(decimals_of(size * 100.0, 2), 0)) + " %";
}

// A ratio printed as a fraction where percentages are, or the other way round; else empty. A figure
// of one digit, times 100, would meet nearly anything.
std::string percent_reading(const Figure& figure, const Range& recomputed) {
  constexpr double widest = 0.1;  // of its value
  const Range& printed = *figure.range;
  if (!unit_scale(figure.unit, Dimension::kRatio) || !figure.value ||
      printed.hi - printed.lo > widest * std::abs(*figure.value)) {
    return "";
  }
  const auto follows = [&](double factor) {
    return meet({printed.lo * factor, printed.hi * factor}, recomputed);
  };
  return follows(100.0)  ? "100 times as much follows: a fraction where a percentage is meant?"
         : follows(0.01) ? "a hundredth follows: a percentage where a fraction is meant?"
                         : "";
}

// A gap of less than the figure's rounding has no size: the texts of the two show none so small.
std::string gap_text(const Figure& figure, const Range& recomputed) {
  const Range& printed = *figure.range;
  const std::optional<double> gap = relative_gap(printed, recomputed);
  if (!gap) {
    return "what is printed is not what follows";
  }
  if ((printed.lo > 0.0 && recomputed.hi < 0.0) || (printed.hi < 0.0 && recomputed.lo > 0.0)) {
    return "printed with the other sign";
  }
  if (const std::string reading = percent_reading(figure, recomputed); !reading.empty()) {
    return reading;
  }
  if (std::abs(*gap) >= 1.0) {
    return fmt::format("printed {} what follows", size_text(*gap));
  }
  const double apart = *gap > 0.0 ? printed.lo - recomputed.hi : recomputed.lo - printed.hi;
  const double rounding = 0.5 * std::pow(10.0, -figure.decimals) * figure.unit_size;
  return fmt::format("printed {} {} what follows",
                     apart < rounding ? "just" : size_text(*gap),
                     *gap > 0.0 ? "above" : "below");
}

// Whether `value`, rounded as it will be shown, is still outside the printed range.
bool shows_outside(const Figure& printed, double value, int extra_digits) {
  const double place = std::pow(10.0, std::max(printed.decimals + extra_digits, 0));
  const double shown = std::round(value / printed.unit_size * place) / place * printed.unit_size;
  return !meet(*printed.range, {shown, shown});
}

}  // namespace

std::string_view verdict_name(Verdict verdict) {
  constexpr auto names = std::to_array<std::string_view>(
      {"follows", "follows if cut off", "does not follow", "implausible", "cannot be checked"});
  static_assert(names.size() == static_cast<std::size_t>(Verdict::kCannotBeChecked) + 1);
  return names.at(static_cast<std::size_t>(verdict));
}

Finding start_finding(const std::string& dataset, const Entry& entry) {
  Finding finding;
  finding.dataset = dataset;
  finding.table = entry.figure.table;
  finding.figure = name_of(entry);
  finding.where = entry.figure.where;
  finding.printed = entry.figure.figure.printed;
  finding.quantity = entry.figure.quantity;
  finding.place = entry.figure.place;
  return finding;
}

std::optional<double> relative_gap(const Range& printed, const Range& recomputed) {
  if (meet(printed, recomputed)) {
    return 0.0;
  }
  const double middle = std::abs(recomputed.lo + recomputed.hi) / 2.0;
  if (!(middle > 0.0)) {
    return std::nullopt;
  }
  const bool is_above = printed.lo > recomputed.hi;
  return (is_above ? printed.lo - recomputed.hi : printed.hi - recomputed.lo) / middle;
}

std::string range_text(const Figure& printed, const Range& recomputed) {
  int digits = 1;
  if (!meet(*printed.range, recomputed)) {
    const double nearest = printed.range->lo > recomputed.hi ? recomputed.hi : recomputed.lo;
    while (digits < kMostExtraDigits && !shows_outside(printed, nearest, digits)) {
      ++digits;
    }
  }
  const std::string lo = format_like(printed, recomputed.lo, digits);
  const std::string hi = format_like(printed, recomputed.hi, digits);
  return lo == hi ? lo : lo + " to " + hi;
}

std::string cut_off_reading(const Figure& printed,
                            const Range& recomputed,
                            const std::optional<Range>& from_cut_off) {
  if (is_cut_off_from(printed, recomputed)) {
    return "its digits were cut off, not rounded";
  }
  if (from_cut_off && meet(*printed.range, *from_cut_off)) {
    return "digits of what it follows from were cut off, not rounded";
  }
  if (from_cut_off && is_cut_off_from(printed, *from_cut_off)) {
    return "its digits and those of what it follows from were cut off, not rounded";
  }
  return "";
}

void compare(Finding& finding,
             const Figure& printed,
             const Range& recomputed,
             const std::optional<Range>& from_cut_off) {
  finding.recomputed = recomputed;
  finding.recomputed_text = range_text(printed, recomputed);
  finding.difference = relative_gap(*printed.range, recomputed);
  if (meet(*printed.range, recomputed)) {
    finding.verdict = Verdict::kFollows;
    return;
  }
  const std::string reading = cut_off_reading(printed, recomputed, from_cut_off);
  finding.verdict = reading.empty() ? Verdict::kDoesNotFollow : Verdict::kFollowsIfCutOff;
  finding.why = reading.empty() ? gap_text(printed, recomputed) : "it follows if " + reading;
}

void leave_unchecked(Finding& finding, const std::string& why, const std::string& needs) {
  finding.verdict = Verdict::kCannotBeChecked;
  finding.why = why;
  finding.needs = needs;
}

}  // namespace scalestudy::audit
