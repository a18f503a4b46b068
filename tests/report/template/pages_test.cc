// One rendered template as two pages, and as one again.
#include "harness/report/template/pages.h"

#include "tests/support/catch.h"

using namespace scalestudy::report;
using Catch::Matchers::Contains;

namespace {

const std::string kMarkdown =
    "# Does it pay?\n\nYes: [all](#results), [why](#why).\n\n## Why\n\nx\n\n<!-- details -->\n\n"
    "## Results\n\nBack to [why](#why), on to [notes](#notes) and [a file](data/a.csv).\n\n## "
    "Notes\n\n"
    "````yaml\n```\ntitle: \"[a](#why)\"\n````\n[again](#why)\n";

TEST_CASE("links follow their heading to the other page", "[report]") {
  const Pages pages = split_pages(kMarkdown);

  CHECK_THAT(pages.report, Contains("Yes: [all](details.md#results), [why](#why)."));
  CHECK_THAT(pages.report, !Contains("## Results") && !Contains("<!--"));
  CHECK_THAT(pages.details, Contains("# Details: Does it pay?\n\nThe answer is in [the report]"));
  CHECK_THAT(
      pages.details,
      Contains("Back to [why](report.md#why), on to [notes](#notes) and [a file](data/a.csv)"));
  CHECK_THAT(pages.details, Contains("\n[again](report.md#why)\n"));
}

TEST_CASE("a link to a heading that is missing leaves its words, or no sentence", "[report]") {
  const std::string rest =
      " [B](#b \"t\"), <a name=\"own\"></a>[own](#own), [top](#), [file](a.md#x), `[code](#no)`, "
      "\\[x\\](#no).\n\n## B\n\n````\n[fenced](#no). [What](#no).\n````\n";

  CHECK(without_dead_links("See [the table](#no) and [why [1]](#no). Slow. [What](#no)." + rest) ==
        "See the table and why [1]. Slow." + rest);
}

TEST_CASE("a link that may lead somewhere stays", "[report]") {
  const std::string alive =
      "[a](#über), [b](#%C3%BCber), <a id='one'></a>[c](#one), <a name='two'></a>[d](#two)\n\n"
      "## Über\n";

  CHECK(without_dead_links(alive + "\n[e](#three)\n") == alive + "\ne\n");
}

TEST_CASE("backticks that end no code hide no link", "[report]") {
  CHECK(without_dead_links("``a ` [b](#no)`` [c](#no), ` [d](#no) ``` [e](#no)\n") ==
        "``a ` [b](#no)`` c, ` d ``` e\n");
  CHECK(without_dead_links("```f``` [g](#no)\n") == "```f``` g\n");
  CHECK_THAT(split_pages("# A\n\n` [all](#all)\n\n<!-- details -->\n\n## All\n\nx\n").report,
             Contains("\n` [all](details.md#all)\n"));
}

TEST_CASE("the report names each section of its details", "[report]") {
  CHECK_THAT(
      split_pages(kMarkdown).report,
      Contains("\n**Details:** [Results](details.md#results) · [Notes](details.md#notes)\n"));
}

TEST_CASE("the text of a study keeps what looks like a link", "[report]") {
  CHECK_THAT(split_pages(kMarkdown).details, Contains("\ntitle: \"[a](#why)\"\n"));
}

TEST_CASE("a template without the line of details is one page, byte for byte", "[report]") {
  const std::string text = "# Own\n\n[a](#b) <!-- details -->\n\n## B\n\nno newline at the end";

  CHECK(split_pages(text).report == text);
  CHECK(split_pages(text).details.empty());
  CHECK(whole_page(text) == text);
}

TEST_CASE("the whole page has everything once, without the line", "[report]") {
  const std::string whole = whole_page(kMarkdown);

  CHECK_THAT(whole, Contains("[all](#results)") && Contains("## Results") && !Contains("<!--"));
  CHECK(whole.size() + std::string("<!-- details -->\n").size() == kMarkdown.size());
}

TEST_CASE("HTML has the details folded below, with links inside one page", "[report]") {
  const std::string page = folded_page(split_pages(kMarkdown));

  CHECK_THAT(page, Contains("Yes: [all](#results)") && Contains("Back to [why](#why)"));
  CHECK_THAT(page, !Contains("details.md") && !Contains("report.md"));
  CHECK(page.find("<details class=\"more\">") < page.find("## Results"));
  CHECK(page.find("## Notes") < page.find("</details>"));
  CHECK_THAT(folded_page({"# Own\n", ""}), !Contains("<details"));
  CHECK_THAT(folded_page(split_pages("# Own\n\na\n\n<!-- details -->\n\n### Deep\n\nx\n")),
             Contains("### Deep\n\nx\n"));
}

}  // namespace
