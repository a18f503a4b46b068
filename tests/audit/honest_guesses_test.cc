// Honest tables of real shapes, of which a draft must accuse no figure.
#include <string>
#include <vector>

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

}  // namespace
