// Reads printed figures: marks, bounds, spans, digits, units.
#include "harness/audit/figure/figure.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <re2/re2.h>

#include "harness/audit/figure/figure_text.h"
#include "harness/text/number.h"
#include "harness/text/text.h"

namespace scalestudy::audit {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kEdgeTolerance = 1e-9;     // relative; ends are computed in binary
constexpr double kApproximateShare = 0.05;  // "~" allows this much at least
constexpr std::size_t kMaxTextBytes = 200;
// In lower case; cells of runs that failed among them.
constexpr auto kAbsentTexts = std::to_array<std::string_view>(
    {"", "-", "–", "—", "n/a", "na", "n.a.", "n/s", "oom", "dnf", "failed", "×", "✗"});
constexpr const char* kNoFigure =
    "is not a figure; allowed: 4,371  3.85 ms  97.8%  ~4K  15-20ms  <5s  50+  1,234 ± 45  -  N/A";

// The unit of a figure, from what is printed and what the column declares.
struct UnitReading {
  double scale = 1.0;
  std::string unit;
  std::string problem;
};

// Digits behind a separator are no unit, but the rest of "1 150" or "4'371".
bool are_digits_of_number(const std::string& unit) {
  static const re2::RE2 kDigits(
      R"(['’_\x{a0}\x{2009}\x{202f}]?\d+([ .,'’_\x{a0}\x{2009}\x{202f}].*)?)");
  return re2::RE2::FullMatch(unit, kDigits);
}

UnitReading read_unit(const std::string& printed, const FigureReading& reading) {
  if (are_digits_of_number(printed)) {
    return {1.0,
            printed,
            fmt::format("has \"{}\" where its unit should be; thousands are separated by commas or "
                        "not at all",
                        printed)};
  }
  const Dimension dimension = reading.dimension;
  const std::optional<double> own = unit_scale(printed, dimension);
  if (reading.unit.empty() || dimension == Dimension::kOther) {
    const std::string unit = printed.empty() ? reading.unit : printed;
    if (own) {
      return {*own, unit, ""};
    }
    return {1.0,
            unit,
            printed.empty()
                ? fmt::format("has no unit; declare `unit` (in {})", base_unit(dimension))
                : fmt::format("is in \"{}\", which is not a unit of this quantity ({})",
                              printed,
                              base_unit(dimension))};
  }
  const std::optional<double> declared = unit_scale(reading.unit, dimension);
  if (!declared) {
    return {
        1.0,
        printed,
        fmt::format(
            "has the declared unit \"{}\", which fits no {}", reading.unit, base_unit(dimension))};
  }
  // "$2.50" in a column of $/GPU-hour
  const bool is_currency =
      dimension == Dimension::kPrice && reading.unit.starts_with(printed + "/");
  if (printed.empty() || is_currency) {
    return {*declared, reading.unit, ""};
  }
  // "145K" in a column of tok/s: the multiplier is the cell's, the rest the column's.
  const bool scales = dimension == Dimension::kRate || dimension == Dimension::kRatePerPower;
  const std::optional<double> multiplier =
      scales && printed.size() == 1 ? unit_scale(printed, Dimension::kCount) : std::nullopt;
  if (multiplier) {
    return {*declared * *multiplier, printed + " " + reading.unit, ""};
  }
  if (!own || std::abs(*own - *declared) > kEdgeTolerance * *declared) {
    return {
        1.0,
        printed,
        fmt::format(
            R"(is in "{}" and the declared unit is "{}": units disagree)", printed, reading.unit)};
  }
  return {*declared, printed, ""};
}

double power_of_ten(int exponent) {
  return std::pow(10.0, exponent);
}

// Decimals of the last place that counts.
int significant_decimals(const Number& number, bool zeros_are_digits) {
  return zeros_are_digits ? number.decimals : number.decimals - number.trailing_zeros;
}

// How far the number may be from the value it was printed for, in printed units.
double rounding(const Pieces& pieces, double value, int decimals) {
  const double unit = power_of_ten(-decimals);
  return pieces.is_approximate ? std::max(unit, kApproximateShare * std::abs(value)) : unit / 2.0;
}

// Whether a count is printed with K or M: "143K" steps are rounded, "4K" tokens may be 4096.
bool is_in_thousands(const Pieces& pieces, const FigureReading& reading) {
  constexpr double most = 1e6;
  const double scale = reading.dimension == Dimension::kCount && pieces.first
                           ? unit_scale(pieces.unit, Dimension::kCount).value_or(1.0)
                           : 1.0;
  return scale > 1.0 && scale <= most;
}

Range range_of(const Pieces& pieces, const FigureReading& reading, int decimals) {
  if (!pieces.first) {  // "±0.1%"
    const double end =
        std::abs(pieces.spread->value) + power_of_ten(-pieces.spread->decimals) / 2.0;
    return {-end, end};
  }
  const double first = pieces.first->value;
  if (pieces.form == FigureForm::kSpan) {
    const double second = pieces.second->value;
    const double lo = std::min(first, second);
    const double hi = std::max(first, second);
    return {lo - rounding(pieces, lo, decimals), hi + rounding(pieces, hi, decimals)};
  }
  // People bound by round numbers: trailing zeros of a bound are digits.
  const double bound_slack = power_of_ten(-pieces.first->decimals) / 2.0;
  if (pieces.form == FigureForm::kAtMost) {
    return {-kInfinity, first + bound_slack};
  }
  if (pieces.form == FigureForm::kAtLeast) {
    return {first - bound_slack, kInfinity};
  }
  const double slack = rounding(pieces, first, decimals);
  if (reading.is_exact && !pieces.is_approximate) {
    const double excess = binary_excess(unit_scale(pieces.unit, reading.dimension).value_or(1.0));
    return is_in_thousands(pieces, reading)
               ? Range{first - slack, std::max(first + slack, first * excess)}
               : Range{first, first};
  }
  return {first - slack, first + slack};
}

int decimals_of_pieces(const Pieces& pieces, const FigureReading& reading) {
  if (!pieces.first) {
    return pieces.spread->decimals;
  }
  const bool keeps_zeros = reading.zeros_are_digits || reading.is_exact;
  const int first = significant_decimals(*pieces.first, keeps_zeros);
  return pieces.second ? std::max(first, significant_decimals(*pieces.second, keeps_zeros)) : first;
}

}  // namespace

bool Range::is_bounded() const {
  return std::isfinite(lo) && std::isfinite(hi);
}

bool meet(const Range& a, const Range& b) {
  const auto reaches = [](double low, double high) {
    const double slack = kEdgeTolerance * std::max(std::isfinite(low) ? std::abs(low) : 0.0,
                                                   std::isfinite(high) ? std::abs(high) : 0.0);
    return low <= high + slack;
  };
  return reaches(a.lo, b.hi) && reaches(b.lo, a.hi);
}

Range cut_off_range(const Figure& figure) {
  if (figure.form != FigureForm::kRounded || !figure.value) {
    return *figure.range;
  }
  const double unit = power_of_ten(-figure.decimals) * figure.unit_size;
  const double value = *figure.value;
  return value < 0.0 ? Range{value - unit, value} : Range{value, value + unit};
}

bool is_cut_off_from(const Figure& figure, const Range& values) {
  if (figure.form != FigureForm::kRounded || !figure.value) {
    return false;
  }
  const Range range = cut_off_range(figure);
  const double far = *figure.value < 0.0 ? range.lo : range.hi;
  const bool is_at_far_end = *figure.value < 0.0 ? meet({values.hi, values.hi}, {far, far})
                                                 : meet({values.lo, values.lo}, {far, far});
  return meet(range, values) && !is_at_far_end;
}

bool is_absent(std::string_view text) {
  const std::string lower = lowered(std::string(trimmed(text)));
  return std::find(kAbsentTexts.begin(), kAbsentTexts.end(), lower) != kAbsentTexts.end();
}

ParsedFigure parse_figure(std::string_view text, const FigureReading& reading) {
  text = trimmed(text);
  Figure figure;
  figure.printed = text;
  figure.unit = reading.unit;
  if (is_absent(text)) {
    return {figure, ""};
  }
  const std::string quoted = fmt::format("\"{}\" ", text.substr(0, 60));
  const std::optional<Pieces> pieces =
      text.size() > kMaxTextBytes ? std::nullopt : take_apart(text);
  if (!pieces) {
    return {std::nullopt, quoted + kNoFigure};
  }
  const UnitReading unit = read_unit(pieces->unit, reading);
  if (!unit.problem.empty()) {
    return {std::nullopt, quoted + unit.problem};
  }
  const bool is_exact = reading.is_exact && !is_in_thousands(*pieces, reading);
  figure.form =
      pieces->form == FigureForm::kRounded && is_exact ? FigureForm::kExact : pieces->form;
  figure.unit = unit.unit;
  figure.unit_size = unit.scale;
  figure.decimals = decimals_of_pieces(*pieces, reading);
  const Range printed = range_of(*pieces, reading, figure.decimals);
  figure.range = Range{printed.lo * unit.scale, printed.hi * unit.scale};
  if (figure.form == FigureForm::kRounded || figure.form == FigureForm::kExact ||
      figure.form == FigureForm::kApproximate) {
    figure.value = pieces->first->value * unit.scale;
  }
  if (pieces->spread && pieces->first) {
    figure.spread = pieces->spread->value * unit.scale;
  }
  if (pieces->interval) {
    figure.interval = Range{pieces->interval->first.value * unit.scale,
                            pieces->interval->second.value * unit.scale};
  }
  return {figure, ""};
}

std::string format_like(const Figure& figure, double value, int extra_digits) {
  const int decimals = std::max(figure.decimals + extra_digits, 0);
  const std::string number = format_decimals(value / figure.unit_size, decimals);
  std::string_view unit = figure.unit;
  const std::string currency = take_currency(unit);
  if (!currency.empty()) {
    return (number.starts_with('-') ? "-" + currency + number.substr(1) : currency + number) +
           std::string(unit);
  }
  const bool is_glued = unit.empty() || unit == "%" || unit == "x" || unit == "X" || unit == "×";
  return number + (is_glued ? "" : " ") + std::string(unit);
}

}  // namespace scalestudy::audit
