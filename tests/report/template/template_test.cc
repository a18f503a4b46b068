// Templates: what is refused, where, and that the list of tags is true.
#include "harness/report/template/template.h"

#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "harness/base/error.h"
#include "harness/report/audit_report.h"
#include "harness/report/sections/sections.h"
#include "harness/report/template/tags.h"
#include "tests/report/scratch_folder.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::report;

namespace {

namespace fs = std::filesystem;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;

View small_view() {
  View row;
  row.set_text("name", "devices");
  row.set_text("value", "1, 2");
  View view;
  view.set_text("title", "a|b");
  view.set_text("currency", "");
  view.set_list("axes", {row, row});
  view.set_list("targets", {});
  return view;
}

std::string no_query(const std::string&) {
  return "";
}

std::string render(const test::ScratchFolder& folder, const std::string& text) {
  folder.write("main.md", text);
  return render_template(folder.path() / "main.md",
                         {folder.path() / "partials"},
                         small_view(),
                         no_query,
                         template_tags());
}

std::string failure(const std::string& text) {
  const test::ScratchFolder folder;
  try {
    render(folder, text);
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::kUsage);
    std::string message = error.what();
    const std::string prefix = folder.path().string() + "/";
    return message.starts_with(prefix) ? message.substr(prefix.size()) : message;
  }
  return "no error";
}

TEST_CASE("tags are replaced, escaped unless they are raw", "[report]") {
  const test::ScratchFolder folder;

  CHECK(render(folder, "{{title}} {{{title}}}") == "a\\|b a|b\n");
}

TEST_CASE("a list is repeated and its absence can be asked for", "[report]") {
  const test::ScratchFolder folder;

  CHECK(render(folder, "{{#axes}}{{name}};{{/axes}}{{^targets}}none{{/targets}}") ==
        "devices;devices;none\n");
  CHECK(render(folder, "{{#has_axes}}yes{{/has_axes}}{{#currency}}price{{/currency}}") == "yes\n");
}

TEST_CASE("an unknown tag is refused with its line, column and the closest name", "[report]") {
  CHECK(failure("# x\n\nab {{titel}}\n") ==
        "main.md:3:4: unknown tag {{titel}}; did you mean title?");
  CHECK_THAT(failure("{{qqqqqqqq}}"), EndsWith("see templates/README.md"));
}

TEST_CASE("an unknown tag is refused in a section that would not be shown", "[report]") {
  CHECK(failure("{{#targets}}{{#rows}}{{nmae}}{{/rows}}{{/targets}}") ==
        "main.md:1:22: unknown tag {{nmae}}; did you mean name?");
}

TEST_CASE("a tag of a list is unknown outside of it", "[report]") {
  CHECK_THAT(failure("{{verdict}}"), Contains("unknown tag {{verdict}}"));
}

TEST_CASE("an unknown partial is refused with its place", "[report]") {
  CHECK_THAT(failure("\n{{> nothing}}"), Contains("main.md:2:1: unknown partial {{> nothing}}"));
}

TEST_CASE("an error inside a partial names the partial's line", "[report]") {
  const test::ScratchFolder folder;
  folder.write("partials/part.md", "fine\n{{titel}}\n");

  CHECK_THROWS_WITH(render(folder, "{{> part}}"), Contains("part.md:2:1: unknown tag {{titel}}"));
}

TEST_CASE("an error inside a partial names the places that include it", "[report]") {
  const test::ScratchFolder folder;
  folder.write("partials/inner.md", "{{value}}");
  folder.write("partials/outer.md", "\n{{> inner}}");

  // In the list the tag is known, outside of it it is not.
  CHECK_THROWS_WITH(render(folder, "{{#axes}}{{> inner}}{{/axes}}\n{{> outer}}"),
                    Contains("inner.md:1:1: unknown tag {{value}}") &&
                        Contains("outer.md:2:1) (included at ") && EndsWith("/main.md:2:1)"));
}

TEST_CASE("what is no text cannot be written as one", "[report]") {
  CHECK(failure("\n{{axes}}") ==
        "main.md:2:1: {{axes}} is not text; open it as a section: {{#axes}}...{{/axes}}");
  CHECK(failure("{{{targets}}}") ==
        "main.md:1:1: {{targets}} is not text; open it as a section: "
        "{{#targets}}{{> table}}{{/targets}}");
  CHECK_THAT(failure("{{has_axes}}"), Contains("{{has_axes}} is not text"));
}

TEST_CASE("line ends of Windows make the page that others make", "[report]") {
  const test::ScratchFolder folder;
  folder.write("partials/part.md", "b\r\n");

  CHECK(render(folder, "a\r\n\r\n<!-- details -->\r\n\r\n{{> part}}\r\n") ==
        render(folder, "a\n\n<!-- details -->\n\nb\n"));
}

TEST_CASE("a partial sees the list it is included in", "[report]") {
  const test::ScratchFolder folder;
  folder.write("partials/part.md", "{{value}};");

  CHECK(render(folder, "{{#axes}}{{> part}}{{/axes}}") == "1, 2;1, 2;\n");
}

TEST_CASE("partials that include each other are refused", "[report]") {
  const test::ScratchFolder folder;
  folder.write("partials/a.md", "{{> b}}");
  folder.write("partials/b.md", "{{> a}}");

  CHECK_THROWS_WITH(render(folder, "{{> a}}"), Contains("include each other without end"));
}

TEST_CASE("partials that include the next twice, and that twice, are refused", "[report]") {
  const test::ScratchFolder folder;
  for (int i = 0; i < 12; ++i) {  // 4095 in all
    const std::string next = "{{> p" + std::to_string(i + 1) + "}}";
    folder.write("partials/p" + std::to_string(i) + ".md", next + next);
  }
  folder.write("partials/p12.md", "end");

  CHECK_THROWS_WITH(render(folder, "{{> p0}}"), Contains("more than 1000 partials are included"));
  CHECK(render(folder, "{{> p4}}").size() > 256 * 3);  // 2^8 ends
}

TEST_CASE("a partial from outside its folders is refused", "[report]") {
  const test::ScratchFolder folder;
  folder.write("outside.md", "secret");
  folder.write("partials/parts/inside.md", "text");

  CHECK(render(folder, "{{> parts/inside}}") == "text\n");
  for (const std::string& name : {std::string("../outside"),
                                  std::string("parts/../../outside"),
                                  folder.path().string() + "/outside"}) {
    CHECK_THROWS_WITH(render(folder, "a\n{{> " + name + "}}"),
                      Contains("main.md:2:1: {{> " + name + "}}: a partial is a file of"));
  }
}

TEST_CASE("lists inside lists that would multiply without end are refused", "[report]") {
  const test::ScratchFolder folder;
  const auto nested = [](int depth, const std::string& text) {
    std::string all;
    for (int i = 0; i < depth; ++i) {
      all += "{{#axes}}";
    }
    all += text;
    for (int i = 0; i < depth; ++i) {
      all += "{{/axes}}";
    }
    return all;
  };
  CHECK(render(folder, nested(3, "{{name}};")).size() == 8 * 8 + 1);

  const std::string text(100'000, 'x');
  for (const std::string& body : {text, "\n" + text + "\n"}) {
    CHECK_THROWS_WITH(render(folder, nested(40, body)),
                      Contains("main.md: makes more than 256 MiB of text"));
  }
  CHECK_THROWS_WITH(render(folder, nested(20'000, "")),
                    Contains("more than 100 sections are open"));
  CHECK_THROWS_WITH(render(folder, std::string((1U << 20U) + 1, 'x')),
                    Contains("longer than 1 MiB"));
}

TEST_CASE("many tags of one template are checked in no time", "[report]") {
  const test::ScratchFolder folder;
  std::string text;
  for (int i = 0; i < 80'000; ++i) {
    text += "{{title}}\n";
  }
  const std::clock_t start = std::clock();  // CPU time: others may use this machine

  CHECK_THROWS_WITH(render(folder, text + "{{none}}"), Contains("main.md:80001:1: unknown tag"));

  CHECK(std::clock() - start < 5 * CLOCKS_PER_SEC);
}

TEST_CASE("templates that do not parse are refused with the place", "[report]") {
  CHECK(failure("a\n{{#axes}}{{name}}") == "main.md:2:1: section {{#axes}} is never closed");
  CHECK(failure("{{#axes}}{{/targets}}") ==
        "main.md:1:10: {{/targets}} closes no open section of that name");
  CHECK(failure("ab {{title") == "main.md:1:4: this tag is never closed");
  CHECK(failure("{{=<% %>=}}") == "main.md:1:1: delimiters cannot be changed");
}

TEST_CASE("a query's answer takes the place of the section", "[report]") {
  const test::ScratchFolder folder;
  folder.write("main.md", "a\n{{#query}}SELECT 1{{/query}}\nb\n");
  const auto echo = [](const std::string& sql) { return "[" + sql + "]"; };

  CHECK(render_template(folder.path() / "main.md", {}, small_view(), echo, template_tags()) ==
        "a\n[SELECT 1]\nb\n");
}

TEST_CASE("an error of a query names the template's line", "[report]") {
  const test::ScratchFolder folder;
  folder.write("main.md", "a\n\n{{#query}}SELEC 1{{/query}}\n");
  const auto fail = [](const std::string&) -> std::string {
    throw Error(ErrorKind::kUsage, "syntax error");
  };

  CHECK_THROWS_WITH(
      render_template(folder.path() / "main.md", {}, small_view(), fail, template_tags()),
      EndsWith("main.md:3:1: syntax error"));
}

TEST_CASE("a query that is no section, or has tags inside, is refused", "[report]") {
  CHECK_THAT(failure("{{query}}"), Contains("a query is a section"));
  CHECK_THAT(failure("{{#query}}SELECT {{title}}{{/query}}"), Contains("SQL without tags"));
}

TEST_CASE("a template that cannot be read is refused by its path", "[report]") {
  CHECK_THROWS_WITH(render_template("/nowhere/x.md", {}, small_view(), no_query, template_tags()),
                    Contains("/nowhere/x.md: cannot read"));
}

TEST_CASE("a documented tag that the view lacks is a defect of the program", "[report]") {
  const test::ScratchFolder folder;

  CHECK_THROWS_AS(render(folder, "{{scaling}}"), std::logic_error);
}

// SCALESTUDY_UPDATE_GOLDEN=1 rewrites the list.
TEST_CASE("the templates' README lists every tag", "[report]") {
  const fs::path readme = fs::path(SCALESTUDY_SOURCE_DIR) / "templates/README.md";
  std::ifstream file(readme, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const std::string heading = "## Tags\n\n";
  const std::string lists = format_tag_list(template_tags()) + "\n## Tags of an audit\n\n" +
                            format_tag_list(audit_tags());
  const std::size_t start = text.find(heading);
  REQUIRE(start != std::string::npos);
  if (std::getenv("SCALESTUDY_UPDATE_GOLDEN") != nullptr) {
    text = text.substr(0, start) + heading + lists;
    std::ofstream(readme, std::ios::binary) << text;
  }

  CHECK(text.substr(start + heading.size()) == lists);
}

}  // namespace
