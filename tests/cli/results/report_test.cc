// The verb report: what it prints and writes, and what --check says.
#include <filesystem>
#include <string>

#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"

using Catch::Contains;
using scalestudy::test::import_theirs;
using scalestudy::test::ProgramResult;
using scalestudy::test::query_row;
using scalestudy::test::read_file;
using scalestudy::test::search_path;
using scalestudy::test::study_text;
using scalestudy::test::Workspace;
using scalestudy::test::write_file;

namespace {

const std::string kSmallCell = "where: {devices: 1, batch_global: 100}, ";

}  // namespace

TEST_CASE("a report.html from earlier is checked and made anew with its report", "[cli]") {
  const Workspace workspace;
  const std::string html = workspace.results() + "/reports/demo/report.html";
  REQUIRE(workspace.run({"run", workspace.study(), "--max-trials", "4"}).exit_code == 0);
  REQUIRE(workspace.run({"report", "demo", "--html"}).exit_code == 0);
  const std::string made = read_file(html);

  write_file(html, "stale");
  CHECK_THAT(workspace.run({"report", "demo", "--check"}).out, Contains("report.html: differs"));
  CHECK(workspace.run({"report", "demo"}).exit_code == 0);
  CHECK(read_file(html) == made);
  CHECK(workspace.run({"report", "demo", "--check"}).exit_code == 0);
}

TEST_CASE("report prints its path, and --check tells whether it still matches", "[cli]") {
  const Workspace workspace;
  REQUIRE(workspace.run({"run", workspace.study(), "--max-trials", "12"}).exit_code == 0);
  const ProgramResult made = workspace.run({"report", "demo"});
  INFO(made.err);
  REQUIRE(made.exit_code == 0);
  CHECK(made.out == workspace.results() + "/reports/demo/report.md\n");
  CHECK(workspace.run({"report", workspace.study(), "--check"}).exit_code == 0);

  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);
  const ProgramResult stale = workspace.run({"report", "demo", "--check"});
  CHECK(stale.exit_code == 4);
  CHECK_THAT(
      stale.out,
      Contains("made by this version") && Contains("numbers differ") && Contains("  report.md: "));
}

TEST_CASE("report --check tells an edited number from other words", "[cli]") {
  const Workspace workspace;
  const std::string folder = workspace.results() + "/reports/demo/";
  REQUIRE(workspace.run({"run", workspace.study(), "--max-trials", "12"}).exit_code == 0);
  REQUIRE(workspace.run({"report", "demo"}).exit_code == 0);
  const std::string page = read_file(folder + "report.md");
  const std::string results = read_file(folder + "results.json");
  const std::size_t version = results.find("\"made_by\": \"") + 12;
  const std::string older =
      results.substr(0, version) + "0.0.9" + results.substr(results.find('"', version));

  write_file(folder + "results.json", older);
  CHECK(workspace.run({"report", "demo", "--check"}).exit_code == 0);

  write_file(folder + "report.md", page + "\nSomebody's words.\n");
  const ProgramResult words = workspace.run({"report", "demo", "--check"});
  CHECK(words.exit_code == 4);
  CHECK_THAT(words.out,
             Contains("made by version 0.0.9 (this is ") &&
                 Contains("all numbers equal, words differ\n  report.md: words differ\n"));

  const std::string trials = read_file(folder + "data/trials.csv");
  const std::size_t second = trials.find('\n', trials.find('\n') + 1) + 1;
  write_file(folder + "data/trials.csv",
             trials.substr(0, second) + "77" + trials.substr(trials.find(',', second)));
  const ProgramResult edited = workspace.run({"report", "demo", "--check"});
  CHECK(edited.exit_code == 4);
  CHECK_THAT(edited.out,
             Contains("1 number differs, words differ\n") && Contains(", trial: 77, now 2\n"));
}

TEST_CASE("a run that finds nothing left to do changes no file of a report", "[cli]") {
  const Workspace workspace;
  const std::vector<std::string> run{"run", workspace.study(), "--set", "trials.count=2"};
  REQUIRE(workspace.run(run).exit_code == 0);
  REQUIRE(workspace.run({"report", "demo"}).exit_code == 0);
  REQUIRE(workspace.run(run).exit_code == 0);

  const ProgramResult check = workspace.run({"report", "demo", "--check"});

  INFO(check.out);
  CHECK(check.exit_code == 0);
}

TEST_CASE("report --full writes one page, and takes the details of another away", "[cli]") {
  const Workspace workspace;
  REQUIRE(workspace.run({"run", workspace.study(), "--max-trials", "12"}).exit_code == 0);
  const std::string page = workspace.results() + "/reports/demo/report.md";
  const std::string details = workspace.results() + "/reports/demo/details.md";
  REQUIRE(workspace.run({"report", "demo"}).exit_code == 0);
  CHECK_THAT(read_file(page), Contains("](details.md#results)") && !Contains("## Results"));
  CHECK_THAT(read_file(details), Contains("## Results") && Contains("](report.md"));

  REQUIRE(workspace.run({"report", "demo", "--full"}).exit_code == 0);
  CHECK_THAT(read_file(page), Contains("## Results") && !Contains("details.md"));
  CHECK_FALSE(std::filesystem::exists(details));
  CHECK(workspace.run({"report", "demo", "--check"}).exit_code == 0);
}

// A trial ends whenever a figure is drawn.
TEST_CASE("a report made while trials end says so, and one made at rest does not", "[cli]") {
  const Workspace workspace;
  REQUIRE(workspace.run({"run", workspace.study(), "--max-trials", "4"}).exit_code == 0);
  const ProgramResult at_rest = workspace.run({"report", "demo"});
  CHECK_THAT(at_rest.err, !Contains("trials ended"));

  std::filesystem::create_directories(workspace.file("bin"));
  std::string trial;
  for (const std::string& word : workspace.argv({"run",
                                                 workspace.study(),
                                                 "--accept-changes",
                                                 "--set",
                                                 "trials.count=1000",
                                                 "--max-trials",
                                                 "1"})) {
    trial += "'" + word + "' ";
  }
  const std::string path = search_path();
  write_file(workspace.file("bin/gnuplot"),
             "#!/bin/sh\n" + trial + "</dev/null >/dev/null 2>&1\nPATH='" + path +
                 "' exec gnuplot \"$@\"\n");
  std::filesystem::permissions(workspace.file("bin/gnuplot"), std::filesystem::perms::owner_all);

  const ProgramResult meanwhile =
      workspace.run({"report", "demo"}, {"PATH=" + workspace.file("bin") + ":" + path});

  CHECK(meanwhile.exit_code == 0);
  CHECK_THAT(meanwhile.err, Contains("trials ended while the report was made"));
}

TEST_CASE("a template with an unknown tag exits 2 and names its place", "[cli]") {
  const Workspace workspace;
  REQUIRE(workspace.run({"run", workspace.study(), "--max-trials", "4"}).exit_code == 0);
  write_file(workspace.file("mine.md"), "# {{title}}\n\n{{tittle}}\n");
  const ProgramResult result =
      workspace.run({"report", "demo", "--template", workspace.file("mine.md")});
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.err, Contains("mine.md:3:") && Contains("tittle"));
}

TEST_CASE("a report of an unknown study lists the known ones and makes no store", "[cli]") {
  const Workspace workspace;
  CHECK(workspace.run({"report", "demo"}).exit_code == 2);
  CHECK_FALSE(std::filesystem::exists(workspace.results()));
  REQUIRE(workspace.run({"run", workspace.study(), "--max-trials", "1"}).exit_code == 0);
  CHECK_THAT(workspace.run({"report", "nosuch"}).err, Contains("there: demo"));
}

// By hand: 100 samples in about 10 ms are 10000 samples/s.
TEST_CASE("report and publish --check notice that what a target refers to has changed", "[cli]") {
  const Workspace workspace(study_text("-",
                                       "  targets: [{name: as published, metric: throughput, " +
                                           kSmallCell +
                                           "at_least: 100 % of published:theirs.csv}]\n"));
  const std::string site = workspace.file("site");
  REQUIRE(import_theirs(workspace, "1,100,1").exit_code == 0);
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);
  REQUIRE(workspace.run({"report", "demo"}).exit_code == 0);
  REQUIRE(workspace.run({"publish", site}).exit_code == 0);
  CHECK(workspace.run({"report", "demo", "--check", "--gate"}).exit_code == 0);
  CHECK(workspace.run({"publish", site, "--check"}).exit_code == 0);

  REQUIRE(import_theirs(workspace, "1,100,1000000").exit_code == 0);
  const ProgramResult check = workspace.run({"report", "demo", "--check", "--gate"});
  const ProgramResult site_check = workspace.run({"publish", site, "--check"});

  CHECK(check.exit_code == 4);
  CHECK_THAT(check.out, Contains("  data/targets.csv: ") && Contains(", level: 1, now 1000000\n"));
  CHECK_THAT(
      check.err,
      Contains(": what target as published refers to has changed since its result was stored\n"));
  CHECK(site_check.exit_code == 4);
  CHECK_THAT(site_check.out, Contains("  data/targets.csv: "));
  CHECK_THAT(site_check.err, Contains("demo: what target as published refers to has changed"));
  CHECK(query_row(workspace, "SELECT DISTINCT level FROM target_result") == "1\n");  // as before
  CHECK(workspace.run({"report", "demo"}).exit_code == 0);
  CHECK(workspace.run({"report", "demo", "--check"}).exit_code == 0);
  CHECK(workspace.run({"report", "demo", "--check", "--gate"}).exit_code == 4);
}

TEST_CASE("report --check notices that a study was removed that a target refers to", "[cli]") {
  const Workspace workspace(study_text(
      "-", "  targets: [{name: as before, metric: throughput, at_least: 90 % of study:other}]\n"));
  std::string other = study_text();
  other.replace(other.find("study: demo"), 11, "study: other");
  write_file(workspace.file("other.yaml"), other);
  REQUIRE(workspace.run({"run", workspace.file("other.yaml"), "--max-trials", "4"}).exit_code == 0);
  REQUIRE(workspace.run({"run", workspace.study(), "--max-trials", "4"}).exit_code == 0);
  REQUIRE(workspace.run({"report", "demo"}).exit_code == 0);
  CHECK(workspace.run({"report", "demo", "--check"}).exit_code == 0);

  REQUIRE(workspace.run({"remove", "other", "--yes"}).exit_code == 0);

  CHECK(workspace.run({"report", "demo", "--check"}).exit_code == 4);
}

TEST_CASE("a gate by a file whose targets are not the stored ones is refused", "[cli]") {
  const auto with_most = [](const std::string& most) {
    return study_text("-",
                      "  targets: [{name: fast, metric: step_time_s, " + kSmallCell +
                          "at_most: " + most + "}]\n");
  };
  const Workspace workspace(with_most("1h"));
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);
  write_file(workspace.study(), with_most("1us"));

  const ProgramResult quiet = workspace.run({"--quiet", "report", workspace.study(), "--gate"});

  CHECK(quiet.exit_code == 2);
  CHECK_THAT(quiet.err,
             Contains("demo.yaml differs from the stored study of that name, which is the one "
                      "reported:\n  analysis.targets.fast: "));
  CHECK(workspace.run({"--quiet", "report", workspace.study()}).err.empty());
}
