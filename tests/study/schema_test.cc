// The parser and the JSON Schema for editors, held to each other over the same examples.
#include <algorithm>

#include "tests/study/study_text.h"
#include "tests/support/catch.h"
#include "tests/support/json_schema.h"
#include "workloads/protocol/parameters.h"

namespace scalestudy {
namespace {

const test::JsonSchema& schema() {
  static const test::JsonSchema loaded("study.schema.json");
  return loaded;
}

std::string schema_problems(const std::string& text) {
  return schema().problems(text);
}

TEST_CASE("each valid example satisfies the parser and the schema", "[study]") {
  const auto files = test::yaml_files("tests/study/examples/valid");

  REQUIRE(files.size() >= 15);
  for (const auto& path : files) {
    const std::string text = test::read_file(path);
    CAPTURE(path);
    CHECK(test::problems_of(text).empty());
    CHECK(schema_problems(text).empty());
  }
}

TEST_CASE("each invalid example fails the parser, and the schema where a schema can tell",
          "[study]") {
  const auto files = test::yaml_files("tests/study/examples/invalid");

  REQUIRE(files.size() >= 30);
  for (const auto& path : files) {
    const std::string text = test::read_file(path);
    const bool is_beyond_schema = text.starts_with("# beyond a schema");
    CAPTURE(path);
    CHECK_FALSE(test::problems_of(text).empty());
    CHECK(schema_problems(text).empty() == is_beyond_schema);
  }
}

TEST_CASE("an invalid example has one fault, so that it fails for what its name says", "[study]") {
  for (const auto& path : test::yaml_files("tests/study/examples/invalid")) {
    CAPTURE(path);
    CHECK(parse_study(test::read_file(path), "s.yaml", {}).problems.size() == 1);
  }
}

TEST_CASE("the shipped studies and the template of init satisfy the parser and the schema",
          "[study]") {
  auto files = test::yaml_files("studies");
  files.emplace_back(std::string(SCALESTUDY_SOURCE_DIR) + "/data/init.yaml");

  REQUIRE(files.size() >= 4);
  for (const auto& path : files) {
    const std::string text = test::read_file(path);
    CAPTURE(path);
    CHECK(test::problems_of(text).empty());
    CHECK(schema_problems(text).empty());
  }
}

TEST_CASE("every commented line of init's template is valid where it stands", "[study]") {
  std::string text;
  for (const char* line : {"bucket_mb: 25", "env.OMP_PROC_BIND: close"}) {
    text = test::read_file(std::string(SCALESTUDY_SOURCE_DIR) + "/data/init.yaml");
    CHECK(text.find(std::string("# ") + line) != std::string::npos);
  }
  CHECK(test::problems_of(text,
                          {"parameters.bucket_mb=25",
                           "parameters.env.OMP_PROC_BIND=close",
                           "axes.env.NCCL_ALGO=[default, Ring, Tree]",
                           "include=[{devices: 4, batch_global: 512}]",
                           "exclude=[{devices: 1, env.NCCL_ALGO: [Ring, Tree]}]",
                           "trials={min: 10, max: 50, until: 2%}",
                           "limits.max_time=9h",
                           "cost={per_device_hour: 3.00, currency: USD}"})
            .empty());
  CHECK(test::problems_of(
            text, {"zip=[{nodes: 1, devices: 8}, {nodes: 2, devices: 16}]", "axes.devices=null"})
            .empty());
}

TEST_CASE("the schema knows the parameters that each workload has", "[study]") {
  for (const std::string& workload : protocol::builtin_workloads()) {
    std::vector<std::string> names;
    for (const auto& info : protocol::workload_parameters(workload)) {
      if (!info.name.starts_with("warmup_") && !info.name.starts_with("measured_")) {
        names.emplace_back(info.name);
      }
    }
    auto known = schema()
                     .document()["definitions"][workload + "_parameter_name"]["anyOf"][0]["enum"]
                     .get<std::vector<std::string>>();

    std::sort(names.begin(), names.end());
    std::sort(known.begin(), known.end());
    CAPTURE(workload);
    CHECK(known == names);
  }
}

}  // namespace
}  // namespace scalestudy
