// Folders of templates that users copied from an older version: every name in them still means
// what it meant.
#include <cstdlib>
#include <filesystem>
#include <string>

#include "harness/base/read_file.h"
#include "harness/base/replace_file.h"
#include "harness/report/report.h"
#include "harness/report/sections/sections.h"
#include "harness/report/template/template_source.h"
#include "tests/report/sample_study.h"
#include "tests/report/scratch_folder.h"
#include "tests/support/catch.h"

using namespace scalestudy;

namespace {

namespace fs = std::filesystem;

// All templates as `init --template` copied them while a report was one page. Never edited.
const fs::path kOwn = fs::path(SCALESTUDY_SOURCE_DIR) / "tests/fixtures/own-templates";

// SCALESTUDY_UPDATE_GOLDEN=1 rewrites the page: for another sentence or number, never for a tag.
TEST_CASE("a folder of copied templates renders the page that it did", "[report]") {
  const fs::path golden = fs::path(SCALESTUDY_SOURCE_DIR) / "tests/golden/own-templates/report.md";
  Store store = Store::open_in_memory();
  ReportRequest request = test::sample_request(test::fill_sample(store));
  request.template_file = kOwn / "report.md";

  const ReportFiles files = render_report(store, request);

  if (std::getenv("SCALESTUDY_UPDATE_GOLDEN") != nullptr) {
    replace_file(golden, files.at("report.md"));
  }
  CHECK(files.at("report.md") == scalestudy::read_file(golden));
}

TEST_CASE("copied main templates find their partials, with and without copies of them",
          "[report]") {
  const fs::path shipped = test::sample_request(0).partials;
  for (const fs::directory_entry& entry : fs::directory_iterator(kOwn)) {
    if (entry.path().extension() != ".md") {
      continue;
    }
    INFO(entry.path());
    CHECK_NOTHROW(
        report::load_template(entry.path(), {kOwn / "partials", shipped}, report::template_tags()));
    CHECK_NOTHROW(report::load_template(entry.path(), {shipped}, report::template_tags()));
  }
}

TEST_CASE("the examples of the templates' README render", "[report]") {
  const std::string readme =
      scalestudy::read_file(fs::path(SCALESTUDY_SOURCE_DIR) / "templates/README.md").value();
  std::string examples;
  int count = 0;
  for (std::size_t at = 0; (at = readme.find("`{{#", at)) != std::string::npos;) {
    const std::size_t end = readme.find('`', at + 1);
    const std::string example = readme.substr(at + 1, end - at - 1);
    if (example.find("...") == std::string::npos) {  // else it says what a section is
      examples += example + "\n\n";
      ++count;
    }
    at = end + 1;
  }
  CHECK(count == 3);
  const std::size_t query = readme.find("{{#query}}");
  examples += readme.substr(query, readme.find("{{/query}}") - query) + "{{/query}}\n";
  const test::ScratchFolder folder;
  folder.write("report.md", examples);
  Store store = Store::open_in_memory();
  ReportRequest request = test::sample_request(test::fill_sample(store));
  request.template_file = folder.path() / "report.md";

  const std::string text = render_report(store, request).at("report.md");

  CHECK(text.find("second device pays: missed") != std::string::npos);
  CHECK(text.find("| label | n | step_time_s |") != std::string::npos);
}

}  // namespace
