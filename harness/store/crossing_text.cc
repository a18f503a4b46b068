#include "harness/store/crossing_text.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "harness/study/parameters/measured_axis.h"
#include "harness/study/parameters/metrics.h"
#include "harness/text/measure.h"
#include "harness/text/number.h"
#include "harness/text/text.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

// An end of a piece: a tested value in full, else three digits.
std::string end_text(const ThresholdRow& row, double value) {
  const bool is_bracket = value == row.bracket_lo || value == row.bracket_hi;
  if (is_bracket || std::ranges::find(row.open_values, value) != row.open_values.end()) {
    return tested_text(row, value);
  }
  return format_plain(value) + (row.along == names::kMessageBytes ? " B" : "");
}

// "between 50 and 64", "below 64", "above 65"; `axis` before the first number.
std::string piece_text(const ThresholdRow& row, std::size_t i, const std::string& axis) {
  const double lo = row.pieces[i];
  const double hi = row.pieces[i + 1];
  const bool is_open_below = i == 0 && row.censored_lo;
  const bool is_open_above = i + 2 == row.pieces.size() && row.censored_hi;
  if (is_open_below && is_open_above) {
    return axis.empty() ? "at any value" : "at any value of " + axis.substr(0, axis.size() - 1);
  }
  if (is_open_below || is_open_above) {
    return is_open_below ? "below " + axis + end_text(row, hi)
                         : "above " + axis + end_text(row, lo);
  }
  const std::string from = end_text(row, lo);
  const std::string to = end_text(row, hi);
  return from == to ? "at " + axis + from : "between " + axis + from + " and " + to;
}

}  // namespace

bool is_calm(const ThresholdRow& row) {
  const bool is_between =
      row.open_values.empty() ||
      (row.bracket_lo && row.bracket_hi && std::ranges::none_of(row.open_values, [&](double x) {
         return *row.bracket_lo < x && x < *row.bracket_hi;
       }));
  return is_between && row.pieces.size() == 2 && row.bracket_lo && row.bracket_hi &&
         row.pieces[0] >= *row.bracket_lo && row.pieces[1] <= *row.bracket_hi;
}

std::string tested_text(const ThresholdRow& row, double value) {
  if (row.along == kComputationTime) {
    const Scale scale = scale_for("s", value);
    return format_plain(value * scale.factor) + " " + scale.unit;
  }
  return name_value(row.along, value);
}

std::string level_text(const ThresholdRow& row,
                       const std::optional<std::string>& unit,
                       std::optional<double> largest) {
  return is_share(row.metric) || (unit && is_fraction(row.metric)) ? format_percent(row.level)
         : unit ? format_declared_amount(row.level, *unit, largest)
                : format_declared(row.level) + "x";
}

std::string bracket_text(const ThresholdRow& row) {
  if (row.bracket_lo && row.bracket_hi) {
    return tested_text(row, *row.bracket_lo) + " to " + tested_text(row, *row.bracket_hi);
  }
  if (row.bracket_hi) {
    return "at or below " + tested_text(row, *row.bracket_hi);
  }
  return row.bracket_lo ? "above " + tested_text(row, *row.bracket_lo) : "–";
}

std::string open_values_text(const ThresholdRow& row) {
  if (row.open_values.empty()) {
    return "";
  }
  std::vector<std::string> values;
  for (const double value : row.open_values) {
    values.push_back(tested_text(row, value));
  }
  return "at " + join_words(values) + " the " +
         (row.metric == names::kSpeedup && row.level == 1.0 ? "gain" : "difference") +
         " is not certain";
}

std::string crossing_text(const ThresholdRow& row,
                          const std::string& unit,
                          const ParameterLabels& labels) {
  const std::string axis = name_axis(row.along, labels) + " ";
  const std::string with_unit = unit.empty() ? "" : " " + unit;
  std::string text;
  if (row.pieces.empty() || is_calm(row)) {
    text = row.bracket_lo && row.bracket_hi
               ? "between " + axis + tested_text(row, *row.bracket_lo) + " and " +
                     tested_text(row, *row.bracket_hi)
           : row.bracket_hi ? "at or below " + axis + tested_text(row, *row.bracket_hi)
           : row.bracket_lo ? "above " + axis + tested_text(row, *row.bracket_lo)
                            : "along " + name_axis(row.along, labels);
    if (row.estimate && row.lo && row.hi) {
      text +=
          ", best estimate " + format_interval({row.estimate, row.lo, row.hi}, {.unit = with_unit});
    }
  } else {
    std::vector<std::string> pieces;
    for (std::size_t i = 0; i + 1 < row.pieces.size(); i += 2) {
      pieces.push_back(piece_text(row, i, i == 0 ? axis : ""));
    }
    text = join(pieces, row.status == RowStatus::kMultiple ? ", and " : ", or ");
    if (row.estimate) {
      text += "; best estimate " + format_plain(*row.estimate) + with_unit;
    }
  }
  const std::string open = open_values_text(row);
  return text + (open.empty() ? "" : "; " + open);
}

}  // namespace scalestudy
