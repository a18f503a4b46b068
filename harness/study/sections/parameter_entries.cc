#include "harness/study/sections/parameter_entries.h"

#include <algorithm>
#include <set>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "harness/study/declared/varied_names.h"
#include "harness/study/parameters/parameter_rules.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

// Whether the name is that of a parameter which sides give: for any workload, and as text.
bool is_side(const std::string& name, const Study& study) {
  return name == kSideParameter && !study.sides.empty();
}

}  // namespace

std::vector<std::string> declared_names(const Study& study) {
  const std::set<std::string> varied = varied_names(study);
  std::vector<std::string> names(varied.begin(), varied.end());
  for (const auto& [name, value] : study.parameters) {
    names.push_back(name);
  }
  return names;
}

std::string meant_by_slip(const std::string& given, const std::vector<std::string>& names) {
  constexpr std::size_t least = 5;  // characters of two names that are not alike by chance
  for (const std::string& name : names) {
    if (name == given + "s" || given == name + "s") {
      return name;
    }
  }
  const std::string match = closest_match(given, names);
  return std::min(match.size(), given.size()) >= least ? match : "";
}

bool check_entry_name(const YamlNode& key, SectionContext& context) {
  if (!context.is_workload_known) {
    return false;
  }
  if (is_side(key.text, context.study)) {
    return true;
  }
  const bool is_own = context.own_names.contains(key.text);
  std::string wrong =
      check_parameter_name(is_own ? Workload::kCommand : context.study.workload, key.text);
  if (!wrong.empty() && !is_own && context.has_beside &&
      is_own_parameter(context.study.workload, key.text)) {
    wrong += fmt::format("; for one of your own, write {{{}}} into setup", key.text);
  }
  return wrong.empty() || !context.problems.refuse(key, wrong);
}

bool read_entry_value(const std::string& name,
                      const YamlNode& item,
                      SectionContext& context,
                      Value& value) {
  if (!item.is_scalar()) {
    context.problems.add(item, fmt::format("{} must be one value, not {}", name, describe(item)));
    return false;
  }
  if (is_side(name, context.study)) {
    value = item.text;
    return true;
  }
  const Workload workload = context.study.workload;
  if (context.problems.is_stored()) {
    value = stored_parameter_value(workload, name, item.text, item.is_quoted);
    return true;
  }
  ParsedValue parsed = parse_parameter_value(workload, name, item.text, item.is_quoted);
  if (!parsed.value) {
    context.problems.add(item, parsed.problem);
    return false;
  }
  value = *parsed.value;
  const bool is_free = workload == Workload::kCommand || is_own_parameter(workload, name);
  if (is_free && std::holds_alternative<double>(value) && may_be_version(item.text)) {
    context.problems.add(
        item,
        fmt::format("{0} is {1}, which is the number {2}: write {2}, or \"{1}\" in "
                    "quotes if it is a version",
                    name,
                    item.text,
                    format_value(value)));
    return false;
  }
  return true;
}

bool read_entry(const YamlNode& key, const YamlNode& item, SectionContext& context, Value& value) {
  return check_entry_name(key, context) && read_entry_value(key.text, item, context, value);
}

Parameters read_selection(const YamlNode& map, const std::string& what, SectionContext& context) {
  Parameters selection;
  if (!context.is_workload_known) {
    return selection;
  }
  const std::vector<std::string> names = declared_names(context.study);
  for (std::size_t i = 0; i < map.keys.size(); ++i) {
    const YamlNode& key = map.keys[i];
    if (std::find(names.begin(), names.end(), key.text) == names.end()) {
      const std::string hint = suggestion(key.text, names);
      if (context.problems.refuse(
              key,
              fmt::format("{} names \"{}\", which is no axis of this study{}",
                          what,
                          key.text,
                          hint.empty() ? "; it has: " + join(names, ", ") : hint))) {
        continue;
      }
    }
    Value value;
    if (read_entry(key, map.items[i], context, value)) {
      selection[key.text] = std::move(value);
    }
  }
  return selection;
}

}  // namespace scalestudy
