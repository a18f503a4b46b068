// Datasets drafted from documents: what columns are guessed to be, and that every draft can be
// read.
#include "harness/audit/draft/draft.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "harness/audit/draft/guess.h"
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
  // Without the throughput with TF32, the ratio has no rule.
  CHECK(guessed("| GPUs | Throughput - mixed precision | Speedup (TF32 to mixed precision) |\n"
                "|--:|--:|--:|\n| 1 | 1,310 | 3.36x |\n| 2 | 2,571 | 3.34x |\n") ==
        "GPUs: devices\nThroughput - mixed precision: throughput {precision: mixed precision}\n"
        "Speedup (TF32 to mixed precision): speedup\n");
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
  // Beside speedups over 8 devices nothing says that these are over one.
  CHECK(guessed("| GPUs | Speedup | Efficiency |\n| - | - | - |\n| 8 | 1.00 | 96% |\n"
                "| 64 | 7.3 | 91% |\n") ==
        "GPUs: devices\nSpeedup: speedup <devices: 8>\nEfficiency: efficiency\n");
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
  CHECK_THROWS_WITH(draft_dataset(read_markdown("\\begin{tabular}{lr}"), "a.tex"),
                    Catch::Contains("CSV with a head; type it as one of these"));
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
      "| | 1 | 1.0 |\n| ours | 2 | 1.9 |\n");
  CHECK(draft_dataset(two, "a.md").files.at("t1.csv") == "run,gpus,speedup\n,1,1.0\nours,2,1.9\n");
}

TEST_CASE("blank cells below the name of a group of rows are filled with it", "[audit]") {
  const Document document = read_markdown(
      "| Model | GPUs | img/s | Speedup |\n|---|---|---|---|\n| A | 1 | 1,012 | 1.00x |\n"
      "| | 2 | 1,988 | 1.96x |\n| B | 1 | 318 | 1.00x |\n| | 2 | 640 | 2.11x |\n"
      "| | 2 | 641 | - |\n| | Total | 99 | - |\n");
  const Draft draft = draft_dataset(document, "a.md");

  // The fifth row is of the same GPUs as the fourth, the last one holds sums.
  CHECK(draft.files.at("t1.csv") ==
        "model,gpus,img_s,speedup\nA,1,\"1,012\",1.00x\nA,2,\"1,988\",1.96x\nB,1,318,1.00x\n"
        "B,2,640,2.11x\n,2,641,-\n,Total,99,-\n");
  CHECK_THAT(draft.files.at("dataset.yaml"),
             Catch::Contains("2 blank cells filled with the name above"));
}

// What does not follow in the draft of a table, one a line.
std::string wrong_in(const Document& document) {
  std::string text;
  for (const Finding& finding : audit_draft(draft_dataset(document, "a.md"))) {
    text += finding.verdict == Verdict::kDoesNotFollow ? finding.printed + "\n" : "";
  }
  return text;
}

TEST_CASE("each of two models side by side is checked against its own column", "[audit]") {
  // 371.0 / 52.1 = 7.12, and 2,950 / 390 = 7.56 +- 0.11
  const Document document = read_markdown(
      "| GPUs | ResNet img/s | Speedup | BERT seq/s | Speedup |\n|--:|--:|--:|--:|--:|\n"
      "| 1 | 390 | 1.00 | 52.1 | 1.00 |\n| 2 | 770 | 1.97 | 101.0 | 1.94 |\n"
      "| 8 | 2,950 | 7.56 | 371.0 | 7.62 |\n");

  CHECK(wrong_in(document) == "7.62\n");
  // One speedup below two rates says of neither that it is its own.
  CHECK(guessed(
            "| GPUs | img/s | tokens/s | Speedup |\n|--:|--:|--:|--:|\n| 1 | 50 | 90 | 1.00 |\n") ==
        "GPUs: devices\nimg/s: throughput img/s\ntokens/s: throughput tokens/s\n"
        "Speedup: speedup <devices: 1>\n");
}

TEST_CASE("a speedup that is not 1 on one device is relative to another column", "[audit]") {
  const auto table = [](const std::string& last) {
    return read_markdown(
        "| GPUs | FP32 (img/s) | AMP (img/s) | AMP speedup |\n|--:|--:|--:|--:|\n"
        "| 1 | 390 | 1,310 | 3.36x |\n| 2 | 770 | 2,571 | 3.34x |\n"
        "| 4 | 1,520 | 5,055 | 3.33x |\n| 8 | 2,950 | 9,800 | " +
        last + " |\n");
  };

  CHECK(wrong_in(table("3.32x")).empty());
  CHECK(wrong_in(table("3.62x")) == "3.62x\n");
  CHECK(guessed("| GPUs | Efficiency |\n| - | - |\n| 1 | 93% |\n| 8 | 91% |\n") ==
        "GPUs: devices\nEfficiency: efficiency\n");
}

TEST_CASE("a cell of a run that failed leaves its column one of figures", "[audit]") {
  const auto table = [](const std::string& cell) {
    return read_markdown(
        "| GPUs | img/s | Speedup |\n|--:|--:|--:|\n| 1 | 1,012 | 1.00x |\n"
        "| 2 | 1,988 | 1.96x |\n| 4 | 3,921 | 5.87x |\n| 8 | " +
        cell + " | " + cell + " |\n");
  };

  CHECK(wrong_in(table("OOM")) == "5.87x\n");
  CHECK(draft_dataset(table("OOM"), "a.md").notes.empty());
  CHECK(draft_dataset(table("crashed"), "a.md").notes ==
        std::vector<std::string>{
            "table 1: column \"img/s\" was read as text because of \"crashed\" in row 4",
            "table 1: column \"Speedup\" was read as text because of \"crashed\" in row 4"});
  // Of two such cells the first is named.
  CHECK(draft_dataset(read_markdown("| GPUs | img/s |\n|--:|--:|\n| 1 | 1,012 |\n| 2 | 1,988 |\n"
                                    "| 4 | 3,921 |\n| 8 | crashed |\n| 16 | hung |\n"),
                      "a.md")
            .notes ==
        std::vector<std::string>{
            "table 1: column \"img/s\" was read as text because of \"crashed\" in row 4"});
  // Not even where it tells two runs of as many GPUs apart.
  CHECK(draft_dataset(read_markdown("| GPUs | img/s | Speedup |\n|--:|--:|--:|\n"
                                    "| 1 | 1,012 | 1.00x |\n| 2 | 1,988 | 1.96x |\n"
                                    "| 2 | 1,990 | crashed |\n"),
                      "a.md")
            .notes ==
        std::vector<std::string>{
            "table 1: column \"Speedup\" was read as text because of \"crashed\" in row 3"});
}

TEST_CASE("headings are read with footnotes, abbreviations and units of any place", "[audit]") {
  CHECK(
      guessed("| GPUs | step_time_ms | scaling_efficiency_percent | Speedup [a] | Eff. | Step (ms) "
              "| Comm. (ms) | Compute (ms) | $/h per GPU | images_s |\n"
              "|-|-|-|-|-|-|-|-|-|-|\n"
              "| 1 | 100.0 | 100 | 1.0 | 100% | 100.0 | 4.0 | 96.0 | 3.06 | 300 |\n"
              "| 2 | 104.0 | 96.2 | 1.9 (±0.1) | 96.2% | 104.0 | 8.0 | 96.0 | 3.06 | 577 |\n") ==
      "GPUs: devices\nstep_time_ms: step_time ms\n"
      "scaling_efficiency_percent: efficiency % <devices: 1>\n"
      "Speedup [a]: speedup <devices: 1>\nEff.: efficiency <devices: 1>\n"
      "Step (ms): step_time ms\nComm. (ms): communication_time ms\n"
      "Compute (ms): compute_time ms\n$/h per GPU: price_per_device_hour $/h\n"
      "images_s: other\n");
}

TEST_CASE("a global batch that grows with the devices is weak scaling", "[audit]") {
  const auto drafted = [](const std::string& batch) {
    return draft_dataset(read_csv("GPUs,Global batch,img/s,Efficiency\n8,512,5240,100%\n16," +
                                      batch + ",10204,97.4%\n",
                                  "a.csv"),
                         "a.csv");
  };

  CHECK(test::verdicts(audit_draft(drafted("1024"))) ==
        "efficiency, devices=8 100%: follows\nefficiency, devices=16 97.4%: follows\n");
  CHECK(drafted("768").files.at("dataset.yaml").find("scaling: weak") == std::string::npos);
}

TEST_CASE("runs of one number of devices and one batch say nothing of weak scaling", "[audit]") {
  const Draft draft =
      draft_dataset(read_csv("Precision,GPUs,Global batch,img/s,Speedup\nFP32,8,512,5240,1.00x\n"
                             "BF16,8,512,10204,1.95x\n",
                             "a.csv"),
                    "a.csv");

  CHECK_THAT(draft.files.at("dataset.yaml"), !Catch::Contains("scaling: weak"));
  CHECK(draft.notes.empty());
}

TEST_CASE("a table with a column for each run is not read", "[audit]") {
  const std::string transposed =
      "| Number of GPUs | 8 | 16 |\n|---|---|---|\n| Step time (s) | 4.12 | 2.11 |\n"
      "| Throughput (samples/s) | 124.3 | 242.7 |\n| Speedup | 1.00 | 1.95 |\n";
  const std::string phases =
      "\n| Phase | 8 | 16 |\n|---|---|---|\n| Compute time | 4.1 | 2.1 |\n| Communication | 0.3 | "
      "0.4 |\n";

  CHECK_THROWS_WITH(draft_dataset(read_markdown(transposed), "a.md"),
                    Catch::Contains("a.md: the table in lines 1-5 was not read") &&
                        Catch::Contains("transpose it"));
  const Draft draft = draft_dataset(read_markdown(transposed + phases), "a.md");
  CHECK(draft.notes.size() == 1);
  CHECK(draft.files.contains("t1.csv"));  // one quantity in all rows can be read
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
