// The keys of a study file: those of data/study.schema.json, which is their only list. The parser
// takes no others; tests compare their values with the schema's.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/yaml/fields.h"

namespace scalestudy {

struct StudySection {
  std::string name;               // "" the file, "limits", "analysis.targets[]" an item of the list
  std::vector<std::string> keys;  // none for parameters, axes, zip ..., whose keys are parameters
};

// All sections, each in front of those within it. Throws Error{kMachine} if the schema is missing
// or is none.
std::span<const StudySection> study_sections();

// The fields of a section's map; keys that it may not have are reported.
// - name: with its place in a list, e.g. "analysis.targets[2]".
// - throws: std::logic_error for a section that is not in the table.
Fields section_fields(const YamlNode& node, const std::string& name, ProblemList& problems);

}  // namespace scalestudy
