// CSV with the place of every field.
#include "harness/audit/dataset/csv_text.h"

#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::audit;

namespace {

std::vector<std::vector<std::string>> texts(const std::string& csv) {
  std::vector<Problem> problems;
  std::vector<std::vector<std::string>> rows;
  for (const auto& row : parse_csv(csv, problems)) {
    std::vector<std::string>& out = rows.emplace_back();
    for (const CsvField& field : row) {
      out.push_back(field.text);
    }
  }
  CHECK(problems.empty());
  return rows;
}

Problem csv_text_problem(const std::string& csv) {
  std::vector<Problem> problems;
  parse_csv(csv, problems);
  REQUIRE(problems.size() == 1);
  return problems.front();
}

TEST_CASE("fields are taken as RFC 4180 says", "[audit]") {
  using Rows = std::vector<std::vector<std::string>>;
  CHECK(texts("a,b\n1,2\n") == Rows{{"a", "b"}, {"1", "2"}});
  CHECK(texts("a,b\r\n1,2") == Rows{{"a", "b"}, {"1", "2"}});
  CHECK(texts("\"1,234\",\"say \"\"hi\"\"\"\n") == Rows{{"1,234", "say \"hi\""}});
  CHECK(texts("\"two\nlines\",x\n") == Rows{{"two\nlines", "x"}});
  CHECK(texts("a,\n,b\n") == Rows{{"a", ""}, {"", "b"}});
  CHECK(texts("\xEF\xBB\xBF"
              "a\n\nb\n") == Rows{{"a"}, {"b"}});
  CHECK(texts("").empty());
}

TEST_CASE("every field knows its place", "[audit]") {
  std::vector<Problem> problems;

  const auto rows = parse_csv("a,\"x\ny\",b\nc,d\n", problems);

  CHECK(rows[0][1].line == 1);
  CHECK(rows[0][1].column == 3);
  CHECK(rows[0][2].line == 2);
  CHECK(rows[0][2].column == 4);
  CHECK(rows[1][1].line == 3);
  CHECK(rows[1][1].column == 3);
}

TEST_CASE("what is no CSV is refused where it stands", "[audit]") {
  CHECK(csv_text_problem("a,\"b\nc\n").message == "this quote is never closed");
  CHECK(csv_text_problem("a,\"b\nc\n").column == 3);
  CHECK(csv_text_problem("a\n\"b\"c\n").line == 2);
  CHECK(csv_text_problem("a\n\"b\"c\n").column == 4);
  CHECK(csv_text_problem("a\n\xff\n").message == "this is not UTF-8 text");
}

}  // namespace
