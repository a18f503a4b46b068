// Text inside Markdown.
#include "harness/report/template/markdown.h"

#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::report;

namespace {

TEST_CASE("nothing a user writes becomes markup", "[report]") {
  CHECK(escape_markdown("a|b") == "a\\|b");
  CHECK(escape_markdown("*x* `y` ~z~ $m$") == "\\*x\\* \\`y\\` \\~z\\~ \\$m\\$");
  CHECK(escape_markdown("<script>") == "\\<script\\>");
  CHECK(escape_markdown("[t](u)") == "[t\\](u)");
  CHECK(escape_markdown("![t](u)") == "\\![t\\](u)");
  CHECK(escape_markdown("&lt;") == "\\&lt;");
  CHECK(escape_markdown("back\\slash") == "back\\\\slash");
}

TEST_CASE("escaped text stays on one line", "[report]") {
  CHECK(escape_markdown("a\nb\r\nc\td") == "a b c d");
}

TEST_CASE("escaped text does not turn the line around it", "[report]") {
  CHECK(escape_markdown("a\xe2\x80\xae b\xc2\x9b") == "a? b?");  // U+202E, a C1 control
}

TEST_CASE("text that starts like a heading or a list is escaped", "[report]") {
  CHECK(escape_markdown("# x") == "\\# x");
  CHECK(escape_markdown("- x") == "\\- x");
  CHECK(escape_markdown("-3 %") == "-3 %");
}

TEST_CASE("names and intervals stay readable in the source", "[report]") {
  CHECK(escape_markdown("batch_global=256") == "batch_global=256");
  CHECK(escape_markdown("1.75 [1.70, 1.80]") == "1.75 [1.70, 1.80]");
  CHECK(escape_markdown("_x_") == "\\_x\\_");
}

TEST_CASE("an answer becomes a table with numbers to the right", "[report]") {
  const QueryResult answer = {{"name", "n"}, {{std::string("a|b"), std::int64_t{3}}, {{}, 0.25}}};

  CHECK(markdown_table(answer) == "| name | n |\n| --- | ---: |\n| a\\|b | 3 |\n|  | 0.25 |");
}

TEST_CASE("an answer without rows still has its head", "[report]") {
  CHECK(markdown_table({{"a|b", "n"}, {}}) == "| a\\|b | n |\n| --- | --- |");
}

TEST_CASE("blank lines are kept inside a code fence only", "[report]") {
  CHECK(tidy_markdown("\n\na\n\n\n\nb\n```\n\n\nc\n```\n\n\n") == "a\n\nb\n```\n\n\nc\n```\n");
}

TEST_CASE("a fence ends with as many backticks as it began with", "[report]") {
  CHECK(tidy_markdown("````\n```\n\n\n````\n\n\nx") == "````\n```\n\n\n````\n\nx\n");
}

}  // namespace
