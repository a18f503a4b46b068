// Forms in which real reports print runs and units, as a draft reads them.
#include <string>
#include <vector>

#include "harness/audit/draft/draft.h"
#include "tests/audit/dataset_folder.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::audit;

namespace {

// The draft's only CSV file of a table of two columns with one row each.
std::string csv_of(const std::string& heading, const std::string& cell) {
  const Draft draft = draft_dataset(
      read_markdown("| " + heading + " | img/s |\n|---|---|\n| " + cell + " | 10 |\n"), "a.md");
  return draft.files.at("t1.csv");
}

TEST_CASE("nodes times GPUs become a column of each", "[audit]") {
  const std::string both = "nodes,gpus,img_s\n4,32,10\n";

  CHECK(csv_of("Nodes × GPUs", "4 × 8") == both);
  CHECK(csv_of("GPUs (nodes x per node)", "4x8 A100") == both);
  CHECK(csv_of("Setup", "4 nodes x 8 GPUs") == both);
  CHECK(csv_of("GPUs × nodes", "8 × 4") == both);
  CHECK(csv_of("GPUs/node × nodes", "8 × 4") == both);
  CHECK(csv_of("Setup", "8 GPUs x 4 nodes") == both);
  CHECK(csv_of("GPUs", "4 × 8") == "gpus,img_s\n32,10\n");  // which are the nodes, nothing says
}

TEST_CASE("what only looks like nodes times GPUs is left as it is", "[audit]") {
  CHECK(csv_of("GPUs", "8x V100") == "gpus,img_s\n8x V100,10\n");
  CHECK(csv_of("GPUs", "4 × 80 GB").find("320") == std::string::npos);
  CHECK(csv_of("Batch (per GPU × GPUs)", "4 × 8").find("4 × 8") != std::string::npos);
  CHECK(csv_of("GPUs per node", "2 × 4").find("2 × 4") != std::string::npos);
  CHECK(csv_of("GPUs", "4 × 8 × 2").find("4 × 8 × 2") != std::string::npos);
}

// dataset.yaml as it is drafted from a table in Markdown.
std::string draft_text(const std::string& table) {
  return draft_dataset(read_markdown(table), "a.md").files.at("dataset.yaml");
}

TEST_CASE("only headings about nodes or GPUs make layouts of cells", "[audit]") {
  CHECK(csv_of("GPU tile", "128x64").find("8192") == std::string::npos);
  const std::string text = draft_text(
      "| GPUs | Layout (DP x TP on GPUs) | img/s |\n|---|---|---|\n| 4 | 2x2 | 390 |\n"
      "| 8 | 4x2 | 760 |\n");
  CHECK(text.find("quantity: devices") == text.rfind("quantity: devices"));
  CHECK(csv_of("GPU config", "4 × 8") == "gpus,img_s\n32,10\n");
}

TEST_CASE("columns made of layouts keep the heading that is printed", "[audit]") {
  const std::string text = draft_text("| Nodes × GPUs | img/s |\n|---|---|\n| 4 × 8 | 10 |\n");

  CHECK_THAT(text,
             !Catch::Contains("by its heading\"\n      - column: gpus") &&
                 Catch::Contains("column: nodes\n        heading: \"Nodes × GPUs\"\n") &&
                 Catch::Contains("column: gpus\n        heading: \"Nodes × GPUs\"\n"));
}

TEST_CASE("layouts that only their rest tells apart stay as they are", "[audit]") {
  const auto csv = [](const std::string& second) {
    return draft_dataset(read_markdown("| GPUs | img/s |\n|---|---|\n| 4x8 A100 | 390 |\n| " +
                                       second + " | 760 |\n"),
                         "a.md")
        .files.at("t1.csv");
  };

  CHECK(csv("4x8 H100") == "gpus,img_s\n4x8 A100,390\n4x8 H100,760\n");
  CHECK(csv("8x8 A100") == "gpus,img_s\n32,390\n64,760\n");
}

std::string drafted_column(const std::string& heading, const std::string& cell) {
  return draft_dataset(
             read_markdown("| GPUs | " + heading + " |\n|---|---|\n| 8 | " + cell + " |\n"), "a.md")
      .files.at("dataset.yaml");
}

TEST_CASE("powers of ten in a heading count", "[audit]") {
  for (const char* heading :
       {"img/s (×10³)", "Throughput (10^3 img/s)", "Throughput (x10^3 img/s)", "img/s [×10³]"}) {
    CAPTURE(heading);
    CHECK_THAT(drafted_column(heading, "2.77"),
               Catch::Contains("quantity: throughput") && Catch::Contains("unit: \"k img/s\""));
  }
  CHECK_THAT(drafted_column("Images/s (thousands)", "2.77"), Catch::Contains("\"k Images/s\""));
  CHECK_THAT(drafted_column("Throughput (×10⁶)", "2.77"), Catch::Contains("unit: \"M\""));
  CHECK_THAT(drafted_column("Parameters (B)", "1.5"), Catch::Contains("unit: \"B\""));
  CHECK_THAT(drafted_column("Parameters (B)", "340M"), !Catch::Contains("unit:"));
  CHECK_THAT(drafted_column("Global batch (×10³)", "4"), Catch::Contains("unit: \"k\""));
  CHECK_THAT(drafted_column("Batch size (B)", "32"), !Catch::Contains("unit:"));
}

TEST_CASE("a power of ten makes no rate of what is none", "[audit]") {
  CHECK_THAT(drafted_column("Time (×10³ s)", "2.5"), Catch::Contains("quantity: other"));
  CHECK_THAT(drafted_column("Data (×10^6 bytes)", "4.5"), Catch::Contains("quantity: other"));
  CHECK_THAT(drafted_column("Epochs (10^3)", "3"),
             Catch::Contains("quantity: epochs") && Catch::Contains("unit: \"k\""));
  CHECK_THAT(drafted_column("Tokens (×10⁹)", "100"),
             Catch::Contains("quantity: tokens") && Catch::Contains("unit: \"B\""));
}

// 4 x 1024 / 0.5 s = 8,192 tokens/s: read as 8.19 tokens/s, it did not follow.
TEST_CASE("a rate in thousands follows from batch and step time", "[audit]") {
  const Draft draft = draft_dataset(
      read_markdown("| GPUs | Global batch | Seq len | Step time (ms) | tokens/s (×10³) |\n"
                    "|---|---|---|---|---|\n| 1 | 4 | 1024 | 500.0 | 8.19 |\n"
                    "| 2 | 8 | 1024 | 512.0 | 16.0 |\n"),
      "a.md");
  const test::TemporaryFolder folder;
  for (const auto& [name, text] : draft.files) {
    test::write_file(folder.file(name), text);
  }

  CHECK(test::verdicts(audit_dataset(load_dataset(folder.path()))) ==
        "tokens_s_10, devices=1 8.19: follows\ntokens_s_10, devices=2 16.0: follows\n");
}

TEST_CASE("a draft names the cell that leaves a known heading unread", "[audit]") {
  const auto notes = [](const std::string& heading, const std::string& cell) {
    return draft_dataset(
               read_markdown("| GPUs | " + heading + " |\n|---|---|\n| 8 | " + cell + " |\n"),
               "a.md")
        .notes;
  };
  using Notes = std::vector<std::string>;

  CHECK(notes("Speedup", "7.45x (b)") ==
        Notes{"table 1: column \"Speedup\" was read as plain numbers because of \"7.45x (b)\" in "
              "row 1"});
  CHECK(notes("Total time (h)", "10h 30m").size() == 1);
  CHECK(notes("Throughput (img/s)", "360 ± 3%").size() == 1);
  CHECK(notes("Step time", "12.5").empty());
  CHECK(notes("Step time (ms)", "12.5").empty());
  CHECK(notes("TFLOPS/GPU", "150").empty());
  // None of its cells can be read.
  CHECK(notes("Throughput (img/s)", "1'412.3") ==
        Notes{"table 1: column \"Throughput (img/s)\" was read as text because of \"1'412.3\" in "
              "row 1"});
}

TEST_CASE("a table with decimal commas is refused with a cell and how to type it", "[audit]") {
  struct Case {
    const char* heading;
    const char* cell;
    const char* typed;
  };
  for (const auto& [heading, cell, typed] : std::vector<Case>{
           {"img/s", "412,3", "412.3"},
           {"img/s", "1.561,1", "1561.1"},
           {"img/s", "1 561,1", "1561.1"},
           {"img/s", "1\u00a0561,1", "1561.1"},
           {"Durchsatz", "1.234.561,1", "1234561.1"},
           {"Efficiency", "97,2 %", "97.2 %"},
           {"Step time (s)", "0,412", "0.412"},
           {"Step time", "4,0ms (2,0x)", "4.0ms (2.0x)"},
           {"Cost", "$1,50", "$1.50"},
       }) {
    CAPTURE(heading, cell);
    CHECK_THROWS_WITH(drafted_column(heading, cell),
                      "a.md: the table in lines 1-3 was not read, because column \"" +
                          std::string(heading) +
                          "\" has decimal commas; type decimals with points: \"" + typed +
                          "\" for \"" + cell + "\" in row 1");
  }
  // Beside whole numbers and runs that failed.
  CHECK_THROWS_WITH(
      draft_text("| GPUs | Speedup |\n|---|---|\n| 1 | 1 |\n| 2 | 1,9 |\n| 4 | OOM |\n"),
      "a.md: the table in lines 1-5 was not read, because column \"Speedup\" has "
      "decimal commas; type decimals with points: \"1.9\" for \"1,9\" in row 2");
}

TEST_CASE("tables beside one with decimal commas are drafted and counted", "[audit]") {
  const Draft draft =
      draft_dataset(read_markdown("| GPUs | Speedup |\n|---|---|\n| 1 | 1,00 |\n| 2 | 1,94 |\n\n"
                                  "| GPUs | img/s |\n|---|---|\n| 1 | 4,371 |\n"),
                    "a.md");

  CHECK(draft.notes == std::vector<std::string>{
                           "the table in lines 1-4 was not read, because column \"Speedup\" has "
                           "decimal commas; type decimals with points: \"1.00\" for \"1,00\" in "
                           "row 1"});
  CHECK(draft.table_count == 1);
  CHECK(draft.files.at("t1.csv") == "gpus,img_s\n1,\"4,371\"\n");
}

TEST_CASE("lists and a lone misprint are no decimal commas of a table", "[audit]") {
  const auto drafted = [](const std::string& table) {
    return draft_dataset(read_markdown(table), "a.md");
  };
  const Draft pairs = drafted("| Pair | GB/s |\n|---|---|\n| 0,1 | 24 |\n| 2,3 | 22 |\n");
  const Draft lists = drafted("| img/s | GPUs | Used |\n|---|---|---|\n| 412 | 0,1 | 0,1,2,3 |\n");
  const Draft used = drafted(
      "| GPUs | Used | img/s |\n|---|---|---|\n| 1 | 0 | 412 |\n| 2 | 0,1 | 800 |\n"
      "| 4 | 0,1,2,3 | 1500 |\n");
  const Draft later = drafted("| GB/s | Pair |\n|---|---|\n| 24 | 0,1 |\n| 22 | 2,3 |\n");
  const Draft misprint =
      drafted("| GPUs | Step time (ms) |\n|---|---|\n| 1 | 99.8 |\n| 2 | 56.0 |\n| 4 | 31,2 |\n");

  CHECK(pairs.notes.empty());
  CHECK(pairs.files.at("t1.csv") == "pair,gb_s\n\"0,1\",24\n\"2,3\",22\n");
  CHECK(lists.table_count == 1);
  CHECK(used.table_count == 1);
  CHECK(later.table_count == 1);
  CHECK(misprint.notes == std::vector<std::string>{"table 1: column \"Step time (ms)\" was read as "
                                                   "text because of \"31,2\" in row 3"});
}

std::vector<Finding> audit_drafted(const std::string& table) {
  const test::TemporaryFolder folder;
  for (const auto& [name, text] : draft_dataset(read_markdown(table), "a.md").files) {
    test::write_file(folder.file(name), text);
  }
  return audit_dataset(load_dataset(folder.path()));
}

// Efficiency of n devices, of which the table prints 90.0 %.
TEST_CASE("zeros are digits where a larger number of the column shows units", "[audit]") {
  const auto audited = [](const std::string& one, const std::string& two) {
    return test::verdicts(audit_drafted("| GPUs | img/s | Efficiency |\n|---|---|---|\n| 1 | " +
                                        one + " | 100.0% |\n| 2 | " + two + " | 90.0% |\n"));
  };
  const auto is_called_wrong = Catch::Contains("90.0%: does not follow");

  // [1145, 1155] held 90.0 %; 2,061 / 1,150 / 2 is 89.6 %.
  CHECK_THAT(audited("1,150", "2,061"), is_called_wrong);
  CHECK_THAT(audited("1,150", "2,060"), !is_called_wrong);    // both may be rounded
  CHECK_THAT(audited("1,151", "2,070"), !is_called_wrong);    // [2065, 2075] holds 90.0 %
  CHECK_THAT(audited("1,150", "2.061 K"), !is_called_wrong);  // another unit
}

// Each printed by somebody who computed and rounded right.
TEST_CASE("drafts of honest tables call no figure wrong", "[audit]") {
  const std::string rates = "| GPUs | img/s | Speedup |\n|---|---|---|\n";
  const std::string times = "| Phase | Time (ms) |\n|---|---|\n";
  const std::vector<std::string> tables{
      "| Setting | Time saved (ms) |\n|---|---|\n| Checkpointing | 130.1 |\n"
      "| Offload | 150.2 |\n| All | 161.5 |\n",
      times + "| Forward | 32 |\n| Backward | 64 |\n| All-reduce | 28 |\n| Total | 104 |\n",
      times +
          "| Forward | 32.1 |\n| Backward | 64.2 |\n| - of which all-reduce | 28.3 |\n"
          "| Total | 96.3 |\n",
      // Rounded to 25, and to 5 minutes.
      rates + "| 1 | 600 | 1.00 |\n| 2 | 1,175 | 1.99 |\n| 4 | 2,325 | 3.93 |\n",
      "| GPUs | Total time (min) | Speedup |\n|---|---|---|\n| 1 | 125 | 1.0x |\n"
      "| 4 | 40 | 3.4x |\n| 8 | 20 | 6.8x |\n",
      // Rounded as their spreads are.
      rates + "| 1 | 1,200 ± 100 | 1.00 |\n| 8 | 8,437 ± 12 | 6.80 |\n",
      rates + "| 1 | 1,200 ± 100 | 1.00 |\n| 8 | 8,437 | 6.80 |\n",
      // Over one GPU, which is not printed.
      rates + "| 2 | 1970.4 | 2x |\n| 4 | 3901.2 | 3.9x |\n| 8 | 7603.1 | 7.6x |\n",
      "| GPUs | img/s |\n|---|---|\n| 4x8 A100 | 390 |\n| 4x8 H100 | 760 |\n"};

  for (const std::string& table : tables) {
    CAPTURE(table);
    CHECK_THAT(test::verdicts(audit_drafted(table)),
               !Catch::Contains("does not follow") && !Catch::Contains("implausible"));
  }
}

TEST_CASE("a total below the sum of its column is told and not checked", "[audit]") {
  const Draft draft = draft_dataset(
      read_markdown("| Phase | Time (ms) | Cost ($) |\n|---|---|---|\n| Forward | 32 | 3.21 |\n"
                    "| Backward | 64 | 6.42 |\n| All-reduce | 28 | 2.81 |\n"
                    "| Total | 104 | 12.44 |\n"),
      "a.md");

  CHECK(draft.notes ==
        std::vector<std::string>{
            "table 1: the total of \"Time (ms)\" is not checked, as it is less than the sum of the "
            "other rows: they may overlap, or be parts of others"});
  const std::string& yaml = draft.files.at("dataset.yaml");
  CHECK_THAT(yaml, Catch::Contains("unit: \"ms\"\n        total: false"));
  CHECK(yaml.find("total: false") == yaml.rfind("total: false"));
  CHECK_THAT(yaml, Catch::Contains("total_row: {operation: \"Total\"}"));
}

TEST_CASE("a last row of sums is checked in a draft, columns of means and peaks are not",
          "[audit]") {
  const std::string head = "| Phase | Time (ms) | Memory (GB) |\n|---|---|---|\n";
  const std::string table =
      head + "| forward | 20.5 | 3.0 |\n| backward | 43.5 | 4.0 |\n| Total | 66.0 | 4.0 |\n";

  CHECK_THAT(draft_text(table),
             Catch::Contains("    total_row: {operation: \"Total\"}") &&
                 Catch::Contains("quantity: memory\n        unit: \"GB\"\n        total: false"));
  CHECK(test::verdicts(audit_drafted(table)) == "time_ms, operation=Total 66.0: does not follow\n");
  const auto sums = Catch::Contains("total");
  CHECK_THAT(draft_text(head + "| forward | 20.5 | 3.0 |\n| backward | 43.5 | 4.0 |\n"
                               "| Overall | 32.0 | 3.5 |\n"),
             !sums);
  CHECK_THAT(draft_text(head + "| forward | 20.5 | 3.0 |\n| All-Reduce | 31.0 | 4.0 |\n"), !sums);
  for (const std::string& name : std::vector<std::string>{"All", "Overall"}) {
    CHECK_THAT(draft_text(head + "| forward | 20.5 | 3.0 |\n| backward | 43.5 | 4.0 |\n| " + name +
                          " | 66.0 | 8.0 |\n"),
               !sums);
  }
}

TEST_CASE("a heading names what its last noun is", "[audit]") {
  CHECK_THAT(drafted_column("Implementation Effort", "Low"), Catch::Contains("quantity: label"));
  CHECK_THAT(drafted_column("Multi-GPU Benefit", "Never"), Catch::Contains("quantity: label"));
  CHECK_THAT(drafted_column("GPU type", "A100"), Catch::Contains("quantity: hardware"));
  CHECK_THAT(drafted_column("GPU model", "A100"), Catch::Contains("quantity: hardware"));
  CHECK_THAT(drafted_column("System architectures", "x86"), Catch::Contains("quantity: hardware"));
  CHECK_THAT(drafted_column("Framework (version)", "JAX"), Catch::Contains("quantity: framework"));
  CHECK_THAT(drafted_column("Sample Models", "BERT"), Catch::Contains("quantity: model"));
  CHECK_THAT(drafted_column("Strategies", "DDP"), Catch::Contains("quantity: strategy"));
  CHECK_THAT(drafted_column("batch_per_device", "32"),
             Catch::Contains("quantity: batch_per_device"));
  CHECK_THAT(drafted_column("batch_global", "32"), Catch::Contains("quantity: batch_global"));
}

// 100e9 / 145,267 per second are 191 hours.
TEST_CASE("sizes of data in tokens are numbers of tokens", "[audit]") {
  CHECK(test::verdicts(
            audit_drafted("| Dataset Size | tokens/s | Total time |\n|---|---|---|\n"
                          "| 100B tokens | 145,267 | 5.7 hours |\n| 1T tokens | 145,267 | 57 hours "
                          "|\n")) ==
        "total_time, tokens=100B tokens 5.7 hours: does not follow\n"
        "total_time, tokens=1T tokens 57 hours: does not follow\n");
  CHECK_THAT(drafted_column("Dataset", "ImageNet"), Catch::Contains("quantity: data\n"));
  CHECK_THAT(drafted_column("Dataset Size", "120 GB"), Catch::Contains("quantity: size"));
}

TEST_CASE("documents are read by their extensions, others are refused", "[audit]") {
  const std::string csv = "GPUs,Speedup\n2,1.9\n";
  const std::string markdown = "| GPUs | Speedup |\n|---|---|\n| 2 | 1.9 |\n";

  for (const char* path : {"T.CSV", "a.b/t.csv"}) {
    CHECK(read_document(csv, path).tables.size() == 1);
  }
  for (const char* path : {"T.MD", "t.markdown", "t.txt", "README", "a.b/README"}) {
    CHECK(read_document(markdown, path).tables.size() == 1);
  }
  for (const char* path : {"t.tsv", "t.xlsx", "t.html"}) {
    CHECK_THROWS_WITH(read_document(markdown, path),
                      Catch::StartsWith(std::string(path) + ": ") &&
                          Catch::Contains("only Markdown (.md, .markdown, .txt) and CSV (.csv); "
                                          "export the table as CSV"));
  }
}

}  // namespace
