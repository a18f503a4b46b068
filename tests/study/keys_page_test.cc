// docs/keys.md: every key of a study file, every parameter and every strategy, written from
// data/study.schema.json and the table of strategies.
#include <cstdlib>
#include <fstream>
#include <set>

#include <fmt/format.h>

#include "harness/study/parameters/strategies.h"
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
  std::string meaning = node.value("description", "");
  for (std::size_t at = 0; (at = meaning.find('|', at)) != std::string::npos; at += 2) {
    meaning.insert(at, "\\");
  }
  return fmt::format("| `{}` | {} | {} |\n", name, value_text(node), meaning);
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

std::string keys_page() {
  std::string text =
      "# Keys, parameters and strategies\n\n"
      "All that a study file can say, in the order of its schema (`scalestudy schema`). What the "
      "keys "
      "are for is in\n[What a study file can say](study-file.md). The test `study: keys_page` "
      "writes "
      "this page with\n`SCALESTUDY_UPDATE_GOLDEN=1`, from `data/study.schema.json` and "
      "`workloads/parameters/strategy_table.h`.\n\n"
      "## Keys\n\n| key | value | meaning |\n| --- | --- | --- |\n";
  add_keys(whole_schema(), "", text);
  for (const std::string& workload : protocol::builtin_workloads()) {
    text += fmt::format(
        "\n## Parameters of {}\n\nEach is an axis by its name.\n\n"
        "| parameter | value | meaning |\n| --- | --- | --- |\n",
        workload);
    const OrderedJson& parameters =
        whole_schema()["definitions"][workload + "_parameters"]["properties"];
    for (const auto& [name, node] : parameters.items()) {
      text += key_row(name, node);
    }
  }
  text +=
      "\n## Strategies of train\n\nOf N ranks each sends at least so much in a step:\n\n"
      "| strategy | what it does | what a rank sends |\n| --- | --- | --- |\n";
  for (const StrategyInfo& each : protocol::strategies()) {
    text += fmt::format("| `{}` | {} | {} |\n", each.name, each.meaning, each.sends);
  }
  return text;
}

// SCALESTUDY_UPDATE_GOLDEN=1 writes it.
TEST_CASE("the page of keys has every key, parameter and strategy", "[study]") {
  const std::string path = SCALESTUDY_SOURCE_DIR "/docs/keys.md";
  const std::string expected = keys_page();
  if (std::getenv("SCALESTUDY_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path) << expected;
    return;
  }

  CHECK(test::read_file(path) == expected);
  for (const std::string& key : test::all_keys()) {
    CAPTURE(key);
    CHECK(expected.find("| `" + key + "` |") != std::string::npos);
  }
}

}  // namespace
