// The keys of the study file, from its JSON Schema.
#include "harness/study/sections/study_keys.h"

#include <algorithm>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "harness/base/error.h"
#include "harness/base/paths.h"
#include "harness/base/read_file.h"

namespace scalestudy {
namespace {

using Json = nlohmann::ordered_json;  // keys in the order of the file, for messages

constexpr const char* kSchema = "data/study.schema.json";

// "analysis.targets[]" of "analysis.targets[2]", and so of what follows: "thresholds[0].refine".
std::string without_index(const std::string& name) {
  const std::size_t bracket = name.find('[');
  return bracket == std::string::npos
             ? name
             : name.substr(0, bracket + 1) + name.substr(name.find(']', bracket));
}

// The definition that a node refers to, or the node itself.
const Json& follow(const Json& schema, const Json& node) {
  const auto reference = node.find("$ref");
  return reference == node.end()
             ? node
             : schema.at(Json::json_pointer(reference->get<std::string>().substr(1)));
}

// Adds the section that `node` describes, if its keys are fixed, and those within it.
void add_sections(const Json& schema,
                  const Json& unfollowed,
                  const std::string& name,
                  std::vector<StudySection>& sections) {
  const Json& node = follow(schema, unfollowed);
  std::vector<const Json*> ways{&node};  // trials has three
  if (node.contains("oneOf") && !node.contains("properties")) {
    ways.clear();
    for (const Json& way : node["oneOf"]) {
      ways.push_back(&way);
    }
  }
  StudySection section{name, {}};
  std::vector<StudySection> within;
  for (const Json* way : ways) {
    const Json properties = way->value("properties", Json::object());
    for (const auto& [key, value] : properties.items()) {
      if (std::ranges::find(section.keys, key) != section.keys.end()) {
        continue;
      }
      section.keys.push_back(key);
      const std::string inner = name.empty() ? key : name + "." + key;
      add_sections(schema, value, inner, within);
      if (const Json& list = follow(schema, value); list.contains("items")) {
        add_sections(schema, list["items"], inner + "[]", within);
      }
    }
  }
  if (!section.keys.empty()) {
    sections.push_back(std::move(section));
    sections.insert(sections.end(), within.begin(), within.end());
  }
}

std::vector<StudySection> read_sections() {
  const auto path = shared_file(kSchema);
  const Json schema = Json::parse(read_file(path).value_or(""), nullptr, false);
  std::vector<StudySection> sections;
  try {
    if (schema.is_object()) {
      add_sections(schema, schema, "", sections);
    }
  } catch (const Json::exception&) {  // a reference to nothing
    sections.clear();
  }
  if (sections.empty()) {
    throw Error(ErrorKind::kMachine,
                path.string() + ": not the schema of study files; install it anew");
  }
  return sections;
}

}  // namespace

std::span<const StudySection> study_sections() {
  static const std::vector<StudySection> kSections = read_sections();
  return kSections;
}

Fields section_fields(const YamlNode& node, const std::string& name, ProblemList& problems) {
  const auto sections = study_sections();
  const auto section = std::ranges::find(sections, without_index(name), &StudySection::name);
  if (section == sections.end()) {
    throw std::logic_error("a study has no section " + name);
  }
  return {node, name, section->keys, problems};
}

}  // namespace scalestudy
