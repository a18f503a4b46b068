// How known programs print their steps (data/extract-presets.yaml): lists of extract rules by name.
#pragma once

#include "harness/yaml/yaml_tree.h"

namespace scalestudy {

// The product's presets, read once: a map from name to a list of rules. Throws Error{kMachine} when
// the file is missing or no such map; whether the rules are sound is for whoever reads them.
const YamlNode& extract_presets();

}  // namespace scalestudy
