#include "harness/text/json.h"

#include <limits>
#include <string>

#include <nlohmann/json.hpp>

#include "tests/support/catch.h"

using namespace scalestudy;

TEST_CASE("JSON keeps the order of members and has lines only where asked", "[text]") {
  JsonText json;
  json["b"] = 1;
  json["a"]["list"].push_back(true);
  json["a"]["list"].push_back(JsonText());
  json["a"]["none"] = JsonText::list();
  json["b"] = "say \"x\"\n";

  CHECK(json.dump() == R"({"b":"say \"x\"\n","a":{"list":[true,null],"none":[]}})");
  CHECK(json.dump(2) == R"({
  "b": "say \"x\"\n",
  "a": {
    "list": [
      true,
      null
    ],
    "none": []
  }
})");
}

TEST_CASE("numbers of JSON read back to the same bits, and what is none is null", "[text]") {
  CHECK(JsonText(0.1).dump() == "0.1");
  CHECK(JsonText(2.0).dump() == "2.0");
  CHECK(JsonText(1e-300).dump() == "1e-300");
  CHECK(JsonText(std::numeric_limits<double>::infinity()).dump() == "null");
  CHECK(JsonText(std::optional<double>()).dump() == "null");
  CHECK(JsonText(std::uint64_t{18446744073709551615U}).dump() == "18446744073709551615");
  CHECK(JsonText("a \xff byte").dump() == "\"a \xef\xbf\xbd byte\"");
}

TEST_CASE("a text that is no JSON has its fault named at the place, in words of ours", "[text]") {
  const auto problem = [](const std::string& text) -> std::string {
    try {
      (void)nlohmann::json::parse(text).at(0).get<double>();
    } catch (const std::exception& error) {
      const JsonProblem found = json_problem(text, error);
      return std::to_string(found.line) + ":" + std::to_string(found.column) + ": " + found.message;
    }
    return "";
  };
  const std::string cut = "the JSON ends here, before it is complete";
  const std::string unexpected = "this is not valid JSON: unexpected ";

  CHECK(problem("") == "1:1: " + cut);
  CHECK(problem("[1, 2") == "1:6: " + cut);
  CHECK(problem("{\"a\": 1,\n \"b") == "2:4: " + cut);
  CHECK(problem("{\"a\": 1,\n \"b\" 2}") == "2:6: " + unexpected + "'2'");
  CHECK(problem("{}\nx") == "2:1: " + unexpected + "'x'");
  CHECK(problem(R"({"a": 1 "bcd": 2})") == "1:9: " + unexpected + "'\"'");
  CHECK(problem("[12 -345]") == "1:5: " + unexpected + "'-'");
  CHECK(problem("[trve]") == "1:2: " + unexpected + "'t'");
  CHECK(problem("[\"a\x01\"]") == "1:4: " + unexpected + "byte 0x01");
  CHECK(problem("[\"\xff\"]") == "1:3: " + unexpected + "byte 0xFF");
  CHECK(problem("[1,\n 1e999]") == "1:0: the number '1e999' is too large");
  CHECK(problem("[\"a\"]") == "1:0: a value's type must be number, but is string");
  CHECK(problem("1") == "1:0: a value is not the object that it must be");
  CHECK(problem("[]") == "1:0: array index 0 is out of range");
  CHECK(problem("[1, 2]").empty());
}

TEST_CASE("a text of JSON is read with its order, what is none is not", "[text]") {
  const std::string text = R"({"z":[1,-2,0.5,"a"],"b":{"c":false,"d":null}})";

  CHECK(JsonText::parse(text).value().dump() == text);
  CHECK_FALSE(JsonText::parse("{\"z\":").has_value());
  CHECK_THROWS_AS(JsonText("text")["name"], std::logic_error);
  CHECK_THROWS_AS(JsonText::object().push_back(1), std::logic_error);
}
