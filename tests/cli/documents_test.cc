// The worked examples of docs/: their files are those that the pages show, and do what they say.
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

using namespace scalestudy;
using Catch::Contains;
using Catch::EndsWith;
using test::ProgramResult;
using test::read_file;
using test::Workspace;

namespace {

const std::string kDocuments = SCALESTUDY_SOURCE_DIR "/docs";

// Rows that the query gives, each of which the page has.
std::size_t count_said(const Workspace& workspace,
                       const std::string& sql,
                       const std::string& page) {
  std::istringstream rows(workspace.run({"query", sql, "--format", "csv"}).out);
  std::string row;
  std::getline(rows, row);  // the header
  std::size_t count = 0;
  for (; std::getline(rows, row); ++count) {
    std::erase(row, '"');
    CHECK_THAT(page, Contains(row));
  }
  return count;
}

}  // namespace

TEST_CASE("the example of an audit prints what its page says", "[cli]") {
  const Workspace workspace;
  const std::string page = read_file(kDocuments + "/how-to/audit-a-report.md");

  const ProgramResult audit = workspace.run({"audit", kDocuments + "/examples/audit"});

  CHECK(audit.exit_code == 0);
  CHECK_THAT(page, Contains(audit.out));
  CHECK_THAT(page, Contains(audit.err));
  CHECK_THAT(page, Contains(read_file(kDocuments + "/examples/audit/dataset.yaml")));
  CHECK(workspace.run({"audit", kDocuments + "/examples/audit", "--gate"}).exit_code == 4);
}

TEST_CASE("the page on GPUs says what its samples do", "[cli]") {
  const Workspace workspace;
  const std::string page = read_file(kDocuments + "/evidence/gpu-h100.md");
  REQUIRE(workspace.run({"import", kDocuments + "/examples/h100"}).exit_code == 0);
  const auto said = [&](const std::string& expression, const std::string& study) {
    return count_said(
        workspace, "SELECT " + expression + " FROM speedups WHERE study = '" + study + "'", page);
  };

  CHECK(said("printf('%.3f [%.3f, %.3f]', speedup, speedup_lo, speedup_hi)", "gpu-precision") == 4);
  CHECK(said("printf('%.4fx [%.4f, %.4f]', speedup, speedup_lo, speedup_hi)", "pytorch-peer") == 1);
}

// SCALESTUDY_UPDATE_GOLDEN=1 makes the reports anew; figures are left out, as gnuplots differ.
TEST_CASE("the page on a night says what its samples do, and its reports follow from them",
          "[cli][slow]") {
  const Workspace workspace;
  const std::string night = kDocuments + "/examples/night";
  const std::string page = read_file(kDocuments + "/evidence/night.md");
  const ProgramResult unpacked = test::run_program({"cmake",
                                                    "-E",
                                                    "chdir",
                                                    workspace.file("."),
                                                    "cmake",
                                                    "-E",
                                                    "tar",
                                                    "xf",
                                                    night + "/samples.tar.xz"});
  REQUIRE(unpacked.exit_code == 0);
  REQUIRE(workspace.run({"import", workspace.file("samples")}).exit_code == 0);

  for (const std::string study : {"second-device-night", "best-setting-night"}) {
    CAPTURE(study);
    CHECK(workspace.run({"validate", night + "/" + study + ".yaml"}).exit_code == 0);
    REQUIRE(workspace.run({"report", study}).exit_code == 0);
    const std::string made = workspace.results() + "/reports/" + study;
    const std::string kept = night + "/reports/" + study;
    if (std::getenv("SCALESTUDY_UPDATE_GOLDEN") != nullptr) {
      std::filesystem::remove_all(kept);
      std::filesystem::create_directories(night + "/reports");
      std::filesystem::copy(made, kept, std::filesystem::copy_options::recursive);
      std::filesystem::remove(kept + "/results.json");
    }
    CHECK(read_file(made + "/report.md") == read_file(kept + "/report.md"));
    CHECK(read_file(made + "/details.md") == read_file(kept + "/details.md"));
    CHECK(read_file(made + "/data/trials.csv") == read_file(kept + "/data/trials.csv"));
  }
  for (const char* said :
       {"SELECT printf('%.1f [%.1f, %.1f]', estimate, lo, hi) FROM thresholds",
        "SELECT printf('%.3f [%.3f, %.3f]', speedup, speedup_lo, speedup_hi) FROM speedups WHERE "
        "study = 'second-device-night'",
        "SELECT printf('%.3fx [%.3f, %.3f]', gain, gain_lo, gain_hi) FROM search WHERE role = "
        "'winner'"}) {
    CHECK(count_said(workspace, said, page) > 0);
  }
}

TEST_CASE("the page on audits counts in published reports what the audit of them counts", "[cli]") {
  const Workspace workspace;

  const ProgramResult audit =
      workspace.run({"audit", std::string(SCALESTUDY_SOURCE_DIR) + "/data/published"});

  CHECK(audit.exit_code == 0);
  CHECK_THAT(read_file(kDocuments + "/how-to/audit-a-report.md"), Contains(audit.err));
}

TEST_CASE("the example of a study of one's own program runs, and is the one on its page", "[cli]") {
  const Workspace workspace;
  const std::string study = kDocuments + "/examples/own-program/checksum.yaml";
  CHECK_THAT(read_file(kDocuments + "/how-to/run-your-own-program.md"), Contains(read_file(study)));

  const ProgramResult run = workspace.run(
      {"run",
       study,
       "--set",
       "command=[" + kDocuments +
           R"(/examples/own-program/checksum.sh, "{devices}", "{batch_global}", "{times}"])",
       "--set",
       "axes.batch_global=[250, 500]",
       "--set",
       "parameters.times=4",
       "--set",
       "steps.measured=2",
       "--set",
       "trials.count=2"});

  INFO(run.err);
  CHECK(run.exit_code == 0);
  const std::string cells = "SELECT count(*), sum(n) FROM results WHERE variant = 'all'";
  CHECK_THAT(workspace.run({"query", cells, "--format", "csv"}).out, EndsWith("\n4,8\n"));
}

TEST_CASE("the study of the first tutorial runs where numpy is installed", "[cli]") {
  if (test::run_program({"python3", "-c", "import numpy"}).exit_code != 0) {
    WARN("python3 has no numpy: the study was not run (Debian: python3-numpy)");
    return;
  }
  const Workspace workspace;
  const std::string folder = kDocuments + "/tutorials/first-study";

  const ProgramResult run = workspace.run(
      {"run", folder + "/my.yaml", "--set", "cwd=" + folder, "--set", "trials.count=2"});

  INFO(run.err);
  REQUIRE(run.exit_code == 0);
  REQUIRE(workspace.run({"report", "my"}).exit_code == 0);
  CHECK_THAT(read_file(workspace.file("results/reports/my/report.md")),
             Contains("dtype float32 against dtype float64"));
}

TEST_CASE("a study of a program without steps speaks of no devices", "[cli]") {
  const Workspace workspace;
  const std::string study = SCALESTUDY_SOURCE_DIR "/studies/gzip-level.yaml";
  const std::string input = workspace.file("input");
  const std::vector<std::string> settings{
      "--set",
      "command=[sh, -c, \"gzip -{level} < " + input + " | wc -c\"]",
      "--set",
      "setup=[sh, -c, \"seq 200000 > " + input + "\"]",
      "--set",
      "cleanup=[rm, \"" + input + "\"]",
      "--set",
      "axes.level=[1, 6]",
      "--set",
      "trials.count=3"};
  std::vector<std::string> plan{"plan", study};
  std::vector<std::string> run{"run", study};
  plan.insert(plan.end(), settings.begin(), settings.end());
  run.insert(run.end(), settings.begin(), settings.end());

  const ProgramResult planned = workspace.run(plan);
  const ProgramResult ran = workspace.run(run);
  const ProgramResult reported = workspace.run({"report", "gzip-level"});

  INFO(ran.err);
  CHECK(ran.exit_code == 0);
  REQUIRE(reported.exit_code == 0);
  const std::string report =
      test::read_pages(workspace.file("results/reports/gzip-level/report.md"));
  INFO(report);
  CHECK_THAT(report, Contains("- **compressed_bytes:** ") && Contains("x with level 1."));
  CHECK_THAT(report, Contains("compressed_bytes, lower is better"));
  CHECK_THAT(report, !Contains("Efficiency (%)"));  // of no devices
  const std::string answer = report.substr(0, report.find("**Details:**"));
  for (std::string text : {planned.err, ran.err, answer}) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
    for (const char* word : {"device", "strong scaling", "batch", "rank", "communication"}) {
      CAPTURE(word);
      CHECK_THAT(text, !Contains(word));
    }
  }
  CHECK_FALSE(std::filesystem::exists(input));
}

TEST_CASE("train and PyTorch take turns at the same model where PyTorch is installed", "[cli]") {
  if (test::run_program({"python3", "-c", "import torch"}).exit_code != 0) {
    WARN("python3 has no torch: the study was not run (Debian: python3-torch, 560 MB)");
    return;
  }
  const Workspace workspace;

  const ProgramResult run =
      workspace.run({"run",
                     SCALESTUDY_SOURCE_DIR "/studies/pytorch-peer.yaml",
                     "--set",
                     "cwd=" SCALESTUDY_SOURCE_DIR,
                     "--set",
                     "env={PATH: \"" SCALESTUDY_TEST_BIN ":" + test::search_path() + "\"}",
                     "--set",
                     "axes.batch_per_device=[1]",
                     "--set",
                     "trials.count=1"});

  INFO(run.err);
  CHECK(run.exit_code == 0);
  const ProgramResult counted = workspace.run(
      {"query", "SELECT state, definition, count(*) FROM trials GROUP BY 1, 2", "--format", "csv"});
  INFO(counted.out);
  CHECK_THAT(counted.out, Contains("ok,window,4"));
}

TEST_CASE("the PyTorch example runs under torchrun where PyTorch is installed", "[cli]") {
  if (test::run_program({"/bin/sh", "-c", "torchrun --help"}).exit_code != 0) {
    WARN("torchrun is missing: the example was not run (Debian: python3-torch, 560 MB)");
    return;
  }
  const Workspace workspace;
  const std::string study = SCALESTUDY_SOURCE_DIR "/studies/pytorch-ddp.yaml";

  const ProgramResult run = workspace.run({"run",
                                           study,
                                           "--set",
                                           "cwd=" SCALESTUDY_SOURCE_DIR,
                                           "--set",
                                           "axes.batch_global=[32]",
                                           "--set",
                                           "trials.count=1",
                                           "--set",
                                           "analysis.thresholds=null"});

  INFO(run.err);
  CHECK(run.exit_code == 0);
  const ProgramResult counted =
      workspace.run({"query",
                     "SELECT metric, count(*) FROM samples GROUP BY metric ORDER BY metric",
                     "--format",
                     "csv"});
  CHECK_THAT(counted.out, Contains("loss,60") && Contains("step_time_s,60"));
}

TEST_CASE("the example of a report template is on its page and makes the report", "[cli]") {
  test::skip_on_one_core();
  const Workspace workspace;
  const std::string page = read_file(kDocuments + "/how-to/own-report.md");
  const std::string folder = workspace.file("house");
  std::filesystem::copy(
      kDocuments + "/examples/report-template", folder, std::filesystem::copy_options::recursive);
  const std::string main = read_file(folder + "/report.md");
  for (const char* name : {"/report.md", "/partials/summary.md", "/partials/threats.md"}) {
    CHECK_THAT(page, Contains("\n" + read_file(folder + name) + "```\n"));
  }
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);
  const std::vector<std::string> report = {
      "report", "demo", "--template", folder, "--output", workspace.file("page")};

  REQUIRE(workspace.run(report).exit_code == 0);
  const std::string text = read_file(workspace.file("page/report.md"));
  CHECK_THAT(text, Contains("**2 devices against 1 device.** "));
  CHECK_THAT(text,
             Contains("| Cell | Speedup | Verdict |\n| --- | ---: | --- |\n| 2 devices, batch"));
  CHECK_THAT(text, Contains("## What to bear in mind") && Contains("## How to reproduce"));
  CHECK_THAT(text, !Contains("## Threats to validity"));

  for (const auto& [from, to, complaint] :
       {std::tuple(
            "{{speedup}}", "{{spedup}}", ":9:14: unknown tag {{spedup}}; did you mean speedup?"),
        std::tuple(
            "summary", "sumary", ":3:1: unknown partial {{> sumary}}; did you mean summary?"),
        std::tuple(
            "label", "lable", ":15:1: query: no such column: lable (did you mean label?)")}) {
    std::string wrong = main;
    wrong.replace(wrong.find(from), std::string(from).size(), to);
    test::write_file(folder + "/report.md", wrong);
    const ProgramResult refused = workspace.run(report);
    CHECK(refused.exit_code == 2);
    CHECK_THAT(refused.err, Contains(folder + "/report.md" + complaint));
    CHECK_THAT(page, Contains(complaint));
  }
}
