// Which kind a path is, what an import is known again by, and datasets.
#include "harness/import/import.h"

#include <filesystem>
#include <string>

#include "tests/import/imported.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::test;
using Catch::Contains;

namespace {

// Two tables' worth of the dataset format: conditions of rows, of a column, and a statement.
void write_dataset(const TemporaryFolder& folder, const std::string& speedup = "1.9x*") {
  std::filesystem::create_directories(folder.path() / "paper");
  write_file(
      folder.path() / "paper" / "dataset.yaml",
      "version: 1\n"
      "dataset: paper\n"
      "title: Somebody's speedups\n"
      "source: {document: report.md, author: A. Author, date: March 2025}\n"
      "hardware: 4 GPUs\n"
      "tables:\n"
      "  - table: scaling\n"
      "    file: scaling.csv\n"
      "    where: section 2\n"
      "    fixed: {model: mlp, scaling: strong}\n"
      "    columns:\n"
      "      - {column: gpus, quantity: devices}\n"
      "      - {column: step, quantity: step_time, unit: ms}\n"
      "      - {column: speedup, quantity: speedup, baseline: {devices: 1}}\n"
      "statements:\n"
      "  - {id: claim, where: line 3, printed: <20%, quantity: overhead, at: {devices: 4}}\n");
  write_file(folder.path() / "paper" / "scaling.csv",
             "gpus,step,speedup\n1,7.6,1.0x\n2,4.0," + speedup + "\n4,-,~3x\n");
}

ImportedSource import_dataset(const TemporaryFolder& folder) {
  return import_file((folder.path() / "paper").string());
}

}  // namespace

TEST_CASE("a dataset's figures keep their text, interval, conditions and baseline", "[import]") {
  const TemporaryFolder folder;
  write_dataset(folder);

  const PublicationRow publication = import_dataset(folder).publication;

  CHECK(publication.kind == PublicationKind::kDataset);
  CHECK(publication.source == "paper");
  CHECK(publication.document == "report.md (A. Author)");
  CHECK(publication.date == "March 2025");
  CHECK(publication.hardware == "4 GPUs");
  // Two step times (one is absent), three speedups and the statement; the devices are conditions.
  CHECK(publication.figures.size() == 6);
  const PublishedFigureRow speedup = figure(publication, "scaling", 2, "speedup");
  CHECK(speedup.printed == "1.9x*");
  CHECK(*speedup.lo == Approx(1.85));
  CHECK(*speedup.hi == Approx(1.95));
  CHECK(speedup.conditions == R"({"devices":"2","model":"mlp","scaling":"strong"})");
  CHECK(speedup.baseline == R"({"devices":"1"})");
  CHECK(speedup.location == "section 2");
  CHECK(speedup.line == 3);
}

TEST_CASE("an end that a bound leaves open is absent", "[import]") {
  const TemporaryFolder folder;
  write_dataset(folder);

  const PublishedFigureRow claim =
      figure(import_dataset(folder).publication, "", std::nullopt, "claim");

  CHECK(claim.form == "at_most");
  CHECK_FALSE(claim.lo);
  CHECK(*claim.hi == Approx(0.205));
  CHECK_FALSE(claim.value);
  CHECK(claim.unit == "1");
}

TEST_CASE("a folder of datasets, a dataset.yaml and its folder are all datasets", "[import]") {
  const TemporaryFolder folder;
  write_dataset(folder);
  const std::string hash = import_dataset(folder).publication.hash;

  CHECK(import_file(folder.path().string()).publication.hash == hash);
  CHECK(import_file((folder.path() / "paper" / "dataset.yaml").string()).publication.hash == hash);
  CHECK_THROWS_WITH(import_file(SCALESTUDY_SOURCE_DIR "/tests/import"),
                    Contains("no dataset here"));
}

TEST_CASE("the hash follows every file of a dataset and the column map", "[import]") {
  const TemporaryFolder folder;
  write_dataset(folder);
  const std::string hash = import_dataset(folder).publication.hash;
  write_dataset(folder, "1.8x");
  const std::string csv = data_file("hyperfine.csv");

  CHECK(import_dataset(folder).publication.hash != hash);
  CHECK(import_file(csv, {"mean=time:s"}).publication.hash !=
        import_file(csv, {"max=time:s"}).publication.hash);
  CHECK(import_file(csv, {"mean=time:s"}).publication.hash ==
        import_file(csv, {"mean=time:s"}).publication.hash);
}

TEST_CASE("the five reports of this repository are imported", "[import]") {
  const auto sources =
      read_import({SCALESTUDY_SOURCE_DIR "/data/published", PublicationKind::kDataset, {}});

  CHECK(sources.size() >= 5);
  for (const ImportedSource& source : sources) {
    CAPTURE(source.publication.source);
    CHECK(source.publication.figures.size() > 10);
  }
}

TEST_CASE("a file is known by its absolute path and called by its name", "[import]") {
  const std::string file = data_file("../data/hyperfine.json");

  const PublicationRow publication = import_file(file).publication;

  CHECK(publication.path == data_file("hyperfine.json"));
  CHECK(publication.source == "hyperfine.json");
  CHECK(publication.document == file);
}

TEST_CASE("what cannot be told is asked for", "[import]") {
  CHECK_THAT(problem_of("hello\n"),
             Contains("--as published-dataset, nccl-tests, hyperfine or csv"));
  CHECK_THAT(problem_of("{\"a\": 1}"), Contains("cannot tell what this is"));
  CHECK_THAT(problem_of("hello\n", PublicationKind::kNcclTests), Contains("no table of results"));
  CHECK_THROWS_WITH(import_file("/nonexistent/file.json"), Contains("cannot be read"));
}

TEST_CASE("a column map is for CSV alone", "[import]") {
  CHECK_THAT(problem_of(read_file(data_file("nccl_all_gather_failed.txt")),
                        PublicationKind::kNcclTests,
                        {"time=latency"}),
             Contains("--map is for CSV files"));
}

TEST_CASE("bytes that are no text are refused", "[import]") {
  CHECK_THAT(problem_of("algbw busbw \xff\xfe", PublicationKind::kNcclTests),
             Contains("not UTF-8"));
}
