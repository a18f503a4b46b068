// A study file as a whole: one pass over all sections, all problems together.
#include "harness/study/parse.h"

#include <algorithm>
#include <iostream>
#include <span>

#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/base/read_file.h"
#include "harness/study/declared/study_name.h"
#include "harness/study/matrix/matrix.h"
#include "harness/study/matrix/matrix_checks.h"
#include "harness/study/remarks.h"
#include "harness/study/sections/command_use.h"
#include "harness/study/sections/sections.h"
#include "harness/study/sections/study_keys.h"
#include "harness/study/sections/token_use.h"
#include "harness/yaml/fields.h"
#include "harness/yaml/yaml_tree.h"
#include "workloads/parameters/parameters.h"

namespace scalestudy {
namespace {

void read_head(Fields& root, SectionContext& context) {
  Study& study = context.study;
  if (root.require("version")) {
    const auto version = root.text("version");
    if (version && *version != "1") {
      context.problems.add(
          *root.find("version"),
          fmt::format("version {} is not known here; this scalestudy reads version 1",
                      version->substr(0, 60)));
    }
  }
  if (root.require("study")) {
    study.name = root.text("study").value_or("");
    const YamlNode& at = *root.find("study");
    const bool is_told = at.text.empty() && !context.problems.is_stored();
    if (at.is_scalar() && !is_study_name(at.text) && !is_told) {
      // Of a stored text, too: no version allowed it, and it would name files outside.
      context.problems.add(
          at,
          fmt::format("study is \"{}\"; it names files: lower-case letters, digits and -, "
                      "at most 64, a letter or digit first",
                      at.text.substr(0, 80)));
    }
  }
  study.title = root.text("title").value_or(study.name);
  if (!root.require("workload")) {
    return;
  }
  if (const auto workload = root.word<Workload>("workload")) {
    study.workload = *workload;
    context.is_workload_known = true;
  }
}

// A control that adds no cell would be missed only in the report.
void check_controls(Fields& root, const Study& study, const Matrix& matrix) {
  for (const CellRole role : study.controls) {
    const bool adds_cells = std::any_of(matrix.cells.begin(),
                                        matrix.cells.end(),
                                        [role](const Cell& cell) { return cell.role == role; });
    if (adds_cells) {
      continue;
    }
    const std::string what = "control " + to_word(role) + " adds no cell: it repeats ";
    root.problem(
        "controls",
        what + (role == CellRole::kAa ? "the baseline; add analysis.baseline, e.g. {devices: 1}"
                : role == CellRole::kStartWait
                    ? "cells of several devices that overlap by poll, and the study has "
                      "none. Leave it out"
                : role == CellRole::kDeviceMatch
                    ? "a cell of one device, whose ranks compute, on the further devices of "
                      "others, and the study has not both. Add devices, or leave it out"
                    : "cells of several devices that communicate and could do without, which "
                      "stages of a pipeline could not, and the study has none. Add devices, or "
                      "leave it out"));
  }
}

// A baseline that no cell has would be missed only in the report, too.
void check_baseline(Fields& root, SectionContext& context, const Matrix& matrix) {
  const bool has_one = std::any_of(matrix.cells.begin(), matrix.cells.end(), [](const Cell& cell) {
    return cell.baseline.has_value();
  });
  if (!context.study.analysis.baseline.empty() && !has_one) {
    const YamlNode* analysis = root.find("analysis");
    const YamlNode* baseline = analysis == nullptr ? nullptr : analysis->find("baseline");
    context.problems.refuse(baseline == nullptr ? *root.find("sides") : *baseline,
                            fmt::format("no cell has this baseline, so that nothing would be "
                                        "compared; for {}: {}",
                                        matrix.cells.front().label,
                                        matrix.cells.front().baseline_problem));
  }
}

// Where a selection stands that no cell has: its key in an item of a list like "analysis.targets".
const YamlNode& place_of(const Fields& root, const Unmatched& unmatched) {
  const YamlNode* list = &root.node();
  for (std::size_t from = 0; list != nullptr && from != std::string::npos;) {
    const std::size_t dot = unmatched.section.find('.', from);
    list = list->find(unmatched.section.substr(from, dot - from));
    from = dot == std::string::npos ? dot : dot + 1;
  }
  if (list == nullptr || unmatched.index >= list->items.size()) {
    return root.node();
  }
  const YamlNode& item = list->items[unmatched.index];
  const YamlNode* where = item.find("where");
  const YamlNode& map = where == nullptr ? item : *where;
  const auto key = std::ranges::find(map.keys, unmatched.name, &YamlNode::text);
  return key == map.keys.end() ? item : *key;
}

// A selection that selects nothing would be missed only in the report, if there.
void check_selections(Fields& root, SectionContext& context, const Matrix& matrix) {
  for (const Unmatched& unmatched : unmatched_values(context.study, matrix)) {
    context.problems.refuse(place_of(root, unmatched), unmatched.text);
  }
}

// The key that a message begins with, where the study gives it; else the section of the cells.
const YamlNode& place_of(const Fields& root, const std::string& message) {
  const std::string name = message.substr(0, message.find(' '));
  const YamlNode* section = nullptr;
  for (const char* key : {"axes", "zip", "parameters", "include"}) {
    const YamlNode* found = root.find(key);
    if (found == nullptr) {
      continue;
    }
    section = section == nullptr ? found : section;
    const auto maps = found->is_map() ? std::span(found, 1) : std::span(found->items);
    for (const YamlNode& map : maps) {
      for (const YamlNode& given : map.keys) {
        if (given.text == name) {
          return given;
        }
      }
    }
  }
  return section == nullptr ? root.node() : *section;
}

// A matrix that cannot be laid out is a problem of the file as well, at what it is about.
void check_expansion(Fields& root, SectionContext& context) {
  try {
    const Matrix matrix = expand(context.study);
    check_commands_differ(context.study, matrix);
    if (context.study.workload != Workload::kCommand) {
      check_settings(context.study, matrix);
    }
    check_controls(root, context.study, matrix);
    // After --set of cells a question may be about cells of the file that are left out this time.
    if (!context.has_other_cells) {
      check_tokens(root, context, matrix);
      check_selections(root, context, matrix);
      check_published_as(root, context, matrix);
    }
    if (context.study.search) {
      check_search(root, context, matrix);
    } else {
      check_baseline(root, context, matrix);
    }
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kUsage) {
      throw;
    }
    context.problems.add(place_of(root, error.what()), error.what());
  }
}

void read_study(const YamlNode& tree, SectionContext& context) {
  if (tree.is_null()) {
    context.problems.add(tree, "the file is empty; `scalestudy init` writes a study to start from");
    return;
  }
  Fields root = section_fields(tree, "", context.problems);
  if (!root.is_map()) {
    return;
  }
  read_head(root, context);
  read_own_names(root, context);
  read_parameters(root, context);
  read_axes(root, context);
  read_zip(root, context);
  read_include(root, context);
  read_sides(root, context);
  read_exclude(root, context);
  read_command(root, context);
  read_steps(root, context);
  read_trials(root, context);
  read_controls(root, context);
  read_order(root, context);
  read_limits(root, context);
  read_validity(root, context);
  read_analysis(root, context);
  read_search(root, context);
  if (Study& study = context.study; !study.sides.empty() && study.analysis.baseline.empty()) {
    study.analysis.baseline[kSideParameter] = study.sides.front().name;
  }
  read_cost(root, context);
  read_within(root, context);
  read_on_finish(root, context);
  read_secret(root, context);
  read_report(root, context);
  check_matrix(root, context);
  if (context.problems.empty() && !context.problems.is_stored()) {
    check_expansion(root, context);
  }
}

std::string read_study_text(const std::string& path) {
  return path == "-" ? read_stream(std::cin, "standard input") : read_given_file(path);
}

// "axes.devices=[1]", "parameters={...}".
bool lays_out_cells(const std::string& override_text) {
  const std::string section = override_text.substr(0, override_text.find_first_of(".=["));
  return section == "axes" || section == "zip" || section == "include" || section == "parameters" ||
         section == "sides";
}

// What is wrong with removing a key that no study has; empty if the section has the key, or its
// keys are names.
std::string unknown_key(const std::string& override_text) {
  const std::string path = override_text.substr(0, override_text.find('='));
  const std::size_t dot = path.rfind('.');
  const std::string section = dot == std::string::npos ? "" : path.substr(0, dot);
  const std::string key = path.substr(dot == std::string::npos ? 0 : dot + 1);
  const auto sections = study_sections();
  const auto found = std::ranges::find(sections, section, &StudySection::name);
  const bool is_known =
      found == sections.end() || std::ranges::find(found->keys, key) != found->keys.end();
  return is_known ? ""
                  : fmt::format("unknown key \"{}\"{}{}",
                                key,
                                section.empty() ? "" : " in " + section,
                                suggestion(key, found->keys));
}

// `trials: 5` means {count: 5}. It is written out before an override looks for trials.count, and
// after one that brought a short form itself.
void write_out_trials(YamlNode& tree) {
  YamlNode* trials = tree.find("trials");
  if (trials == nullptr || !trials->is_scalar()) {
    return;
  }
  YamlNode key = *trials;
  key.text = "count";
  key.is_quoted = false;
  YamlNode map = *trials;
  map.kind = YamlNode::Kind::kMap;
  map.text.clear();
  map.keys = {key};
  map.items = {*trials};
  *trials = std::move(map);
}

// Reports each text with a NUL. Returns whether there is one.
bool refuse_nul(const YamlNode& node, ProblemList& problems) {
  bool is_refused = node.text.find('\0') != std::string::npos &&
                    problems.refuse(node,
                                    "the text has a NUL (\\0), and programs read only what is "
                                    "before that; leave it out");
  for (const auto* nodes : {&node.keys, &node.items}) {
    for (const YamlNode& inner : *nodes) {
      is_refused = refuse_nul(inner, problems) || is_refused;
    }
  }
  return is_refused;
}

ParsedStudy parse(const std::string& text,
                  const std::string& path,
                  const std::vector<std::string>& overrides,
                  Strictness strictness) {
  ParsedStudy parsed;
  parsed.study.source_path = path;
  parsed.study.source_text = text;
  YamlNode tree = parse_yaml(text, parsed.problems);
  // A file that cannot be read as a tree would only cause more messages of no use.
  const bool is_readable = parsed.problems.empty() || !tree.is_null();
  if (is_readable) {
    write_out_trials(tree);
    for (const std::string& item : overrides) {
      const bool is_removal = item.ends_with("=null") || item.ends_with("=~");
      std::string wrong = apply_override(tree, item);
      if (wrong.empty() && is_removal) {
        wrong = unknown_key(item);
      }
      if (!wrong.empty()) {
        parsed.problems.push_back({0, 0, fmt::format("--set {}: {}", item, wrong)});
      }
    }
    write_out_trials(tree);
    if (!overrides.empty()) {
      parsed.study.source_text = emit_yaml(tree);
    }
    ProblemList problems(parsed.problems, strictness);
    SectionContext context{.study = parsed.study,
                           .problems = problems,
                           .has_other_cells = std::ranges::any_of(overrides, &lays_out_cells)};
    if (!refuse_nul(tree, problems)) {
      read_study(tree, context);
    }
  }
  std::stable_sort(
      parsed.problems.begin(), parsed.problems.end(), [](const Problem& a, const Problem& b) {
        return std::pair(a.line, a.column) < std::pair(b.line, b.column);
      });
  return parsed;
}

}  // namespace

ParsedStudy parse_study(const std::string& text,
                        const std::string& path,
                        const std::vector<std::string>& overrides) {
  return parse(text, path, overrides, Strictness::kNew);
}

Study parse_stored_study(const std::string& text, const std::string& path) {
  ParsedStudy parsed = parse(text, path, {}, Strictness::kStored);
  if (!parsed.problems.empty()) {
    throw Error(ErrorKind::kStore,
                "a study text in the store cannot be read as one:\n" +
                    format_problems(parsed.problems, text, path));
  }
  return std::move(parsed.study);
}

bool has_hash(const Study& study, const std::string& hash) {
  if (study_hash(study) == hash) {
    return true;
  }
  const ParsedStudy before =
      parse(study.source_text, study.source_path, {}, Strictness::kStoredAsBefore);
  return before.problems.empty() && study_hash(before.study) == hash;
}

Study load_study(const std::string& path, const std::vector<std::string>& overrides) {
  const std::string text = read_study_text(path);
  ParsedStudy parsed = parse_study(text, path, overrides);
  if (!parsed.problems.empty()) {
    throw Error(ErrorKind::kUsage, format_problems(parsed.problems, text, path));
  }
  return std::move(parsed.study);
}

}  // namespace scalestudy
