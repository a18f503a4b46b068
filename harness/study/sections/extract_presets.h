// How known programs print their steps (data/extract-presets.yaml): lists of extract rules by name.
#pragma once

#include <vector>

#include "harness/study/declared/extract_rule.h"
#include "harness/yaml/fields.h"
#include "harness/yaml/yaml_tree.h"

namespace scalestudy {

// The product's presets, read once: a map from name to a list of rules and conditions, which are
// not checked. Throws Error{kMachine} if the file is missing or is no such map.
const YamlNode& extract_presets();

struct PresetRules {
  std::vector<YamlNode> rules;  // as a study file has them
  std::vector<OutputCondition> conditions;
};

// The rules of the preset that `node` names, as if they were written there. Those that count
// something else than steps take the amount of a step from `node`. Those that match the start of a
// line also match after the names that Ray puts before the lines of its workers. Empty if a problem
// was reported.
// - fields: of `node`.
PresetRules preset_rules(Fields& fields, const YamlNode& node, ProblemList& problems);

}  // namespace scalestudy
