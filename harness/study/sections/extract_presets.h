// How known programs print their steps (data/extract-presets.yaml): lists of extract rules by name.
#pragma once

#include "harness/yaml/yaml_tree.h"

namespace scalestudy {

// The product's presets, read once: a map from name to a list of rules, which are not checked.
// Throws Error{kMachine} if the file is missing or is no such map.
const YamlNode& extract_presets();

}  // namespace scalestudy
