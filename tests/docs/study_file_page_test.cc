// docs/reference/study-file.md: every key of a study file, every parameter, strategy and preset,
// from data/study.schema.json, the table of strategies and data/extract-presets.yaml.
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "harness/study/parameters/metrics.h"
#include "harness/study/parameters/strategies.h"
#include "tests/docs/page.h"
#include "tests/study/study_schema.h"
#include "tests/study/study_text.h"
#include "tests/support/catch.h"
#include "workloads/parameters/parameters.h"

using namespace scalestudy;

namespace {

using OrderedJson = nlohmann::ordered_json;

const OrderedJson& whole_schema() {
  static const OrderedJson kWhole =
      OrderedJson::parse(test::read_file(SCALESTUDY_SOURCE_DIR "/data/study.schema.json"));
  return kWhole;
}

const OrderedJson& follow(const OrderedJson& node) {
  return node.contains("$ref") ? whole_schema().at(OrderedJson::json_pointer(
                                     node["$ref"].get<std::string>().substr(1)))
                               : node;
}

std::string value_text(const OrderedJson& node);

std::string join_values(const OrderedJson& list, const std::string& between) {
  std::string text;
  std::set<std::string> told;
  for (const OrderedJson& each : list) {
    const std::string value = each.is_object()   ? value_text(each)
                              : each.is_string() ? "`" + each.get<std::string>() + "`"
                                                 : each.dump();
    if (told.insert(value).second) {
      text += text.empty() || value.empty() ? value : between + value;
    }
  }
  return text;
}

// "1 to 64", "above 0", "" for any number.
std::string range_text(const OrderedJson& node) {
  const std::string lo = node.contains("minimum") ? node["minimum"].dump() + " or more"
                         : node.contains("exclusiveMinimum")
                             ? "above " + node["exclusiveMinimum"].dump()
                             : "";
  const std::string hi = node.contains("maximum") ? node["maximum"].dump() + " at most"
                         : node.contains("exclusiveMaximum")
                             ? "below " + node["exclusiveMaximum"].dump()
                             : "";
  return lo.empty() || hi.empty() ? lo + hi : lo + ", " + hi;
}

// "duration", "integer, 0 or more, 10 at most", "`flag` or `abort`", "list of text".
std::string value_text(const OrderedJson& node) {
  constexpr std::string_view definitions = "#/definitions/";
  if (node.contains("$ref")) {
    std::string name = node["$ref"].get<std::string>();
    name = name.starts_with(definitions) ? name.substr(definitions.size()) : name;
    std::ranges::replace(name, '_', ' ');
    return name;
  }
  if (node.contains("allOf") && node["allOf"].size() == 1) {
    return value_text(node["allOf"][0]);
  }
  if (node.contains("enum")) {
    return join_values(node["enum"], ", ");
  }
  for (const char* ways : {"oneOf", "anyOf"}) {
    if (node.contains(ways) && !node.contains("properties")) {
      return join_values(node[ways], " or ");
    }
  }
  if (node.contains("const")) {
    return "`" + node["const"].get<std::string>() + "`";
  }
  const OrderedJson type = node.value("type", OrderedJson("any"));
  std::string text = type.is_array() ? type[0].get<std::string>() : type.get<std::string>();
  if (text == "array") {
    const std::string items = node.contains("items") ? value_text(node["items"]) : "";
    return items.empty() || items == "map" ? "list" : "list of " + items;
  }
  text = text == "object" ? "map" : text == "string" ? "text" : text;
  const std::string range = text == "integer" || text == "number" ? range_text(node) : "";
  return range.empty() ? text : text + ", " + range;
}

std::string key_row(const std::string& name, const OrderedJson& node) {
  return fmt::format("| `{}` | {} | {} |\n",
                     name,
                     test::table_cell(value_text(node)),
                     test::table_cell(node.value("description", "")));
}

// The keys of a section in the order of the schema, each in front of those within it.
void add_keys(const OrderedJson& unfollowed, const std::string& section, std::string& text) {
  const OrderedJson& node = follow(unfollowed);
  std::set<std::string> told;
  const bool has_ways = node.contains("oneOf") && !node.contains("properties");
  for (const OrderedJson& way : has_ways ? node["oneOf"] : OrderedJson::array({node})) {
    const OrderedJson properties = way.value("properties", OrderedJson::object());
    for (const auto& [key, value] : properties.items()) {
      if (!told.insert(key).second) {
        continue;
      }
      const std::string name = section.empty() ? key : section + "." + key;
      text += key_row(name, value);
      add_keys(value, name, text);
      if (const OrderedJson& list = follow(value); list.contains("items")) {
        add_keys(list["items"], name + "[]", text);
      }
    }
  }
}

// The rules of each preset, with the comment in front of it.
std::string preset_rows() {
  std::istringstream lines(test::read_file(SCALESTUDY_SOURCE_DIR "/data/extract-presets.yaml"));
  const YAML::Node presets = YAML::LoadFile(SCALESTUDY_SOURCE_DIR "/data/extract-presets.yaml");
  std::string rows;
  std::string program;  // the first line of the comment
  for (std::string line, before; std::getline(lines, line); before = line) {
    if (line.starts_with("# ") && before.empty()) {
      program = line.substr(2);
    } else if (line.ends_with(':') && presets[line.substr(0, line.size() - 1)]) {
      const std::string name = line.substr(0, line.size() - 1);
      std::string metrics;
      std::set<std::string> told;
      for (const YAML::Node& rule : presets[name]) {
        const YAML::Node metric = rule["metric"];  // a condition has none
        if (metric && told.insert(metric.Scalar()).second) {
          metrics += (metrics.empty() ? "`" : ", `") + metric.Scalar() + "`";
        }
      }
      rows += fmt::format("| `{}` | {} | {} |\n", name, test::table_cell(program), metrics);
    }
  }
  return rows;
}

std::string study_file_page() {
  std::string text =
      "# Study file\n\n"
      "All keys of a study file, in the order of its schema (`scalestudy schema`).\n\n"
      "## Keys\n\n| key | value | meaning |\n| --- | --- | --- |\n";
  add_keys(whole_schema(), "", text);
  for (const std::string& workload : protocol::builtin_workloads()) {
    text += fmt::format(
        "\n## Parameters of {}\n\nAny of them can be an axis.\n\n"
        "| parameter | value | meaning |\n| --- | --- | --- |\n",
        workload);
    const OrderedJson& parameters =
        whole_schema()["definitions"][workload + "_parameters"]["properties"];
    for (const auto& [name, node] : parameters.items()) {
      text += key_row(name, node);
    }
  }
  text +=
      "\n## Strategies of train\n\nThe last column is the least that each of N ranks sends in a "
      "step.\n\n| strategy | what it does | what a rank sends |\n| --- | --- | --- |\n";
  for (const StrategyInfo& each : protocol::strategies()) {
    text += fmt::format("| `{}` | {} | {} |\n",
                        each.name,
                        test::table_cell(std::string(each.meaning)),
                        test::table_cell(std::string(each.sends)));
  }
  text +=
      "\n## Metrics\n\nEvery study has these metrics where its trials allow. A `command` adds the "
      "metrics of its `extract` rules.\n\n"
      "| metric | unit | meaning | target | threshold |\n| --- | --- | --- | --- | --- |\n";
  for (const Metric& metric : metrics()) {
    const std::string meaning(metric.meaning);
    text += fmt::format("| `{}` | {} | {} | {} | {} |\n",
                        metric.name,
                        metric.unit,
                        test::table_cell(meaning.substr(0, meaning.find(" [interval]"))),
                        metric.is_target ? "yes" : "",
                        metric.is_threshold ? "yes" : "");
  }
  return text +
         "\n## Presets\n\n`extract: {preset: NAME}` reads what these programs print. The rules are "
         "in [extract-presets.yaml](../../data/extract-presets.yaml).\n\n"
         "| preset | program | metrics |\n| --- | --- | --- |\n" +
         preset_rows();
}

TEST_CASE("the page of the study file has every key, parameter, strategy and preset", "[docs]") {
  const std::string page = study_file_page();
  test::check_page("study-file.md", page);
  for (const std::string& key : test::all_keys()) {
    CAPTURE(key);
    CHECK(page.find("| `" + key + "` |") != std::string::npos);
  }
  for (const auto& preset : YAML::LoadFile(SCALESTUDY_SOURCE_DIR "/data/extract-presets.yaml")) {
    CAPTURE(preset.first.Scalar());
    CHECK(page.find("| `" + preset.first.Scalar() + "` |") != std::string::npos);
  }
}

}  // namespace
