#include "harness/report/published.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/base/text.h"
#include "harness/study/parameter_rules.h"

namespace scalestudy::report {
namespace {

// A result as the store names it.
struct StoredAs {
  std::string name;  // metric of an estimate, or quantity of a comparison
  bool is_comparison = false;
};

constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kSuffixes{
    {{"s", "_s"}, {"B", "_bytes"}, {"B/s", "_bytes_per_s"}, {"FLOP", "_flop"}, {"W", "_w"}}};

// Metrics are named by quantity and unit: a latency in s is latency_s.
StoredAs stored_as(const PublishedFigureRow& figure) {
  if (figure.quantity == "overhead") {
    return {"communication_overhead", true};
  }
  if (figure.quantity == "speedup" || figure.quantity == "efficiency") {
    return {figure.quantity, true};
  }
  StoredAs stored{figure.quantity, false};
  for (const auto& [unit, suffix] : kSuffixes) {
    if (unit == figure.unit) {
      stored.name += suffix;
    }
  }
  return stored;
}

std::optional<std::string> text_of(const std::optional<std::int64_t>& value) {
  return value ? std::optional(std::to_string(*value)) : std::nullopt;
}

// What the study says of the cell under that name; absent when it says nothing.
std::optional<std::string> said_of(const ReportInput& input,
                                   const CellRow& cell,
                                   const std::string& name) {
  if (name == "devices") {
    return std::to_string(cell.devices);
  }
  if (name == "nodes") {
    return std::to_string(cell.nodes);
  }
  if (name == "batch_global") {
    return text_of(cell.batch_global);
  }
  if (name == "batch_per_device") {
    return text_of(cell.batch_per_device);
  }
  if (name == "scaling" && input.study.scaling != "none") {
    return input.study.scaling;
  }
  const auto found = std::find_if(cell.parameters.begin(),
                                  cell.parameters.end(),
                                  [&](const auto& parameter) { return parameter.name == name; });
  if (found != cell.parameters.end()) {
    return found->value;
  }
  Parameters said = input.declared.parameters;
  for (const auto& parameter : cell.parameters) {
    said[parameter.name] = parameter.value;
  }
  const auto shared = said.find(name);
  const std::optional<Value> value =
      shared != said.end() ? std::optional(shared->second)
                           : default_parameter_value(input.declared.workload, name, said);
  return value ? std::optional(format_value(*value)) : std::nullopt;
}

std::optional<double> number_in(const std::string& text) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_whole = error == std::errc() && end == text.data() + text.size();
  return is_whole ? std::optional(value) : std::nullopt;
}

bool is_same(const std::string& left, const std::string& right) {
  const std::optional<double> number = number_in(left);
  return (number && number == number_in(right)) ||
         std::equal(left.begin(), left.end(), right.begin(), right.end(), [](char a, char b) {
           return std::tolower(static_cast<unsigned char>(a)) ==
                  std::tolower(static_cast<unsigned char>(b));
         });
}

bool agrees(const ReportInput& input,
            const CellRow& cell,
            const std::map<std::string, std::string>& conditions) {
  return std::all_of(conditions.begin(), conditions.end(), [&](const auto& condition) {
    const std::optional<std::string> said = said_of(input, cell, condition.first);
    return said && is_same(*said, condition.second);
  });
}

bool is_measured(const CellRow& cell) {
  return cell.role == "measured" && !cell.excluded_reason;
}

// Conditions that no measured cell says anything about.
std::vector<std::string> unknown_conditions(const ReportInput& input,
                                            const std::map<std::string, std::string>& conditions) {
  std::vector<std::string> unknown;
  for (const auto& condition : conditions) {
    const bool is_known =
        std::any_of(input.cells.begin(), input.cells.end(), [&](const CellRow& cell) {
          return is_measured(cell) && said_of(input, cell, condition.first);
        });
    if (!is_known) {
      unknown.push_back(condition.first);
    }
  }
  return unknown;
}

Counterpart none(std::string reason, bool is_measured_quantity = true) {
  Counterpart counterpart;
  counterpart.is_measured_quantity = is_measured_quantity;
  counterpart.reason = std::move(reason);
  return counterpart;
}

bool counts_tokens(const std::string& unit) {
  return unit.find("tok") != std::string::npos;
}

Counterpart from_estimate(const ReportInput& input,
                          const CellRow& cell,
                          const std::string& metric,
                          const PublishedFigureRow& figure) {
  const EstimateRow* row = input.estimate(cell.id, metric);
  if (row == nullptr || !row->value) {
    return none("no value was measured for this cell");
  }
  if (figure.unit == "1/s" && counts_tokens(figure.printed_unit) != counts_tokens(row->unit)) {
    return none(fmt::format("measured in {}", row->unit));
  }
  Counterpart counterpart;
  counterpart.cell = &cell;
  counterpart.measure = {row->value, row->lo, row->hi};
  counterpart.unit = row->unit;
  counterpart.n = row->n;
  return counterpart;
}

Counterpart from_comparison(const ReportInput& input,
                            const CellRow& cell,
                            const std::string& quantity,
                            const PublishedFigureRow& figure) {
  const ComparisonRow* row = input.comparison(cell.id, quantity);
  if (row == nullptr || !row->value) {
    return none("no value was measured for this cell");
  }
  // An overhead is relative to the same cell without communication, whatever the document names.
  if (quantity != "communication_overhead") {
    const std::map<std::string, std::string> stated = parse_conditions(figure.baseline);
    if (stated.empty()) {
      return none("its baseline is not stated");
    }
    if (!agrees(input, input.cell(row->baseline_cell_id), stated)) {
      return none("relative to another baseline");
    }
  }
  Counterpart counterpart;
  counterpart.cell = &cell;
  counterpart.measure = {row->value, row->lo, row->hi};
  counterpart.n = row->n;
  return counterpart;
}

bool has_any(const ReportInput& input, const StoredAs& stored) {
  const auto& estimates = input.results.estimates;
  const auto& comparisons = input.results.comparisons;
  return stored.is_comparison
             ? std::any_of(comparisons.begin(),
                           comparisons.end(),
                           [&](const ComparisonRow& row) { return row.quantity == stored.name; })
             : std::any_of(estimates.begin(), estimates.end(), [&](const EstimateRow& row) {
                 return row.metric == stored.name;
               });
}

}  // namespace

std::map<std::string, std::string> parse_conditions(const std::string& json) {
  return nlohmann::json::parse(json).get<std::map<std::string, std::string>>();
}

Counterpart find_counterpart(const ReportInput& input, const PublishedFigureRow& figure) {
  const StoredAs stored = stored_as(figure);
  if (!has_any(input, stored)) {
    return none("not measured by this study", false);
  }
  const std::map<std::string, std::string> conditions = parse_conditions(figure.conditions);
  if (conditions.empty()) {
    return none("no conditions are stated");
  }
  const std::vector<std::string> unknown = unknown_conditions(input, conditions);
  if (!unknown.empty()) {
    return none(fmt::format("this study does not say: {}", join(unknown, ", ")));
  }
  // Documents leave much unsaid, but times of two models are two quantities.
  const bool says_model =
      std::any_of(input.cells.begin(), input.cells.end(), [&](const CellRow& cell) {
        return is_measured(cell) && said_of(input, cell, "model");
      });
  if (says_model && !conditions.contains("model")) {
    return none("the figure does not say: model");
  }
  std::vector<const CellRow*> fitting;
  for (const CellRow& cell : input.cells) {
    if (is_measured(cell) && agrees(input, cell, conditions)) {
      fitting.push_back(&cell);
    }
  }
  if (fitting.size() != 1) {
    return none(fitting.empty() ? "no cell has these conditions"
                                : fmt::format("{} cells have these conditions", fitting.size()));
  }
  return stored.is_comparison ? from_comparison(input, *fitting.front(), stored.name, figure)
                              : from_estimate(input, *fitting.front(), stored.name, figure);
}

}  // namespace scalestudy::report
