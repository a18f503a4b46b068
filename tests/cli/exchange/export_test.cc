// Black box: a study goes to another machine as text, and its report comes out the same there.
#include <filesystem>
#include <map>
#include <string>

#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"

namespace fs = std::filesystem;
using Catch::Contains;
using namespace scalestudy::test;

namespace {

// Content of every file below, by its path.
std::map<std::string, std::string> files_in(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) {
      files[entry.path().lexically_relative(folder).string()] = read_file(entry.path());
    }
  }
  return files;
}

// A study with another before it in the store, a failed attempt that was tried again, one that
// fails for good, two sessions, and published figures.
void fill(const Workspace& workspace) {
  std::string other = study_text();
  other.replace(other.find("study: demo"), 11, "study: early");
  write_file(workspace.file("early.yaml"), other);
  REQUIRE(workspace.run({"run", workspace.file("early.yaml"), "--max-trials", "3"}).exit_code == 0);
  REQUIRE(workspace.run({"run", workspace.study(), "--max-trials", "7"}).exit_code == 0);
  REQUIRE(workspace.run({"report", "demo"}).exit_code == 0);  // a look before the end
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);
  REQUIRE(import_theirs(workspace, "2,1000,12345", {"--study", "demo"}).exit_code == 0);
}

}  // namespace

TEST_CASE("an exported study is reported elsewhere to the byte, figures and tables included",
          "[cli]") {
  const Workspace workspace;
  fill(workspace);
  REQUIRE(workspace.run({"report", "demo", "--html"}).exit_code == 0);
  const std::string folder = workspace.file("ex port");

  const ProgramResult exported = workspace.run({"export", "demo", folder});
  INFO(exported.err);
  REQUIRE(exported.exit_code == 0);
  CHECK_THAT(exported.err, Contains("scalestudy import '" + folder + "'"));
  const ProgramResult imported = run_in(workspace, "there", {"import", folder});
  INFO(imported.err);
  REQUIRE(imported.exit_code == 0);
  CHECK_THAT(imported.out, Contains("demo: 20 attempts of 2 sessions"));

  const std::string report = workspace.file("there/reports/demo");
  CHECK(run_in(workspace, "there", {"report", "demo", "--html"}).exit_code == 0);
  const auto here = files_in(workspace.results() + "/reports/demo");
  const auto there = files_in(report);
  CHECK(here.size() > 10);
  CHECK(here.contains("report.html"));
  CHECK(here == there);
  CHECK(run_in(workspace, "there", {"export", "demo", workspace.file("again")}).exit_code == 0);
  CHECK(files_in(folder) == files_in(workspace.file("again")));
}

TEST_CASE("an export of all studies is imported once", "[cli]") {
  const Workspace workspace;
  fill(workspace);
  const std::string folder = workspace.file("export");

  CHECK_THAT(workspace.run({"export", "--all"}).err,
             Contains("give a study and a folder, or --all and a folder"));
  REQUIRE(workspace.run({"export", "--all", folder}).exit_code == 0);
  REQUIRE(run_in(workspace, "there", {"import", folder}).exit_code == 0);

  CHECK(run_in(workspace, "there", {"query", "trials", "--format", "csv"}).out ==
        workspace.run({"query", "trials", "--format", "csv"}).out);
  CHECK(run_in(workspace, "there", {"query", "results", "--format", "csv"}).out.size() > 1000);
  CHECK_THAT(run_in(workspace, "there", {"import", folder}).err,
             Contains("nothing of it is new here"));
  // Beside what was run there itself, it is merged.
  REQUIRE(run_in(workspace, "own", {"run", workspace.study()}).exit_code == 0);
  REQUIRE(run_in(workspace, "own", {"import", folder}).exit_code == 0);
  CHECK_THAT(run_in(workspace,
                    "own",
                    {"query",
                     "SELECT study, count(*) AS n FROM trials WHERE state = 'ok' GROUP BY study",
                     "--format",
                     "csv"})
                 .out,
             Contains("demo,40") && Contains("early,3"));
}

TEST_CASE("an export that a disk does not give whole is refused, not imported in part", "[cli]") {
  const Workspace workspace;
  fill(workspace);
  const std::string folder = workspace.file("export");
  REQUIRE(workspace.run({"export", "demo", folder}).exit_code == 0);
  std::filesystem::remove(folder + "/demo/series.jsonl");
  // Reading it fails with EIO.
  std::filesystem::create_symlink("/proc/self/mem", folder + "/demo/series.jsonl");

  const ProgramResult imported = run_in(workspace, "there", {"import", folder});

  CHECK(imported.exit_code == 2);
  CHECK_THAT(imported.err, Contains("demo/series.jsonl: cannot be read to its end"));
}

TEST_CASE("an export whose study cannot be read changes nothing", "[cli]") {
  const Workspace workspace;
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);
  const std::string folder = workspace.file("export");
  REQUIRE(workspace.run({"export", "demo", folder}).exit_code == 0);
  std::string other = study_text();
  other.replace(other.find("study: demo"), 11, "study: early");
  write_file(workspace.file("early.yaml"), other);
  const std::vector<std::string> results = {"query", "results", "--format", "csv"};
  REQUIRE(run_in(workspace, "own", {"run", workspace.file("early.yaml")}).exit_code == 0);
  const std::string before = run_in(workspace, "own", results).out;
  // Of as many lines as were exported.
  const auto lines = std::ranges::count(read_file(folder + "/demo/study.yaml"), '\n');
  write_file(folder + "/demo/study.yaml",
             "version: 1\nstudy: demo\nworkload: nonsense" +
                 std::string(static_cast<std::size_t>(lines) - 2, '\n'));

  const ProgramResult imported = run_in(workspace, "own", {"import", folder});

  CHECK(imported.exit_code == 2);
  CHECK_THAT(imported.err, Contains("nonsense"));
  CHECK(run_in(workspace, "own", results).out == before);
  CHECK_THAT(run_in(workspace, "own", {"list"}).out, !Contains("demo"));
}

TEST_CASE("stores merged in any order are exported to the same bytes", "[cli]") {
  const Workspace workspace;
  for (const std::string name : {"one", "two"}) {
    REQUIRE(run_in(workspace, name, {"run", workspace.study()}).exit_code == 0);
  }
  const auto merged = [&](const std::string& into, const std::vector<std::string>& order) {
    for (const std::string& name : order) {
      REQUIRE(run_in(workspace, into, {"merge", workspace.file(name)}).exit_code == 0);
    }
    REQUIRE(run_in(workspace, into, {"export", "--all", workspace.file("x" + into)}).exit_code ==
            0);
    return files_in(workspace.file("x" + into));
  };

  const auto first = merged("a", {"one", "two"});

  CHECK(first.size() == 7);
  CHECK(merged("b", {"two", "one", "two"}) == first);
}

TEST_CASE("an export has no declared secret, and is reported all the same", "[cli]") {
  std::string text = study_text();
  text += "secret: [TOKEN]\nparameters: {env.TOKEN: 'hush\"hush-1'}\n";
  const Workspace workspace(text);
  REQUIRE(workspace.run({"run", workspace.study(), "--max-trials", "2"}).exit_code == 0);

  REQUIRE(workspace.run({"export", "demo", workspace.file("x")}).exit_code == 0);

  for (const auto& [name, content] : files_in(workspace.file("x"))) {
    INFO(name);
    CHECK_THAT(content, !Contains("hush"));
  }
  CHECK_THAT(read_file(workspace.file("x/demo/study.yaml")), Contains("(secret)"));
  REQUIRE(run_in(workspace, "there", {"import", workspace.file("x")}).exit_code == 0);
  CHECK(run_in(workspace, "there", {"report", "demo"}).exit_code == 0);
}

TEST_CASE("export says what it needs", "[cli]") {
  const Workspace workspace;
  REQUIRE(workspace.run({"run", workspace.study(), "--max-trials", "1"}).exit_code == 0);

  CHECK_THAT(refusal_of(workspace, {"export", "demo"}),
             Contains("give a study and a folder, or --all and a folder\n"));
  CHECK_THAT(refusal_of(workspace, {"export", "nobody", workspace.file("x")}),
             Contains("no study is named nobody in "));
  const ProgramResult into = workspace.run({"export", "demo", workspace.results()});
  CHECK(into.exit_code == 2);
  CHECK_THAT(into.err, Contains("holds something else than an export"));
  REQUIRE(workspace.run({"export", "demo", workspace.file("x")}).exit_code == 0);
  CHECK_THAT(refusal_of(workspace, {"import", workspace.file("x"), "--study", "demo"}),
             Contains("an export of studies; --as, --study, --map and --assume are for figures "));
}
