// Reads parameters and their values in sections of a study file: {devices: 2}.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/study/declared/value.h"
#include "harness/study/sections/section_context.h"
#include "harness/yaml/yaml_tree.h"

namespace scalestudy {

// Whether `key` names a parameter of the workload, or the side; reports any other name. Also false
// while the workload is not known.
bool check_entry_name(const YamlNode& key, SectionContext& context);

// Reads the value of the parameter `name`; reports and returns false when it is bad.
bool read_entry_value(const std::string& name,
                      const YamlNode& item,
                      SectionContext& context,
                      Value& value);

// Whether values of that name are versions, as of python_version; not of conversion or cuda_graphs.
bool names_version(const std::string& name);

// Reports the values of one name without quotes that are versions, and as numbers would lose a
// zero: 3.10 beside 3.9 or 3.11, and of a name such as python. 1.50 beside 1.25 is a number.
void check_versions(const std::string& name,
                    std::span<const YamlNode> items,
                    SectionContext& context);

// Reports values of one name that look the same: they differ only in spaces and invisible
// characters, or in accents that are marks after letters in one, and one character with the letter
// in the other.
void check_lookalikes(const std::string& name,
                      std::span<const YamlNode* const> items,
                      SectionContext& context);

// Reads one name and its value, e.g. in `where`; reports and returns false when either is bad.
bool read_entry(const YamlNode& key, const YamlNode& item, SectionContext& context, Value& value);

// The names of the study's axes, zip, include and parameters.
std::vector<std::string> declared_names(const Study& study);

// For a message that the study lacks the name `given`: which of its names is meant, or all of them.
std::string hint_of_names(const std::string& given, const std::vector<std::string>& names);

// The one of `names` that `given` surely means, "thread" beside "threads" or "learing_rate" beside
// "learning_rate"; "" for none: short names are alike by chance, as lr and lr2.
std::string meant_by_slip(const std::string& given, const std::vector<std::string>& names);

// Reads a map of parameters that the study declares, e.g. {devices: 2}. Entries that are bad are
// reported and left out; while the workload is not known all are left out.
// - what: how messages call the map, e.g. "analysis.baseline".
Parameters read_selection(const YamlNode& map, const std::string& what, SectionContext& context);

}  // namespace scalestudy
