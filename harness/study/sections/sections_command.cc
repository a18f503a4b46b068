// command, setup, cleanup, cwd, env, versions.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "harness/study/declared/varied_names.h"
#include "harness/study/matrix/command.h"
#include "harness/study/parameters/environment.h"
#include "harness/study/parameters/parameter_rules.h"
#include "harness/study/sections/command_use.h"
#include "harness/study/sections/remote_command.h"
#include "harness/study/sections/sections.h"

namespace scalestudy {
namespace {

bool is_blank(const std::string& text) {
  return text.find_first_not_of(" \t\r\n") == std::string::npos;
}

// A program and its arguments; empty without one. A single text is a line for the shell.
std::vector<std::string> read_arguments(Fields& fields,
                                        const std::string& key,
                                        SectionContext& context) {
  std::vector<std::string> arguments;
  if (const YamlNode* line = fields.find(key); line != nullptr && line->is_scalar()) {
    if (is_blank(line->text)) {
      context.problems.refuse(*line, key + " is blank; give the program and its arguments");
    }
    check_placeholders(*line, context);
    return {"sh", "-c", line->text};
  }
  const YamlNode* list = fields.find(key);
  if (list == nullptr) {
    return arguments;
  }
  if (!list->is_sequence()) {
    context.problems.add(
        *list, fmt::format("{} must be a command line or a list, not {}", key, describe(*list)));
    return arguments;
  }
  if (list->items.empty()) {
    context.problems.refuse(*list, key + " is empty; give the program and its arguments");
  }
  for (const YamlNode& item : list->items) {
    if (!item.is_scalar()) {
      context.problems.add(
          item, fmt::format("an argument of {} must be text, not {}", key, describe(item)));
      continue;
    }
    check_placeholders(item, context);
    arguments.push_back(item.text);
  }
  if (!arguments.empty() && is_blank(arguments.front())) {
    context.problems.refuse(list->items.front(),
                            key + " begins with a blank program; give its name or path");
  }
  return arguments;
}

// Variables of every trial. Those that differ between cells are axes: env.NAME.
void read_environment(Fields& root, SectionContext& context) {
  const YamlNode* map = root.map("env");
  for (std::size_t i = 0; map != nullptr && i < map->keys.size(); ++i) {
    const YamlNode& key = map->keys[i];
    const YamlNode& value = map->items[i];
    const std::string wrong = check_environment_name(environment_catalogue(), key.text);
    if (!wrong.empty() && context.problems.refuse(key, "env." + key.text + ": " + wrong)) {
      continue;
    }
    if (!value.is_scalar()) {
      context.problems.add(value,
                           fmt::format("env.{} must be text, not {}", key.text, describe(value)));
      continue;
    }
    check_placeholders(value, context, {}, ReadBy::kNoShell);
    const bool is_fixed = placeholders(value.text).empty();
    if (const std::string unfit =
            is_fixed ? check_fixed_value(environment_catalogue(), key.text, value.text) : "";
        !unfit.empty()) {
      context.problems.refuse(value, "env." + unfit);
    }
    context.study.environment[key.text] = value.text;
  }
}

// Regular expressions of lines that tell of a failure.
void read_fail_if(Fields& root, SectionContext& context) {
  const YamlNode* list = root.list("fail_if");
  for (std::size_t i = 0; list != nullptr && i < list->items.size(); ++i) {
    const YamlNode& item = list->items[i];
    const std::string problem = item.is_scalar()
                                    ? check_pattern(item.text)
                                    : "must be a regular expression, not " + describe(item);
    if (!problem.empty()) {
      context.problems.refuse(item, fmt::format("fail_if[{}]: {}", i, problem));
    } else {
      context.study.fail_if.push_back(item.text);
    }
  }
}

// Braces of a program's own, as awk's, are none of ours.
void refuse_parameters(const YamlNode& word, const std::string& place, SectionContext& context) {
  std::set<std::string> names = varied_names(context.study);
  for (const auto& [name, value] : context.study.parameters) {
    names.insert(name);
  }
  for (const std::string& name : launch_names()) {
    names.insert(name);
  }
  for (const std::string& name : placeholders(word.text)) {
    if (names.contains(name)) {
      context.problems.refuse(
          word,
          fmt::format("{}: {{{}}} has no value here: versions are asked once a session, not for "
                      "each cell",
                      place,
                      name));
    }
  }
}

void read_versions(Fields& root, SectionContext& context) {
  const YamlNode* map = root.map("versions");
  for (std::size_t i = 0; map != nullptr && i < map->keys.size(); ++i) {
    const std::string& name = map->keys[i].text;
    if (!is_parameter_name(name)) {
      context.problems.refuse(map->keys[i], "versions." + name + " is not a name, like torch");
    }
    std::vector<std::string>& probe = context.study.versions[name];
    const YamlNode& words = map->items[i];
    const bool are_texts =
        context.problems.is_stored() ||
        (words.is_sequence() && std::ranges::all_of(words.items, &YamlNode::is_scalar));
    for (const YamlNode& item : words.items) {
      probe.push_back(item.text);
      refuse_parameters(item, "versions." + name, context);
    }
    if (probe.empty() || !are_texts) {
      context.problems.add(words,
                           fmt::format("versions.{} is a command whose first line of output is the "
                                       "version, e.g. [python3, --version]",
                                       name));
    }
  }
}

}  // namespace

void read_own_names(Fields& root, SectionContext& context) {
  if (!context.is_workload_known || context.study.workload == Workload::kCommand) {
    return;
  }
  for (const char* key : {"setup", "cleanup"}) {
    const YamlNode* node = root.find(key);
    if (node == nullptr) {
      continue;
    }
    context.has_beside = true;
    for (const std::string& name : placeholders(node->text)) {
      context.own_names.insert(name);
    }
    for (const YamlNode& item : node->items) {
      for (const std::string& name : placeholders(item.text)) {
        context.own_names.insert(name);
      }
    }
  }
  context.own_names.erase(kOnDevice);
}

void read_command(Fields& root, SectionContext& context) {
  if (!context.is_workload_known) {
    return;
  }
  if (context.study.workload != Workload::kCommand) {
    root.refuse({"command", "extract", "fail_if", "cwd", "where", "env", "versions"},
                "belongs to workload: command");
    context.study.setup = read_arguments(root, "setup", context);
    context.study.cleanup = read_arguments(root, "cleanup", context);
    check_own_axes(root, context);
    return;
  }
  context.study.where = read_where(root, context.problems);
  read_extract(root, context);
  read_fail_if(root, context);
  context.study.setup = read_arguments(root, "setup", context);
  context.study.cleanup = read_arguments(root, "cleanup", context);
  context.study.working_folder = root.text("cwd").value_or("");
  if (const YamlNode* folder = root.find("cwd")) {
    check_placeholders(*folder, context, {}, ReadBy::kNoShell);
  }
  read_environment(root, context);
  read_versions(root, context);
  if (root.require("command")) {
    context.study.command = read_arguments(root, "command", context);
    check_use(root, context);
  }
}

}  // namespace scalestudy
