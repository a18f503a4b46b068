#include "harness/text/json.h"

#include <limits>

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

TEST_CASE("a text of JSON is read with its order, what is none is not", "[text]") {
  const std::string text = R"({"z":[1,-2,0.5,"a"],"b":{"c":false,"d":null}})";

  CHECK(JsonText::parse(text).value().dump() == text);
  CHECK_FALSE(JsonText::parse("{\"z\":").has_value());
  CHECK_THROWS_AS(JsonText("text")["name"], std::logic_error);
  CHECK_THROWS_AS(JsonText::object().push_back(1), std::logic_error);
}
