// The keys of a study file, and the words that are values of some: the parser takes no others, and
// data/study.schema.json is held to them by a test.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "harness/yaml/fields.h"

namespace scalestudy {

struct StudySection {
  std::string name;               // "" the file, "limits", "analysis.targets[]" an item of the list
  std::vector<std::string> keys;  // of parameters, axes, zip ...: none, they are parameters
};

std::span<const StudySection> study_sections();

// The map of the section with the keys it may have; others are reported.
//   name  with its place in a list, e.g. "analysis.targets[2]".
// Throws std::logic_error for a section that is not in the table.
Fields section_fields(const YamlNode& node, const std::string& name, ProblemList& problems);

}  // namespace scalestudy
