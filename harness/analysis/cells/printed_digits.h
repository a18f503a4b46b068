// Stored values as the program printed them, whose digits say how far they were rounded.
#pragma once

#include <string>
#include <vector>

#include "harness/store/rows/rows.h"
#include "harness/study/declared/study.h"

namespace scalestudy {

// How an extract rule makes the stored value of a printed number.
struct PrintedForm {
  double scale = 1.0;    // stored = printed * scale, or scale / printed
  bool is_rate = false;  // the latter: a rate is printed, a time stored

  [[nodiscard]] double printed(double stored) const;

  // How far the stored value goes up if the printed one moves by `change`, which is less than it.
  [[nodiscard]] double stored_change(double stored, double change) const;
};

// What the study's rules of the metric may have made of a number in this cell, one form a rule. The
// stored value itself if there is no rule, or the cell lacks the amount of a step (per_step).
std::vector<PrintedForm> printed_forms(const Study& study,
                                       const std::string& metric,
                                       const CellRow& cell);

// A unit of the last decimal that the numbers show: 1 without decimals, 1e-9 for nine or more.
double last_decimal(const std::vector<double>& numbers);

}  // namespace scalestudy
