// A JSON Schema of the product's, as an editor applies it to YAML.
#pragma once

#include <string>

#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>
#include <yaml-cpp/yaml.h>

#include "tests/support/program.h"

namespace scalestudy::test {

// YAML as an editor reads it (core schema): plain scalars are numbers and booleans where they look
// so.
inline nlohmann::json to_json(const YAML::Node& node) {
  if (node.IsMap()) {
    nlohmann::json object = nlohmann::json::object();
    for (const auto& entry : node) {
      object[entry.first.Scalar()] = to_json(entry.second);
    }
    return object;
  }
  if (node.IsSequence()) {
    nlohmann::json array = nlohmann::json::array();
    for (const auto& item : node) {
      array.push_back(to_json(item));
    }
    return array;
  }
  if (!node.IsScalar()) {
    return nullptr;
  }
  const std::string& text = node.Scalar();
  const bool is_plain = node.Tag() == "?";
  if (is_plain && nlohmann::json::accept(text)) {
    return nlohmann::json::parse(text);
  }
  return text;
}

class JsonSchema {
 public:
  // name  of a file in data/.
  explicit JsonSchema(const std::string& name)
      : document_(nlohmann::json::parse(read_file(SCALESTUDY_SOURCE_DIR "/data/" + name))) {
    valijson::SchemaParser parser(valijson::SchemaParser::kDraft7);
    parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(document_), schema_);
  }

  const nlohmann::json& document() const { return document_; }

  // What the schema has against a YAML text, "" when it accepts it.
  std::string problems(const std::string& text) const {
    const nlohmann::json value = to_json(YAML::Load(text));
    valijson::Validator validator(valijson::Validator::kStrongTypes);
    valijson::ValidationResults results;
    validator.validate(schema_, valijson::adapters::NlohmannJsonAdapter(value), &results);
    std::string problems;
    for (valijson::ValidationResults::Error error; results.popError(error);) {
      problems += error.description + "\n";
    }
    return problems;
  }

 private:
  nlohmann::json document_;
  valijson::Schema schema_;
};

}  // namespace scalestudy::test
