// Drafts of honest tables accuse nothing, and find the one error that is planted in them.
#include <string>
#include <vector>

#include "harness/audit/draft/draft.h"
#include "tests/audit/dataset_folder.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::audit;

namespace {

std::string verdicts_of_draft(const std::string& markdown) {
  const test::TemporaryFolder folder;
  for (const auto& [name, text] : draft_dataset(read_markdown(markdown), "a.md").files) {
    test::write_file(folder.file(name), text);
  }
  return test::verdicts(audit_dataset(load_dataset(folder.path())));
}

// - right: as the honest table prints it; it is there once.
// - found: the figure and verdict that the error leads to; empty: `wrong`, which does not follow.
void check_planted(const std::string& table,
                   const std::string& right,
                   const std::string& wrong,
                   const std::string& found = "") {
  std::string planted = table;
  REQUIRE(planted.find(right) != std::string::npos);
  REQUIRE(planted.find(right) == planted.rfind(right));
  planted.replace(planted.find(right), right.size(), wrong);
  CAPTURE(table, wrong);

  CHECK_THAT(verdicts_of_draft(table),
             !Catch::Contains("does not follow") && !Catch::Contains("implausible"));
  CHECK_THAT(verdicts_of_draft(planted),
             Catch::Contains(" " + (found.empty() ? wrong + ": does not follow" : found)));
}

TEST_CASE("a training that takes as long on more devices is one of weak scaling", "[audit]") {
  // 10.00 / 10.62 = 94.2 %
  check_planted(
      "| GPUs | Training time (h) | Efficiency |\n|--:|--:|--:|\n| 1 | 10.00 | 100.0% |\n"
      "| 2 | 10.31 | 97.0% |\n| 4 | 10.62 | 94.2% |\n| 8 | 11.05 | 90.5% |\n",
      "94.2%",
      "84.2%");
  // 4 x 120.4 / 127.9 = 3.77
  check_planted(
      "| Nodes | Epoch time (s) | Speedup |\n|--:|--:|--:|\n| 1 | 120.4 | 1.00x |\n"
      "| 2 | 124.2 | 1.94x |\n| 4 | 127.9 | 3.77x |\n",
      "3.77x",
      "3.47x");
  // A time that shrinks is that of the same work: 10.00 / 5.31 / 2 = 94.2 %, and not 188 %.
  check_planted(
      "| GPUs | Training time (h) | Efficiency |\n|--:|--:|--:|\n| 1 | 10.00 | 100.0% |\n"
      "| 2 | 5.31 | 94.2% |\n",
      "94.2%",
      "188.3%");
}

TEST_CASE("devices that share a model have one batch in a draft", "[audit]") {
  // 4 x 4 = 16 samples in 0.68 s.
  const std::string grid =
      "| GPUs | TP | PP | DP | Micro-batch size | Global batch | Step time (s) | samples/s |\n"
      "|--:|--:|--:|--:|--:|--:|--:|--:|\n| 8 | 8 | 1 | 1 | 4 | 4 | 1.12 | 3.571 |\n"
      "| 16 | 8 | 1 | 2 | 4 | 8 | 1.17 | 6.838 |\n| 32 | 8 | 2 | 2 | 4 | 8 | 0.64 | 12.50 |\n"
      "| 64 | 8 | 2 | 4 | 4 | 16 | 0.68 | 23.53 |\n";

  check_planted(grid, "23.53", "33.53");
  check_planted(grid, "| 16 | 0.68", "| 12 | 0.68", "12: does not follow");
  check_planted(grid, "| 16 | 0.68", "| 20 | 0.68", "20: does not follow");
  // 1 x 128 x 2 = 256
  check_planted(
      "| TP | PP | DP | Micro batch | Grad accum | Global batch |\n|--:|--:|--:|--:|--:|--:|\n"
      "| 8 | 1 | 1 | 1 | 128 | 128 |\n| 8 | 2 | 1 | 1 | 192 | 192 |\n"
      "| 8 | 4 | 2 | 1 | 128 | 256 |\n",
      "| 256 |",
      "| 400 |",
      "400: does not follow");
  const std::string yaml = draft_dataset(read_markdown(grid), "a.md").files.at("dataset.yaml");
  CHECK_THAT(yaml, Catch::Contains("follows: {product: [micro_batch_size, dp]}"));
}

TEST_CASE("accumulated batches are read by what tables call them", "[audit]") {
  for (const char* batch : {"Batch per GPU", "Batch"}) {
    for (const char* steps : {"Grad accum steps", "grad_acc", "Micro-batches"}) {
      // 4 x 16 x 16 / 1.36 = 752.9
      check_planted("| GPUs | " + std::string(batch) + " | " + steps +
                        " | Step time (s) | samples/s |\n|--:|--:|--:|--:|--:|\n"
                        "| 8 | 4 | 16 | 1.31 | 390.8 |\n| 16 | 4 | 16 | 1.36 | 752.9 |\n"
                        "| 32 | 4 | 16 | 1.42 | 1442.3 |\n",
                    "752.9",
                    "852.9");
    }
  }
}

TEST_CASE("an overhead may be over the computation alone", "[audit]") {
  // 24.3 / 96.4 = 25.2 %, and 114.3 / 96.0 = 119.1 %
  check_planted(
      "| GPUs | Compute time (ms) | Comm time (ms) | Step time (ms) | Overhead |\n"
      "|--:|--:|--:|--:|--:|\n| 2 | 96.2 | 12.1 | 108.3 | 12.6% |\n"
      "| 4 | 96.4 | 24.3 | 120.7 | 25.2% |\n| 8 | 96.1 | 40.2 | 136.3 | 41.8% |\n"
      "| 16 | 96.0 | 114.3 | 210.3 | 119.1% |\n",
      "25.2%",
      "35.2%");
  // 120.7 / 96.4 - 1 = 25.2 %, and 210.3 / 96.0 - 1 = 119.1 %
  check_planted(
      "| GPUs | Step time (ms) | Time without communication (ms) | Overhead |\n"
      "|--:|--:|--:|--:|\n| 2 | 108.3 | 96.2 | 12.6% |\n| 4 | 120.7 | 96.4 | 25.2% |\n"
      "| 8 | 136.3 | 96.1 | 41.8% |\n| 16 | 210.3 | 96.0 | 119.1% |\n",
      "25.2%",
      "35.2%");
  // 1 - 96.4 / 120.7 = 20.1 %
  check_planted(
      "| GPUs | Step time (ms) | Time without communication (ms) | Overhead |\n"
      "|--:|--:|--:|--:|\n| 2 | 108.3 | 96.2 | 11.2% |\n| 4 | 120.7 | 96.4 | 20.1% |\n"
      "| 8 | 136.3 | 96.1 | 29.5% |\n",
      "20.1%",
      "30.1%");
}

TEST_CASE("several cores are busy for more than 100 % of one", "[audit]") {
  for (const char* heading : {"CPU utilization", "cpu_utilization", "Utilisation of CPU"}) {
    check_planted("| GPUs | " + std::string(heading) +
                      " | GPU utilization |\n|--:|--:|--:|\n| 1 | 340% | 97% |\n"
                      "| 8 | 1,212% | 93% |\n",
                  "93%",
                  "104%",
                  "104%: implausible");
  }
}

TEST_CASE("a row of other hardware is relative to no row of the usual one", "[audit]") {
  // 382.1 / 290.3 = 1.32; no H100 gives 1.11.
  const std::string table =
      "| Setting | Hardware | Median step time (ms) | Relative |\n|---|---|--:|--:|\n"
      "| eager | A100 | 382.1 | 1.00x |\n| channels last | A100 | 355.2 | 1.08x |\n"
      "| fused | A100 | 301.7 | 1.27x |\n| compiled | H100 | 198.4 | 1.11x |\n"
      "| graphs | A100 | 290.3 | 1.32x |\n| bf16 | A100 | 262.4 | 1.46x |\n";

  check_planted(table, "1.32x", "1.52x");
}

TEST_CASE("notes that tell rows apart stay in a draft", "[audit]") {
  // 400.2 / 55.4 = 7.22
  const std::string table =
      "| GPUs | Step time (ms) | Speedup | Notes |\n|--:|--:|--:|---|\n| 1 | 400.2 | 1.00x | |\n"
      "| 8 | 61.3 | 6.53x | |\n| 8 | 55.4 | 7.22x | with overlap |\n";

  check_planted(table, "7.22x", "7.82x");
  check_planted(table, "with overlap", "", "55.4: implausible");
}

TEST_CASE("a price is that of a GPU if its cells say so", "[audit]") {
  for (const char* unit : {"/GPU-h", "/GPU/h", " / GPU-hour"}) {
    const std::string price = std::string(" | $3.06") + unit + " | ";
    // 4 x 6.1 x 3.06 = 74.66
    check_planted("| GPUs | Training time (h) | Price | Cost ($) |\n|--:|--:|--:|--:|\n| 1 | 22.4" +
                      price + "68.54 |\n| 4 | 6.1" + price + "74.66 |\n| 8 | 3.4" + price +
                      "83.23 |\n",
                  "74.66",
                  "84.66");
  }
}

TEST_CASE("a column that is called after devices holds no numbers of them", "[audit]") {
  // 661 / 387 = 1.71
  check_planted(
      "| Model | 4 GPUs | 8 GPUs | Speedup |\n|---|--:|--:|--:|\n"
      "| ResNet-50 | 4,289 | 8,127 | 1.89x |\n| ViT-B | 1,733 | 3,368 | 1.94x |\n"
      "| BERT | 913 | 1,664 | 1.82x |\n| GPT-2 | 387 | 661 | 1.71x |\n"
      "| T5 | 1,219 | 2,007 | 1.65x |\n",
      "1.71x",
      "1.91x");
  CHECK_THROWS_WITH(
      verdicts_of_draft("| Metric | 4 GPUs | 8 GPUs |\n|---|--:|--:|\n"
                        "| Throughput (img/s) | 4,289 | 8,127 |\n| Step time (ms) | 60 | 63 |\n"
                        "| Efficiency (%) | 94 | 89 |\n"),
      Catch::Contains("transpose it"));
}

TEST_CASE("zeros are digits where most numbers with as many digits show units", "[audit]") {
  // 400 / 113 = 3.54; [350, 450] / 113 would hold 3.74.
  const std::string head = "| GPUs | Step time (ms) | Speedup |\n|--:|--:|--:|\n";
  check_planted(head +
                    "| 1 | 400 | 1.00x |\n| 2 | 207 | 1.93x |\n| 4 | 113 | 3.54x |\n"
                    "| 8 | 68 | 5.88x |\n",
                "3.54x",
                "3.74x");
  // One of three is no more than rounding to tens shows: 408 / 113 is 3.61.
  CHECK_THAT(
      verdicts_of_draft(head + "| 1 | 410 | 1.00x |\n| 2 | 210 | 1.94x |\n| 4 | 113 | 3.61x |\n"),
      !Catch::Contains("does not follow"));
}

TEST_CASE("tables that print the same figures are about the same runs", "[audit]") {
  const std::string speeds =
      "## Speed\n\n| GPUs | img/s | Step time (ms) |\n|--:|--:|--:|\n| 1 | 1,143 | 224.1 |\n"
      "| 2 | 2,213 | 231.4 |\n| 8 | 8,127 | 252.2 |\n\n";
  const std::string memory = "## Memory\n\n| GPUs | img/s | Memory (GB) |\n|--:|--:|--:|\n";
  const std::string same =
      memory + "| 1 | 1,143 | 31.2 |\n| 2 | 2,213 | 31.4 |\n| 8 | 8,127 | 31.9 |\n";

  check_planted(speeds + same, "8,127 | 31.9", "8,217 | 31.9", "8,217: does not follow");
  const Draft draft = draft_dataset(read_markdown(speeds + same), "a.md");
  CHECK(draft.notes ==
        std::vector<std::string>{
            "table 2: taken as about the runs of table 1, because both print the same figures of "
            "them; remove `experiment:` if it is not"});
  // One figure that agrees may do so by chance, and two that differ are of other runs.
  for (const char* rows : {"| 1 | 1,143 | 31.2 |\n| 2 | 2,544 | 31.4 |\n",
                           "| 1 | 1,143 | 31.2 |\n| 2 | 2,544 | 31.4 |\n| 8 | 9,871 | 31.9 |\n",
                           "| 1 | 1,100 | 31.2 |\n| 2 | 2,200 | 31.4 |\n| 8 | 8,100 | 31.9 |\n"}) {
    const Draft other = draft_dataset(read_markdown(speeds + memory + rows), "a.md");
    CAPTURE(rows);
    CHECK_THAT(other.files.at("dataset.yaml"), !Catch::Contains("experiment: t1"));
    CHECK(other.notes.empty());
  }
}

TEST_CASE("full memory and the most power are no sign of the same runs", "[audit]") {
  const std::string gpt =
      "## GPT-2\n\n| GPUs | Step time (ms) | Power (W) | Memory (GB) |\n|--:|--:|--:|--:|\n"
      "| 1 | 412 | 397 | 79.1 |\n| 2 | 221 | 793 | 79.1 |\n| 4 | 118 | 1584 | 79.1 |\n\n";
  const std::string bert =
      "## BERT\n\n| GPUs | Efficiency | Power (W) | Memory (GB) |\n|--:|--:|--:|--:|\n"
      "| 1 | 100% | 397 | 79.1 |\n| 2 | 71% | 793 | 79.1 |\n| 4 | 52% | 1584 | 79.1 |\n";

  CHECK(draft_dataset(read_markdown(gpt + bert), "a.md").notes.empty());
  CHECK_THAT(verdicts_of_draft(gpt + bert), !Catch::Contains("does not follow"));
}

TEST_CASE("a rate in thousands of any word follows from batches and times", "[audit]") {
  // 4 x 512 / 0.268 = 7,642
  check_planted(
      "| GPUs | Batch per GPU | Step time (s) | Ksentences/s |\n|--:|--:|--:|--:|\n"
      "| 1 | 512 | 0.256 | 2.00 |\n| 2 | 512 | 0.260 | 3.94 |\n| 4 | 512 | 0.268 | 7.64 |\n",
      "7.64",
      "8.64");
}

TEST_CASE("totals are the sums of the columns beside them", "[audit]") {
  // 14.1 + 1.7 + 7.1 + 12.2 = 35.1
  check_planted(
      "| Run | Parameters (GB) | Gradients (GB) | Optimizer (GB) | Activations (GB) | Total (GB) "
      "|\n"
      "|---|--:|--:|--:|--:|--:|\n| A | 14.1 | 13.9 | 55.8 | 12.3 | 96.1 |\n"
      "| B | 14.1 | 13.9 | 7.0 | 12.4 | 47.4 |\n| C | 14.1 | 1.7 | 7.1 | 12.2 | 35.1 |\n"
      "| D | 1.8 | 1.7 | 7.2 | 12.5 | 23.2 |\n",
      "35.1",
      "39.1");
  // 313.1 + 81.1 = 394.2
  check_planted(
      "| GPUs | Step time (ms) | Compute (ms) | Exposed comm (ms) |\n|--:|--:|--:|--:|\n"
      "| 8 | 331.7 | 310.6 | 21.1 |\n| 16 | 344.9 | 310.8 | 34.1 |\n"
      "| 32 | 363.3 | 311.2 | 52.1 |\n| 64 | 394.2 | 313.1 | 81.1 |\n",
      "394.2",
      "439.2");
}

TEST_CASE("whole times are counts of times, if all rows but one are", "[audit]") {
  // 90 x 431.2 s = 10.78 h
  check_planted(
      "| GPUs | Epochs | Time/epoch (s) | Total time (h) |\n|--:|--:|--:|--:|\n"
      "| 1 | 90 | 1617.6 | 40.44 |\n| 2 | 90 | 840.9 | 21.02 |\n| 4 | 90 | 431.2 | 10.78 |\n"
      "| 8 | 90 | 224.3 | 5.61 |\n",
      "10.78",
      "12.78");
  // 21,700 x 0.9022 s = 5.438 h
  const auto table = [](const std::string& hours) {
    return "| Optimizer | Step time (s) | Steps to target | Total time (h) |\n|---|--:|--:|--:|\n"
           "| AdamW | 0.8121 | 20,000 | 4.512 |\n| AdamW8 | 0.8314 | 20,400 | 4.711 |\n"
           "| Adafactor | 0.9022 | 21,700 | " +
           hours + " |\n| Lion | 0.7743 | 19,100 | 4.108 |\n";
  };
  check_planted(table("5.438"), "5.438", "5.988");
  // 5 % more may be an evaluation.
  CHECK_THAT(verdicts_of_draft(table("5.711")), !Catch::Contains("does not follow"));
}

TEST_CASE("bandwidths and costs follow from sizes, times and prices", "[audit]") {
  // 156.3 / 64.53 = 2.422
  check_planted(
      "| Run | Checkpoint size (GB) | Save time (s) | Write bandwidth (GB/s) |\n|---|--:|--:|--:|\n"
      "| A | 15.62 | 7.431 | 2.102 |\n| B | 83.91 | 35.72 | 2.349 |\n| C | 156.3 | 64.53 | 2.422 "
      "|\n"
      "| D | 838.7 | 363.4 | 2.308 |\n",
      "2.422",
      "1.922");
  // 19.66 x 104.3 = 2,050.54
  check_planted(
      "| Purchase | $/node-hour | Hours | Total cost |\n|---|--:|--:|--:|\n"
      "| On-demand | $32.77 | 104.3 | $3,417.91 |\n| Reserved | $19.66 | 104.3 | $2,050.54 |\n"
      "| Block | $24.10 | 104.3 | $2,513.63 |\n| Spot | $11.80 | 121.4 | $1,432.52 |\n",
      "$2,050.54",
      "$2,350.54");
  // 256 x 8.42 x 24 x 2 = 103,465
  for (const char* heading : {"Cost at $2/GPU-h",
                              "Total cost ($2/GPU-h)",
                              "Estimated training cost (at $2.00/GPU-hour)"}) {
    check_planted("| Tokens | GPUs | Days | " + std::string(heading) +
                      " |\n|--:|--:|--:|--:|\n"
                      "| 100B | 256 | 2.81 | $34,529 |\n| 300B | 256 | 8.42 | $103,465 |\n"
                      "| 1T | 256 | 28.1 | $345,293 |\n",
                  "$103,465",
                  "$123,465");
  }
}

TEST_CASE("percentages may be what others leave of the whole", "[audit]") {
  // 100 - 15.8 = 84.2
  check_planted(
      "| Stages | Micro-batches | Bubble fraction | Ideal efficiency |\n|--:|--:|--:|--:|\n"
      "| 2 | 8 | 11.1% | 88.9% |\n| 4 | 8 | 27.3% | 72.7% |\n| 8 | 8 | 46.7% | 53.3% |\n"
      "| 4 | 16 | 15.8% | 84.2% |\n| 8 | 16 | 30.4% | 69.6% |\n",
      "84.2%",
      "74.2%");
}

TEST_CASE("FLOP/s of all devices follow from those of one beside them", "[audit]") {
  // 512 x 138.2 = 70,758
  check_planted(
      "| Model | GPUs | Achieved TFLOP/s per GPU | Aggregate PFLOP/s |\n|---|--:|--:|--:|\n"
      "| A | 32 | 135.1 | 4.323 |\n| B | 64 | 142.3 | 9.107 |\n| C | 512 | 138.2 | 70.76 |\n",
      "70.76",
      "84.76");
}

}  // namespace
