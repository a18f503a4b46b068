// The numbers that a study declares for its costs, in words.
#pragma once

#include <string>
#include <vector>

#include "harness/report/input/input.h"

namespace scalestudy::report {

// "2.5 USD per device-hour".
std::string hourly_text(const Price& price, const std::string& currency);

// "USD"; "" where the study declares no cost.
std::string currency_of(const ReportInput& input);

// Whether a training costs more than its machines and energy.
bool has_cost_lines(const ReportInput& input);

// What all declared lines cost for each hour of training; 0 without any.
double lines_per_hour(const ReportInput& input);

// One declared number: a price, the energy, a line of costs or an investment.
struct DeclaredRow {
  std::string name;   // of a price or a line of costs; "energy"
  std::string value;  // with its unit: "2.5 USD a device and hour"
  Declared declared;  // where the number is from, and of which day
};

// All declared numbers, in the order of the study's section `cost`; none without one.
std::vector<DeclaredRow> declared_rows(const ReportInput& input);

}  // namespace scalestudy::report
