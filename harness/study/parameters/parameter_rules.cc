// Parameter names and values of all workloads.
#include "harness/study/parameters/parameter_rules.h"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "harness/study/parameters/command_parameters.h"
#include "harness/study/parameters/environment.h"
#include "harness/study/parameters/first_defaults.h"
#include "harness/study/parameters/interconnect.h"
#include "harness/study/parameters/measured_axis.h"
#include "harness/text/quantity.h"
#include "harness/text/text.h"
#include "harness/yaml/fields.h"
#include "workloads/names/names.h"
#include "workloads/parameters/parameters.h"
#include "workloads/protocol/names.h"

namespace scalestudy {
namespace {

using protocol::ParameterInfo;
using protocol::ParameterKind;

constexpr std::string_view kEnvironmentPrefix = "env.";

const ParameterInfo* find_info(Workload workload, const std::string& name) {
  if (workload == Workload::kCommand) {
    return find_command_parameter(name);
  }
  if (const ParameterInfo* info = find_interconnect_parameter(name)) {
    return info;
  }
  return protocol::find_parameter(to_word(workload), name);
}

bool has_control_character(const std::string& text) {
  return std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20U; });
}

bool has_leading_zero(const std::string& text) {
  const std::size_t digit = text.starts_with('-') ? 1 : 0;
  return text.size() > digit + 1 && text[digit] == '0' && text[digit + 1] >= '0' &&
         text[digit + 1] <= '9';
}

// A value without a declared kind: what plain YAML means by it.
Value free_value(const std::string& text, bool is_quoted) {
  if (is_quoted || has_leading_zero(text)) {
    return text;
  }
  if (text == "true" || text == "false") {
    return text == "true";
  }
  if (const auto integer = parse_integer(text)) {
    return *integer;
  }
  if (const auto number = parse_number(text)) {
    return *number;
  }
  return text;
}

// The variable gets exactly this text, so it is a number only where the number reads back the same.
Value environment_value(const std::string& text, bool is_quoted) {
  Value value = free_value(text, is_quoted);
  return format_value(value) == text ? value : Value(text);
}

// The number that a text with a unit of size, or a percentage, means in the parameter's own unit,
// as text.
std::string convert_unit(const ParameterInfo& info, const std::string& text) {
  if (find_interconnect_parameter(info.name) != nullptr) {
    return interconnect_number(info, text);
  }
  if (info.unit == "%" && text.ends_with('%')) {
    return text.substr(0, text.find_last_not_of(" %") + 1);
  }
  const auto unit_bytes = bytes_per_unit(info.unit);
  const Quantity size = parse_bytes(text);
  if (!unit_bytes || !size.value) {
    return text;
  }
  const double number = *size.value / *unit_bytes;
  const auto whole = whole_number(number);  // as text without an exponent, unlike 1e+06
  return format_value(whole ? Value(*whole) : Value(number));
}

// As text, a unit converted to the parameter's own.
std::string canonical_text(const ParameterInfo& info, const std::string& written) {
  const bool is_number = info.kind == ParameterKind::kInteger || info.kind == ParameterKind::kReal;
  return is_number ? convert_unit(info, written) : written;
}

// Absent: no plain decimal number, where one is required.
std::optional<Value> typed_value(const ParameterInfo& info, const std::string& text) {
  switch (info.kind) {
    case ParameterKind::kInteger:
      return parse_integer(text);
    case ParameterKind::kReal:
      return parse_number(text);
    case ParameterKind::kFlag:
      return text == "true";
    case ParameterKind::kText:
    case ParameterKind::kIntegers:
      return text;
  }
  return std::nullopt;
}

ParsedValue table_value(const ParameterInfo& info, const std::string& written) {
  const std::string text = canonical_text(info, written);
  if (const std::string wrong = protocol::check_parameter(info, text); !wrong.empty()) {
    return {std::nullopt, wrong};
  }
  const std::optional<Value> value = typed_value(info, text);
  return {value,
          value ? ""
                : fmt::format("{} is \"{}\", a plain decimal number is required", info.name, text)};
}

std::map<std::string, std::string> texts_of(const Parameters& parameters) {
  std::map<std::string, std::string> texts;
  for (const auto& [name, value] : parameters) {
    texts.emplace(name, format_value(value));
  }
  return texts;
}

// What the parameter is when it is not among the given ones; absent when it has no default.
std::optional<Value> default_of(Workload workload,
                                const std::string& name,
                                const std::map<std::string, std::string>& given) {
  if (is_environment_parameter(name)) {
    return kDefaultValue;
  }
  const ParameterInfo* info = find_info(workload, name);
  if (info == nullptr || info->default_value.empty()) {
    return std::nullopt;
  }
  return typed_value(*info, std::string(protocol::default_value(*info, given)));
}

Value first_default(const ParameterInfo& info) {
  return typed_value(info, std::string(info.first_default_value)).value();
}

// That a study file sets by `steps`.
bool is_of_steps(std::string_view name) {
  return name == names::kWarmupSteps || name == names::kMeasuredSteps ||
         name == names::kWarmupTime || name == names::kMeasuredTime;
}

std::vector<std::string> known_names(Workload workload) {
  std::vector<std::string> names;
  for (const ParameterInfo& info : protocol::workload_parameters(to_word(workload))) {
    if (!is_of_steps(info.name)) {
      names.emplace_back(info.name);
    }
  }
  if (workload != Workload::kCommand) {
    for (const ParameterInfo& info : interconnect_parameters()) {
      names.emplace_back(info.name);
    }
  }
  return names;
}

bool is_above_zero(const Value& value) {
  const auto* number = std::get_if<double>(&value);
  return number != nullptr && *number > 0.0;
}

}  // namespace

bool is_environment_parameter(const std::string& name) {
  return name.starts_with(kEnvironmentPrefix);
}

std::string environment_name(const std::string& parameter) {
  return parameter.substr(kEnvironmentPrefix.size());
}

bool is_harness_parameter(const std::string& name) {
  return find_command_parameter(name) != nullptr;
}

bool is_own_parameter(Workload workload, const std::string& name) {
  return workload != Workload::kCommand && !is_environment_parameter(name) &&
         is_parameter_name(name) && find_info(workload, name) == nullptr;
}

bool means_devices(const std::string& name) {
  constexpr std::array<std::string_view, 12> names{"gpu_count",
                                                   "gpus",
                                                   "n_gpus",
                                                   "ngpus",
                                                   "np",
                                                   "nproc",
                                                   "nproc_per_node",
                                                   "num_devices",
                                                   "num_gpus",
                                                   "num_ranks",
                                                   "ranks",
                                                   "world_size"};
  return std::ranges::find(names, name) != names.end();
}

bool is_parameter_name(const std::string& name) {
  return protocol::is_name(name) && name.find('-') == std::string::npos;
}

std::string check_variable_name(Workload workload, const std::string& name) {
  const EnvironmentCatalogue& catalogue = environment_catalogue();
  std::string wrong = check_environment_name(catalogue, name);
  const auto found = catalogue.variables.find(name);
  if (!wrong.empty() || workload == Workload::kCommand || found == catalogue.variables.end()) {
    return wrong;
  }
  const EnvironmentVariable& variable = found->second;
  const std::string word = to_word(workload);
  if (variable.parameter.empty() && (variable.workload.empty() || variable.workload == word)) {
    return "";
  }
  const std::string instead =
      find_info(workload, variable.parameter) == nullptr
          ? "does not read it"
          : "uses its parameter " + variable.parameter + " instead; set that";
  return fmt::format("env.{} has no effect: workload {} {}", name, word, instead);
}

std::string check_parameter_name(Workload workload, const std::string& name) {
  if (is_environment_parameter(name)) {
    return check_variable_name(workload, environment_name(name));
  }
  if (!is_parameter_name(name)) {
    return fmt::format(
        "\"{}\" is not a name: a letter, then letters, digits, _ and ., at most {} in all",
        name.substr(0, 60),
        protocol::kMaxNameBytes);
  }
  if (is_of_steps(name)) {
    return fmt::format("{} is set by steps: {{warmup, measured, warmup_time, measured_time}}",
                       name);
  }
  if (workload == Workload::kCommand || find_info(workload, name) != nullptr) {
    return "";
  }
  if (check_environment_name(environment_catalogue(), name).empty() &&
      environment_catalogue().variables.contains(name)) {
    return fmt::format("{} is an environment variable; write env.{}", name, name);
  }
  const std::vector<std::string> names = known_names(workload);
  const std::string hint =
      means_devices(name) ? "; the number of devices is devices" : suggestion(name, names);
  return fmt::format("workload {} has no parameter \"{}\"{}",
                     to_word(workload),
                     name,
                     hint.empty() ? "; it has: " + join(names, ", ") + ", and env.NAME" : hint);
}

ParsedValue parse_parameter_value(Workload workload,
                                  const std::string& name,
                                  const std::string& text,
                                  bool is_quoted) {
  if (has_control_character(text)) {
    return {std::nullopt, name + " holds a control character or a line break"};
  }
  if (is_environment_parameter(name)) {
    const std::string wrong =
        check_environment_value(environment_catalogue(), environment_name(name), text);
    return wrong.empty() ? ParsedValue{environment_value(text, is_quoted), ""}
                         : ParsedValue{std::nullopt, wrong};
  }
  if (const ParameterInfo* info = find_info(workload, name)) {
    return table_value(*info, text);
  }
  const Value value = free_value(text, is_quoted);
  if (const auto* number = std::get_if<double>(&value);
      number != nullptr && text.find_first_not_of("-0123456789") == std::string::npos) {
    return {std::nullopt,
            fmt::format("{} is {}, which does not fit 64 bits; quote it", name, text)};
  }
  return {value, ""};
}

Value stored_parameter_value(Workload workload,
                             const std::string& name,
                             const std::string& text,
                             bool is_quoted) {
  if (is_environment_parameter(name)) {
    return environment_value(text, is_quoted);
  }
  const ParameterInfo* info = find_info(workload, name);
  const auto typed =
      info == nullptr ? std::nullopt : typed_value(*info, canonical_text(*info, text));
  return typed.value_or(free_value(text, is_quoted));
}

EffectiveParameters effective_parameters(Workload workload, const Parameters& given) {
  EffectiveParameters effective;
  const std::map<std::string, std::string> texts = texts_of(given);
  for (const auto& [name, value] : given) {
    const auto normal = default_of(workload, name, texts);
    effective.emplace(name,
                      EffectiveValue{value, normal && format_value(*normal) == texts.at(name)});
  }
  for (const std::string& name : known_names(workload)) {
    const auto normal = given.contains(name) ? std::nullopt : default_of(workload, name, texts);
    if (normal) {
      effective.emplace(name, EffectiveValue{*normal, true});
    }
  }
  return effective;
}

std::optional<Value> effective_value(const EffectiveParameters& parameters,
                                     const std::string& name) {
  if (const auto found = parameters.find(name); found != parameters.end()) {
    return found->second.value;
  }
  return is_environment_parameter(name) ? std::optional<Value>(kDefaultValue) : std::nullopt;
}

Parameters telling_parameters(Workload workload, const Parameters& parameters) {
  Parameters telling;
  for (const auto& [name, effective] : effective_parameters(workload, parameters)) {
    const ParameterInfo* info = find_info(workload, name);
    const bool has_changed = info != nullptr && !info->first_default_value.empty();
    const bool was_default =
        has_changed ? format_value(effective.value) == format_value(first_default(*info))
                    : effective.is_default;
    if (!was_default) {
      telling.emplace(name, effective.value);
    }
  }
  return telling;
}

Parameters first_defaults(Workload workload) {
  Parameters values;
  for (const ParameterInfo& info : protocol::workload_parameters(to_word(workload))) {
    if (!info.first_default_value.empty()) {
      values.emplace(info.name, first_default(info));
    }
  }
  return values;
}

std::string parameter_unit(Workload workload, const std::string& name) {
  if (name == names::kParameterCount) {
    return "parameters";
  }
  if (name == kComputationTime) {
    return "s";
  }
  const ParameterInfo* info = find_info(workload, name);
  return info == nullptr ? "" : std::string(info->unit);
}

bool has_declared_compute(const Study& study) {
  const auto compute = study.parameters.find(kCompute);
  return study.workload == Workload::kTrain && compute != study.parameters.end() &&
         compute->second == Value(std::string("declared"));
}

bool has_emulated_links(const Study& study) {
  const auto has = [](const Parameters& parameters) {
    const auto found = parameters.find(kInterconnectBandwidth);
    return found != parameters.end() && is_above_zero(found->second);
  };
  return study.workload != Workload::kCommand &&
         (has(study.parameters) || std::ranges::any_of(study.zip, has) ||
          std::ranges::any_of(study.include, has) ||
          std::ranges::any_of(study.axes, [](const Axis& axis) {
            return axis.name == kInterconnectBandwidth &&
                   std::ranges::any_of(axis.values, is_above_zero);
          }));
}

bool is_emulated(const Study& study) {
  return has_declared_compute(study) || has_emulated_links(study);
}

bool is_communication_parameter(Workload workload, const std::string& name) {
  if (is_environment_parameter(name)) {
    return is_communication_variable(environment_name(name));
  }
  const ParameterInfo* info = find_info(workload, name);
  return info != nullptr && info->communication;
}

}  // namespace scalestudy
