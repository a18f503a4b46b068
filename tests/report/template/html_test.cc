// The page: Markdown as GitHub reads it, and nothing that is looked for at run time.
#include "harness/report/template/html.h"

#include <cstdlib>
#include <string>

#include "tests/support/catch.h"
#include "tests/support/program.h"

using namespace scalestudy;
using namespace scalestudy::report;

namespace {

using Catch::Contains;

TEST_CASE("a page needs no program of the machine", "[report]") {
  const std::string path = test::search_path();
  REQUIRE(setenv("PATH", "/nowhere", 1) == 0);

  const std::string page =
      make_html("a < b", "# Title\n\n| a | b |\n|:--|--:|\n| 1 | ~~2~~ |\n", {});

  setenv("PATH", path.c_str(), 1);

  CHECK_THAT(page, Contains("<title>a &lt; b</title>"));
  CHECK_THAT(page, Contains("<h1 id=\"title\">Title</h1>"));
  CHECK_THAT(page, Contains("<td align=\"right\"><del>2</del></td>"));
}

TEST_CASE("what a template folds is folded in a page, and a script is shown, not run", "[report]") {
  const std::string page =
      make_html("t", "<details>\n\n*b* <script>alert(1)</script>\n\n</details>\n", {});

  CHECK_THAT(page, Contains("<details>") && Contains("<em>b</em>"));
  CHECK_THAT(page, !Contains("<script") && Contains("&lt;script>"));
}

TEST_CASE("a figure stands in the page itself, with its words", "[report]") {
  const std::string page = make_html(
      "t", "![f \"g\" <h>](f.svg)\n", {{"f.svg", "<?xml?>\n<svg width=\"2\"><path/></svg>"}});

  CHECK_THAT(page,
             Contains("<p><svg role=\"img\" aria-label=\"f &quot;g&quot; &lt;h&gt;\" "
                      "width=\"2\"><path/></svg></p>"));
}

TEST_CASE("each figure of a page has ids of its own", "[report]") {
  const std::string svg =
      "<svg><g id=\"canvas\" filter='url(#box)'><use xlink:href='#p' id='q'/>"
      "<text> id=\"canvas\" url(#box)</text></g></svg>";

  const std::string page =
      make_html("t",
                "![a](figures/cost.svg)\n\n![b](figures/speedup-1.svg)\n\n![a](figures/cost.svg)\n",
                {{"figures/cost.svg", svg}, {"figures/speedup-1.svg", svg}});

  for (const std::string name : {"cost", "speedup-1", "cost.2"}) {
    CHECK_THAT(page,
               Contains("><g id=\"" + name + ".canvas\" filter='url(#" + name +
                        ".box)'><use xlink:href='#" + name + ".p' id='" + name +
                        ".q'/><text> id=\"canvas\" url(#box)</text></g></svg>"));
  }
}

// GitHub's rule: lower case, no punctuation, - for a space, a number from the second of a name on.
TEST_CASE("headings can be linked to as on GitHub", "[report]") {
  const std::string html = markdown_to_html(
      "# A & b, *c*\n\n## Über_uns 2\n\n---\n\n## Why\n\n### Why\n\n`<h2>Not</h2>`\n");

  CHECK_THAT(html, Contains("<h1 id=\"a--b-c\">A &amp; b, <em>c</em></h1>"));
  CHECK_THAT(html, Contains("<h2 id=\"Über_uns-2\">"));
  CHECK_THAT(html, Contains("<h2 id=\"why\">") && Contains("<h3 id=\"why-1\">"));
  CHECK_THAT(html, Contains("<hr />") && Contains("&lt;h2&gt;Not"));
}

// As github-slugger 2 counts.
TEST_CASE("a heading that ends in a number has an anchor of its own", "[report]") {
  CHECK(markdown_to_html("## Why\n\n## Why\n\n## Why 1\n") ==
        "<h2 id=\"why\">Why</h2>\n<h2 id=\"why-1\">Why</h2>\n<h2 id=\"why-1-1\">Why 1</h2>\n");
  CHECK(markdown_to_html("## Why 1\n\n## Why\n\n## Why\n") ==
        "<h2 id=\"why-1\">Why 1</h2>\n<h2 id=\"why\">Why</h2>\n<h2 id=\"why-2\">Why</h2>\n");
}

TEST_CASE("a page's policy lets one script run, or none, and nothing be loaded", "[report]") {
  const std::string plain = html_page("t", "<p>x</p>\n");
  const std::string with = html_page("t", "<p>x</p>\n", "f()", "sha256-abc");

  CHECK_THAT(plain,
             Contains("default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; "
                      "base-uri 'none'; form-action 'none'\">"));
  CHECK_THAT(plain, !Contains("script"));
  CHECK_THAT(with, Contains("script-src 'sha256-abc'\">") && Contains("<script>f()</script>"));
}

}  // namespace
