#include "harness/report/input/declared_prices.h"

#include <fmt/format.h>

#include "harness/text/number.h"

namespace scalestudy::report {
namespace {

std::string price_text(const Price& price, const std::string& currency) {
  const std::string money =
      currency == kDeviceHours && price.per_device_hour == 1.0 && price.per_node_hour == 0.0
          ? std::string("none: costs are hours of one device")
          : hourly_text(price, currency) + (price.basis.empty() ? "" : " (" + price.basis + ")");
  return price.preemptions_per_device_hour > 0.0
             ? fmt::format("{}, {} preemptions per device-hour",
                           money,
                           format_declared(price.preemptions_per_device_hour))
             : money;
}

}  // namespace

std::string hourly_text(const Price& price, const std::string& currency) {
  return price.per_node_hour > 0.0
             ? fmt::format("{} {} per node-hour", format_declared(price.per_node_hour), currency)
             : fmt::format("{} {} per device-hour",
                           price.basis.empty() ? format_declared(price.per_device_hour)
                                               : format_number(price.per_device_hour),
                           currency);
}

std::string currency_of(const ReportInput& input) {
  return input.declared.cost ? input.declared.cost->currency : "";
}

bool has_cost_lines(const ReportInput& input) {
  return input.declared.cost && !input.declared.cost->lines.empty();
}

double lines_per_hour(const ReportInput& input) {
  double sum = 0.0;
  if (input.declared.cost) {
    for (const CostLine& line : input.declared.cost->lines) {
      sum += line.per_hour;
    }
  }
  return sum;
}

std::vector<DeclaredRow> declared_rows(const ReportInput& input) {
  std::vector<DeclaredRow> rows;
  if (!input.declared.cost) {
    return rows;
  }
  const Cost& cost = *input.declared.cost;
  rows.push_back({cost.price.name, price_text(cost.price, cost.currency), cost.price.declared});
  for (const Price& price : cost.others) {
    rows.push_back({price.name, price_text(price, cost.currency), price.declared});
  }
  if (const auto& energy = cost.energy) {
    std::string text = fmt::format("{} W per device, PUE {}",
                                   format_declared(energy->watts_per_device),
                                   format_declared(energy->pue));
    if (energy->per_kwh > 0.0) {
      text += fmt::format(", {} {} per kWh", format_declared(energy->per_kwh), cost.currency);
    }
    if (energy->kg_co2_per_kwh > 0.0) {
      text += fmt::format(", {} kg CO2 per kWh", format_declared(energy->kg_co2_per_kwh));
    }
    rows.push_back({"energy", text, energy->declared});
  }
  for (const CostLine& line : cost.lines) {
    std::string text;
    if (line.per_hour > 0.0) {
      text = fmt::format("{} {} per hour", format_declared(line.per_hour), cost.currency);
    }
    if (line.per_training > 0.0) {
      text += (text.empty() ? "" : ", ") +
              fmt::format("{} {} per training", format_declared(line.per_training), cost.currency);
    }
    rows.push_back({line.name, text, line.declared});
  }
  for (const Investment& one : cost.investments) {
    rows.push_back({one.name,
                    fmt::format("{} {} once", format_declared(one.price), cost.currency),
                    one.declared});
  }
  return rows;
}

}  // namespace scalestudy::report
