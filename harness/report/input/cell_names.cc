#include "harness/report/input/cell_names.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <system_error>
#include <vector>

#include "harness/report/input/group_keys.h"
#include "harness/study/declared/words.h"
#include "harness/study/parameters/metrics.h"
#include "harness/study/parameters/parameter_rules.h"
#include "harness/study/parameters/time_to.h"
#include "harness/text/number.h"
#include "harness/text/quantity.h"
#include "harness/text/text.h"
#include "workloads/names/names.h"

namespace scalestudy::report {
namespace {

// A message size that a cell of `command` calls "small" is a part of its configuration.
std::optional<std::int64_t> bytes_of(const CellRow::Parameter& parameter) {
  const bool is_size = parameter.varied && parameter.name == names::kMessageBytes;
  const std::optional<double> bytes = is_size ? parameter.number() : std::nullopt;
  return bytes ? whole_number(*bytes) : std::nullopt;
}

bool has_own_column(const ReportInput& input, const CellRow::Parameter& parameter) {
  const std::string& name = parameter.name;
  return splits_groups(input.declared, name) || name == names::kDevices ||
         (name == names::kNodes && !input.index.nodes_tell_apart) || is_batch(name) ||
         bytes_of(parameter);
}

// Whether the study's author chose the word by which the parameter is called.
bool has_own_name(const Study& study, const std::string& parameter) {
  const bool is_of_program = study.workload == Workload::kCommand
                                 ? !is_harness_parameter(parameter)
                                 : is_own_parameter(study.workload, parameter);
  return study.labels.contains(parameter) || (is_of_program && parameter != kSideParameter);
}

bool is_letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0;
}

bool begins_with_own_name(const ReportInput& input, const std::string& text) {
  for (std::size_t end = 1; end <= text.size(); ++end) {
    const bool is_end_of_word = end == text.size() || !is_letter(text[end]);
    if (is_end_of_word && input.index.own_names.contains(text.substr(0, end))) {
      return true;
    }
  }
  return false;
}

// configuration() without the parameters of `left_out`.
std::string configuration_without(const ReportInput& input,
                                  const CellRow& cell,
                                  const ParameterLabels& labels,
                                  const std::set<std::string>& left_out) {
  const CellRow* base = input.common_base();
  const std::string names = name_parameters(
      cell,
      [&](const CellRow::Parameter& parameter) {
        const CellRow::Parameter* theirs =
            base == nullptr ? nullptr : find_varied(*base, parameter.name);
        return !has_own_column(input, parameter) && !left_out.contains(parameter.name) &&
               (theirs == nullptr || theirs->value != parameter.value);
      },
      labels);
  return names.empty() && base != nullptr ? "base" : names;
}

}  // namespace

std::string cell_name(const ReportInput& input, const CellRow& cell) {
  return input.common_base() == nullptr || cell.role != CellRole::kMeasured
             ? describe_cell(cell, input.declared.labels)
             : short_name(input, cell);
}

std::string setting_name(const ReportInput& input, const CellRow& cell) {
  const std::optional<std::int64_t> bytes = message_bytes(cell);
  std::vector<std::string> parts = {
      batch_name(input, cell), bytes ? format_bytes(*bytes) : "", configuration(input, cell)};
  std::erase(parts, "");
  return join(parts, ", ");
}

std::string short_name(const ReportInput& input, const CellRow& cell) {
  const std::string setting = setting_name(input, cell);
  const bool varies = std::ranges::any_of(input.cells, [&](const CellRow& other) {
    return other.role == CellRole::kMeasured && other.devices != cell.devices;
  });
  if (!setting.empty() && !varies) {
    return setting;
  }
  return format_count(cell.devices, "device") + (setting.empty() ? "" : ", ") + setting;
}

std::string configuration(const ReportInput& input, const CellRow& cell) {
  return configuration(input, cell, input.declared.labels);
}

std::string configuration(const ReportInput& input,
                          const CellRow& cell,
                          const ParameterLabels& labels) {
  return configuration_without(input, cell, labels, {});
}

CellRow on_device_curve(const ReportInput& input, CellRow cell) {
  const auto span = input.index.node_spans.find(cell.id);
  for (CellRow::Parameter& parameter : cell.parameters) {
    if (parameter.name == names::kNodes && span != input.index.node_spans.end()) {
      parameter.value = span->second;
    }
  }
  return cell;
}

std::string curve_configuration(const ReportInput& input,
                                const CellRow& cell,
                                const ParameterLabels& labels) {
  return configuration_without(input, cell, labels, input.index.with_message_bytes);
}

std::string batch_name(const ReportInput& input, const CellRow& cell) {
  const std::optional<std::int64_t> batch = fixed_batch(input, cell);
  const bool varies =
      std::any_of(input.cells.begin(), input.cells.end(), [&](const CellRow& other) {
        return fixed_batch(input, other) != batch;
      });
  if (!batch || (!varies && !configuration(input, cell).empty())) {
    return "";
  }
  const bool is_per_device = input.study.scaling == Scaling::kWeak || !cell.batch_global;
  return name_parameter({.name = is_per_device ? names::kBatchPerDevice : names::kBatchGlobal,
                         .value = std::to_string(*batch)},
                        input.declared.labels);
}

bool is_batch(const std::string& name) {
  return name == names::kBatchGlobal || name == names::kBatchPerDevice;
}

std::optional<std::int64_t> fixed_batch(const ReportInput& input, const CellRow& cell) {
  if (input.study.scaling == Scaling::kWeak && cell.batch_per_device) {
    return cell.batch_per_device;
  }
  return cell.batch_global ? cell.batch_global : cell.batch_per_device;
}

std::optional<std::int64_t> message_bytes(const CellRow& cell) {
  const CellRow::Parameter* size = find_varied(cell, names::kMessageBytes);
  return size == nullptr ? std::nullopt : bytes_of(*size);
}

std::set<std::string> find_with_message_bytes(const std::vector<CellRow>& cells) {
  using Values = std::set<std::string>;
  std::map<std::string, std::map<std::int64_t, Values>> values;  // by name and size
  for (const CellRow& cell : cells) {
    const std::optional<std::int64_t> bytes = message_bytes(cell);
    if (cell.role != CellRole::kMeasured || !bytes) {
      continue;
    }
    for (const CellRow::Parameter& parameter : cell.parameters) {
      if (parameter.varied && parameter.name != names::kMessageBytes &&
          parameter.kind != ValueKind::kText) {
        values[parameter.name][*bytes].insert(parameter.value);
      }
    }
  }
  const auto is_one = [](const auto& entry) { return entry.second.size() == 1; };
  std::set<std::string> names;
  for (const auto& [name, by_size] : values) {
    const bool varies = std::ranges::any_of(
        by_size,
        [&first = by_size.begin()->second](const auto& entry) { return entry.second != first; });
    if (varies && std::ranges::all_of(by_size, is_one)) {
      names.insert(name);
    }
  }
  return names;
}

std::map<std::int64_t, std::string> find_node_spans(const ReportInput& input) {
  std::map<std::string, std::vector<const CellRow*>> alike;
  for (const CellRow& cell : input.cells) {
    if (cell.role == CellRole::kMeasured && !cell.excluded_reason) {
      const std::string others = name_parameters(cell, [](const CellRow::Parameter& parameter) {
        return parameter.name != names::kDevices && parameter.name != names::kNodes &&
               !is_batch(parameter.name);
      });
      alike[std::to_string(fixed_batch(input, cell).value_or(0)) + " " + others].push_back(&cell);
    }
  }
  return spans_of_nodes(alike);
}

std::string label_of(const ReportInput& input, const std::string& name) {
  const auto found = input.declared.labels.find(name);
  return found == input.declared.labels.end() ? name : found->second;
}

std::set<std::string> find_own_names(const ReportInput& input) {
  const Study& study = input.declared;
  std::set<std::string> names;
  const auto add = [&](const std::string& metric, const std::string& said) {
    if (study.workload == Workload::kCommand && find_metric(metric) == nullptr) {
      names.insert(said);
    }
  };
  for (const ExtractRule& rule : study.extract) {
    add(rule.metric, rule.metric);
  }
  for (const MetricRequest& request : study.analysis.metrics) {
    add(request.metric, request.metric);
  }
  for (const TimeToRequest& request : study.analysis.time_to) {
    add(request.metric, describe_goal(study, request));
  }
  for (const CellRow& cell : input.cells) {
    for (const CellRow::Parameter& parameter : cell.parameters) {
      if (parameter.varied && has_own_name(study, parameter.name)) {
        names.insert(name_parameter(parameter, study.labels));
      }
    }
  }
  return names;
}

std::string begin_line(const ReportInput& input, const std::string& text) {
  return begins_with_own_name(input, text) ? text : with_capital(text);
}

std::string curve_label(const ReportInput& input, const std::string& label) {
  return name_curve(label, input.declared.labels);
}

std::string name_of_law(Law law) {
  return law == Law::kAmdahl      ? "Amdahl"
         : law == Law::kGustafson ? "Gustafson"
         : law == Law::kUsl       ? "USL"
         : law == Law::kAlphaBeta ? "latency and bandwidth"
                                  : in_words(to_word(law));
}

}  // namespace scalestudy::report
