// JSON as written, with places.
#include "harness/import/json_text.h"

#include <string>
#include <vector>

#include "tests/support/catch.h"

using namespace scalestudy;
using Kind = JsonValue::Kind;

namespace {

JsonValue parse(const std::string& text) {
  std::vector<Problem> problems;
  const std::optional<JsonValue> value = parse_json(text, problems);
  INFO(text);
  REQUIRE(value);
  REQUIRE(problems.empty());
  return *value;
}

Problem problem_in(const std::string& text) {
  std::vector<Problem> problems;
  CHECK_FALSE(parse_json(text, problems));
  REQUIRE(problems.size() == 1);
  return problems.front();
}

}  // namespace

TEST_CASE("numbers keep the digits they were written with", "[import]") {
  const JsonValue list = parse("[1.50, 0.000000, -3e+05,12345678901234567890, 7]");

  std::vector<std::string> written;
  for (const JsonValue& item : list.items) {
    CHECK(item.kind == Kind::kNumber);
    written.push_back(item.at.text);
  }
  CHECK(written ==
        std::vector<std::string>{"1.50", "0.000000", "-3e+05", "12345678901234567890", "7"});
}

TEST_CASE("every value knows its line and column", "[import]") {
  const JsonValue map = parse("{\n  \"a\\\"b\": [true,\n null],\t\"c\": \"x\\n,:\", \"d\": {}\n}");

  REQUIRE(map.names == std::vector<std::string>{"a\"b", "c", "d"});
  CHECK(map.at.line == 1);
  CHECK(map.at.column == 1);
  const JsonValue& list = *map.find("a\"b");
  CHECK(list.at.line == 2);
  CHECK(list.at.column == 11);
  CHECK(list.items[0].at.column == 12);
  CHECK(list.items[1].at.line == 3);
  CHECK(list.items[1].at.column == 2);
  CHECK(map.find("c")->at.text == "x\n,:");
  CHECK(map.find("c")->at.column == 14);
  CHECK(map.find("d")->at.column == 28);
  CHECK(map.find("e") == nullptr);
}

TEST_CASE("a byte order mark does not shift what is read", "[import]") {
  CHECK(parse("\xEF\xBB\xBF[2.0]").items.at(0).at.text == "2.0");
}

TEST_CASE("a text that is no JSON is refused at its fault", "[import]") {
  CHECK(problem_in("{\"a\": 1,\n \"b\" 2}").line == 2);
  CHECK(problem_in("{\"a\": 1,\n \"b\" 2}").column == 6);
  CHECK(problem_in("{\"a\": 1,\n \"b\" 2}").message == "this is not valid JSON: unexpected '2'");
  CHECK(problem_in("[1, 2").message == "the JSON ends here, before it is complete");
  CHECK(problem_in("").line == 1);
  CHECK(problem_in("[\"\xff\"]").message == "this is not valid JSON: unexpected byte 0xFF");
  CHECK(problem_in("[1,\n 1e999]").message == "the number '1e999' is too large");
  CHECK(problem_in("[1,\n 1e999]").line == 2);
  CHECK(problem_in("[1,\n 1e999]").column == 2);
}

TEST_CASE("a nesting that no tool writes is refused", "[import]") {
  CHECK_THAT(problem_in(std::string(100'000, '[')).message, Catch::Contains("nested deeper"));
  CHECK(parse(std::string(60, '[') + std::string(60, ']')).kind == Kind::kList);
}
