// sides, build.
#include <set>

#include <fmt/format.h>
#include <re2/re2.h>

#include "harness/study/declared/varied_names.h"
#include "harness/study/matrix/command.h"
#include "harness/study/parameters/environment.h"
#include "harness/study/parameters/parameter_rules.h"
#include "harness/study/sections/command_use.h"
#include "harness/study/sections/sections.h"
#include "harness/study/sections/study_keys.h"

namespace scalestudy {
namespace {

std::vector<std::string> read_words(Fields& fields,
                                    const std::string& key,
                                    SectionContext& context) {
  std::vector<std::string> words;
  const YamlNode* list = fields.list(key);
  if (list == nullptr) {
    return words;
  }
  if (list->items.empty()) {
    context.problems.refuse(*list,
                            fields.path(key) + " is empty; give a program and its arguments");
  }
  for (const YamlNode& item : list->items) {
    if (!item.is_scalar()) {
      context.problems.add(item, fields.path(key) + " must hold texts, not " + describe(item));
    }
    words.push_back(item.text);
  }
  return words;
}

void read_side_environment(Fields& fields, SectionContext& context, StudySide& side) {
  const YamlNode* map = fields.map("env");
  for (std::size_t i = 0; map != nullptr && i < map->keys.size(); ++i) {
    const std::string& name = map->keys[i].text;
    const std::string wrong = context.is_workload_known
                                  ? check_variable_name(context.study.workload, name)
                                  : std::string();
    if (!wrong.empty()) {
      context.problems.refuse(map->keys[i], fields.path("env") + "." + name + ": " + wrong);
    } else if (!map->items[i].is_scalar()) {
      context.problems.add(map->items[i], fields.path("env") + "." + name + " must be text");
    } else if (varied_names(context.study).contains("env." + name)) {
      context.problems.refuse(map->keys[i],
                              "env." + name + " is varied, and set by a side as well");
    } else if (context.study.parameters.contains("env." + name)) {
      context.problems.refuse(map->keys[i],
                              "env." + name + " is a parameter, and set by a side as well");
    } else if (const std::string unfit =
                   check_fixed_value(environment_catalogue(), name, map->items[i].text);
               !unfit.empty() && placeholders(map->items[i].text).empty()) {
      context.problems.refuse(map->items[i], fields.path("env") + "." + unfit);
    }
    check_placeholders(map->items[i], context, {}, ReadBy::kNoShell);
    side.environment[name] = map->items[i].text;
  }
}

StudySide read_side(const YamlNode& node, std::size_t index, SectionContext& context) {
  Fields fields = section_fields(node, fmt::format("sides[{}]", index), context.problems);
  StudySide side;
  if (!fields.is_map() || !fields.require("name")) {
    return side;
  }
  side.name = fields.text("name").value_or("");
  if (!re2::RE2::FullMatch(side.name, "[A-Za-z0-9][A-Za-z0-9._-]{0,63}")) {
    fields.problem("name",
                   fmt::format("{} is \"{}\"; letters, digits and . _ - are allowed, at most 64, a "
                               "letter or digit first",
                               fields.path("name"),
                               side.name.substr(0, 80)));
  }
  side.commit = fields.text("commit").value_or("");
  read_side_environment(fields, context, side);
  side.prefix = read_words(fields, "prefix", context);
  return side;
}

}  // namespace

void read_sides(Fields& root, SectionContext& context) {
  Study& study = context.study;
  study.build = read_words(root, "build", context);
  const YamlNode* list = root.list("sides");
  if (list == nullptr) {
    return;
  }
  if (study.parameters.contains(kSideParameter) || varied_names(study).contains(kSideParameter)) {
    context.problems.refuse(*list, "side is what tells sides apart; call that parameter otherwise");
  }
  std::set<std::string> names;
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    StudySide side = read_side(list->items[i], i, context);
    if (!names.insert(side.name).second) {
      context.problems.refuse(list->items[i], "two sides are named " + side.name);
    }
    study.sides.push_back(std::move(side));
  }
  if (study.sides.size() < 2) {
    context.problems.refuse(*list, "sides needs two or more, which take turns in each block");
  }
}

}  // namespace scalestudy
