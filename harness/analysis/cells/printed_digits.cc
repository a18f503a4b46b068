#include "harness/analysis/cells/printed_digits.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/study/matrix/command.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

// A number that a rule's per_step names; NaN if the cell has none.
double number_in(const CellRow& cell, const std::string& name) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  const auto found = std::ranges::find(cell.parameters, name, &CellRow::Parameter::name);
  if (found != cell.parameters.end()) {
    return found->number().value_or(none);
  }
  const auto batch = name == names::kBatchGlobal      ? cell.batch_global
                     : name == names::kBatchPerDevice ? cell.batch_per_device
                                                      : std::nullopt;
  return name == names::kDevices ? static_cast<double>(cell.devices)
         : name == names::kNodes ? static_cast<double>(cell.nodes)
         : batch                 ? static_cast<double>(*batch)
                                 : none;
}

}  // namespace

double PrintedForm::printed(double stored) const {
  return is_rate ? scale / stored : stored / scale;
}

double PrintedForm::stored_change(double stored, double change) const {
  return is_rate ? stored * change / (printed(stored) - change) : change * scale;
}

std::vector<PrintedForm> printed_forms(const Study& study,
                                       const std::string& metric,
                                       const CellRow& cell) {
  std::vector<PrintedForm> forms;
  for (const ExtractRule& rule : study.extract) {
    if (rule.metric != metric) {
      continue;
    }
    const StoredUnit unit = stored_unit(rule);
    const StepAmount amount = parse_step_amount(rule.per_step.empty() ? "1" : rule.per_step);
    const double scale = unit.factor * value_of(amount, [&](const std::string& name) {
                           return number_in(cell, name);
                         });
    if (std::isfinite(scale) && scale > 0.0) {
      forms.push_back({.scale = scale, .is_rate = unit.is_rate});
    }
  }
  return forms.empty() ? std::vector<PrintedForm>(1) : forms;
}

double last_decimal(const std::vector<double>& numbers) {
  constexpr int most_decimals = 9;
  constexpr double slack = 1e-6;
  double unit = 1.0;
  for (int decimals = 0; decimals < most_decimals; ++decimals, unit /= 10.0) {
    const bool are_shown = std::ranges::all_of(numbers, [&](double number) {
      return std::abs(number / unit - std::round(number / unit)) < slack;
    });
    if (are_shown) {
      break;
    }
  }
  return unit;
}

}  // namespace scalestudy
