// Reading datasets: what is found, and what is refused with its place.
#include "harness/audit/dataset/dataset.h"
#include "tests/audit/bad_datasets.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::audit;

namespace {

using scalestudy::test::read_file;
using scalestudy::test::TemporaryFolder;
using scalestudy::test::write_file;
using test::BadDataset;
using test::DatasetFolder;
using test::kColumns;
using test::one_table;

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

// The problems of a sound dataset.yaml with this CSV file.
std::string csv_problem(const std::string& csv) {
  return first_line(DatasetFolder(one_table(kColumns), {{"t.csv", csv}}).problems());
}

TEST_CASE("each fault of a dataset is told with file, line and column", "[audit]") {
  for (const BadDataset& bad : test::bad_datasets()) {
    CAPTURE(bad.yaml);
    const std::string problems = DatasetFolder(bad.yaml, {{"t.csv", test::kCsv}}).problems();
    CHECK(first_line(problems).substr(0, bad.problem.size()) == bad.problem);
  }
}

TEST_CASE("all faults of all files are told together", "[audit]") {
  const std::string problems =
      DatasetFolder(test::kHead +
                        "colour: red\ntables:\n  - table: t\n    file: t.csv\n    where: "
                        "line 1\n    columns:\n" +
                        kColumns,
                    {{"t.csv", "devices,speedup\n1,fast\n2,slow\n"}})
          .problems();

  CHECK(problems.find("dataset.yaml:5:1: unknown key \"colour\"") != std::string::npos);
  CHECK(problems.find("t.csv:2:3: \"fast\" is not a figure") != std::string::npos);
  CHECK(problems.find("t.csv:3:3: \"slow\" is not a figure") != std::string::npos);
  CHECK(problems.find("  2,slow\n    ^") != std::string::npos);
}

TEST_CASE("the name of a CSV file may be as long as its author likes", "[audit]") {
  const std::string name = std::string(300'000, 'a') + ".csv";

  const std::string problems =
      DatasetFolder(test::kHead + "tables:\n  - table: t\n    where: line 1\n    file: " + name +
                    "\n    columns:\n" + kColumns)
          .problems();

  CHECK(problems.find("cannot be read") != std::string::npos);
}

TEST_CASE("a CSV file that does not fit its columns is refused where it does not", "[audit]") {
  CHECK(csv_problem("gpus,speedup\n1,1.00x\n") ==
        "t.csv:1:1: the head says \"gpus\"; dataset.yaml declares devices here");
  CHECK(csv_problem("devices\n1\n") ==
        "t.csv:1:1: the head ends here; dataset.yaml declares column speedup next");
  CHECK(csv_problem("devices,speedup,x\n1,1.00x,1\n") ==
        "t.csv:1:17: the head says \"x\"; dataset.yaml declares no further column here");
  CHECK(csv_problem("devices,speedup\n1,000,1.00x\n") ==
        "t.csv:2:1: this row has 3 fields, the head 2; a figure with a comma is written \"1,234\"");
  CHECK(csv_problem("devices,speedup\n") ==
        "t.csv: the file has no rows; a head and one row are required");
  CHECK(csv_problem("devices,speedup\n1,\"1.00x\n") == "t.csv:2:3: this quote is never closed");
  CHECK(csv_problem("devices,speedup\n1,1.00 ms\n") ==
        "t.csv:2:3: \"1.00 ms\" is in \"ms\", which is not a unit of this quantity (1)");
}

TEST_CASE("a missing CSV file and a missing dataset are refused by name", "[audit]") {
  CHECK(first_line(DatasetFolder(one_table(kColumns)).problems()) ==
        "t.csv: cannot be read; there is no such file");
  CHECK_THROWS_WITH(load_dataset("/nowhere"),
                    "/nowhere/dataset.yaml: cannot be read; there is no such file");
}

TEST_CASE("a CSV file that is a link is refused", "[audit]") {
  const DatasetFolder folder(one_table(kColumns));
  std::filesystem::create_symlink("/etc/passwd", folder.path() / "t.csv");

  CHECK(folder.problems() == "t.csv: is a link; the files of a dataset are in its folder");
}

TEST_CASE("figures of legal but inexact forms are read", "[audit]") {
  const Dataset dataset =
      DatasetFolder(one_table("      - {column: devices, quantity: devices}\n"
                              "      - {column: time, quantity: time}\n"),
                    {{"t.csv", "devices,time\n1,~4s\n2,15-20ms\n3,<5 s\n4,N/A\n5,180s**\n6,\n"}})
          .load();

  const std::vector<FigureForm> forms{FigureForm::kApproximate,
                                      FigureForm::kSpan,
                                      FigureForm::kAtMost,
                                      FigureForm::kAbsent,
                                      FigureForm::kRounded,
                                      FigureForm::kAbsent};
  for (std::size_t row = 0; row < forms.size(); ++row) {
    CAPTURE(row);
    CHECK(dataset.tables[0].rows[row][1].figure.form == forms[row]);
  }
}

TEST_CASE("zeros of a ratio are digits where its column shows that digit", "[audit]") {
  const auto range_of = [](const std::string& cells) {
    return DatasetFolder(one_table("      - {column: share, quantity: share}\n"),
                         {{"t.csv", "share\n" + cells}})
        .load()
        .tables[0]
        .rows[0][0]
        .figure.range.value();
  };

  CHECK(range_of("40%\n37%\n").lo == Approx(0.395));
  CHECK(range_of("40%\n60%\n").lo == Approx(0.35));
  CHECK(range_of("40%\n0%\n").lo == Approx(0.35));
}

TEST_CASE("zeros are digits where the column says so", "[audit]") {
  const auto range_of = [](const std::string& key) {
    return DatasetFolder(
               one_table("      - {column: n, quantity: throughput, unit: img/s" + key + "}\n"),
               {{"t.csv", "n\n\"1,150\"\n\"4,371\"\n"}})
        .load()
        .tables[0]
        .rows[0][0]
        .figure.range.value();
  };

  CHECK(range_of("").lo == 1145.0);
  CHECK(range_of(", zeros: digits").lo == 1149.5);
  CHECK(range_of(", exact: true").lo == 1150.0);
}

TEST_CASE("a cell's conditions are the table's, the row's and the column's own", "[audit]") {
  const Dataset dataset =
      DatasetFolder(one_table("      - {column: batch, quantity: batch_global}\n"
                              "      - {column: kind, quantity: label}\n"
                              "      - {column: two, quantity: throughput, unit: img/s, at: "
                              "{devices: 2}}\n",
                              "    fixed: {model: mlp, devices: 1, price_per_device_hour: $3/h}\n"),
                    {{"t.csv", "batch,kind,two\n\"4,096\",warm,99\n"}})
          .load();

  const std::vector<PrintedFigure> figures = printed_figures(dataset);

  REQUIRE(figures.size() == 2);
  CHECK(figures[1].conditions ==
        Conditions{{"batch_global", "4096"}, {"devices", "2"}, {"kind", "warm"}, {"model", "mlp"}});
  CHECK(figures[1].place.line == 2);
  CHECK(figures[1].place.column == 14);
  CHECK(dataset.tables[0].fixed.figures.at("price_per_device_hour").printed == "$3/h");
}

TEST_CASE("folders of datasets are found, and a folder without one is refused", "[audit]") {
  const TemporaryFolder folder;
  for (const char* name : {"b", "a", "empty"}) {
    std::filesystem::create_directories(folder.path() / name);
  }
  write_file(folder.file("a/dataset.yaml"), "");
  write_file(folder.file("b/dataset.yaml"), "");

  CHECK(dataset_folders({folder.path().string(), folder.file("b")}) ==
        std::vector<std::filesystem::path>{
            folder.path() / "a", folder.path() / "b", folder.path() / "b"});
  CHECK_THROWS_AS(dataset_folders({folder.file("empty")}), Error);
  CHECK_THROWS_AS(dataset_folders({"/nowhere"}), Error);
}

// The text of a fenced block that follows "`name`:".
std::string example_file(const std::string& format, const std::string& name) {
  const std::size_t head = format.find("`" + name + "`:\n\n```");
  REQUIRE(head != std::string::npos);
  const std::size_t start = format.find('\n', format.find("```", head)) + 1;
  return format.substr(start, format.find("```", start) - start);
}

TEST_CASE("the example of the format's page audits clean", "[audit]") {
  const std::string format = read_file(SCALESTUDY_SOURCE_DIR "/data/published/FORMAT.md");
  const DatasetFolder folder(example_file(format, "dataset.yaml"),
                             {{"scaling.csv", example_file(format, "scaling.csv")},
                              {"phases.csv", example_file(format, "phases.csv")}});

  const std::vector<Finding> findings = folder.audit();

  CHECK(findings.size() == 16);
  for (const Finding& finding : findings) {
    CAPTURE(finding.figure, finding.why);
    CHECK(finding.verdict == Verdict::kFollows);
  }
}

}  // namespace
