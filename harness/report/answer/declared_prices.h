// The numbers that a study declares for its costs, in words.
#pragma once

#include <string>
#include <vector>

#include "harness/report/input/input.h"

namespace scalestudy::report {

// "USD"; "" where the study declares no cost.
std::string currency_of(const ReportInput& input);

// One declared number: a price, the energy, a line of costs or an investment.
struct DeclaredRow {
  std::string name;
  std::string value;
  Declared declared;
};

// All declared numbers, in the order of the study's section `cost`; none without one.
std::vector<DeclaredRow> declared_rows(const ReportInput& input);

}  // namespace scalestudy::report
