// Placeholders and extraction patterns of the workload `command`.
#include "harness/study/matrix/command.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <re2/re2.h>

#include "harness/base/error.h"
#include "harness/study/parameters/metrics.h"
#include "harness/study/parameters/parameter_rules.h"
#include "harness/text/quantity.h"
#include "workloads/names/names.h"
#include "workloads/protocol/names.h"

namespace scalestudy {
namespace {

constexpr std::size_t kMaxPattern = 1000;  // characters, as in the schema of study files

struct Placeholder {
  std::size_t begin;  // of "{"
  std::size_t end;    // behind "}"
  std::string name;
};

std::vector<Placeholder> find_placeholders(const std::string& argument) {
  std::vector<Placeholder> found;
  std::size_t open = argument.find('{');
  while (open != std::string::npos) {
    const std::size_t close = argument.find('}', open);
    if (close == std::string::npos) {
      break;
    }
    const std::string name = argument.substr(open + 1, close - open - 1);
    if (is_parameter_name(name)) {
      found.push_back({open, close + 1, name});
    }
    open = argument.find('{', open + 1);
  }
  return found;
}

// nullopt where the cell has none.
std::optional<std::string> launch_value(const std::string& name, const Cell& cell) {
  if (const auto found = cell.parameters.find(name); found != cell.parameters.end()) {
    return format_value(found->second);
  }
  const bool is_one = cell.nodes == 1;
  const std::map<std::string, std::string> values{
      {names::kDevices, fmt::format("{}", cell.devices)},
      {names::kNodes, fmt::format("{}", cell.nodes)},
      {"node_rank", is_one ? "0" : kNodeRank},
      {"master_addr", is_one ? "127.0.0.1" : kMasterAddress},
      {"master_port", kMasterPort},
      {"trial_folder", kTrialFolder}};
  if (const auto found = values.find(name); found != values.end()) {
    return found->second;
  }
  const auto found = cell.effective.find(name);  // a value that is the default is only there
  return found == cell.effective.end() ? std::nullopt
                                       : std::optional(format_value(found->second.value));
}

// A group that says whose the value is, and holds none.
bool is_telling(const std::string& name) {
  return name == kRankGroup || name == kStepGroup;
}

// Removes the names of groups, but for telling ones, which it writes as RE2 does; `names[i]` is the
// name of group i + 1, empty when it has none.
std::string strip_group_names(const std::string& pattern, std::vector<std::string>& names) {
  std::string plain;
  bool is_in_class = false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    plain += c;
    if (c == '\\' && i + 1 < pattern.size()) {
      plain += pattern[++i];
    } else if (is_in_class || c == '[') {
      is_in_class = c != ']';
    } else if (c == '(') {
      const std::size_t angle = pattern.compare(i, 4, "(?P<") == 0 ? i + 3 : i + 2;
      const std::size_t close = pattern.find('>', i);
      const bool is_named =
          pattern.compare(i, 4, "(?P<") == 0 ||
          (pattern.compare(i, 3, "(?<") == 0 && pattern.compare(i, 4, "(?<=") != 0 &&
           pattern.compare(i, 4, "(?<!") != 0);
      if (is_named && close != std::string::npos) {
        names.push_back(pattern.substr(angle + 1, close - angle - 1));
        plain += is_telling(names.back()) ? fmt::format("?P<{}>", names.back()) : "";
        i = close;
      } else if (pattern.compare(i, 2, "(?") != 0) {
        names.emplace_back();
      }
    }
  }
  return plain;
}

int group_number(const std::vector<std::string>& names, const std::string& group) {
  const std::string& wanted = group.empty() ? "value" : group;
  if (const auto number = parse_integer(wanted)) {
    return *number >= 1 && static_cast<std::size_t>(*number) <= names.size()
               ? static_cast<int>(*number)
               : 0;
  }
  const auto found = std::find(names.begin(), names.end(), wanted);
  if (found != names.end()) {
    return static_cast<int>(found - names.begin()) + 1;
  }
  const auto first = std::find_if_not(names.begin(), names.end(), is_telling);
  return group.empty() && first != names.end() ? static_cast<int>(first - names.begin()) + 1 : 0;
}

// Of "MW" as a multiple of "W": 1e6; absent where it is none.
std::optional<double> multiple_of(std::string_view base, const std::string& unit) {
  constexpr auto prefixes = std::to_array<std::pair<std::string_view, double>>(
      {{"", 1.0}, {"u", 1e-6}, {"m", 1e-3}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}});
  for (const auto& [prefix, factor] : prefixes) {
    if (unit == std::string(prefix) + std::string(base)) {
      return factor;
    }
  }
  return std::nullopt;
}

// Of a metric that is no time of steps, by the unit that its name ends in.
StoredUnit unit_by_name(const std::string& metric, const std::string& unit) {
  const auto size = [](const std::string& text) {
    return text == "bytes" ? std::optional(1.0) : bytes_per_unit(text);
  };
  const auto stored = [&](const char* named, std::optional<double> factor) {
    return factor ? StoredUnit{.unit = named, .factor = *factor} : StoredUnit{.unit = unit};
  };
  if (is_in_percent(metric, unit)) {
    return {.unit = "1", .factor = kHundredth};
  }
  if (metric.ends_with("_bytes")) {
    const auto factor = size(unit);
    return factor ? StoredUnit{.unit = "bytes", .factor = *factor} : StoredUnit();
  }
  if (metric.ends_with("_bytes_per_s")) {
    const auto factor = unit.ends_with("/s") ? size(unit.substr(0, unit.size() - 2)) : std::nullopt;
    return factor ? StoredUnit{.unit = "bytes/s", .factor = *factor} : StoredUnit();
  }
  if (metric.ends_with("_s") && metric.find("per_") == std::string::npos) {
    return stored("s", seconds_per_unit(unit));
  }
  return metric.ends_with("_hz")  ? stored("Hz", multiple_of("Hz", unit))
         : metric.ends_with("_w") ? stored("W", multiple_of("W", unit))
         : metric.ends_with("_j") ? stored("J", multiple_of("J", unit))
                                  : StoredUnit{.unit = unit};
}

}  // namespace

std::vector<std::string> placeholders(const std::string& argument) {
  std::vector<std::string> names;
  for (const Placeholder& placeholder : find_placeholders(argument)) {
    names.push_back(placeholder.name);
  }
  return names;
}

std::vector<std::string> launch_names() {
  return {
      names::kDevices, names::kNodes, "node_rank", "master_addr", "master_port", "trial_folder"};
}

std::string expand_argument(const std::string& argument, const Cell& cell) {
  std::string text;
  std::size_t at = 0;
  for (const Placeholder& placeholder : find_placeholders(argument)) {
    const std::optional<std::string> value = launch_value(placeholder.name, cell);
    if (!value) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("cell {} ({}) has no value for {{{}}} in the command; "
                              "give it in parameters, or in every row of include",
                              cell.hash,
                              cell.label,
                              placeholder.name));
    }
    text += argument.substr(at, placeholder.begin - at) + *value;
    at = placeholder.end;
  }
  return text + argument.substr(at);
}

std::vector<std::string> expand_arguments(const std::vector<std::string>& arguments,
                                          const Cell& cell) {
  std::vector<std::string> expanded;
  for (const std::string& argument : arguments) {
    expanded.push_back(expand_argument(argument, cell));
  }
  return expanded;
}

std::string check_pattern(const std::string& pattern) {
  if (pattern.empty() || pattern.size() > kMaxPattern) {
    return fmt::format(
        "the expression is {}",
        pattern.empty() ? "empty" : fmt::format("longer than {} characters", kMaxPattern));
  }
  const re2::RE2 compiled(pattern, re2::RE2::Quiet);
  return compiled.ok() ? "" : fmt::format("not a regular expression (RE2): {}", compiled.error());
}

ExtractPattern parse_extract_pattern(const std::string& pattern, const std::string& group) {
  ExtractPattern result;
  std::vector<std::string> names;
  result.regex = strip_group_names(pattern, names);
  result.problem = check_pattern(pattern.size() > kMaxPattern ? pattern : result.regex);
  if (!result.problem.empty()) {
    return result;
  }
  const re2::RE2 compiled(result.regex, re2::RE2::Quiet);
  if (compiled.NumberOfCapturingGroups() == 0) {
    result.problem = "no group holds the value; write one, e.g. step_time: (?<value>[0-9.]+)";
    return result;
  }
  result.group = group_number(names, group);
  if (result.group == 0) {
    result.problem = group.empty() ? "no group but those of rank and step holds the value"
                                   : fmt::format("it has no group \"{}\"", group);
  }
  return result;
}

bool reads_steps(const ExtractRule& rule) {
  return !rule.step_path.empty() ||
         rule.regex.find(fmt::format("(?P<{}>", kStepGroup)) != std::string::npos;
}

StoredUnit stored_unit(const ExtractRule& rule) {
  if (!protocol::is_time_metric(rule.metric)) {
    return unit_by_name(rule.metric, rule.unit);
  }
  if (const std::optional<double> seconds = seconds_per_unit(rule.unit)) {
    return {.unit = "s", .factor = *seconds};
  }
  const std::size_t slash = rule.unit.find('/');
  const std::string above = rule.unit.substr(0, slash);
  const std::string below = slash == std::string::npos ? "" : rule.unit.substr(slash + 1);
  const std::optional<double> time_above = seconds_per_unit(above);
  const std::optional<double> time_below = seconds_per_unit(below);
  if (time_above.has_value() == time_below.has_value() || above.empty() || below.empty()) {
    return {};
  }
  const std::string& counted = time_above ? below : above;
  if (re2::RE2::PartialMatch(counted, "^(?:0|[0-9]*[-+.,])")) {  // "s/0it", "s/-1it", "s/1.5it"
    return {};
  }
  std::string several;   // "10" of "s/10it"
  std::string of_steps;  // "epoch" of "s/epoch"
  const bool is_known =
      re2::RE2::FullMatch(counted,
                          "([1-9][0-9]{0,8}|)(?:its?|iters?|iterations?|steps?|(lines?|epochs?))",
                          &several,
                          &of_steps);
  const bool counts_steps = is_known && of_steps.empty();
  // per_step says how many times "10it" a step is: the factor must not say it again.
  const bool is_alone = time_above && counts_steps && !several.empty() && rule.per_step.empty();
  const double steps = is_alone ? std::stod(several) : 1.0;
  return {.unit = "s",
          .factor = time_above ? *time_above / steps : *time_below,
          .is_rate = time_below.has_value(),
          .needs_amount = !counts_steps || (time_below && !several.empty()),
          .is_of_steps = is_known && time_above.has_value(),
          .steps = steps};
}

std::string rule_text(const ExtractRule& rule) {
  std::string text =
      fmt::format("{} [{}] {}{}{}{}{}{}{}{}{}{}{}",
                  rule.metric,
                  rule.unit,
                  rule.json_path.empty() ? "" : "json_path " + rule.json_path,
                  rule.step_path.empty() ? "" : " step_path " + rule.step_path,
                  rule.regex.empty() ? "" : "regex " + rule.regex,
                  rule.regex.empty() ? "" : fmt::format(" group {}", rule.group),
                  rule.mllog_key.empty() ? "" : "mllog_key " + rule.mllog_key,
                  rule.from == ExtractSource::kOutput ? "" : " from " + to_word(rule.from),
                  rule.file.empty() ? "" : " from file " + rule.file,
                  rule.json == JsonForm::kLines ? "" : " json " + to_word(rule.json),
                  rule.per_step.empty() ? "" : " per_step " + rule.per_step,
                  rule.decimal == DecimalMark::kComma ? " decimal comma" : "",
                  rule.is_difference ? " difference" : "");
  for (const OutputCondition& condition : rule.conditions) {
    text += fmt::format(" {} {}", to_word(condition.kind), condition.regex);
  }
  return text;
}

StepAmount parse_step_amount(const std::string& text) {
  StepAmount amount;
  bool is_divisor = false;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find_first_of("*/", begin), text.size());
    std::string factor = text.substr(begin, end - begin);
    re2::RE2::FullMatch(factor, "\\s*(.*?)\\s*", &factor);
    const std::vector<Placeholder> names = find_placeholders(factor);
    if (names.size() == 1 && names[0].begin == 0 && names[0].end == factor.size()) {
      (is_divisor ? amount.divisors : amount.names).push_back(names[0].name);
    } else if (const auto number = parse_number(factor); number && *number > 0.0) {
      amount.number = is_divisor ? amount.number / *number : amount.number * *number;
    } else {
      amount.problem = fmt::format(
          "\"{}\" is not an amount; numbers above 0 and {{parameters}} are, with * or / between "
          "them",
          text);
    }
    is_divisor = end < text.size() && text[end] == '/';
    begin = end + 1;
  }
  return amount;
}

double value_of(const StepAmount& amount,
                const std::function<double(const std::string& name)>& value) {
  double product = amount.number;
  for (const std::string& name : amount.names) {
    product *= value(name);
  }
  for (const std::string& name : amount.divisors) {
    product /= value(name);
  }
  return product;
}

double steps_of_value(const ExtractRule& rule, double amount) {
  const StoredUnit unit = stored_unit(rule);
  return unit.is_of_steps && amount > 0.0 && amount < 1.0 ? 1.0 / amount : unit.steps;
}

}  // namespace scalestudy
