// Black box: `audit` in its formats, with its exit codes.
#include <filesystem>
#include <string>

#include <nlohmann/json.hpp>

#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

using Catch::Contains;
using Catch::StartsWith;
using scalestudy::test::ProgramResult;
using scalestudy::test::read_file;
using scalestudy::test::skip_on_one_core;
using scalestudy::test::Workspace;
using scalestudy::test::write_file;

namespace {

// A dataset whose speedup at 4 devices does not follow: 398 / 101 = 3.94.
std::string write_dataset(const Workspace& workspace, const std::string& speedup = "3.70x") {
  const std::filesystem::path folder = workspace.file("theirs");
  std::filesystem::create_directories(folder);
  write_file(
      folder / "dataset.yaml",
      "version: 1\ndataset: theirs\ntitle: Their scaling\nsource: {document: Theirs}\n"
      "tables:\n  - table: scaling\n    file: scaling.csv\n    where: lines 3-6\n    columns:\n"
      "      - {column: devices, quantity: devices}\n"
      "      - {column: throughput, quantity: throughput, unit: img/s}\n"
      "      - {column: speedup, quantity: speedup, baseline: {devices: 1}}\n");
  write_file(folder / "scaling.csv",
             "devices,throughput,speedup\n1,101,1.00x\n2,199,1.97x\n4,398," + speedup + "\n");
  return folder.string();
}

TEST_CASE("audit lists what does not follow and counts the rest", "[cli]") {
  const Workspace workspace;

  const ProgramResult result = workspace.run({"audit", write_dataset(workspace)});

  CHECK(result.exit_code == 0);
  CHECK(
      result.out ==
      "dataset  where      figure                       printed  recomputed        verdict         "
      " "
      "formula and reason\n"
      "theirs   lines 3-6  scaling: speedup, devices=4  3.70x    3.916x to 3.965x  does not follow "
      " "
      "throughput / baseline throughput: printed 5.4 % below what follows\n");
  CHECK(result.err ==
        "1 dataset: 1 do not follow, 0 follow if cut off, 0 implausible, 2 follow, 0 cannot be "
        "checked\n");
}

TEST_CASE("audit with --all lists what follows, too", "[cli]") {
  const Workspace workspace;

  const ProgramResult result = workspace.run({"audit", write_dataset(workspace), "--all"});

  CHECK_THAT(result.out, Contains("scaling: speedup, devices=2  1.97x"));
}

TEST_CASE("a template of an audit is refused where none is filled", "[cli]") {
  const Workspace workspace;
  const std::string dataset = write_dataset(workspace);
  write_file(workspace.file("own.md"), "{{title}}\n");

  for (const std::vector<std::string>& more : std::vector<std::vector<std::string>>{
           {dataset}, {dataset, "--format", "json"}, {"init", dataset + "/scaling.csv"}}) {
    std::vector<std::string> arguments{"audit", "--template", workspace.file("own.md")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProgramResult result = workspace.run(arguments);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err,
               Contains(more.front() == "init" ? "init writes none; leave it out"
                                               : "is for a report; add --format markdown"));
  }
  CHECK(workspace.run({"audit", dataset}, {"SCALESTUDY_AUDIT_TEMPLATE=" + workspace.file("own.md")})
            .exit_code == 0);
}

TEST_CASE("audit exits 4 with --gate when something does not follow, else 0", "[cli]") {
  const Workspace workspace;

  CHECK(workspace.run({"audit", write_dataset(workspace), "--gate"}).exit_code == 4);
  CHECK(workspace.run({"audit", write_dataset(workspace, "3.94x"), "--gate"}).exit_code == 0);
}

TEST_CASE("audit exits 5 with --gate when a dataset has no figure that can be checked", "[cli]") {
  const Workspace workspace;
  const std::string good = write_dataset(workspace, "3.94x");
  const std::string unchecked = workspace.file("unchecked");
  write_file(workspace.file("rates.csv"), "GPUs,img/s\n1,242\n2,469\n");
  REQUIRE(workspace.run({"audit", "init", workspace.file("rates.csv"), "--output", unchecked})
              .exit_code == 0);

  const ProgramResult result = workspace.run({"audit", unchecked, good, "--gate"});

  CHECK(result.exit_code == 5);
  CHECK_THAT(result.err, Catch::EndsWith("\n--gate: no figure of rates can be checked\n"));
  CHECK(workspace.run({"audit", unchecked, good}).exit_code == 0);
  // What does not follow comes first.
  const ProgramResult wrong =
      workspace.run({"audit", unchecked, write_dataset(workspace), "--gate"});
  CHECK(wrong.exit_code == 4);
  CHECK_THAT(wrong.err, !Contains("--gate"));
}

TEST_CASE("audit's JSON has the figure, its arithmetic and its bases", "[cli]") {
  const Workspace workspace;

  const ProgramResult result =
      workspace.run({"audit", write_dataset(workspace), "--format", "json"});

  const nlohmann::json figures = nlohmann::json::parse(result.out);
  nlohmann::json figure;
  for (const nlohmann::json& each : figures) {
    figure = each["figure"] == "speedup, devices=4" ? each : figure;
  }
  CHECK(figure["dataset"] == "theirs");
  CHECK(figure["table_name"] == "scaling");
  CHECK(figure["location"] == "lines 3-6");
  CHECK(figure["printed"] == "3.70x");
  CHECK(figure["recomputed"] == "3.916x to 3.965x");
  CHECK(figure["recomputed_lo"].get<double>() == Approx(397.5 / 101.5));
  CHECK(figure["recomputed_hi"].get<double>() == Approx(398.5 / 100.5));
  CHECK(figure["verdict"] == "does not follow");
  CHECK(figure["formula"] == "throughput / baseline throughput");
  CHECK(figure["remark"].is_null());
  CHECK(figure["bases"][0]["printed"] == "398");
  CHECK_THAT(figure["path"].get<std::string>(), Catch::EndsWith("theirs/scaling.csv"));
  CHECK(figure["line"] == 4);
}

TEST_CASE("audit's CSV has the numbers of the JSON, and where each figure is typed", "[cli]") {
  const Workspace workspace;

  const ProgramResult result =
      workspace.run({"audit", write_dataset(workspace), "--format", "csv"});

  CHECK_THAT(result.out,
             StartsWith("dataset,table_name,figure,quantity,location,printed,recomputed,"
                        "recomputed_lo,recomputed_hi,unit,difference,verdict,formula,why,remark,"
                        "needs,path,line\n"));
  CHECK_THAT(result.out,
             Contains("\"speedup, devices=4\",speedup,lines 3-6,3.70x,3.916x to 3.965x,3.91") &&
                 Contains("/theirs/scaling.csv,4\n"));
}

TEST_CASE("audit writes a report for the author to a file", "[cli]") {
  const Workspace workspace;
  const std::string path = workspace.file("audit.md");

  const ProgramResult result =
      workspace.run({"audit", write_dataset(workspace), "--format", "markdown", "--output", path});

  CHECK(result.exit_code == 0);
  CHECK(result.out.empty());
  CHECK_THAT(read_file(path), StartsWith("# Audit of published figures\n"));
  CHECK_THAT(read_file(path), Contains("| scaling: speedup, devices=4 | lines 3-6 | 3.70x |"));
}

TEST_CASE("audit refuses what it cannot read, every dataset of a folder by its own", "[cli]") {
  const Workspace workspace;
  write_dataset(workspace, "fast");
  const std::filesystem::path other = workspace.file("other");
  std::filesystem::create_directories(other);
  write_file(other / "dataset.yaml", "version: 7\n");
  const std::string both = std::filesystem::path(workspace.file("x")).parent_path().string();

  const ProgramResult result = workspace.run({"audit", both});

  CHECK(result.exit_code == 2);
  CHECK(result.out.empty());
  CHECK_THAT(result.err, Contains("theirs/scaling.csv:4:7: \"fast\" is not a figure"));
  CHECK_THAT(result.err, Contains("other/dataset.yaml:1:10: version 7 is not known here"));
  CHECK(workspace.run({"audit", "/nowhere"}).exit_code == 2);
  CHECK(workspace.run({"audit", write_dataset(workspace, "3.94x"), "--output", "/nowhere/audit.md"})
            .exit_code == 2);
}

TEST_CASE("audit init drafts a dataset from a README, which audit reads", "[cli]") {
  const Workspace workspace;
  const std::string readme = SCALESTUDY_SOURCE_DIR "/tests/fixtures/readme/scaling.md";
  const std::string folder = workspace.file("drafted");

  const ProgramResult drafted = workspace.run({"audit", "init", readme, "--output", folder});
  const ProgramResult audited = workspace.run({"audit", folder});

  CHECK(drafted.exit_code == 0);
  CHECK_THAT(drafted.err, Contains("3 tables, 15 columns guessed, 2 left out (1 table of HTML"));
  CHECK(audited.exit_code == 0);
  CHECK_THAT(audited.err, Contains("1 do not follow"));
  CHECK_THAT(audited.err, Contains("15 columns still to confirm: guesses of"));
  CHECK(workspace.run({"audit", "init", readme, "--output", folder}).exit_code == 2);  // exists
  CHECK(workspace.run({"audit", "init"}).exit_code == 2);
  CHECK(workspace.run({"audit", "init", "/nowhere.md"}).exit_code == 2);
}

TEST_CASE("audit init counts the tables that it wrote, and says which it did not read", "[cli]") {
  const Workspace workspace;
  const std::string document = workspace.file("de.md");
  const std::string folder = workspace.file("drafted");
  const std::string commas =
      "# Skalierung\n\n| GPUs | img/s | Speedup |\n|---|---|---|\n| 1 | 412,3 | 1,00 |\n";
  const std::string note =
      "the table in lines 3-5 was not read, because column \"img/s\" has decimal commas; type "
      "decimals with points: \"412.3\" for \"412,3\" in row 1\n";
  const std::string transposed =
      "\n| Number of GPUs | 8 | 16 |\n|---|---|---|\n| Step time (s) | 4.12 | 2.11 |\n"
      "| Speedup | 1.00 | 1.95 |\n";

  write_file(document, commas);
  const ProgramResult refused = workspace.run({"audit", "init", document, "--output", folder});
  write_file(document, commas + transposed + "\n| GPUs | Speedup |\n|---|---|\n| 2 | 1.9 |\n");
  const ProgramResult drafted = workspace.run({"audit", "init", document, "--output", folder});

  CHECK(refused.exit_code == 2);
  CHECK(refused.err == "scalestudy: " + document + ": " + note);
  CHECK(drafted.exit_code == 0);
  CHECK(drafted.err == note +
                           "the table in lines 7-10 was not read, because it has a column for each "
                           "run; transpose it: a row for each run, a column for each quantity\n"
                           "wrote " +
                           folder +
                           ": 1 table, 2 columns guessed, 0 left out; confirm each `guess:` in " +
                           folder + "/dataset.yaml, then: scalestudy audit " + folder + "\n");
}

TEST_CASE("audit init reads CSV in capitals, and refuses what it does not read", "[cli]") {
  const Workspace workspace;
  const std::string table = "GPUs,Speedup\n2,1.9\n";
  write_file(workspace.file("T.CSV"), table);
  write_file(workspace.file("t.tsv"), table);

  CHECK(workspace.run({"audit", "init", workspace.file("T.CSV"), "--output", workspace.file("t")})
            .exit_code == 0);
  const ProgramResult refused = workspace.run({"audit", "init", workspace.file("t.tsv")});

  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.err, Contains("t.tsv: .tsv files are not read, only Markdown"));
}

TEST_CASE("the figures of a report that was just made follow from each other", "[cli]") {
  skip_on_one_core();
  const Workspace workspace;
  write_file(
      workspace.file("sleep.yaml"),
      "version: 1\nstudy: sleep\ntitle: Does a second device pay?\nworkload: command\n"
      "command: [sh, -c, 'for i in 1 2 3 4; do echo \"step $i 1{devices}.{batch_global} ms\"; "
      "done']\n"
      "extract: [{metric: step_time_s, unit: ms, regex: 'step (\\d+) (\\S+) ms', group: 2}]\n"
      "axes: {devices: [1, 2], batch_global: [32, 64]}\nsteps: {warmup: 1, measured: 3}\n"
      "validity: {calibration: none, foreign_load: 100%}\ntrials: {count: 3}\nanalysis: {baseline: "
      "{devices: 1}}\n");
  REQUIRE(workspace.run({"run", workspace.file("sleep.yaml")}).exit_code == 0);
  REQUIRE(workspace.run({"report", "sleep"}).exit_code == 0);

  const std::string folder = workspace.file("drafted");
  REQUIRE(workspace
              .run({"audit",
                    "init",
                    workspace.file("results/reports/sleep/details.md"),
                    "--output",
                    folder})
              .exit_code == 0);
  const ProgramResult audited = workspace.run({"audit", folder, "--gate", "--all"});

  INFO(audited.out);
  CHECK(audited.exit_code == 0);
  CHECK_THAT(audited.out, Contains("throughput_samples_s, devices=2, batch_global=64"));
  CHECK_THAT(audited.err, Contains("0 do not follow, 0 follow if cut off"));
}

}  // namespace
