#include "harness/study/sections/command_use.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/study/declared/varied_names.h"
#include "harness/study/matrix/command.h"
#include "harness/study/matrix/matrix.h"
#include "harness/study/parameters/environment.h"
#include "harness/study/parameters/parameter_rules.h"
#include "harness/study/sections/parameter_entries.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

struct CommandUse {
  std::vector<std::string> names;  // that its texts hold as {name}
  bool is_known = true;            // false: it reads SCALESTUDY_PARAMETERS, and nobody knows what
};

// A command without placeholders, or that names the variable, reads SCALESTUDY_PARAMETERS.
CommandUse use_of(const Study& study) {
  CommandUse use;
  std::vector<std::string> texts{study.working_folder};
  for (const auto* more : {&study.command, &study.setup}) {
    texts.insert(texts.end(), more->begin(), more->end());
  }
  const auto add_values = [&](const std::map<std::string, std::string>& environment) {
    for (const auto& [name, value] : environment) {
      texts.push_back(value);
    }
  };
  for (const StudySide& side : study.sides) {
    texts.insert(texts.end(), side.prefix.begin(), side.prefix.end());
    add_values(side.environment);
  }
  add_values(study.environment);
  for (const std::string& text : texts) {
    std::ranges::move(placeholders(text), std::back_inserter(use.names));
    use.is_known = use.is_known && text.find("SCALESTUDY_PARAMETERS") == std::string::npos;
  }
  use.is_known = use.is_known && !(use.names.empty() && study.extract.empty());
  if (std::ranges::find(use.names, "node_rank") != use.names.end()) {
    use.names.emplace_back(names::kNodes);  // it is started on each of them
  }
  return use;
}

bool is_used(const CommandUse& use, const std::string& name) {
  return is_environment_parameter(name) || std::ranges::find(use.names, name) != use.names.end();
}

// What the trials of a cell get, and so what one command differs from another by.
Parameters used_parameters(const Study& study, const CommandUse& use, const Cell& cell) {
  Parameters used = cell.parameters;
  std::erase_if(used, [&](const auto& entry) {
    const bool is_side = entry.first == kSideParameter && !study.sides.empty();
    return !is_side && !is_used(use, entry.first);
  });
  return used;
}

// A name that the two cells have other values of.
std::string differing_name(const Cell& one, const Cell& other) {
  for (const auto& [name, value] : one.varied) {
    const auto found = other.varied.find(name);
    if (found == other.varied.end() || found->second != value) {
      return name;
    }
  }
  return other.varied.empty() ? "" : other.varied.begin()->first;
}

// Whether the built-in workload has a parameter of that name.
bool is_known_parameter(const std::string& name, const SectionContext& context) {
  return context.study.workload != Workload::kCommand &&
         check_parameter_name(context.study.workload, name).empty();
}

// What is wrong with {placeholder}, which is none of the names.
std::string refuse_unknown(const std::string& placeholder,
                           const std::vector<std::string>& names,
                           ReadBy reader) {
  return fmt::format(
      "{{{}}} names no parameter and no axis{}; {}",
      placeholder,
      means_devices(placeholder) ? "; the number of devices is {devices}"
                                 : suggestion(placeholder, names),
      reader == ReadBy::kNobody
          ? fmt::format("give {} a value in parameters, or make it an axis", placeholder)
          : fmt::format("braces of the command's own need a space: {{ {} }}", placeholder));
}

}  // namespace

void check_placeholders(const YamlNode& argument,
                        SectionContext& context,
                        std::vector<std::string> names,
                        ReadBy reader) {
  const std::set<std::string> varied = varied_names(context.study);
  names.insert(names.end(), varied.begin(), varied.end());
  for (const auto& [name, value] : context.study.parameters) {
    names.push_back(name);
  }
  const std::vector<std::string> given = launch_names();
  names.insert(names.end(), given.begin(), given.end());
  for (const std::string& placeholder : placeholders(argument.text)) {
    const bool is_known = std::ranges::find(names, placeholder) != names.end();
    if (argument.text.find("${" + placeholder + "}") != std::string::npos) {
      context.problems.refuse(
          argument,
          reader != ReadBy::kShell
              ? fmt::format("${{{}}}: no shell reads this text; write {}",
                            placeholder,
                            is_known ? "{" + placeholder + "}" : "the value in full")
          : is_known
              ? fmt::format("${{{0}}} would become a $ and the value, which a shell reads as "
                            "another variable; write {{{0}}}",
                            placeholder)
              : fmt::format("${{{0}}}: braces hold parameters here, and none has this name; "
                            "a shell takes ${0}; where no shell reads this argument, write the "
                            "value in full",
                            placeholder));
    } else if (is_environment_parameter(placeholder)) {
      context.problems.refuse(
          argument,
          fmt::format("{{{}}}: the variable is set in the command's environment; "
                      "it cannot be put into its arguments",
                      placeholder));
    } else if (!is_known) {
      context.problems.refuse(
          argument,
          is_known_parameter(placeholder, context)
              ? fmt::format("{{{0}}}: this study does not set {0}. Give it a value in parameters, "
                            "or make it an axis",
                            placeholder)
              : refuse_unknown(placeholder, names, reader));
    }
  }
}

void check_use(Fields& root, SectionContext& context) {
  const CommandUse use = use_of(context.study);
  if (!use.is_known) {
    return;
  }
  // Of the harness's own names check_commands_differ() tells: alone they may say what it ran on.
  // What cannot be a name is told of already.
  const auto is_fine = [&](const YamlNode& key) {
    return is_harness_parameter(key.text) || is_used(use, key.text) ||
           !check_parameter_name(context.study.workload, key.text).empty();
  };
  std::vector<std::string> names = use.names;
  names.insert(names.end(),
               {names::kDevices, names::kNodes, names::kBatchGlobal, names::kBatchPerDevice});
  const auto refuse = [&](const YamlNode& key) {
    context.problems.refuse(
        key,
        fmt::format(
            "the command does not use {0}: cells that differ in it alone would be the "
            "same{1}. Write {{{0}}} into an argument, or call it env.NAME to set a variable",
            key.text,
            suggestion(key.text, names)));
  };
  for (const YamlNode& key : root.has("axes") ? root.find("axes")->keys : std::vector<YamlNode>()) {
    if (!is_fine(key)) {
      refuse(key);
    }
  }
  for (const char* section : {"zip", "include"}) {
    for (const YamlNode& row :
         root.has(section) ? root.find(section)->items : std::vector<YamlNode>()) {
      if (!row.keys.empty() && std::ranges::none_of(row.keys, is_fine)) {
        refuse(row.keys.front());
        continue;
      }
      // A row may say more of its cell than the command takes, but "thread" beside a parameter
      // threads is a slip: the command would get that parameter's value in every row.
      for (const YamlNode& key : row.keys) {
        const auto meant = context.study.parameters.find(meant_by_slip(key.text, use.names));
        if (!is_fine(key) && meant != context.study.parameters.end()) {
          context.problems.refuse(
              key,
              fmt::format("{0} does not reach the command, which takes {1} = {2} in every row; did "
                          "you mean {1}?",
                          key.text,
                          meant->first,
                          format_value(meant->second)));
        }
      }
    }
  }
}

void check_own_axes(Fields& root, SectionContext& context) {
  std::vector<std::string> used;
  for (const std::string& argument : context.study.setup) {
    std::ranges::move(placeholders(argument), std::back_inserter(used));
  }
  const auto check = [&](const YamlNode& key) {
    if (is_own_parameter(context.study.workload, key.text) &&
        std::ranges::find(used, key.text) == used.end() && context.own_names.contains(key.text)) {
      context.problems.refuse(
          key,
          fmt::format("setup does not use {0}: cells that differ in it alone would be the same. "
                      "Write {{{0}}} into setup",
                      key.text));
    }
  };
  if (const YamlNode* axes = root.find("axes")) {
    std::ranges::for_each(axes->keys, check);
  }
  for (const char* section : {"zip", "include"}) {
    const YamlNode* rows = root.find(section);
    for (const YamlNode& row : rows == nullptr ? std::vector<YamlNode>() : rows->items) {
      std::ranges::for_each(row.keys, check);
    }
  }
}

void check_commands_differ(const Study& study, const Matrix& matrix) {
  const CommandUse use = use_of(study);
  if (study.workload != Workload::kCommand || !use.is_known) {
    return;
  }
  std::map<Parameters, const Cell*> seen;
  for (const Cell& cell : matrix.cells) {
    if (cell.role != CellRole::kMeasured) {
      continue;
    }
    const auto [earlier, is_new] = seen.emplace(used_parameters(study, use, cell), &cell);
    if (!is_new) {
      const std::string name = differing_name(*earlier->second, cell);
      throw Error(
          ErrorKind::kUsage,
          fmt::format("{0} does not reach the command: \"{1}\" and \"{2}\" would run the same, "
                      "and their speedup would be 1. Write {{{0}}} into an argument or a value of "
                      "env (env: {{COUNT: \"{{{0}}}\"}}), or vary it in zip with what sets it "
                      "(zip: [{{devices: 1, env.CUDA_VISIBLE_DEVICES: \"0\"}}, ...])",
                      name,
                      earlier->second->label,
                      cell.label));
    }
  }
}

}  // namespace scalestudy
