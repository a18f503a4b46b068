// The page: Markdown as GitHub reads it, and nothing that is looked for at run time.
#include "harness/report/html.h"

#include <cstdlib>

#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::report;

namespace {

using Catch::Contains;

TEST_CASE("a page needs no program of the machine", "[report]") {
  REQUIRE(setenv("PATH", "/nowhere", 1) == 0);

  const std::string page =
      make_html("a < b", "# Title\n\n| a | b |\n|:--|--:|\n| 1 | ~~2~~ |\n", {});

  CHECK_THAT(page, Contains("<title>a &lt; b</title>"));
  CHECK_THAT(page, Contains("<h1>Title</h1>"));
  CHECK_THAT(page, Contains("<td align=\"right\"><del>2</del></td>"));
}

TEST_CASE("what a template folds is folded in a page, and a script is shown, not run", "[report]") {
  const std::string page =
      make_html("t", "<details>\n\n*b* <script>alert(1)</script>\n\n</details>\n", {});

  CHECK_THAT(page, Contains("<details>") && Contains("<em>b</em>"));
  CHECK_THAT(page, !Contains("<script") && Contains("&lt;script>"));
}

TEST_CASE("a figure stands in the page itself", "[report]") {
  const std::string page =
      make_html("t", "![f](f.svg)\n", {{"f.svg", "<?xml?>\n<svg><path/></svg>"}});

  CHECK_THAT(page, Contains("<p><svg><path/></svg></p>"));
}

}  // namespace
