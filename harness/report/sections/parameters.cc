#include "harness/report/sections/parameters.h"

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "harness/store/cell_name.h"
#include "harness/store/cell_parameters.h"
#include "harness/study/parameters/measured_axis.h"
#include "harness/study/parameters/parameter_rules.h"
#include "harness/text/number.h"
#include "harness/text/text.h"
#include "workloads/names/names.h"

namespace scalestudy::report {
namespace {

// Told where they are defaults too, of train and collective.
constexpr auto kTold = std::to_array<const char*>({names::kModel,
                                                   names::kOperation,
                                                   names::kMessageBytes,
                                                   "mode",
                                                   names::kBackend,
                                                   "threads",
                                                   names::kPrecision,
                                                   "optimizer",
                                                   "learning_rate",
                                                   "momentum",
                                                   "loss",
                                                   "data",
                                                   "seed",
                                                   names::kAccumulationSteps,
                                                   names::kStrategy,
                                                   names::kComm,
                                                   names::kOverlap,
                                                   "first_bucket_mb",
                                                   "bucket_mb"});

View row_of(const std::string& name, const std::string& value) {
  View row;
  row.set_text("name", name);
  row.set_text("value", value);
  return row;
}

// The cell's own value of the parameter, or that of the study; "" if it is a default of an old
// store.
std::string value_of(const ReportInput& input, const CellRow& cell, const std::string& name) {
  const auto own = std::ranges::find(cell.parameters, name, &CellRow::Parameter::name);
  const auto fixed = input.declared.parameters.find(name);
  return own != cell.parameters.end()               ? own->value
         : fixed != input.declared.parameters.end() ? format_value(fixed->second)
                                                    : "";
}

// " (258,432 parameters)" of a model, if its cells counted as many; else "".
std::string size_text(const ReportInput& input, const std::string& name, const std::string& value) {
  std::set<double> sizes;
  for (const CellRow& cell : input.cells) {
    const EstimateRow* size = input.estimate(cell.id, names::kParameterCount);
    if (name == names::kModel && size != nullptr && size->value &&
        value_of(input, cell, name) == value) {
      sizes.insert(*size->value);
    }
  }
  return sizes.size() == 1 ? fmt::format(" ({} parameters)", format_decimals(*sizes.begin(), 0))
                           : "";
}

// The value as a table of what was run says it: "mlp-258k (258,432 parameters)", "25".
std::string told_value(const ReportInput& input, const std::string& name, const Value& value) {
  const std::string text = format_value(value);
  return name_value(name, text) + size_text(input, name, text);
}

std::string values_text(const ReportInput& input, const Axis& axis) {
  std::vector<std::string> values;
  for (const Value& value : axis.values) {
    values.push_back(told_value(input, axis.name, value));
  }
  std::set<std::int64_t> added;
  for (const Addition& addition : input.declared.additions) {
    if (addition.axis == axis.name && addition.value) {
      added.insert(*addition.value);
    }
  }
  std::vector<std::string> refined;
  for (const std::int64_t value : added) {
    refined.push_back(name_value(axis.name, std::to_string(value)));
  }
  const std::string by = input.declared.largest ? "the search" : "refine";
  return join(values, ", ") +
         (added.empty() ? "" : fmt::format("; added by {}: {}", by, join(refined, ", ")));
}

// " (LIBV=1)"
std::string in_brackets(const StudySide& side) {
  const std::string changes = side_changes(side);
  return changes.empty() ? "" : " (" + changes + ")";
}

struct MeasuredCell {
  bool communicates;
  EffectiveParameters effective;
};

std::vector<MeasuredCell> effective_cells(const ReportInput& input) {
  std::vector<MeasuredCell> cells;
  for (const CellRow& cell : input.cells) {
    if (cell.role == CellRole::kMeasured && !cell.excluded_reason) {
      cells.push_back({cell.devices > 1, effective_parameters(cell, input.declared)});
    }
  }
  return cells;
}

// "fp32", "none or poll": what the measured cells have; "" where none has it.
std::string default_text(const ReportInput& input,
                         const std::vector<MeasuredCell>& cells,
                         const std::string& name) {
  const bool is_of_communication = is_communication_parameter(input.declared.workload, name);
  std::vector<Value> values;
  for (const MeasuredCell& cell : cells) {
    if (is_of_communication && !cell.communicates) {
      continue;
    }
    const bool is_used = name != "momentum" ||
                         effective_value(cell.effective, "optimizer") == Value(std::string("sgd"));
    const std::optional<Value> value =
        is_used ? effective_value(cell.effective, name) : std::nullopt;
    if (value && std::ranges::find(values, *value) == values.end()) {
      values.push_back(*value);
    }
  }
  std::vector<std::string> texts;
  texts.reserve(values.size());
  for (const Value& value : values) {
    texts.push_back(told_value(input, name, value));
  }
  return join(texts, " or ");
}

}  // namespace

std::string parameter_heading(const ReportInput& input, const std::string& name) {
  const std::string label = name_axis(name, input.declared.labels);
  const bool has_unit = name_value(name, "1") != "1" || name == names::kDevices ||
                        name == names::kParameterCount || name == kComputationTime;
  const std::string unit = has_unit ? "" : parameter_unit(input.declared.workload, name);
  return label.find(unit) != std::string::npos ? label : fmt::format("{} ({})", label, unit);
}

bool gives_parameter(const ReportInput& input, const std::string& name) {
  return input.declared.parameters.contains(name) ||
         std::ranges::any_of(input.cells, [&](const CellRow& cell) {
           return !cell.excluded_reason && find_varied(cell, name) != nullptr;
         });
}

std::string side_changes(const StudySide& side) {
  std::vector<std::string> changes;
  if (!side.commit.empty() && !side.commit.starts_with(side.name)) {
    changes.push_back("commit " + side.commit);
  }
  for (const auto& [name, value] : side.environment) {
    changes.push_back(name + "=" + value);
  }
  if (!side.prefix.empty()) {
    changes.push_back("prefix " + join(side.prefix, " "));
  }
  return join(changes, ", ");
}

std::string parameters_text(const ReportInput& input, const Parameters& parameters) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : parameters) {
    const std::string text = format_value(value);
    parts.push_back(name_parameter({.name = name, .value = text}, input.declared.labels));
    for (const StudySide& side : input.declared.sides) {
      parts.back() += name == kSideParameter && text == side.name ? in_brackets(side) : "";
    }
  }
  return join(parts, ", ");
}

View::List varied_rows(const ReportInput& input) {
  View::List rows;
  for (const Axis& axis : input.declared.axes) {
    rows.push_back(row_of(parameter_heading(input, axis.name), values_text(input, axis)));
  }
  for (const Parameters& parameters : input.declared.zip) {
    rows.push_back(row_of("together", parameters_text(input, parameters)));
  }
  for (const Parameters& parameters : input.declared.include) {
    rows.push_back(row_of("one more cell", parameters_text(input, parameters)));
  }
  std::vector<std::string> sides;
  for (const StudySide& side : input.declared.sides) {
    sides.push_back(side.name + in_brackets(side));
  }
  if (!sides.empty()) {
    rows.push_back(row_of(parameter_heading(input, kSideParameter), join(sides, ", ")));
  }
  return rows;
}

View::List fixed_rows(const ReportInput& input) {
  View::List rows;
  for (const auto& [name, value] : input.declared.parameters) {
    rows.push_back(row_of(parameter_heading(input, name), told_value(input, name, value)));
  }
  return rows;
}

EffectiveTexts effective_texts(const ReportInput& input) {
  const std::vector<MeasuredCell> cells = effective_cells(input);
  std::vector<std::string> defaults;
  for (const std::string name : kTold) {
    const std::string text = gives_parameter(input, name) ? "" : default_text(input, cells, name);
    if (!text.empty()) {
      const auto [words, unit] = setting_words(name);
      defaults.push_back(in_words(name_axis(words)) + " " + text + unit);
    }
  }
  std::vector<std::string> of_training;
  for (const char* name : {names::kPrecision, "optimizer"}) {
    const std::string text =
        input.declared.workload == Workload::kTrain ? default_text(input, cells, name) : "";
    if (!text.empty()) {
      of_training.push_back(std::string(name) + " " + text);
    }
  }
  return {join(defaults, ", "), join(of_training, ", ")};
}

}  // namespace scalestudy::report
