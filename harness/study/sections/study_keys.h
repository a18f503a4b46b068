// The keys of a study file: the parser takes no others, and a test holds data/study.schema.json to
// them.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "harness/yaml/fields.h"

namespace scalestudy {

struct StudySection {
  std::string name;               // "" the file, "limits", "analysis.targets[]" an item of the list
  std::vector<std::string> keys;  // none for parameters, axes, zip ..., whose keys are parameters
};

std::span<const StudySection> study_sections();

// The fields of a section's map; keys that it may not have are reported.
// - name: with its place in a list, e.g. "analysis.targets[2]".
// - throws: std::logic_error for a section that is not in the table.
Fields section_fields(const YamlNode& node, const std::string& name, ProblemList& problems);

}  // namespace scalestudy
