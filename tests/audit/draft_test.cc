// Datasets drafted from documents: what columns are guessed to be, and that every draft can be
// read.
#include "harness/audit/dataset/draft.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "harness/audit/dataset/guess.h"
#include "tests/audit/dataset_folder.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::audit;
namespace fs = std::filesystem;

namespace {

using test::read_file;
using test::write_file;

const fs::path kSourceTree = SCALESTUDY_SOURCE_DIR;

// "heading: quantity unit {at} <baseline> (rule)" of each column, one a line.
std::string guessed(const std::string& markdown) {
  const Document document = read_markdown(markdown);
  std::string text;
  for (const DocumentTable& table : document.tables) {
    const std::vector<Guess> guesses = guess_columns(table);
    for (std::size_t c = 0; c < guesses.size(); ++c) {
      const Guess& guess = guesses[c];
      text += table.head[c] + ": " + (guess.quantity.empty() ? "left out" : guess.quantity) +
              (guess.unit.empty() ? "" : " " + guess.unit) +
              (guess.at.empty() ? "" : " {" + guess.at + "}") +
              (guess.baseline.empty() ? "" : " <" + guess.baseline + ">") +
              (guess.follows.empty() ? "" : " (" + guess.follows + ")") + "\n";
    }
  }
  return text;
}

// The draft as files, loaded and audited.
std::vector<Finding> audit_draft(const Draft& draft) {
  const test::TemporaryFolder folder;
  for (const auto& [name, text] : draft.files) {
    write_file(folder.file(name), text);
  }
  return audit_dataset(load_dataset(folder.path()));
}

// A second column of devices would leave no figure of the table a run of its own.
TEST_CASE("what is printed of each GPU or node is no number of them", "[audit]") {
  CHECK(guessed("| GPUs | TFLOPS/GPU | Throughput (tok/s) | MFU |\n|---|---|---|---|\n"
                "| 1 | 150 | 10,000 | 48% |\n| 8 | 135 | 72,000 | 43% |\n\n"
                "| Nodes | GPUs per node | Samples/s |\n|---|---|---|\n| 1 | 8 | 1000 |\n"
                "| 2 | 8 | 1900 |\n\n"
                "| Nodes | GPUs/node | GPUs (8 per node) | Tasks / GPU |\n|---|---|---|---|\n"
                "| 1 | 8 | 8 | 2 |\n| 2 | 8 | 16 | 2 |\n") ==
        "GPUs: devices\nTFLOPS/GPU: other\n"
        "Throughput (tok/s): throughput tok/s\nMFU: mfu\n"
        "Nodes: nodes\nGPUs per node: other\nSamples/s: throughput Samples/s\n"
        "Nodes: nodes\nGPUs/node: other\nGPUs (8 per node): devices\nTasks / GPU: other\n");
  CHECK(guessed("| GPUs | Samples/s | System / GPU |\n|---|---|---|\n| 1 | 100 | DGX, A100 |\n") ==
        "GPUs: devices\nSamples/s: throughput Samples/s\nSystem / GPU: hardware\n");
}

TEST_CASE("columns are guessed by headings, units and cells", "[audit]") {
  CHECK(guessed(read_file(kSourceTree / "tests/fixtures/readme/scaling.md")) ==
        "GPUs: devices\n"
        "Batch size / GPU: batch_per_device\n"
        "Throughput - TF32: throughput {precision: TF32}\n"
        "Throughput - mixed precision: throughput {precision: mixed precision}\n"
        "Throughput speedup (TF32 to mixed precision): speedup (ratio: "
        "[throughput_mixed_precision, throughput_tf32])\n"
        "Weak scaling - TF32: speedup {precision: TF32} <devices: 1>\n"
        "Weak scaling - mixed precision: speedup {precision: mixed precision} <devices: 1>\n"
        "Nodes: nodes\n"
        "GPUs: devices\n"
        "Time/Iteration (ms): step_time ms\n"
        "Speedup vs 1 GPU: speedup <devices: 1>\n"
        "Notes: left out\n"
        "Model: model\n"
        "Time to train (min): total_time min\n"
        "Top-1 accuracy (%): accuracy %\n"
        "Cost ($): cost $\n"
        "Comment: left out\n");
}

TEST_CASE("a guess whose cells cannot be read so is not made", "[audit]") {
  // A device count is a whole number, a time has a unit, and a text names rows.
  CHECK(guessed("| GPUs | Step time | Throughput, img/s | 1 device (ms) |\n| - | - | - | - |\n"
                "| 8x V100 | 12.5 | 640 | 8.40 ± 0.25 |\n") ==
        "GPUs: hardware\nStep time: other\nThroughput, img/s: throughput img/s\n"
        "1 device (ms): time ms\n");
}

TEST_CASE("the base of a speedup is the row that prints 1", "[audit]") {
  CHECK(guessed("| GPUs | Efficiency |\n| - | - |\n| 8 | 100% |\n| 64 | 91% |\n") ==
        "GPUs: devices\nEfficiency: efficiency <devices: 8>\n");
  CHECK(guessed("| GPUs | Efficiency |\n| - | - |\n| 8 | 96% |\n| 64 | 91% |\n") ==
        "GPUs: devices\nEfficiency: efficiency <devices: 1>\n");
}

TEST_CASE("a row that is called the baseline keeps its column checked", "[audit]") {
  // 2,160 / 2,592 = 0.83
  const Document document = read_markdown(
      "| GPUs | Cost | Cost Efficiency |\n| - | - | - |\n| 1 | $2,160 | 1.0x (baseline) |\n"
      "| 8 | $2,328 | 0.93x |\n| 16 | $2,448 | 0.88x |\n| 32 | $2,592 | 0.99x |\n"
      "| 64 | $3,072 | 0.70x |\n");
  const Draft draft = draft_dataset(document, "costs.md");

  std::vector<std::string> wrong;
  for (const Finding& finding : audit_draft(draft)) {
    if (finding.verdict == Verdict::kDoesNotFollow) {
      wrong.push_back(finding.printed);
    }
  }

  CHECK_THAT(draft.files.at("dataset.yaml"), Catch::Contains("quantity: cost_efficiency"));
  CHECK(wrong == std::vector<std::string>{"0.99x"});
}

TEST_CASE("an audit of a draft finds the figure that does not follow", "[audit]") {
  const fs::path path = kSourceTree / "tests/fixtures/readme/scaling.md";
  const Document document = read_markdown(read_file(path));
  const Draft draft = draft_dataset(document, path);

  std::map<Verdict, int> counts;
  for (const Finding& finding : audit_draft(draft)) {
    ++counts[finding.verdict];
    if (finding.verdict == Verdict::kDoesNotFollow) {
      CHECK(finding.printed == "9.23 x");  // 16,700 / 2,310 = 7.23
    }
  }

  CHECK(draft.name == "scaling");
  CHECK(draft.guess_count == 15);
  CHECK(draft.left_out_count == 2);
  CHECK(document.html_table_count == 1);
  CHECK(counts[Verdict::kDoesNotFollow] == 1);
  CHECK(counts[Verdict::kFollows] == 14);
}

TEST_CASE("every guess is marked, and what is typed is what is printed", "[audit]") {
  const Draft draft = draft_dataset(
      read_csv("GPUs,\"img/s, all\"\n1,\"1,150\"\n2,\"2,2\"\"50\"\n", "a/My Report.csv"),
      "a/My Report.csv");

  CHECK(draft.name == "my-report");
  CHECK(draft.files.at("t1.csv") == "gpus,img_s_all\n1,\"1,150\"\n2,\"2,2\"\"50\"\n");
  const std::string& yaml = draft.files.at("dataset.yaml");
  std::size_t marks = 0;
  for (std::size_t at = yaml.find("guess: \""); at != std::string::npos;
       at = yaml.find("guess: \"", at + 1)) {
    ++marks;
  }
  CHECK(marks == 2);
}

TEST_CASE("a document without tables, and text that is no table, are refused", "[audit]") {
  CHECK_THROWS_WITH(draft_dataset(read_markdown("# A\n<table></table>\n"), "a.md"),
                    Catch::Contains("a.md: no table found (tables of HTML tags are not read"));
  CHECK_THROWS_WITH(read_csv("a,b\n1\n", "a.csv"),
                    Catch::Contains("a.csv:2:1: this row has 1 fields, the head 2"));
  CHECK_THROWS_WITH(read_csv("a,b\n", "a.csv"), Catch::Contains("the file has no rows"));
  for (const char* text : {"a;b\n1;2,5\n", "a\tb\n1\t2\n"}) {
    CHECK_THROWS_WITH(read_csv(text, "a.csv"),
                      Catch::Contains("separated by semicolons or tabs; a CSV file has commas"));
  }
  CHECK(read_csv("Speedup; higher is better\n1.9\n", "a.csv").tables.size() == 1);
}

TEST_CASE("what nests or is wide without end is read, or refused", "[audit]") {
  const std::string table = "| GPUs | Speedup |\n| --- | --- |\n| 2 | 1.9 |\n";
  const std::string quotes(200'000, '>');
  std::string stars = "# ";
  for (int i = 0; i < 200'000; ++i) {
    stars += "*a ";
  }
  for (int i = 0; i < 200'000; ++i) {
    stars += "a* ";
  }

  CHECK(read_markdown(quotes + " x\n\n" + table).tables.size() == 1);
  CHECK(read_markdown(stars + "\n\n" + table).tables.size() == 1);
  CHECK(read_markdown("> - | a | b |\n>   |---|---|\n>   | 1 | 2 |\n").tables.size() == 1);
  std::string columns = "|";
  std::string head = "|";
  std::string csv = "a";
  for (int i = 0; i < 900; ++i) {
    columns += "---|";
    head += "a|";
    csv += ",a";
  }
  const std::string wide = head + "\n" + columns + "\n";
  CHECK(read_markdown(wide + "|1|2|\n").tables.at(0).rows.at(0).size() == 900);
  std::string rows;
  for (int i = 0; i < 3000; ++i) {
    rows += "|x\n";
  }
  CHECK_THROWS_WITH(read_markdown(wide + rows), Catch::Contains("split the text"));
  std::string returns = wide + rows;  // ends lines too
  std::ranges::replace(returns, '\n', '\r');
  CHECK_THROWS_WITH(read_markdown(returns), Catch::Contains("split the text"));
  CHECK_THROWS_WITH(read_csv(csv + csv + "\n1\n", "a.csv"), Catch::Contains("1000 are the most"));
}

TEST_CASE("a column may stand below nothing, as rows' names often do", "[audit]") {
  const Document document = read_markdown(
      "|  | GPUs | Speedup |\n| --- | --- | --- |\n"
      "| base | 1 | 1.0 |\n| ours | 2 | 1.9 |\n");

  CHECK_FALSE(audit_draft(draft_dataset(document, "scaling.md")).empty());
  // Nor does a row need a name.
  const Document two = read_markdown(
      "| Run | GPUs | Speedup |\n| --- | --- | --- |\n"
      "| base | 1 | 1.0 |\n| | 2 | 1.9 |\n");
  CHECK(draft_dataset(two, "a.md").files.at("t1.csv") == "run,gpus,speedup\nbase,1,1.0\n,2,1.9\n");
}

TEST_CASE("a draft of any document can be loaded and audited", "[audit]") {
  int count = 0;
  for (const char* folder :
       {".", "docs", "data/published", "harness/store", "templates", "stats"}) {
    for (const fs::directory_entry& entry : fs::directory_iterator(kSourceTree / folder)) {
      if (entry.path().extension() != ".md") {
        continue;
      }
      const Document document = read_markdown(read_file(entry.path()));
      CAPTURE(entry.path().string());
      if (!document.tables.empty()) {
        CHECK_NOTHROW(audit_draft(draft_dataset(document, entry.path())));
        ++count;
      }
    }
  }
  CHECK(count >= 6);
}

TEST_CASE("the figures of our own reports follow from each other", "[audit]") {
  const fs::path path = kSourceTree / "tests/golden/scaling/details.md";

  std::map<Verdict, int> counts;
  for (const Finding& finding : audit_draft(draft_dataset(read_markdown(read_file(path)), path))) {
    CAPTURE(finding.where, finding.figure, finding.printed, finding.recomputed_text);
    CHECK(finding.verdict != Verdict::kDoesNotFollow);
    CHECK(finding.verdict != Verdict::kFollowsIfCutOff);
    CHECK(finding.verdict != Verdict::kImplausible);
    ++counts[finding.verdict];
  }
  CHECK(counts[Verdict::kFollows] >= 34);  // throughputs, per device, efficiencies, overhead
}

}  // namespace
