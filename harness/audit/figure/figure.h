// One printed figure: the text, and the interval of values it can stand for.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "harness/audit/figure/unit.h"

namespace scalestudy::audit {

// A closed interval; the open end of a bound ("<5 s") is infinite.
struct Range {
  double lo = 0.0;
  double hi = 0.0;

  bool is_bounded() const;
};

// Whether the two ranges share a value. Ends are compared with a tolerance of 1e-9 of their size,
// because 0.1 + 0.2 is not 0.3.
bool meet(const Range& a, const Range& b);

enum class FigureForm {
  kAbsent,       // empty, "-", "N/A", "OOM"
  kRounded,      // "3.85", "4,200 ms"
  kExact,        // a count ("16 devices"), or declared exact
  kApproximate,  // "~4K"
  kSpan,         // "15-20 ms"
  kAtMost,       // "<5 s"
  kAtLeast,      // ">85%", "50+"
};

struct Figure {
  std::string printed;  // as typed
  FigureForm form = FigureForm::kAbsent;
  // Base units, as are spread and interval. `value` is the printed number, absent for spans, bounds
  // and absent figures; `range` is absent for absent figures only.
  std::optional<double> value;
  std::optional<Range> range;
  std::optional<double> spread;   // the 45 of "1,234 ± 45"; says nothing about rounding
  std::optional<Range> interval;  // the [0.47, 0.60] of "0.53 [0.47, 0.60]"
  double unit_size = 1.0;         // base units of one printed unit: 1e-3 for "7.6 ms"
  std::string unit;               // printed or declared: "ms", "%", ""
  int decimals = 0;               // of the last significant place: 2 for "3.85", -3 for "4,000"
};

struct FigureReading {
  Dimension dimension = Dimension::kOther;
  std::string unit;       // the column's; empty: only what is printed counts
  bool is_exact = false;  // the figure stands for its printed value alone
  // Trailing zeros of an integer are digits ("40%" in a column that prints 37% and 41%). Otherwise
  // "4000" may be anything that rounds to it in its last place that is not zero: [3500, 4500].
  bool zeros_are_digits = false;
};

struct ParsedFigure {
  std::optional<Figure> figure;
  std::string problem;  // what is wrong with the text, when there is no figure
};

// The range a rounded figure stands for if its digits were cut off instead: from the printed value
// to one unit of its last place further from zero, that end excluded. Figures of other forms give
// their `range`.
Range cut_off_range(const Figure& figure);

// Whether the figure can be one of these values with its digits cut off; false for a form that has
// no digits to cut.
bool is_cut_off_from(const Figure& figure, const Range& values);

// Whether the text says that there is no figure: "", "-", "N/A", "OOM" ...
bool is_absent(std::string_view text);

// Grammar and meaning of every form: data/published/FORMAT.md, "Figures".
ParsedFigure parse_figure(std::string_view text, const FigureReading& reading);

// A value (base units) as text in the figure's own unit, with `extra_digits` more than the document
// prints: 0.88264 for "88.7%" is "88.26%" with one. At least whole units are shown.
std::string format_like(const Figure& figure, double value, int extra_digits);

}  // namespace scalestudy::audit
