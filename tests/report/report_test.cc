// Whole reports from a store: same bytes, sound tables, nothing hidden.
#include "harness/report/report.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include <sys/resource.h>

#include "harness/base/error.h"
#include "harness/report/input/input.h"
#include "harness/store/results_json.h"
#include "tests/report/sample_study.h"
#include "tests/report/scratch_folder.h"
#include "tests/support/catch.h"

using namespace scalestudy;

namespace {

namespace fs = std::filesystem;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using test::ScratchFolder;

ReportFiles render_sample(const test::SampleOptions& options = {}, bool html = false) {
  Store store = Store::open_in_memory();
  ReportRequest request = test::sample_request(test::fill_sample(store, options));
  request.html = html;
  return render_report(store, request);
}

ReportFiles render_with(const std::string& text) {
  const ScratchFolder folder;
  folder.write("own.md", text);
  Store store = Store::open_in_memory();
  ReportRequest request = test::sample_request(test::fill_sample(store));
  request.template_file = folder.path() / "own.md";
  return render_report(store, request);
}

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Cells of a table's row: unescaped bars that part it.
std::size_t count_cells(const std::string& row) {
  std::size_t bars = 0;
  for (std::size_t at = 0; at < row.size(); ++at) {
    bars += row[at] == '|' && (at == 0 || row[at - 1] != '\\') ? 1U : 0U;
  }
  return bars - 1;
}

// Rows whose number of cells is not that of the table's head, and heads without a rule below; lines
// inside code fences are no rows.
std::string broken_rows(const std::string& markdown) {
  std::istringstream lines(markdown);
  std::string broken;
  std::size_t cells = 0;
  bool is_second = false;
  bool fenced = false;
  for (std::string line; std::getline(lines, line);) {
    fenced = line.starts_with("```") ? !fenced : fenced;
    if (fenced || !line.starts_with("|")) {
      broken += is_second ? "a head without rows\n" : "";
      is_second = false;
      cells = 0;
    } else if (cells == 0) {
      cells = count_cells(line);
      is_second = true;
    } else {
      const bool is_sound = count_cells(line) == cells && (!is_second || line.starts_with("| ---"));
      broken += is_sound ? "" : line + "\n";
      is_second = false;
    }
  }
  return broken;
}

TEST_CASE("a store whose cell was deleted is named as damaged", "[report]") {
  try {
    report::ReportInput().cell(7);
    FAIL("a cell that does not exist was found");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::kStore);
    CHECK_THAT(error.what(), Contains("a result names cell 7, which the study lacks"));
  }
}

// SCALESTUDY_UPDATE_GOLDEN=1 rewrites the files; figures are left out, as gnuplots differ.
TEST_CASE("the report of the sample study is the golden one", "[report]") {
  const fs::path golden = fs::path(SCALESTUDY_SOURCE_DIR) / "tests/golden/scaling";
  ReportFiles files = render_sample();
  std::erase_if(files, [](const auto& file) { return file.first.starts_with("figures/"); });
  if (std::getenv("SCALESTUDY_UPDATE_GOLDEN") != nullptr) {
    write_report(files, golden);
  }

  for (const auto& [name, content] : files) {
    INFO(name);
    CHECK(without_maker(read_file(golden / name)) == without_maker(content));
  }
  CHECK(differing_files(files, golden).empty());
}

TEST_CASE("the same store gives the same bytes, figures and HTML too", "[report]") {
  CHECK((render_sample({}, true) == render_sample({}, true)));
}

TEST_CASE("every row of every table has the cells of its head", "[report]") {
  CHECK(broken_rows(render_sample().at("report.md")).empty());
  const test::SampleOptions hostile = {.title = test::kHostile,
                                       .batch_label_extra = test::kHostile};
  CHECK(broken_rows(render_sample(hostile).at("report.md")).empty());
}

TEST_CASE("hostile names reach neither the page nor the figures as markup", "[report]") {
  const ReportFiles files =
      render_sample({.title = test::kHostile, .batch_label_extra = test::kHostile}, true);

  CHECK_THAT(files.at("report.html"), !Contains("<script") && !Contains("<a href=\"y\""));
  CHECK_THAT(files.at("report.html"), !Contains("<em>c</em>"));
  CHECK_THAT(files.at("figures/throughput.svg"), !Contains("<script"));
}

// Emoji, dingbats and symbols that text fonts lack: UTF-8 of U+2600 to U+27BF and U+1F300 on.
TEST_CASE("a report needs no font of emoji", "[report]") {
  for (const auto& [name, text] : render_sample({}, true)) {
    INFO(name);
    for (const char* start : {"\xE2\x98",
                              "\xE2\x99",
                              "\xE2\x9A",
                              "\xE2\x9B",
                              "\xE2\x9C",
                              "\xE2\x9D",
                              "\xE2\x9E",
                              "\xF0\x9F"}) {
      CHECK(text.find(start) == std::string::npos);
    }
  }
}

TEST_CASE("HTML is one page with the details of both files", "[report]") {
  const ReportFiles files = render_sample({}, true);
  const std::string& page = files.at("report.html");

  CHECK_THAT(page, !Contains("details.md") && Contains("id=\"how-it-was-measured\""));
  CHECK(page.find("<details class=\"more\">") < page.find("id=\"how-it-was-measured\""));
  CHECK_THAT(files.at("report.md"), !Contains("## How it was measured"));
  CHECK_THAT(files.at("details.md"), Contains("## How it was measured"));
}

TEST_CASE("links of both pages lead to files of the report", "[report]") {
  const ReportFiles files = render_sample();
  for (const char* page : {"report.md", "details.md"}) {
    const std::string& text = files.at(page);
    std::size_t links = 0;
    for (std::size_t at = text.find("]("); at != std::string::npos; at = text.find("](", at + 1)) {
      const std::string target = text.substr(at + 2, text.find(')', at) - at - 2);
      if (!target.starts_with("#")) {
        CHECK(files.contains(target.substr(0, target.find('#'))));
        ++links;
      }
    }
    CHECK(links >= 10);
  }
}

TEST_CASE("a page keeps the words of links to sections that it leaves out", "[report]") {
  const std::string text =
      render_with("# {{title}}\n\n{{> answer}}\n{{> provenance}}\n").at("report.md");

  CHECK_THAT(text, Contains("\n- 2 trials ran beside 0.5 cores of foreign load.\n"));
  CHECK_THAT(text, Contains("outside Published figures was measured by the trials"));
  CHECK_THAT(text, !Contains("](#"));
}

TEST_CASE("a full report tells nothing about what it has nothing of", "[report]") {
  Store store = Store::open_in_memory();
  ReportRequest request = test::sample_request(test::fill_sample(store, {.has_results = false}));
  request.full = true;
  const ReportFiles files = render_report(store, request);
  const std::string& text = files.at("report.md");

  for (std::size_t at = text.find("](data/"); at != std::string::npos;
       at = text.find("](data/", at + 1)) {
    CHECK(files.contains(text.substr(at + 2, text.find(')', at) - at - 2)));
  }
  CHECK_THAT(text,
             !Contains("## What takes a device's memory") && !Contains("## What trials used") &&
                 !Contains("## How much communication is hidden") && !Contains("## Scaling laws") &&
                 !Contains("## First principles") && !Contains("## Disturbed trials"));
}

TEST_CASE("the first lines answer the question with uncertainty and base", "[report]") {
  const std::string top = render_sample().at("report.md").substr(0, 2200);

  CHECK_THAT(top, Contains("The base is the measured cell with 1 device"));
  CHECK_THAT(top, Contains("| 2 | 256 | 18.80 ± 0.56 | 13,620 | 1.468 [1.395, 1.541] |"));
}

TEST_CASE("the states of the trials sum to the plan and failures are shown", "[report]") {
  const std::string text = render_sample().at("details.md");

  CHECK_THAT(text, Contains("| ok | 32 |\n| timeout | 1 |\n| **planned in all** | **33** |"));
  CHECK_THAT(text, Contains("| failed | rank 1 ended with code 1 \\| see log |"));
  CHECK_THAT(
      text,
      Contains(
          "Repeated attempts (after a failure, a disturbance or a second reading of values): 1."));
}

TEST_CASE("a study that has not been run has a report that says so", "[report]") {
  const ReportFiles files = render_sample({.has_results = false, .has_trials = false}, true);

  const std::string text = files.at("report.md") + files.at("details.md");
  CHECK_THAT(text, Contains("No answer yet") && Contains("has not been run"));
  CHECK_THAT(text, Contains("the results database keeps every step of every trial.\n"));
  CHECK_THAT(text, !Contains("## Speedup") && !Contains("figures/") && !Contains(" nan"));
  CHECK(broken_rows(text).empty());
}

TEST_CASE("a difference between sessions is marked", "[report]") {
  const std::string text = render_sample().at("details.md");

  CHECK_THAT(text, Contains("| governor ≠ | performance (session 1); powersave (session 2) |"));
  CHECK_THAT(text, Contains("| cpu_model | A\\|B CPU |"));
}

TEST_CASE("the study's text cannot end its code fence", "[report]") {
  const std::string text = render_sample({.title = "x ``` y"}).at("details.md");

  CHECK_THAT(text, Contains("````yaml\nversion: 1\n"));
}

TEST_CASE("figures show every series, its ideal line and both colour schemes", "[report]") {
  const ReportFiles files = render_sample();

  const std::string& throughput = files.at("figures/throughput.svg");
  CHECK_THAT(throughput, Contains("batch 64<") && Contains("batch 1024<") && Contains("ideal<"));
  CHECK_THAT(throughput, Contains("throughput (samples/s)<") && Contains(">devices<"));
  CHECK_THAT(throughput, Contains("prefers-color-scheme"));
  CHECK_THAT(files.at("figures/breakdown.svg"), Contains("exposed communication<"));
  CHECK_THAT(files.at("figures/speedup.svg"), Contains("bracket<") && Contains("4 devices<"));
}

TEST_CASE("the HTML report holds its figures", "[report]") {
  const std::string html = render_sample({}, true).at("report.html");

  CHECK_THAT(html, !Contains("<img") && Contains("<svg") && Contains("exposed communication<"));
  CHECK_THAT(html, EndsWith("</html>\n"));
}

TEST_CASE("a query section shows the store's rows of this study", "[report]") {
  const std::string text = render_with(
                               "{{#query}}SELECT label, state FROM trials WHERE study = :study AND "
                               "trial = 15{{/query}}\n")
                               .at("report.md");

  CHECK(text == "| label | state |\n| --- | --- |\n| devices=1 batch_global=256 | timeout |\n");
  CHECK(render_with("{{#query}}SELECT label FROM trials WHERE 0{{/query}}\n").at("report.md") ==
        "No rows.\n");
  // What follows is no further row.
  for (const std::string end : {"", "\n", "\n\n"}) {
    CHECK(render_with("{{#query}}SELECT 1 AS one{{/query}}" + end + "| two |\n| --- |\n")
              .at("report.md") == "| one |\n| ---: |\n| 1 |\n\n| two |\n| --- |\n");
  }
}

TEST_CASE("SQL that does not run, or would write, is refused with its line", "[report]") {
  CHECK_THROWS_WITH(render_with("\n{{#query}}SELECT nothing{{/query}}"),
                    Contains("own.md:2:1: ") && Contains("nothing"));
  CHECK_THROWS_WITH(render_with("{{#query}}SELECT :foo{{/query}}"),
                    Contains("no value for :foo; a template may use :study, and no other"));
  CHECK_THROWS_WITH(render_with("{{#query}}SELECT :cell, :study{{/query}}"),
                    Contains("no value for :cell; a template may use :study, and no other"));
  CHECK_THROWS_AS(render_with("{{#query}}DELETE FROM trial{{/query}}"), Error);
  CHECK_THROWS_WITH(render_with("{{#query}}SELECT fts3_tokenizer('simple'){{/query}}"),
                    Contains("own.md:1:1: ") && Contains("fts3_tokenizer"));
}

TEST_CASE("a link in the place of an unfinished report is not written through", "[report]") {
  const ScratchFolder folder;
  folder.write("precious", "text");
  fs::create_symlink(folder.path() / "precious", folder.path() / "report.md.unfinished");

  write_report({{"report.md", "a"}}, folder.path());

  CHECK(read_file(folder.path() / "precious") == "text");
  CHECK(read_file(folder.path() / "report.md") == "a");
}

TEST_CASE("writing a report leaves equal files alone and removes old figures", "[report]") {
  const ScratchFolder folder;
  write_report({{"report.md", "![old](figures/old.svg)"}, {"figures/old.svg", "x"}}, folder.path());
  folder.write("figures/mine.svg", "x");
  folder.write("data/mine.csv", "x");
  write_report({{"report.md", "a"}}, folder.path());
  const auto before = fs::last_write_time(folder.path() / "report.md");

  write_report({{"report.md", "a"}, {"data/x.csv", "b"}}, folder.path());

  CHECK(fs::last_write_time(folder.path() / "report.md") == before);
  CHECK(read_file(folder.path() / "data/x.csv") == "b");
  CHECK_FALSE(fs::exists(folder.path() / "figures/old.svg"));
  CHECK(fs::exists(folder.path() / "figures/mine.svg"));
  CHECK(fs::exists(folder.path() / "data/mine.csv"));
}

TEST_CASE("missing, changed and left-over files of a report are told", "[report]") {
  const ScratchFolder folder;
  folder.write("report.md", "[old](data/stale.csv)");
  folder.write("data/stale.csv", "x");
  folder.write("data/mine.csv", "x");

  const auto names = differing_files({{"report.md", "new"}, {"data/a.csv", "1"}}, folder.path());

  CHECK(names == std::vector<std::string>{"data/a.csv", "data/stale.csv", "report.md"});
}

TEST_CASE("a file that cannot be written whole leaves the old one and no part", "[report]") {
  const ScratchFolder folder;
  folder.write("report.md", "old");
  const std::string large(1'000'000, 'x');
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
  rlimit small = before;
  small.rlim_cur = 100'000;  // stands for a disk that fills up

  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
  std::string message;
  try {
    write_report({{"report.md", large}}, folder.path());
  } catch (const Error& error) {
    message = error.what();
  }
  REQUIRE(setrlimit(RLIMIT_FSIZE, &before) == 0);
  std::signal(SIGXFSZ, handler);

  CHECK_THAT(message, Contains("cannot be written"));
  CHECK(read_file(folder.path() / "report.md") == "old");
  CHECK(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()) == 1);
}

TEST_CASE("a folder that cannot be written is an error of the store", "[report]") {
  const ScratchFolder folder;
  folder.write("file", "x");

  CHECK_THROWS_WITH(write_report({{"report.md", "a"}}, folder.path() / "file"),
                    Contains("cannot be written"));
}

TEST_CASE("a figure script that is missing is named", "[report]") {
  Store store = Store::open_in_memory();
  ReportRequest request = test::sample_request(test::fill_sample(store));
  request.own = "/nowhere";
  request.figures = "/nowhere";

  CHECK_THROWS_WITH(render_report(store, request), Contains("/nowhere/style.gp: cannot read"));
}

}  // namespace

TEST_CASE("a cell with disturbed trials shows its step time with and without them", "[report]") {
  Store store = Store::open_in_memory();
  const std::int64_t id = test::fill_sample(store);
  Results results = store.results(id);
  const auto mean = std::ranges::find_if(results.estimates, [](const EstimateRow& row) {
    return row.metric == "step_time_s" && row.statistic == Statistic::kMean && row.lo;
  });
  REQUIRE(mean != results.estimates.end());
  EstimateRow with = *mean;
  with.variant = Variant::kWithDisturbed;
  with.n = 17;
  EstimateRow without = *mean;
  without.variant = Variant::kUndisturbed;
  without.n = 13;
  without.value = *with.value - 0.3 * (*with.hi - *with.value);
  results.estimates.push_back(with);
  results.estimates.push_back(without);
  store.replace_results(id, results);

  const std::string text = render_report(store, test::sample_request(id)).at("details.md");

  CHECK_THAT(text, Contains("n (with) | With disturbed trials | n (without) | Without"));
  CHECK_THAT(text, Contains("| 17 |") && Contains("| 13 |"));
  CHECK_THAT(render_sample().at("details.md"), !Contains("With disturbed trials"));
}
