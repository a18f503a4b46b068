// Honest tables of real shapes, of which a draft must accuse no figure.
#include <string>
#include <vector>

#include <fmt/format.h>

#include "harness/audit/draft/draft.h"
#include "tests/audit/dataset_folder.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::audit;

namespace {

std::string honest_yaml(const std::string& table) {
  return draft_dataset(read_markdown(table), "a.md").files.at("dataset.yaml");
}

std::string honest_verdicts(const std::string& table) {
  const test::TemporaryFolder folder;
  for (const auto& [name, text] : draft_dataset(read_markdown(table), "a.md").files) {
    test::write_file(folder.file(name), text);
  }
  return test::verdicts(audit_dataset(load_dataset(folder.path())));
}

void check_no_accusation(const std::vector<std::string>& tables) {
  for (const std::string& table : tables) {
    CAPTURE(table);
    CHECK_THAT(honest_verdicts(table),
               !Catch::Contains("does not follow") && !Catch::Contains("implausible"));
  }
}

TEST_CASE("speedups over something else than devices are none of scaling", "[audit]") {
  const std::string rates = "| GPUs | samples/s | ";
  const std::string below = " |\n|--:|--:|--:|\n";

  check_no_accusation({
      rates + "Speedup vs NCCL 2.18" + below +
          "| 1 | 1,144 | 1.00x |\n| 2 | 2,213 | 1.03x |\n| 4 | 4,289 | 1.07x |\n"
          "| 8 | 8,127 | 1.16x |\n",
      rates + "Speedup vs. previous" + below +
          "| 1 | 1,144 | - |\n| 2 | 2,213 | 1.93x |\n| 4 | 4,289 | 1.94x |\n"
          "| 8 | 8,127 | 1.89x |\n",
      rates + "Efficiency vs. previous row" + below +
          "| 1 | 1,144 | - |\n| 2 | 2,213 | 96.7% |\n| 4 | 4,289 | 96.9% |\n"
          "| 8 | 8,127 | 94.7% |\n",
      rates + "Incremental efficiency" + below +
          "| 1 | 1,144 | - |\n| 2 | 2,213 | 97% |\n| 4 | 4,289 | 97% |\n| 8 | 8,127 | 95% |\n",
      // A gain: 2,213 / 1,144 is 194 %.
      rates + "Speedup (%)" + below +
          "| 1 | 1,144 | - |\n| 2 | 2,213 | 93% |\n| 4 | 4,289 | 275% |\n| 8 | 8,127 | 610% |\n",
      "| GPUs | Config | samples/s | Speedup |\n|--:|---|--:|--:|\n"
      "| 8 | baseline | 8,127 | 1.00x |\n| 8 | overlap | 9,021 | 1.11x |\n"
      "| 16 | baseline | 15,810 | 1.00x |\n| 16 | overlap | 17,865 | 1.13x |\n"
      "| 32 | baseline | 29,120 | 1.00x |\n| 32 | overlap | 34,362 | 1.18x |\n",
  });
}

TEST_CASE("a speedup over a node is not over a device", "[audit]") {
  check_no_accusation({
      "| GPUs | samples/s | Speedup vs 1 node |\n|--:|--:|--:|\n| 1 | 1,144 | 0.14x |\n"
      "| 8 | 8,127 | 1.00x |\n| 16 | 15,810 | 1.95x |\n",
      "| GPUs | samples/s | Speedup over one node | Efficiency |\n|--:|--:|--:|--:|\n"
      "| 8 | 7,412 | 1.00x | 92% |\n| 16 | 14,310 | 1.93x | 89% |\n| 32 | 27,600 | 3.72x | 86% |\n",
      "| Nodes | GPUs | Speedup (vs. 1 node) | Efficiency (vs. 1 GPU) |\n|--:|--:|--:|--:|\n"
      "| 1 | 8 | 1.00x | 92% |\n| 2 | 16 | 1.93x | 89% |\n| 4 | 32 | 3.72x | 86% |\n",
  });
  CHECK_THAT(honest_yaml("| Nodes | GPUs | img/s | Speedup vs 1 node |\n|--:|--:|--:|--:|\n"
                         "| 1 | 8 | 7,412 | 1.00x |\n| 2 | 16 | 14,310 | 1.93x |\n"),
             Catch::Contains("baseline: {nodes: 1}"));
}

TEST_CASE("speedups over devices are still checked whatever their heading says", "[audit]") {
  for (const char* heading : {"Speedup",
                              "Speedup vs 1 GPU",
                              "speedup_vs_1_gpu",
                              "Speedup over a single GPU",
                              "Speedup over one GPU",
                              "Speedup vs 1x V100",
                              "Speedup vs 1",
                              "Speedup vs. linear",
                              "Speedup (mean over 3 runs)"}) {
    CAPTURE(heading);
    CHECK_THAT(honest_verdicts("| GPUs | img/s | " + std::string(heading) +
                               " |\n|--:|--:|--:|\n| 1 | 1,144 | 1.00x |\n| 2 | 2,213 | 1.93x |\n"
                               "| 8 | 8,127 | 7.90x |\n"),
               Catch::Contains("7.90x: does not follow"));
  }
}

TEST_CASE("a rule over another row that ends where a row prints 1 is none", "[audit]") {
  check_no_accusation({
      "| Model | Precision | samples/s | Relative |\n|---|---|--:|--:|\n"
      "| ResNet-50 | FP32 | 382.1 | 1.00x |\n| ResNet-50 | TF32 | 701.4 | 1.84x |\n"
      "| ResNet-50 | FP16 | 1188.2 | 3.11x |\n| ResNet-50 | BF16 | 1171.9 | 3.07x |\n"
      "| ViT-B | FP32 | 201.3 | 1.00x |\n",
      // No row prints 1 again, and two are of another model.
      "| Setting | samples/s | Relative |\n|---|--:|--:|\n| a | 382.1 | 1.00x |\n"
      "| b | 701.4 | 1.84x |\n| c | 1188.2 | 3.11x |\n| d | 1171.9 | 3.07x |\n"
      "| e | 688.8 | 3.42x |\n| f | 301.1 | 3.06x |\n",
  });
}

TEST_CASE("rows that name groups become a column", "[audit]") {
  const auto table = [](const std::string& last) {
    return "| GPUs | img/s | Speedup |\n|--:|--:|--:|\n| **ResNet-50** | | |\n"
           "| 1 | 382.1 | 1.00x |\n| 8 | 2,188.2 | 5.73x |\n| **ViT-B** | | |\n"
           "| 1 | 201.3 | 1.00x |\n| 8 | 1,500.1 | " +
           last + " |\n";
  };

  check_no_accusation({table("7.45x")});
  CHECK_THAT(honest_verdicts(table("7.95x")),
             Catch::Contains("speedup, group=ViT-B, devices=8 7.95x: does not follow"));
  // A first run without figures is no group of the others.
  CHECK_THAT(honest_yaml("| GPUs | img/s | Speedup |\n|--:|--:|--:|\n| 1 | | |\n"
                         "| 8 | 2,188.2 | 5.73x |\n"),
             !Catch::Contains("Group"));
}

TEST_CASE("ideal and predicted speedups are not measured ones", "[audit]") {
  check_no_accusation({
      "| GPUs | samples/s | Speedup | Ideal speedup |\n|--:|--:|--:|--:|\n"
      "| 1 | 1,144 | 1.00x | 1x |\n| 2 | 2,213 | 1.93x | 2x |\n| 8 | 8,127 | 7.10x | 8x |\n",
      "| GPUs | Step time (ms) | Predicted speedup |\n|--:|--:|--:|\n| 1 | 400.0 | 1.00 |\n"
      "| 2 | 210.5 | 1.94 |\n| 4 | 114.3 | 3.67 |\n| 8 | 67.8 | 6.61 |\n",
      "| GPUs | Step time (ms) | Speedup (theoretical) |\n|--:|--:|--:|\n| 1 | 400.0 | 1.00 |\n"
      "| 2 | 210.5 | 1.94 |\n| 4 | 114.3 | 3.67 |\n| 8 | 67.8 | 6.61 |\n",
  });
}

TEST_CASE("an efficiency of something else is none of scaling", "[audit]") {
  for (const char* what : {"Network", "Energy", "Memory", "Bandwidth", "SM"}) {
    const std::string table = "| GPUs | samples/s | " + std::string(what) +
                              " efficiency |\n|--:|--:|--:|\n| 1 | 1,144 | 100% |\n"
                              "| 2 | 2,213 | 71% |\n| 4 | 4,289 | 64% |\n";
    CAPTURE(table);
    CHECK_THAT(honest_yaml(table), !Catch::Contains("quantity: efficiency"));
    check_no_accusation({table});
  }
}

TEST_CASE("rates follow from mean step times, not from medians and extremes", "[audit]") {
  for (const char* which : {"Median step time", "p95 step time", "Max step time"}) {
    check_no_accusation({"| GPUs | Batch per GPU | " + std::string(which) +
                         " (ms) | samples/s |\n|--:|--:|--:|--:|\n| 1 | 64 | 55.1 | 1,144 |\n"
                         "| 2 | 64 | 57.0 | 2,213 |\n| 4 | 64 | 58.8 | 4,289 |\n"});
  }
}

TEST_CASE("prices are of a device only if a heading says so", "[audit]") {
  check_no_accusation(
      {"| Instance | GPUs | Price ($/h) | Training time (h) | Cost ($) |\n|---|--:|--:|--:|--:|\n"
       "| p3.2xlarge | 1 | 3.06 | 22.4 | 68.57 |\n| p3.8xlarge | 4 | 12.24 | 6.1 | 75.03 |\n"
       "| p3.16xlarge | 8 | 24.48 | 3.4 | 82.50 |\n"});
  for (const char* heading : {"Price per GPU ($/h)", "GPU price ($/h)", "$/GPU-h"}) {
    CAPTURE(heading);
    CHECK_THAT(honest_yaml("| GPUs | " + std::string(heading) + " |\n|--:|--:|\n| 8 | 3.06 |\n"),
               Catch::Contains("quantity: price_per_device_hour"));
  }
}

TEST_CASE("FLOP/s of all devices are not held to the peak of one", "[audit]") {
  // 1,267 / 8 / 312 = 50.8 %, 3,010 / 8 / 989 = 38.0 %
  for (const char* heading :
       {"Total achieved TFLOPS", "Aggregate achieved TFLOPS", "Achieved TFLOPS (all GPUs)"}) {
    const std::string achieved = heading;
    check_no_accusation(
        {"| Model | " + achieved +
             " | Peak TFLOPS | MFU |\n|---|--:|--:|--:|\n"
             "| A | 1,267 | 312 | 50.8% |\n| B | 1,398 | 312 | 56.0% |\n",
         "| Run | " + achieved +
             " | Peak TFLOPS | % of peak |\n|---|--:|--:|--:|\n"
             "| A100 | 171 | 312 | 54.8% |\n| H100 | 396 | 989 | 40.0% |\n"
             "| L40S | 121 | 362 | 33.4% |\n| H100 node | 3,010 | 989 | 38.0% |\n"});
  }
  CHECK_THAT(honest_yaml("| Model | Total achieved TFLOPS per GPU |\n|---|--:|\n| A | 158 |\n"),
             Catch::Contains("quantity: flop_rate_per_device"));
}

TEST_CASE("GPU-hours are no number of GPUs", "[audit]") {
  const std::string yaml = honest_yaml(
      "| GPUs | Tokens/s | GPU-hours |\n|--:|--:|--:|\n| 1024 | 3.70M | 74K |\n"
      "| 2048 | 2.14M | 360K |\n");

  CHECK(yaml.find("quantity: devices") == yaml.rfind("quantity: devices"));
}

TEST_CASE("columns of multiples of 5 or 25 are rounded to these", "[audit]") {
  const std::string head = "| GPUs | samples/s | Speedup |\n|--:|--:|--:|\n";

  // 8,127 / 1,143.7 and 8,132 / 1,144 were printed.
  check_no_accusation(
      {head + "| 1 | 1,145 | 1.000x |\n| 2 | 2,215 | 1.935x |\n| 8 | 8,125 | 7.106x |\n",
       head + "| 1 | 1,150 | 1.00 |\n| 2 | 2,225 | 1.94 |\n| 4 | 4,300 | 3.75 |\n"
              "| 8 | 8,125 | 7.11 |\n"});
  // One figure shows units: 8,127 / 1,145 is 7.098.
  CHECK_THAT(honest_verdicts(head + "| 1 | 1,145 | 1.000x |\n| 2 | 2,215 | 1.935x |\n"
                                    "| 8 | 8,127 | 7.106x |\n"),
             Catch::Contains("7.106x: does not follow"));
  // Beyond the steps of 5 too: 8,127.5 / 1,142.5 is 7.114.
  CHECK_THAT(honest_verdicts(head + "| 1 | 1,145 | 1.000x |\n| 2 | 2,215 | 1.935x |\n"
                                    "| 8 | 8,125 | 7.126x |\n"),
             Catch::Contains("7.126x: does not follow"));
  // Nobody rounds 150 to 50: 650 / 150 is 4.16 to 4.52, and not 3.57 to 5.4.
  CHECK_THAT(honest_verdicts("| GPUs | Step time (ms) | Speedup |\n|--:|--:|--:|\n"
                             "| 1 | 650 | 1.00x |\n| 2 | 350 | 1.86x |\n| 4 | 150 | 5.00x |\n"),
             Catch::Contains("5.00x: does not follow"));
}

TEST_CASE("a mean of speedups is not the ratio of mean rates", "[audit]") {
  // (1.66 + 1.12 + 2.62 + 1.24) / 4 = 1.66, and 835 / 572 = 1.46
  for (const char* name : {"Average",
                           "Averages",
                           "Mean (4 models)",
                           "All models (mean)",
                           "(mean)",
                           "Ø",
                           "Geomean",
                           "Geom. mean",
                           "Gmean",
                           "Arithmetic mean",
                           "Weighted average",
                           "Harmonic mean",
                           "Macro avg",
                           "Overall mean",
                           "Best",
                           "Worst",
                           "Max",
                           "Range",
                           "p95",
                           "Std",
                           "Std. dev.",
                           "StdDev",
                           "SD",
                           "sigma",
                           "σ",
                           "± std",
                           "Δ"}) {
    check_no_accusation(
        {"| Model | Before (img/s) | After (img/s) | Speedup |\n|---|--:|--:|--:|\n"
         "| A | 412 | 683 | 1.66x |\n| B | 1,021 | 1,143 | 1.12x |\n| C | 333 | 871 | 2.62x |\n"
         "| D | 521 | 644 | 1.24x |\n| " +
         std::string(name) + " | 572 | 835 | 1.66x |\n"});
  }
}

TEST_CASE("times that overlap and memory that is shared are less than their sums", "[audit]") {
  check_no_accusation({
      "| Config | Compute (ms) | Comm (ms) | Step time (ms) |\n|---|--:|--:|--:|\n"
      "| DDP, no overlap | 310.6 | 121.1 | 431.7 |\n"
      "| FSDP, no overlap | 322.4 | 184.3 | 506.7 |\n"
      "| ZeRO-1, no overlap | 311.9 | 133.8 | 445.7 |\n"
      "| DDP, overlap | 311.2 | 122.4 | 341.5 |\n",
      "| Batch | Weights (GB) | Activations (GB) | Peak (GB) |\n|--:|--:|--:|--:|\n"
      "| 1 | 14.02 | 2.41 | 16.43 |\n| 2 | 14.02 | 4.83 | 18.85 |\n"
      "| 4 | 14.02 | 9.67 | 23.69 |\n| 8 (recompute) | 14.02 | 19.34 | 18.11 |\n",
      "| Threads | User (s) | Sys (s) | Real (s) |\n|--:|--:|--:|--:|\n"
      "| 1 | 40.21 | 1.12 | 41.33 |\n| 1 (pinned) | 39.62 | 1.24 | 40.86 |\n"
      "| 1 (huge pages) | 38.11 | 1.08 | 39.19 |\n| 8 | 44.13 | 2.41 | 6.12 |\n",
  });
}

TEST_CASE("a part that one row alone has is no part of a formula", "[audit]") {
  check_no_accusation({
      // 88.7 + 311.2 + 122.4 = 522.3
      "| Run | I/O (s) | Compute (s) | Comm (s) | Total (s) |\n|---|--:|--:|--:|--:|\n"
      "| A | - | 310.6 | 121.1 | 431.7 |\n| B | - | 322.4 | 184.3 | 506.7 |\n"
      "| C | - | 311.9 | 133.8 | 445.7 |\n| D | 88.7 | 311.2 | 122.4 | 522.3 |\n",
      "| Run | Total (GB) | Weights (GB) | Activations (GB) | Optimizer (GB) |\n"
      "|---|--:|--:|--:|--:|\n| inference bs1 | 15.31 | 14.01 | 1.30 | — |\n"
      "| inference bs8 | 24.22 | 14.01 | 10.21 | — |\n"
      "| inference bs16 | 34.53 | 14.01 | 20.52 | — |\n"
      "| training bs1 | 72.44 | 14.01 | 2.42 | 56.01 |\n",
      // 33.7 + 25.2 + 41.1 = 100
      "| Model | Win | Tie | Loss |\n|---|--:|--:|--:|\n| A | 61.3% | 0.0% | 38.7% |\n"
      "| B | 48.2% | 0.0% | 51.8% |\n| C | 72.4% | 0.0% | 27.6% |\n"
      "| D | 55.1% | 0.0% | 44.9% |\n| E | 33.7% | 25.2% | 41.1% |\n",
      "| GPUs | Compute | Comm | I/O |\n|--:|--:|--:|--:|\n| 1 | 98.3% | 1.7% | - |\n"
      "| 2 | 91.2% | 8.8% | - |\n| 4 | 82.4% | 17.6% | - |\n| 8 | 55.1% | 21.7% | 23.2% |\n",
      "| Kernel | Tensor core | CUDA core | Copy |\n|---|--:|--:|--:|\n"
      "| GEMM | 91.2% | 8.8% | 0% |\n| Conv | 83.1% | 16.9% | 0% |\n"
      "| Attention | 61.0% | 39.0% | 0% |\n| Embedding | 0% | 37.1% | 62.9% |\n",
      // 11.80 x 121.4 + 240 = 1,672.52
      "| Purchase | $/node-hour | Hours | Storage | Total cost |\n|---|--:|--:|--:|--:|\n"
      "| On-demand | $32.77 | 104.3 | $0 | $3,417.91 |\n"
      "| Reserved | $19.66 | 104.3 | $0 | $2,050.54 |\n"
      "| Capacity block | $24.10 | 104.3 | $0 | $2,513.63 |\n"
      "| Spot with checkpoints | $11.80 | 121.4 | $240 | $1,672.52 |\n",
  });
}

TEST_CASE("a price or size of one may be counted several times in a row", "[audit]") {
  check_no_accusation({
      // 2 x 3.93 x 3.6 = 28.30
      "| Hardware | $/GPU-h | Hours | Cost |\n|---|--:|--:|--:|\n"
      "| 1x L4 | $0.71 | 41.3 | $29.32 |\n| 1x A100 | $2.21 | 12.7 | $28.07 |\n"
      "| 1x H100 | $3.93 | 6.4 | $25.15 |\n| 2x H100 | $3.93 | 3.6 | $28.30 |\n",
      // 2 x 1.024 / 1.372 = 1.4927
      "| Copy | Size (MB) | Time (ms) | Bandwidth (GB/s) |\n|---|--:|--:|--:|\n"
      "| H2D pageable | 1024 | 92.31 | 11.09 |\n| H2D pinned | 1024 | 40.74 | 25.13 |\n"
      "| D2H pinned | 1024 | 39.12 | 26.18 |\n| D2D (read + write) | 1024 | 1.372 | 1492.7 |\n",
      // 8 x 104.8 / 48.4 = 17.32
      "| Run | Checkpoint size (GB) | Save time (s) | Write bandwidth (GB/s) |\n"
      "|---|--:|--:|--:|\n| 1.3B | 15.62 | 7.431 | 2.102 |\n| 7B | 83.91 | 35.72 | 2.349 |\n"
      "| 13B | 156.3 | 64.53 | 2.422 |\n"
      "| 70B, 8 writers (size per writer) | 104.8 | 48.4 | 17.32 |\n",
      "| Link | Size (GB) | Time (s) | Bandwidth (GB/s) |\n|---|--:|--:|--:|\n"
      "| PCIe 4 | 4.00 | 0.1612 | 24.81 |\n| PCIe 5 | 4.00 | 0.0741 | 53.98 |\n"
      "| NVLink 3 | 4.00 | 0.0171 | 233.9 |\n| NVLink 4, both ways | 4.00 | 0.0102 | 784.3 |\n",
  });
}

TEST_CASE("a total is no product or quotient of totals", "[audit]") {
  check_no_accusation({
      // 0.6101 + 5.299 + 1.398 = 7.307
      "| Phase | Steps | Step time (s) | Time (h) |\n|---|--:|--:|--:|\n"
      "| Warm-up, seq 128 | 7,038 | 0.3121 | 0.6101 |\n"
      "| Phase 1, seq 512 | 21,400 | 0.8914 | 5.299 |\n"
      "| Phase 2, seq 2048 | 1,563 | 3.221 | 1.398 |\n| Total | 30,001 | 1.475 | 7.307 |\n",
      // 2.102 + 2.349 + 2.422 = 6.873
      "| Writer | Size (GB) | Time (s) | Bandwidth (GB/s) |\n|---|--:|--:|--:|\n"
      "| node 0 | 15.62 | 7.431 | 2.102 |\n| node 1 | 15.91 | 6.772 | 2.349 |\n"
      "| node 2 | 15.63 | 6.453 | 2.422 |\n| Total | 47.16 | 20.656 | 6.873 |\n",
  });
}

TEST_CASE("two rows that follow are too few to call a third wrong", "[audit]") {
  check_no_accusation(
      {"| Run | Read (s) | Train (s) | Total (s) |\n|---|--:|--:|--:|\n"
       "| A | 3.12 | 4.51 | 7.63 |\n| B | 2.11 | 3.04 | 5.15 |\n| C | 9.11 | 1.04 | 12.30 |\n"});
}

TEST_CASE("what holds in 60 rows says nothing of a longer table's others", "[audit]") {
  std::string table = "| Run | Compute (ms) | Comm (ms) | Step time (ms) |\n|---|--:|--:|--:|\n";
  for (int run = 0; run < 60; ++run) {
    table +=
        fmt::format("| {} | {}.5 | {}.5 | {}.0 |\n", run, 300 + run, 100 + 2 * run, 401 + 3 * run);
  }
  const std::string others = "| 60 | 311.2 | 122.4 | 541.5 |\n| 61 | 322.4 | 184.3 | 641.3 |\n";

  check_no_accusation({table + others});
  CHECK_THAT(honest_yaml(table), Catch::Contains("follows: {sum: [compute_ms, comm_ms]}"));
}

TEST_CASE("a remark may say why one row takes longer", "[audit]") {
  const std::string footnote =
      "| GPUs | Epochs | Time/epoch (s) | Total time (h) |\n|--:|--:|--:|--:|\n"
      "| 1 | 90 | 1617.6 | 40.44 |\n| 2 | 90 | 840.9 | 21.02 |\n| 4 | 90 | 431.2 | 10.78 |\n"
      "| 8 | 90 | 224.3 | 6.41† |\n";

  check_no_accusation({
      footnote,
      "| GPUs | Epochs | Time/epoch (s) | Total time (h) |\n|--:|--:|--:|--:|\n"
      "| 1 | 90 | 1617.6 | 40.44 |\n| 2 | 90 | 840.9 | 21.02 |\n| 4 | 90 | 431.2 | 10.78 |\n"
      "| 8 (one restart) | 90 | 224.3 | 6.41 |\n",
      "| Model | Iterations | Time per iteration (ms) | Total (s) |\n|---|--:|--:|--:|\n"
      "| A | 100 | 21.41 | 2.141 |\n| B | 100 | 38.62 | 3.862 |\n| C | 100 | 61.13 | 6.113 |\n"
      "| D (compiled) | 100 | 12.18 | 41.52 |\n",
  });
  CHECK(draft_dataset(read_markdown(footnote), "a.md").notes ==
        std::vector<std::string>{
            "table 1: total_time_h is epochs * time_epoch_s in 3 of 4 rows, and not in row 4; if "
            "that is its rule, declare it (`follows`)"});
}

TEST_CASE("peaks and operations of all devices are no achieved FLOP/s", "[audit]") {
  for (const char* heading : {"Total peak PFLOP/s",
                              "Aggregate theoretical PFLOP/s",
                              "Total sparse PFLOP/s",
                              "Total PFLOPS"}) {
    check_no_accusation({"| System | GPUs | Achieved TFLOP/s per GPU | " + std::string(heading) +
                         " |\n|---|--:|--:|--:|\n| A | 32 | 135.1 | 9.984 |\n"
                         "| B | 64 | 142.3 | 19.97 |\n| C | 512 | 138.2 | 159.7 |\n"});
  }
}

TEST_CASE("a cost at a price is not always that of all hours", "[audit]") {
  for (const char* heading : {"Idle cost at $2/GPU-h",
                              "Cost saved at $2/GPU-h",
                              "Extra cost ($2/GPU-h)",
                              "Cost of restarts at $2/GPU-h",
                              "Cost/epoch at $2/GPU-h",
                              "Spot cost (on-demand $2/GPU-h)",
                              "Cost ($2/GPU-h + $100 storage)",
                              "Cost ($2-$4/GPU-h)",
                              "Cost (A100 $2/GPU-h, H100 $4/GPU-h)"}) {
    check_no_accusation({"| GPUs | Total time (h) | " + std::string(heading) +
                         " |\n|--:|--:|--:|\n| 8 | 10.0 | $40 |\n| 16 | 5.5 | $44 |\n"
                         "| 32 | 3.1 | $49.6 |\n"});
  }
}

}  // namespace
