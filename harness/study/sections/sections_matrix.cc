// parameters, axes, zip, include, exclude.
#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "harness/study/declared/varied_names.h"
#include "harness/study/matrix/command.h"
#include "harness/study/parameters/parameter_rules.h"
#include "harness/study/sections/parameter_entries.h"
#include "harness/study/sections/sections.h"
#include "harness/text/text.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

// A product this large is a mistake; the matrix refuses more cells as well.
constexpr std::size_t kMaxAxisValues = 10'000;

// Values of an axis or an exclude rule: distinct ones, at least one.
//   what  how messages call it, e.g. "axis devices".
std::vector<Value> read_values(const std::string& what,
                               const std::string& name,
                               const YamlNode& list,
                               SectionContext& context) {
  std::vector<Value> values;
  if (list.items.empty()) {
    context.problems.refuse(list, what + " has no values; give at least one, or remove it");
  }
  if (list.items.size() > kMaxAxisValues &&
      context.problems.refuse(
          list,
          fmt::format("{} has {} values; at most {}", what, list.items.size(), kMaxAxisValues))) {
    return values;
  }
  check_versions(name, list.items, context);
  std::set<std::string> seen;
  for (const YamlNode& item : list.items) {
    Value value;
    if (!read_entry_value(name, item, context, value)) {
      continue;
    }
    if (const std::string text = format_value(value); !seen.insert(text).second) {
      context.problems.refuse(item, fmt::format("{} has the value {} twice", what, text));
      continue;
    }
    values.push_back(std::move(value));
  }
  return values;
}

Parameters read_map(const YamlNode& map, SectionContext& context) {
  Parameters parameters;
  for (std::size_t i = 0; i < map.keys.size(); ++i) {
    Value value;
    if (read_entry(map.keys[i], map.items[i], context, value)) {
      parameters[map.keys[i].text] = std::move(value);
    }
  }
  return parameters;
}

// The rows of zip or include.
std::vector<Parameters> read_rows(Fields& root,
                                  const std::string& section,
                                  SectionContext& context) {
  std::vector<Parameters> rows;
  std::map<std::string, std::vector<YamlNode>> columns;
  const YamlNode* list = root.list(section);
  if (list == nullptr) {
    return rows;
  }
  if (list->items.empty()) {
    context.problems.refuse(*list, section + " has no rows; give at least one, or remove it");
  }
  for (const YamlNode& item : list->items) {
    if (!item.is_map() || item.keys.empty()) {
      context.problems.add(
          item,
          fmt::format("a row of {} must be a mapping like {{nodes: 1, devices: 8}}, not {}",
                      section,
                      item.is_map() ? "an empty one" : describe(item)));
      continue;
    }
    rows.push_back(read_map(item, context));
    for (std::size_t i = 0; i < item.keys.size(); ++i) {
      columns[item.keys[i].text].push_back(item.items[i]);
    }
  }
  for (const auto& [name, values] : columns) {
    check_versions(name, values, context);
  }
  return rows;
}

std::vector<std::string> key_names(const YamlNode& map) {
  std::vector<std::string> names;
  for (const YamlNode& key : map.keys) {
    names.push_back(key.text);
  }
  std::sort(names.begin(), names.end());
  return names;
}

// Reports names that stand in two of parameters, axes and zip.
void check_overlap(Fields& root, SectionContext& context) {
  const Study& study = context.study;
  if (const YamlNode* axes = root.find("axes")) {
    for (const YamlNode& key : axes->keys) {
      if (study.parameters.contains(key.text)) {
        context.problems.refuse(
            key, key.text + " is fixed under parameters and an axis as well; keep one of the two");
      }
    }
  }
  if (study.zip.empty()) {
    return;
  }
  const YamlNode& zip = *root.find("zip");
  for (const YamlNode& key : zip.items.front().keys) {
    const bool is_axis = std::any_of(study.axes.begin(), study.axes.end(), [&](const Axis& axis) {
      return axis.name == key.text;
    });
    if (is_axis || study.parameters.contains(key.text)) {
      context.problems.refuse(key,
                              fmt::format("{} is in zip and under {} as well; keep one of the two",
                                          key.text,
                                          is_axis ? "axes" : "parameters"));
    }
  }
}

// Reports `compute` among what varies: emulated numbers stand beside no measured ones.
void check_compute(Fields& root, SectionContext& context) {
  if (context.study.workload != Workload::kTrain) {
    return;
  }
  std::vector<const YamlNode*> maps = {root.find("axes")};
  for (const char* section : {"zip", "include"}) {
    if (const YamlNode* list = root.find(section)) {
      for (const YamlNode& row : list->items) {
        maps.push_back(&row);
      }
    }
  }
  for (const YamlNode* map : maps) {
    if (map == nullptr) {
      continue;
    }
    for (const YamlNode& key : map->keys) {
      if (key.text == kCompute) {
        context.problems.refuse(
            key,
            "compute cannot vary: what declared emulates is not compared with what real measures; "
            "write it under parameters, and a second study for the other value");
        return;
      }
    }
  }
}

// Reports a value with the {name} of a parameter, which is replaced in command and env alone.
// Behind a $ it is the shell's.
void check_literal(const YamlNode& key,
                   const YamlNode& value,
                   const std::vector<std::string>& names,
                   SectionContext& context) {
  for (const std::string& name : placeholders(value.text)) {
    const std::string braced = "{" + name + "}";
    if (std::ranges::find(names, name) != names.end() &&
        value.text.find("$" + braced) == std::string::npos) {
      context.problems.refuse(
          value,
          fmt::format(
              "{1} is replaced only in command, setup and env, not in a value of {0}; write "
              "it there instead",
              key.text,
              braced));
    }
  }
  for (const YamlNode& item : value.items) {
    check_literal(key, item, names, context);
  }
}

void check_literals(Fields& root, SectionContext& context) {
  const std::vector<std::string> names = declared_names(context.study);
  for (const char* section : {"parameters", "axes", "zip", "include"}) {
    const YamlNode* found = root.find(section);
    const auto maps = found == nullptr  ? std::span<const YamlNode>()
                      : found->is_map() ? std::span(found, 1)
                                        : std::span<const YamlNode>(found->items);
    for (const YamlNode& map : maps) {
      for (std::size_t i = 0; i < map.keys.size(); ++i) {
        check_literal(map.keys[i], map.items[i], names, context);
      }
    }
  }
}

// Where to point for a fault of the whole matrix.
const YamlNode& matrix_node(Fields& root) {
  for (const char* section : {"axes", "zip", "parameters"}) {
    if (const YamlNode* node = root.find(section)) {
      return *node;
    }
  }
  return root.node();
}

// Reports values of a name that look the same. Of rows of zip with several names another one tells
// them apart.
void check_looks(Fields& root, SectionContext& context) {
  std::map<std::string, std::vector<const YamlNode*>> items;  // by name
  const auto add = [&](const YamlNode& key, const YamlNode& item) {
    if (item.is_scalar()) {
      items[key.text].push_back(&item);
    }
  };
  if (const YamlNode* axes = root.find("axes")) {
    for (std::size_t i = 0; i < axes->keys.size(); ++i) {
      for (const YamlNode& item : axes->items[i].items) {
        add(axes->keys[i], item);
      }
    }
  }
  for (const std::string section : {"zip", "include"}) {
    const YamlNode* list = root.find(section);
    for (std::size_t i = 0; list != nullptr && i < list->items.size(); ++i) {
      const YamlNode& row = list->items[i];
      const std::size_t looked_at = section == "zip" && row.keys.size() > 1 ? 0 : row.keys.size();
      for (std::size_t k = 0; k < looked_at; ++k) {
        add(row.keys[k], row.items[k]);
      }
    }
  }
  for (const auto& [name, places] : items) {
    check_lookalikes(name, places, context);
  }
}

// A batch for train, devices for collective: what has no default.
void check_required(Fields& root, SectionContext& context) {
  std::set<std::string> names = varied_names(context.study);
  for (const auto& [name, value] : context.study.parameters) {
    names.insert(name);
  }
  const bool has_global = names.contains(names::kBatchGlobal);
  const bool has_per_device = names.contains(names::kBatchPerDevice);
  if (has_global && has_per_device) {
    context.problems.refuse(
        matrix_node(root),
        "both batch_global and batch_per_device are given; keep batch_global for "
        "strong scaling or batch_per_device for weak scaling");
  } else if (context.study.workload == Workload::kTrain && !has_global && !has_per_device) {
    context.problems.refuse(
        matrix_node(root),
        "no batch is given; add batch_global (strong scaling) or batch_per_device "
        "(weak scaling) to axes or parameters");
  } else if (context.study.workload == Workload::kCollective && !names.contains(names::kDevices)) {
    context.problems.refuse(
        matrix_node(root),
        "no devices are given; a collective needs 2 or more: add devices to axes "
        "or parameters");
  }
}

// One rule of exclude; `names` are those that the study declares.
std::map<std::string, std::vector<Value>> read_exclude_rule(const YamlNode& item,
                                                            const std::vector<std::string>& names,
                                                            SectionContext& context) {
  std::map<std::string, std::vector<Value>> rule;
  for (std::size_t i = 0; i < item.keys.size(); ++i) {
    const YamlNode& key = item.keys[i];
    if (std::find(names.begin(), names.end(), key.text) == names.end() &&
        context.problems.refuse(
            key,
            fmt::format("exclude names \"{}\", which no axis, zip, include or parameter gives{}",
                        key.text,
                        suggestion(key.text, names)))) {
      continue;
    }
    YamlNode values = item.items[i];
    if (!values.is_sequence()) {
      values.kind = YamlNode::Kind::kSequence;
      values.items = {item.items[i]};
    }
    rule[key.text] = read_values("exclude " + key.text, key.text, values, context);
  }
  return rule;
}

}  // namespace

void read_parameters(Fields& root, SectionContext& context) {
  if (const YamlNode* map = root.map("parameters")) {
    context.study.parameters = read_map(*map, context);
    for (std::size_t i = 0; i < map->keys.size(); ++i) {
      check_versions(map->keys[i].text, std::span(&map->items[i], 1), context);
    }
  }
}

void read_axes(Fields& root, SectionContext& context) {
  const YamlNode* map = root.map("axes");
  if (map == nullptr) {
    return;
  }
  for (std::size_t i = 0; i < map->keys.size(); ++i) {
    const YamlNode& key = map->keys[i];
    const YamlNode& list = map->items[i];
    if (!list.is_sequence()) {
      context.problems.add(
          list,
          fmt::format(
              "axis {} must be a list of values like [1, 2], not {}", key.text, describe(list)));
      continue;
    }
    if (check_entry_name(key, context)) {
      context.study.axes.push_back(
          {key.text, read_values("axis " + key.text, key.text, list, context)});
    }
  }
}

void read_zip(Fields& root, SectionContext& context) {
  context.study.zip = read_rows(root, "zip", context);
  const YamlNode* list = root.find("zip");
  if (context.study.zip.empty()) {
    return;
  }
  const std::vector<std::string> names = key_names(list->items.front());
  for (const YamlNode& row : list->items) {
    if (row.is_map() && key_names(row) != names) {
      context.problems.refuse(
          row,
          fmt::format("this row of zip has {}; all rows must have the same keys: {}",
                      join(key_names(row), ", "),
                      join(names, ", ")));
    }
  }
}

void read_include(Fields& root, SectionContext& context) {
  context.study.include = read_rows(root, "include", context);
}

void read_exclude(Fields& root, SectionContext& context) {
  const YamlNode* list = root.list("exclude");
  if (list == nullptr) {
    return;
  }
  const std::vector<std::string> names = declared_names(context.study);
  for (const YamlNode& item : list->items) {
    if (!item.is_map() || item.keys.empty()) {
      context.problems.add(item,
                           "an exclude rule must be a mapping like {devices: 1}, not " +
                               (item.is_map() ? "an empty one" : describe(item)));
    } else if (context.is_workload_known) {
      context.study.exclude.push_back(read_exclude_rule(item, names, context));
    }
  }
}

void check_matrix(Fields& root, SectionContext& context) {
  if (!context.is_workload_known) {
    return;
  }
  check_overlap(root, context);
  check_literals(root, context);
  check_looks(root, context);
  check_compute(root, context);
  check_required(root, context);
}

}  // namespace scalestudy
