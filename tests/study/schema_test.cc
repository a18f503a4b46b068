// The parser and the JSON Schema for editors, held to each other over the same examples.
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "harness/study/parameters/interconnect.h"
#include "harness/study/parameters/parameter_rules.h"
#include "harness/text/quantity.h"
#include "tests/study/study_schema.h"
#include "tests/study/study_text.h"
#include "tests/support/catch.h"
#include "workloads/parameters/parameters.h"
#include "workloads/protocol/writer.h"

using namespace scalestudy;
using test::schema_problems;

namespace {

using OrderedJson = nlohmann::ordered_json;

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
  const auto templates = test::yaml_files("data/init");
  files.insert(files.end(), templates.begin(), templates.end());

  REQUIRE(templates.size() == 5);
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
    text = test::read_file(SCALESTUDY_SOURCE_DIR "/data/init/all.yaml");
    CHECK(text.find(std::string("# ") + line) != std::string::npos);
  }
  CHECK(test::problems_of(text,
                          {"parameters.bucket_mb=25",
                           "parameters.env.OMP_PROC_BIND=close",
                           "axes.env.OMPI_MCA_btl=[default, \"self,tcp\"]",
                           "include=[{devices: 4, batch_global: 512}]",
                           "exclude=[{devices: 1, env.OMPI_MCA_btl: \"self,tcp\"}]",
                           "trials={min: 10, max: 50, until: 2%}",
                           "limits.max_time=9h",
                           "validity={policy: requeue, requeues: 2, foreign_load: 3%, "
                           "throttled: 0%}",
                           "on_finish=[mail, -s, scalestudy, me]",
                           "cost={per_device_hour: 3.00, currency: USD}"})
            .empty());
  CHECK(test::problems_of(text,
                          {"zip=[{nodes: 1, devices: 8}, {nodes: 2, devices: 16}]",
                           "axes.devices=null",
                           "analysis.baseline={devices: 8}"})
            .empty());
}

// ---- the parameters of the built-in workloads
// ----------------------------------------------------

// The parameters that a study names under `parameters`; `steps` sets the others.
std::vector<protocol::ParameterInfo> study_parameters(const std::string& workload) {
  std::vector<protocol::ParameterInfo> parameters;
  for (const auto& info : protocol::workload_parameters(workload)) {
    if (check_parameter_name(*from_word<Workload>(workload), std::string(info.name)).empty()) {
      parameters.push_back(info);
    }
  }
  const auto links = interconnect_parameters();
  parameters.insert(parameters.end(), links.begin(), links.end());
  return parameters;
}

struct Range {
  std::string lo;
  std::string hi;  // "inf": none
  bool has_lo = true;
  bool has_hi = true;
};

Range range_of(const protocol::ParameterInfo& info) {
  const std::string_view allowed = info.allowed;
  const std::size_t comma = allowed.find(", ");
  return {std::string(allowed.substr(1, comma - 1)),
          std::string(allowed.substr(comma + 2, allowed.size() - comma - 3)),
          allowed.front() == '[',
          allowed.back() == ']'};
}

std::vector<std::string> words_of_parameter(const protocol::ParameterInfo& info) {
  std::istringstream text{std::string(info.allowed)};
  std::vector<std::string> words;
  for (std::string word; std::getline(text, word, '|');) {
    words.push_back(word);
  }
  return words;
}

bool is_number(const protocol::ParameterInfo& info) {
  return info.kind == protocol::ParameterKind::kInteger ||
         info.kind == protocol::ParameterKind::kReal;
}

OrderedJson number_schema(const protocol::ParameterInfo& info) {
  const Range range = range_of(info);
  OrderedJson schema;
  schema["type"] = info.kind == protocol::ParameterKind::kReal ? "number" : "integer";
  schema[range.has_lo ? "minimum" : "exclusiveMinimum"] = OrderedJson::parse(range.lo);
  if (range.hi != "inf") {
    schema[range.has_hi ? "maximum" : "exclusiveMaximum"] = OrderedJson::parse(range.hi);
  }
  if (info.unit == "%") {
    return {{"anyOf", {schema, {{"$ref", "#/definitions/percent"}}}}};
  }
  if (find_interconnect_parameter(info.name) != nullptr) {
    const bool is_rate = info.name == kInterconnectBandwidth;
    return {{"anyOf",
             {schema, {{"$ref", is_rate ? "#/definitions/bit_rate" : "#/definitions/delay"}}}}};
  }
  return bytes_per_unit(info.unit)
             ? OrderedJson{{"anyOf", {schema, {{"$ref", "#/definitions/size"}}}}}
             : schema;
}

std::string description(const protocol::ParameterInfo& info) {
  std::string defaults(info.default_value);
  for (const auto& other : info.other_defaults) {
    if (other.default_value != info.default_value) {
      defaults += fmt::format("; with {} {} {}", other.parameter, other.value, other.default_value);
    }
  }
  return std::string(info.help) + (info.unit.empty() ? "" : fmt::format(" Unit: {}.", info.unit)) +
         (defaults.empty() ? "" : fmt::format(" Default: {}.", defaults));
}

// One integer, or several as text; that they ascend is beyond a schema.
OrderedJson list_schema() {
  const OrderedJson one{{"type", "integer"}, {"minimum", 1}};
  const OrderedJson several{{"type", "string"}, {"pattern", "^[1-9][0-9]*(,[1-9][0-9]*)*$"}};
  return {{"anyOf", {one, several}}};
}

OrderedJson value_schema(const protocol::ParameterInfo& info) {
  using enum protocol::ParameterKind;
  const OrderedJson any_text{{"type", {"string", "number", "boolean"}}};  // a plain 1 is text, too
  OrderedJson schema = is_number(info)          ? number_schema(info)
                       : info.kind == kFlag     ? OrderedJson{{"type", "boolean"}}
                       : info.kind == kIntegers ? list_schema()
                       : info.allowed.empty()   ? any_text
                                                : OrderedJson{{"enum", words_of_parameter(info)}};
  schema["description"] = description(info);
  return schema;
}

// "#/definitions/train_parameters/properties/model" as a reference.
OrderedJson reference(const std::string& workload, const protocol::ParameterInfo& info) {
  return {{"$ref", fmt::format("#/definitions/{}_parameters/properties/{}", workload, info.name)}};
}

// With a space behind each comma and colon, as the rest of the file.
std::string one_line(const OrderedJson& json) {
  std::string line;
  for (const char c : json.dump(0)) {
    if (c != '\n') {
      line += c;
    } else if (line.ends_with(',')) {
      line += ' ';
    }
  }
  return line;
}

// The two definitions that are made from a workload's table, one line a parameter.
std::string definitions_text(const std::string& workload) {
  const auto parameters = study_parameters(workload);
  std::string text;
  for (const bool is_list : {false, true}) {
    text += fmt::format(
        "    \"{}_{}\": {{\n"
        "      \"additionalProperties\": false,\n"
        "      \"patternProperties\": {{\"^env[.][A-Za-z_][A-Za-z0-9_]*$\": {{}}}},\n"
        "      \"properties\": {{\n",
        workload,
        is_list ? "axes" : "parameters");
    for (const auto& info : parameters) {
      const OrderedJson one = reference(workload, info);
      const OrderedJson list{{"anyOf", {one, {{"type", "array"}, {"items", one}}}}};
      text += fmt::format("        \"{}\": {}{}\n",
                          info.name,
                          one_line(is_list ? list : value_schema(info)),
                          info.name == parameters.back().name ? "" : ",");
    }
    text += "      }\n    },\n";
  }
  return text;
}

// SCALESTUDY_UPDATE_GOLDEN=1 rewrites them.
TEST_CASE("the schema's parameters are those of the workloads' tables, value by value", "[study]") {
  const std::string path = SCALESTUDY_SOURCE_DIR "/data/study.schema.json";
  for (const std::string& workload : protocol::builtin_workloads()) {
    std::string text = test::read_file(path);
    const std::string expected = definitions_text(workload);
    const std::size_t start = text.find(fmt::format("    \"{}_parameters\": {{\n", workload));
    const std::size_t axes = text.find(fmt::format("    \"{}_axes\": {{\n", workload), start);
    REQUIRE(axes != std::string::npos);
    const std::size_t end = text.find("\n    },\n", axes) + std::string("\n    },\n").size();
    if (std::getenv("SCALESTUDY_UPDATE_GOLDEN") != nullptr) {
      text.replace(start, end - start, expected);
      std::ofstream(path) << text;
      continue;
    }

    CHECK(text.substr(start, end - start) == expected);
  }
}

// Values at and around every limit of a parameter, and one of another type.
std::vector<std::string> values_about(const protocol::ParameterInfo& info) {
  if (!is_number(info)) {
    std::vector<std::string> values = words_of_parameter(info);
    values.insert(values.end(), {"true", "false", "bogus", "1"});
    return values;
  }
  const Range range = range_of(info);
  std::vector<std::string> values{"-1",
                                  "0",
                                  "1",
                                  "0.5",
                                  "2",
                                  "bogus",
                                  "1MiB",
                                  "5d",
                                  "1%",
                                  "0.5 %",
                                  "none",
                                  "1Gbit",
                                  "0.5 kbit",
                                  "50us",
                                  "1.5 ms"};
  for (const std::string& limit : {range.lo, range.hi == "inf" ? "1000000000" : range.hi}) {
    const std::int64_t number = std::stoll(limit);
    for (const std::int64_t value : {number - 1, number, number + 1}) {
      values.push_back(std::to_string(value));
    }
  }
  return values;
}

TEST_CASE("a parameter has a name that its trials can be given", "[study]") {
  const auto text_of = [](const char* section, const std::string& name, const char* value) {
    return test::kCommandHead + "command: [a, \"{" + name + "}\"]\n" + section + ": {" + name +
           ": " + value + "}\n";
  };
  const std::string longest(128, 'n');
  for (const std::string& name : std::vector<std::string>{"n", "A.b_1", longest}) {
    CAPTURE(name);
    CHECK(test::problems_of(text_of("axes", name, "[1, 2]")).empty());
    CHECK(schema_problems(text_of("axes", name, "[1, 2]")).empty());
    CHECK_NOTHROW(protocol::format_parameters({{name, std::int64_t{1}}}));
  }
  for (const std::string& name : std::vector<std::string>{"_n", "__", ".a", "9a", longest + "n"}) {
    CAPTURE(name);
    for (const std::string& text :
         {text_of("axes", name, "[1, 2]"), text_of("parameters", name, "1")}) {
      CHECK_THAT(test::problems_of(text),
                 Catch::Contains("\"" + name.substr(0, 60) +
                                 "\" is not a name: a letter, then letters, digits, _ and ., at "
                                 "most 128 in all"));
      CHECK_FALSE(schema_problems(text).empty());
    }
  }
}

TEST_CASE("the parser and the schema agree on every value of every parameter", "[study]") {
  for (const std::string& workload : protocol::builtin_workloads()) {
    for (const auto& info : study_parameters(workload)) {
      const std::string name(info.name);
      for (const std::string& value : values_about(info)) {
        const std::string head = fmt::format("version: 1\nstudy: s\nworkload: {}\n", workload);
        const bool is_accepted =
            parse_parameter_value(*from_word<Workload>(workload), name, value, false)
                .value.has_value();
        CAPTURE(workload, name, value);
        CHECK(schema_problems(fmt::format("{}parameters: {{{}: {}}}", head, name, value)).empty() ==
              is_accepted);
        CHECK(schema_problems(fmt::format("{}axes: {{{}: [{}]}}", head, name, value)).empty() ==
              is_accepted);
        CHECK(schema_problems(fmt::format("{}exclude: [{{{}: {}}}]", head, name, value)).empty() ==
              is_accepted);
      }
    }
  }
}

}  // namespace
