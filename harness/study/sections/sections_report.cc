// secret, on_finish, report: what a report adds to what was run, and leaves out.
#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <re2/re2.h>

#include "harness/study/declared/side.h"
#include "harness/study/matrix/command.h"
#include "harness/study/parameters/parameter_rules.h"
#include "harness/study/parameters/secret.h"
#include "harness/study/sections/parameter_entries.h"
#include "harness/study/sections/sections.h"
#include "harness/study/sections/study_keys.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

// Whether trials see other values of the variable than the study names.
bool is_made_of_parameters(const Study& study, const std::string& variable) {
  const auto has_placeholder = [&](const std::map<std::string, std::string>& environment) {
    const auto found = environment.find(variable);
    return found != environment.end() && !placeholders(found->second).empty();
  };
  return has_placeholder(study.environment) ||
         std::ranges::any_of(study.sides, has_placeholder, &StudySide::environment);
}

// Reports a name that no table has.
void check_is_declared(const YamlNode& key, SectionContext& context) {
  const std::vector<std::string> names = declared_names(context.study);
  const bool is_known =
      key.text == kSideParameter ||  // `run --against` adds it
      (context.study.workload == Workload::kCommand ? is_harness_parameter(key.text)
                                                    : !is_environment_parameter(key.text));
  if (!is_known && !context.has_other_cells && std::ranges::find(names, key.text) == names.end()) {
    context.problems.refuse(key,
                            fmt::format("report.labels.{} is not a parameter of this study{}",
                                        key.text,
                                        hint_of_names(key.text, names)));
  }
}

}  // namespace

void read_on_finish(Fields& root, SectionContext& context) {
  const YamlNode* list = root.list("on_finish");
  if (list != nullptr && list->items.empty()) {
    context.problems.refuse(*list, "on_finish is empty; give the program and its arguments");
  }
  for (std::size_t i = 0; list != nullptr && i < list->items.size(); ++i) {
    const YamlNode& item = list->items[i];
    if (!item.is_scalar()) {
      context.problems.add(item, "an argument of on_finish must be text, not " + describe(item));
      continue;
    }
    context.study.on_finish.push_back(item.text);
  }
}

void read_secret(Fields& root, SectionContext& context) {
  const YamlNode* list = root.list("secret");
  for (std::size_t i = 0; list != nullptr && i < list->items.size(); ++i) {
    const YamlNode& item = list->items[i];
    if (!item.is_scalar() || !re2::RE2::FullMatch(item.text, "[A-Za-z_][A-Za-z0-9_]*")) {
      context.problems.add(item,
                           fmt::format("a secret is {}; the name of an environment variable is "
                                       "required, like HF_TOKEN",
                                       describe(item)));
      continue;
    }
    context.study.secrets.push_back(item.text);
    if (is_made_of_parameters(context.study, item.text)) {
      context.problems.refuse(
          item,
          fmt::format("env gives {} a value that is made of parameters: each trial has another "
                      "one, which could not be kept out of reports; give it as it is",
                      item.text));
    }
    for (const std::string& value : values_of_variable(context.study, item.text)) {
      if (value.size() < kLeastSecretCharacters) {
        context.problems.refuse(
            item,
            fmt::format("a value of {} has fewer than {} characters: it cannot be told from other "
                        "text and kept out of reports",
                        item.text,
                        kLeastSecretCharacters));
        break;
      }
    }
  }
}

void read_report(Fields& root, SectionContext& context) {
  if (context.study.workload == Workload::kCollective) {
    context.study.report_template = "collective";
  }
  const YamlNode* node = root.find("report");
  if (node == nullptr) {
    return;
  }
  Fields fields = section_fields(*node, "report", context.problems);
  if (const std::optional<std::string> name = fields.text("template")) {
    const std::vector<std::string>& kinds = words_of<ReportKind>();
    if (from_word<ReportKind>(*name)) {
      context.study.report_template = *name;
    } else {  // of a stored study, too: it is no path
      context.problems.refuse(
          *fields.find("template"),
          fmt::format("report.template is one of {}{}; a file or folder of your own goes with "
                      "`scalestudy report --template`",
                      join(kinds, ", "),
                      suggestion(*name, kinds)));
    }
  }
  const YamlNode* labels = fields.map("labels");
  for (std::size_t i = 0; labels != nullptr && i < labels->keys.size(); ++i) {
    const YamlNode& key = labels->keys[i];
    const YamlNode& label = labels->items[i];
    if (context.is_workload_known && !check_entry_name(key, context)) {
      continue;
    }
    check_is_declared(key, context);
    if (!label.is_scalar() || label.text.empty()) {
      context.problems.add(
          label, fmt::format("report.labels.{} must be text, not {}", key.text, describe(label)));
      continue;
    }
    context.study.labels[key.text] = label.text;
  }
  const YamlNode* names = fields.map("published_as");
  for (std::size_t i = 0; names != nullptr && i < names->keys.size(); ++i) {
    const YamlNode& value = names->keys[i];
    const YamlNode& name = names->items[i];
    const std::vector<YamlNode> words =
        name.is_sequence() && !name.items.empty() ? name.items : std::vector{name};
    for (const YamlNode& word : words) {
      if (!word.is_scalar() || word.text.empty()) {
        context.problems.add(word,
                             fmt::format("report.published_as.{} must be text, what a publication "
                                         "calls that value, or a list of such, not {}",
                                         value.text,
                                         describe(word)));
        continue;
      }
      context.study.published_as[value.text].push_back(word.text);
    }
  }
}

}  // namespace scalestudy
