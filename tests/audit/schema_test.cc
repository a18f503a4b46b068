// The reader, the JSON Schema for editors and the format's page, held to each other.
#include <set>

#include "harness/audit/draft/draft.h"
#include "harness/audit/figure/quantity.h"
#include "tests/audit/bad_datasets.h"
#include "tests/support/catch.h"
#include "tests/support/json_schema.h"

using namespace scalestudy;
using namespace scalestudy::audit;

namespace {

using scalestudy::test::read_file;

const scalestudy::test::JsonSchema& schema() {
  static const scalestudy::test::JsonSchema loaded("dataset.schema.json");
  return loaded;
}

std::string schema_problems(const std::string& text) {
  return schema().problems(text);
}

TEST_CASE("each published dataset satisfies the schema", "[audit]") {
  const auto folders = dataset_folders({SCALESTUDY_SOURCE_DIR "/data/published"});

  REQUIRE(folders.size() >= 6);
  for (const auto& folder : folders) {
    CAPTURE(folder);
    CHECK(schema_problems(read_file(folder / "dataset.yaml")).empty());
  }
}

TEST_CASE("a draft satisfies the schema", "[audit]") {
  const Draft draft = draft_dataset(
      read_csv("Phase,img/s,Time (ms)\nforward,\"1,150\",20.5\nbackward,\"4,371\",43.5\n"
               "Total,-,64.0\n",
               "a.csv"),
      "a.csv");
  const std::string& yaml = draft.files.at("dataset.yaml");

  CHECK_THAT(yaml, Catch::Contains("zeros: shown") && Catch::Contains("total_row:"));
  CHECK(schema_problems(yaml).empty());
}

TEST_CASE("each faulty dataset fails the schema where a schema can tell", "[audit]") {
  for (const test::BadDataset& bad : test::bad_datasets()) {
    CAPTURE(bad.yaml);
    CHECK(schema_problems(bad.yaml).empty() == bad.is_beyond_schema);
  }
}

TEST_CASE("the schema and the format's page list the quantities there are", "[audit]") {
  const std::string format = read_file(SCALESTUDY_SOURCE_DIR "/data/published/FORMAT.md");
  std::set<std::string> names;
  for (const QuantityInfo& info : quantities()) {
    names.emplace(info.name);
    CAPTURE(std::string(info.name));
    CHECK(format.find("\n| `" + std::string(info.name) + "` | ") != std::string::npos);
  }

  CHECK(schema().document()["definitions"]["quantity"]["enum"].get<std::set<std::string>>() ==
        names);
}

}  // namespace
