// `--set key=value` on the YAML tree: finds the place a dotted key means and puts the value there.
#include <fmt/format.h>

#include "harness/text/quantity.h"
#include "harness/yaml/yaml_tree.h"

namespace scalestudy {
namespace {

// Maps whose keys are names of parameters or values, which may hold dots themselves: below them the
// rest of the dotted key is one name. `path` is the dotted key so far, list indices written as "#".
bool holds_parameter_names(const std::string& path) {
  return path == "parameters" || path == "axes" || path == "zip.#" || path == "include.#" ||
         path == "exclude.#" || path == "analysis.baseline" || path == "analysis.targets.#.where" ||
         path == "analysis.thresholds.#.between" || path == "search.defaults" ||
         path == "cost.investments.#.where" || path == "report.labels" ||
         path == "report.published_as";
}

void mark_origin(YamlNode& node, const std::string& origin) {
  node.line = 0;
  node.column = 0;
  node.origin = origin;
  for (YamlNode& key : node.keys) {
    mark_origin(key, origin);
  }
  for (YamlNode& item : node.items) {
    mark_origin(item, origin);
  }
}

struct Step {
  std::string name;  // key or list index
  std::string rest;  // dotted key behind it, empty at the end
};

Step split(const YamlNode& node, const std::string& path, const std::string& key) {
  const std::size_t dot = key.find('.');
  if (dot == std::string::npos || holds_parameter_names(path) || node.find(key) != nullptr) {
    return {key, ""};
  }
  return {key.substr(0, dot), key.substr(dot + 1)};
}

void erase(YamlNode& map, const YamlNode* item) {
  const auto index = item - map.items.data();
  map.items.erase(map.items.begin() + index);
  map.keys.erase(map.keys.begin() + index);
}

// The element of a list that `name` counts from 0, nullptr when it is none.
YamlNode* element(YamlNode& list, const std::string& name) {
  const auto index = parse_integer(name);
  if (!index || *index < 0 || static_cast<std::size_t>(*index) >= list.items.size()) {
    return nullptr;
  }
  return &list.items[static_cast<std::size_t>(*index)];
}

YamlNode& find_or_add(YamlNode& map, const std::string& name, const std::string& origin) {
  if (YamlNode* found = map.find(name)) {
    return *found;
  }
  YamlNode key;
  key.kind = YamlNode::Kind::kScalar;
  key.text = name;
  mark_origin(key, origin);
  YamlNode empty;
  mark_origin(empty, origin);
  map.keys.push_back(key);
  map.items.push_back(empty);
  return map.items.back();
}

// The child that `name` means, added where a map lacks it. nullptr with what is in the way in
// `problem`.
YamlNode* descend(YamlNode& node,
                  const std::string& path,
                  const std::string& name,
                  const std::string& origin,
                  std::string& problem) {
  if (node.is_map()) {
    return &find_or_add(node, name, origin);
  }
  if (!node.is_sequence()) {
    problem = fmt::format("{} is a single value, it has no \"{}\"", path, name);
    return nullptr;
  }
  YamlNode* item = element(node, name);
  if (item == nullptr) {
    problem = fmt::format("{} is a list of {}; write its index, from 0, instead of \"{}\"",
                          path,
                          node.items.size(),
                          name);
  }
  return item;
}

// Walks to the place `key` names and replaces or removes it; returns what is in the way.
std::string put(YamlNode& root, const std::string& key, YamlNode value, const std::string& origin) {
  YamlNode* node = &root;
  std::string path;
  std::string problem;
  Step step{"", key};
  do {
    if (node->is_null()) {
      node->kind = YamlNode::Kind::kMap;
    }
    step = split(*node, path, step.rest);
    if (step.name.empty()) {
      return "a name is missing before or behind a dot";
    }
    if (node->is_map() && step.rest.empty() && value.is_null()) {
      if (const YamlNode* gone = node->find(step.name)) {
        erase(*node, gone);
      }
      return "";
    }
    const std::string part = node->is_sequence() ? "#" : step.name;
    node = descend(*node, path, step.name, origin, problem);
    path += (path.empty() ? "" : ".") + part;
  } while (node != nullptr && !step.rest.empty());
  if (node != nullptr) {
    *node = std::move(value);
  }
  return problem;
}

}  // namespace

std::string apply_override(YamlNode& tree, const std::string& override_text) {
  const std::size_t equals = override_text.find('=');
  if (equals == std::string::npos || equals == 0) {
    return "write it as key=value, e.g. trials.count=3";
  }
  const std::string text = override_text.substr(equals + 1);
  if (text.find_first_not_of(' ') == std::string::npos) {
    return "no value behind the =; to remove the key write null";
  }
  std::vector<Problem> problems;
  YamlNode value = parse_yaml(text, problems);
  if (!problems.empty()) {
    return problems.front().message;
  }
  const bool is_plain = value.is_null() || (value.is_scalar() && !value.is_quoted);
  if (is_plain && (text.starts_with('#') || text.find(" #") != std::string::npos)) {
    return "YAML drops what follows the # as a comment; quote the value inside: 'title=\"Run #2\"'";
  }
  const std::string origin = "--set " + override_text;
  mark_origin(value, origin);
  return put(tree, override_text.substr(0, equals), std::move(value), origin);
}

}  // namespace scalestudy
