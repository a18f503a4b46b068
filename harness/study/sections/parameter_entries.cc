#include "harness/study/sections/parameter_entries.h"

#include <algorithm>
#include <array>
#include <set>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "harness/study/declared/varied_names.h"
#include "harness/study/parameters/parameter_rules.h"
#include "harness/text/quantity.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

// Whether the name is that of a parameter which sides give: for any workload, and as text.
bool is_side(const std::string& name, const Study& study) {
  return name == kSideParameter && !study.sides.empty();
}

// Whether the texts differ by letters that were lost, doubled or swapped. A letter in place of
// another, and another digit, make another name: num_levels beside num_layers, layer2 beside
// layer1.
bool differ_by_slip(std::string one, std::string other) {
  constexpr std::size_t least = 5;  // characters of two names that are not alike by chance
  if (std::min(one.size(), other.size()) < least) {
    return false;
  }
  const std::size_t more = std::max(one.size(), other.size()) - std::min(one.size(), other.size());
  for (std::string* text : {&one, &other}) {
    std::erase_if(*text, [](char c) { return c >= '0' && c <= '9'; });
  }
  if (one == other) {
    return false;
  }
  std::ranges::sort(one);
  std::ranges::sort(other);
  return more == 1 ? std::ranges::includes(one, other) || std::ranges::includes(other, one)
                   : one == other;
}

}  // namespace

bool names_version(const std::string& name) {
  return (name.ends_with("version") && !name.ends_with("conversion") &&
          !name.ends_with("inversion")) ||
         std::ranges::any_of(
             std::array<std::string, 3>{"python", "torch", "cuda"},
             [&](const std::string& word) { return name == word || name.ends_with("_" + word); });
}

std::vector<std::string> declared_names(const Study& study) {
  const std::set<std::string> varied = varied_names(study);
  std::vector<std::string> names(varied.begin(), varied.end());
  for (const auto& [name, value] : study.parameters) {
    names.push_back(name);
  }
  return names;
}

std::string hint_of_names(const std::string& given, const std::vector<std::string>& names) {
  const std::string near = suggestion(given, names);
  return names.empty() ? "; it has none" : near.empty() ? "; it has: " + join(names, ", ") : near;
}

std::string meant_by_slip(const std::string& given, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (name == given + "s" || given == name + "s") {
      return name;
    }
  }
  const std::string match = closest_match(given, names);
  return differ_by_slip(match, given) ? match : "";
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
  return true;
}

void check_versions(const std::string& name,
                    std::span<const YamlNode> items,
                    SectionContext& context) {
  const Workload workload = context.study.workload;
  const bool is_free = workload == Workload::kCommand || is_own_parameter(workload, name);
  if (!is_free || is_environment_parameter(name)) {  // variables keep their zeros
    return;
  }
  for (const YamlNode& item : items) {
    const std::string& text = item.text;
    if (!item.is_scalar() || item.is_quoted || !may_be_version(text)) {
      continue;
    }
    const bool is_beside = std::ranges::any_of(
        items, [&](const YamlNode& other) { return is_version_beside(text, other.text); });
    const auto number = parse_number(text);
    if (number && (is_beside || names_version(name))) {
      context.problems.refuse(
          item,
          fmt::format("{0} is {1}, which is the number {2}: write {2}, or \"{1}\" in "
                      "quotes if it is a version",
                      name,
                      text,
                      format_value(*number)));
    }
  }
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
      if (context.problems.refuse(
              key,
              fmt::format("{} names \"{}\", which is not an axis of this study{}",
                          what,
                          key.text,
                          hint_of_names(key.text, names)))) {
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
