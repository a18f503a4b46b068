// Reads the catalogue and checks names and values against it.
#include "harness/study/parameters/environment.h"

#include <algorithm>

#include <fmt/format.h>
#include <re2/re2.h>

#include "harness/base/error.h"
#include "harness/base/paths.h"
#include "harness/base/read_file.h"
#include "harness/text/text.h"
#include "harness/yaml/fields.h"

namespace scalestudy {
namespace {

constexpr const char* kCataloguePath = "data/environment.yaml";
constexpr const char* kDefault = "default";

std::vector<std::string> text_list(Fields& fields, const std::string& key) {
  std::vector<std::string> texts;
  if (const YamlNode* list = fields.list(key)) {
    for (const YamlNode& item : list->items) {
      texts.push_back(item.text);
    }
  }
  return texts;
}

EnvironmentVariable read_variable(const YamlNode& node,
                                  const std::string& name,
                                  ProblemList& problems) {
  Fields fields(node,
                name,
                {"values",
                 "minimum",
                 "maximum",
                 "multiple_of",
                 "unit",
                 "selection",
                 "text",
                 "since",
                 "until",
                 "effect",
                 "scope",
                 "communication",
                 "parameter",
                 "workload",
                 "backend",
                 "source"},
                problems);
  constexpr std::int64_t any = std::int64_t{1} << 53;
  EnvironmentVariable variable;
  variable.values = text_list(fields, "values");
  variable.selection = text_list(fields, "selection");
  variable.minimum = fields.integer("minimum", -any, any);
  variable.maximum = fields.integer("maximum", -any, any);
  variable.multiple_of = fields.integer("multiple_of", 1, any).value_or(1);
  variable.unit = fields.text("unit").value_or("");
  variable.since = fields.text("since").value_or("");
  variable.until = fields.text("until").value_or("");
  variable.communication = fields.choice("communication", {"true", "false"}).value_or("") == "true";
  if (fields.require("effect") && fields.require("scope") && fields.require("source")) {
    variable.effect = fields.text("effect").value_or("");
    variable.scope = fields.choice("scope", {"node", "network", "both", "host"}).value_or("");
    variable.parameter = fields.text("parameter").value_or("");
    variable.workload = fields.choice("workload", {"train", "collective"}).value_or("");
    variable.backend = fields.choice("backend", {"cpu", "cuda"}).value_or("");
    variable.source = fields.text("source").value_or("");
  }
  const int kinds =
      static_cast<int>(fields.has("values")) + static_cast<int>(fields.has("minimum")) +
      static_cast<int>(fields.has("selection")) + static_cast<int>(fields.has("text"));
  if (kinds != 1) {
    problems.add(node, name + ": exactly one of values, minimum, selection, text is required");
  }
  return variable;
}

RemovedVariable read_removed(const YamlNode& node, const std::string& name, ProblemList& problems) {
  Fields fields(node, name, {"why", "instead"}, problems);
  RemovedVariable removed;
  if (fields.require("why")) {
    removed.why = fields.text("why").value_or("");
  }
  removed.instead = fields.text("instead").value_or("");
  return removed;
}

bool is_closed_family(const std::string& name) {
  return name.starts_with("NCCL_") || name.starts_with("OMPI_");
}

std::string family_owner(const std::string& name) {
  return name.starts_with("NCCL_") ? "NCCL" : "Open MPI";
}

// NCCL's list grammar (graph/tuning.cc, parseList; per-function lists since 2.24):
//   value = list | function ":" list { ";" function ":" list } ;  list = ["^"] name { "," name }
std::string check_selection(const EnvironmentVariable& variable, const std::string& value) {
  const std::vector<std::string> functions{
      "allreduce", "allgather", "reducescatter", "broadcast", "reduce"};
  for (std::string part : split(value, ";")) {
    if (const std::size_t colon = part.find(':'); colon != std::string::npos) {
      const std::string function = lowered(part.substr(0, colon));
      if (std::find(functions.begin(), functions.end(), function) == functions.end()) {
        return fmt::format("\"{}\" is not a collective; allowed: {}{}",
                           function,
                           join(functions, ", "),
                           suggestion(function, functions));
      }
      part = part.substr(colon + 1);
    }
    for (const std::string& item : split(part.starts_with('^') ? part.substr(1) : part, ",")) {
      const bool is_known =
          std::any_of(variable.selection.begin(), variable.selection.end(), [&](const auto& name) {
            return lowered(name) == lowered(item);
          });
      if (!is_known) {
        return fmt::format(
            "\"{}\" is not one of {}; write one, a list \"A,B\", all but a list "
            "\"^A,B\", or per collective \"allreduce:A;broadcast:B\"{}",
            item,
            join(variable.selection, ", "),
            suggestion(item, variable.selection));
      }
    }
  }
  return "";
}

std::string check_integer(const EnvironmentVariable& variable, const std::string& value) {
  const std::string range = fmt::format(
      "an integer from {} to {}{}{}",
      *variable.minimum,
      *variable.maximum,
      variable.multiple_of == 1 ? "" : fmt::format(" in steps of {}", variable.multiple_of),
      variable.unit.empty() ? "" : " " + variable.unit);
  const auto number = parse_integer(value);
  if (number && *number >= *variable.minimum && *number <= *variable.maximum &&
      *number % variable.multiple_of == 0) {
    return "";
  }
  const Quantity size = parse_bytes(value);
  const std::string hint =
      size.value && variable.unit == "bytes"
          ? fmt::format("; the variable takes no unit, write {:.0f}", *size.value)
          : "";
  return fmt::format("{} is not {}{}", value, range, hint);
}

}  // namespace

EnvironmentCatalogue parse_environment_catalogue(const std::string& text) {
  std::vector<Problem> found;
  ProblemList problems(found);
  const YamlNode tree = parse_yaml(text, found);
  EnvironmentCatalogue catalogue;
  Fields fields(tree, "", {"version", "variables", "removed"}, problems);
  fields.integer("version", 1, 1);
  if (const YamlNode* variables = fields.map("variables")) {
    for (std::size_t i = 0; i < variables->keys.size(); ++i) {
      const std::string& name = variables->keys[i].text;
      catalogue.variables[name] = read_variable(variables->items[i], name, problems);
    }
  }
  if (const YamlNode* removed = fields.map("removed")) {
    for (std::size_t i = 0; i < removed->keys.size(); ++i) {
      const std::string& name = removed->keys[i].text;
      catalogue.removed[name] = read_removed(removed->items[i], name, problems);
    }
  }
  if (!found.empty()) {
    throw Error(ErrorKind::kMachine, format_problems(found, text, kCataloguePath));
  }
  return catalogue;
}

const EnvironmentCatalogue& environment_catalogue() {
  static const EnvironmentCatalogue kCatalogue = [] {
    return parse_environment_catalogue(read_file(shared_file(kCataloguePath)).value_or(""));
  }();
  return kCatalogue;
}

std::string check_environment_name(const EnvironmentCatalogue& catalogue, const std::string& name) {
  if (!re2::RE2::FullMatch(name, "[A-Za-z_][A-Za-z0-9_]{0,199}")) {
    return fmt::format("\"{}\" is not the name of an environment variable", name.substr(0, 60));
  }
  if (name.starts_with("SCALESTUDY_")) {
    return name + " is set by scalestudy itself";
  }
  if (const auto removed = catalogue.removed.find(name); removed != catalogue.removed.end()) {
    const std::string& instead = removed->second.instead;
    return fmt::format("{} is not offered: {}{}",
                       name,
                       removed->second.why,
                       instead.empty() ? "" : "; use " + instead);
  }
  if (!is_closed_family(name) || catalogue.variables.contains(name)) {
    return "";
  }
  std::vector<std::string> known;
  for (const auto& [other, variable] : catalogue.variables) {
    known.push_back(other);
  }
  return fmt::format("{} is not in {}, and {} ignores names it does not know in silence{}",
                     name,
                     kCataloguePath,
                     family_owner(name),
                     suggestion(name, known));
}

std::string check_environment_value(const EnvironmentCatalogue& catalogue,
                                    const std::string& name,
                                    const std::string& value) {
  const auto found = catalogue.variables.find(name);
  if (value == kDefault || found == catalogue.variables.end()) {
    return "";
  }
  const EnvironmentVariable& variable = found->second;
  std::string wrong;
  if (variable.minimum) {
    wrong = check_integer(variable, value);
  } else if (!variable.selection.empty()) {
    wrong = check_selection(variable, value);
  } else if (!variable.values.empty() &&
             std::find(variable.values.begin(), variable.values.end(), value) ==
                 variable.values.end()) {
    wrong = fmt::format("{} is not one of {}{}",
                        value,
                        join(variable.values, ", "),
                        suggestion(value, variable.values));
  }
  return wrong.empty() ? "" : fmt::format("{}: {}, or default (not set)", name, wrong);
}

std::string check_fixed_value(const EnvironmentCatalogue& catalogue,
                              const std::string& name,
                              const std::string& value) {
  const auto found = catalogue.variables.find(name);
  if (found == catalogue.variables.end() || !name.starts_with("NCCL_") || value.empty()) {
    return "";
  }
  const EnvironmentVariable& variable = found->second;
  std::string wrong;
  if (variable.minimum && !re2::RE2::FullMatch(value, " *[-+]?(?:[0-9]+|0[xX][0-9A-Fa-f]+) *")) {
    wrong = check_integer(variable, value);
  } else if (!variable.selection.empty()) {
    wrong = check_selection(variable, value);
  }
  if (!wrong.empty() && value == kDefault) {
    wrong = "`default` unsets a variable only in axes; leave the variable out here";
  }
  return wrong.empty() ? "" : fmt::format("{}: {}", name, wrong);
}

bool is_communication_variable(const std::string& name) {
  const auto& variables = environment_catalogue().variables;
  const auto found = variables.find(name);
  return found != variables.end() && found->second.communication;
}

}  // namespace scalestudy
