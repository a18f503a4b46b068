// The reader, the JSON Schema for editors and the format's page, held to each other.
#include <set>

#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>
#include <yaml-cpp/yaml.h>

#include "harness/audit/quantity.h"
#include "tests/audit/bad_datasets.h"
#include "tests/support/catch.h"

namespace scalestudy::audit {
namespace {

using nlohmann::json;
using scalestudy::test::read_file;
using valijson::adapters::NlohmannJsonAdapter;

const std::string kSource = SCALESTUDY_SOURCE_DIR;

// YAML as an editor reads it: plain scalars are numbers and booleans where they look so.
json to_json(const YAML::Node& node) {
  if (node.IsMap()) {
    json object = json::object();
    for (const auto& entry : node) {
      object[entry.first.Scalar()] = to_json(entry.second);
    }
    return object;
  }
  if (node.IsSequence()) {
    json array = json::array();
    for (const auto& item : node) {
      array.push_back(to_json(item));
    }
    return array;
  }
  if (!node.IsScalar()) {
    return nullptr;
  }
  const std::string text = node.Scalar();
  return node.Tag() == "?" && json::accept(text) ? json::parse(text) : json(text);
}

json read_schema() {
  return json::parse(read_file(kSource + "/data/dataset.schema.json"));
}

// What the schema has against a text, "" when it accepts it.
std::string schema_problems(const std::string& text) {
  const json document = read_schema();
  valijson::Schema schema;
  valijson::SchemaParser parser(valijson::SchemaParser::kDraft7);
  parser.populateSchema(NlohmannJsonAdapter(document), schema);
  const json dataset = to_json(YAML::Load(text));
  valijson::Validator validator(valijson::Validator::kStrongTypes);
  valijson::ValidationResults results;
  validator.validate(schema, NlohmannJsonAdapter(dataset), &results);
  std::string problems;
  for (valijson::ValidationResults::Error error; results.popError(error);) {
    problems += error.description + "\n";
  }
  return problems;
}

TEST_CASE("each published dataset satisfies the schema", "[audit]") {
  const auto folders = dataset_folders({kSource + "/data/published"});

  REQUIRE(folders.size() >= 6);
  for (const auto& folder : folders) {
    CAPTURE(folder);
    CHECK(schema_problems(read_file(folder / "dataset.yaml")).empty());
  }
}

TEST_CASE("each faulty dataset fails the schema where a schema can tell", "[audit]") {
  for (const test::BadDataset& bad : test::bad_datasets()) {
    CAPTURE(bad.yaml);
    CHECK(schema_problems(bad.yaml).empty() == bad.is_beyond_schema);
  }
}

TEST_CASE("the schema and the format's page list the quantities there are", "[audit]") {
  const std::string format = read_file(kSource + "/data/published/FORMAT.md");
  std::set<std::string> names;
  for (const QuantityInfo& info : quantities()) {
    names.emplace(info.name);
    CAPTURE(std::string(info.name));
    CHECK(format.find("\n| `" + std::string(info.name) + "` | ") != std::string::npos);
  }

  CHECK(read_schema()["definitions"]["quantity"]["enum"].get<std::set<std::string>>() == names);
}

}  // namespace
}  // namespace scalestudy::audit
