// secret, on_finish, report: what a report adds to what was run, and leaves out.
#include <algorithm>
#include <map>
#include <set>
#include <string>

#include <fmt/format.h>
#include <re2/re2.h>

#include "harness/study/declared/side.h"
#include "harness/study/matrix/command.h"
#include "harness/study/matrix/matrix.h"
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

// Parts of a step, of a machine's work and of a cost: the table of equal quantities in
// harness/analysis/studies compares figures of them.
const std::set<std::string> kPublishedParts{
    "forward",  "forward pass",        "backward",       "backward pass", "optimizer",
    "data",     "optimizer step",      "data loading",   "communication", "gradient sync",
    "overhead", "allreduce operation", "allreduce comm", "other",         "idle/overhead",
    "total",    "preprocessing",       "system",         "memory",        "network",
    "compute"};

// Values that nccl-tests prints on each line and all runs of `collective` have.
const std::set<std::string> kPublishedOfCollective{"out_of_place", "fp32", "sum", "0"};

// The names that the study itself gives: values of its cells, prices, lines of its cost. Messages
// list these names, so values of environment variables, which may be secret, are left out.
std::set<std::string> names_given(const Study& study, const Matrix& matrix) {
  std::set<std::string> given;
  const auto add = [&](const Parameters& parameters) {
    for (const auto& [name, value] : parameters) {
      if (!is_environment_parameter(name)) {
        given.insert(format_value(value));
      }
    }
  };
  add(study.parameters);
  for (const Cell& cell : matrix.cells) {
    add(cell.varied);
  }
  if (study.cost) {
    given.insert(study.cost->price.name);
    for (const Price& price : study.cost->others) {
      given.insert(price.name);
    }
    for (const CostLine& line : study.cost->lines) {
      given.insert(line.name);
    }
  }
  return given;
}

// The values that follow from what the study gives: defaults, batches, the kind of scaling.
std::set<std::string> values_that_follow(const Matrix& matrix) {
  std::set<std::string> values{to_word(matrix.scaling)};
  for (const Cell& cell : matrix.cells) {
    for (const auto& [name, effective] : cell.effective) {
      values.insert(format_value(effective.value));
    }
    for (const std::int64_t count : {cell.devices,
                                     cell.nodes,
                                     cell.batch_global.value_or(cell.devices),
                                     cell.batch_per_device.value_or(cell.devices)}) {
      values.insert(std::to_string(count));
    }
  }
  return values;
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

void check_published_as(Fields& root, SectionContext& context, const Matrix& matrix) {
  const YamlNode* report = root.find("report");
  const YamlNode* names = report == nullptr ? nullptr : report->find("published_as");
  if (names == nullptr) {
    return;
  }
  const std::set<std::string> given = names_given(context.study, matrix);
  std::set<std::string> known = values_that_follow(matrix);
  known.insert(given.begin(), given.end());
  known.insert(kPublishedParts.begin(), kPublishedParts.end());
  if (context.study.workload == Workload::kCollective) {
    known.insert(kPublishedOfCollective.begin(), kPublishedOfCollective.end());
  }
  constexpr std::size_t most_listed = 20;
  const std::vector<std::string> listed(given.begin(), given.end());
  for (const YamlNode& key : names->keys) {
    if (!known.contains(key.text)) {
      context.problems.refuse(
          key,
          fmt::format("report.published_as.{} is no value, price or line of cost of this study, "
                      "and no part of a step{}",
                      key.text,
                      listed.size() > most_listed ? suggestion(key.text, listed)
                                                  : hint_of_names(key.text, listed)));
    }
  }
}

}  // namespace scalestudy
