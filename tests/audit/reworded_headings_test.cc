// Headings that say one thing in several ways: what a draft reads, and the error it finds.
#include <string>
#include <utility>
#include <vector>

#include "harness/audit/draft/draft.h"
#include "harness/audit/draft/guess.h"
#include "tests/audit/dataset_folder.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::audit;

namespace {

// "quantity unit" of each column of a table with one row, one a line.
std::string reworded_guesses(const std::string& heads, const std::string& cells) {
  std::string rule = "|";
  for (const char c : heads) {
    rule += c == '|' ? "--|" : "";
  }
  std::string text;
  for (const Guess& guess : guess_columns(
           read_markdown("| " + heads + " |\n" + rule + "--|\n| " + cells + " |\n").tables.at(0))) {
    text += guess.quantity + (guess.unit.empty() ? "" : " " + guess.unit) + "\n";
  }
  return text;
}

std::vector<Finding> reworded_findings(const std::string& markdown) {
  const test::TemporaryFolder folder;
  for (const auto& [name, text] : draft_dataset(read_markdown(markdown), "a.md").files) {
    test::write_file(folder.file(name), text);
  }
  const Dataset dataset = load_dataset(folder.path());
  std::vector<Finding> findings = audit_dataset(dataset);
  add_unreached(dataset, findings);
  return findings;
}

// - right: as the honest table prints it, which accuses nothing; it is there once.
void check_reworded(const std::string& table, const std::string& right, const std::string& wrong) {
  std::string planted = table;
  REQUIRE(planted.find(right) != std::string::npos);
  REQUIRE(planted.find(right) == planted.rfind(right));
  planted.replace(planted.find(right), right.size(), wrong);
  CAPTURE(table, wrong);

  const std::string honest = test::verdicts(reworded_findings(table));
  CHECK_THAT(honest, !Catch::Contains("does not follow") && !Catch::Contains("implausible"));
  CHECK_THAT(honest, Catch::Contains(" " + right + ": follows"));
  CHECK_THAT(test::verdicts(reworded_findings(planted)),
             Catch::Contains(" " + wrong + ": does not follow"));
}

TEST_CASE("a rate of one device is known by any word for either", "[audit]") {
  for (const char* heading : {"tok/s/GPU",
                              "tok/s per GPU",
                              "seq/s per GPU",
                              "Per-GPU throughput (img/s)",
                              "samples/s/accelerator",
                              "Tokens/GPU/s",
                              "images_per_sec_per_gpu",
                              "tok/s/chip"}) {
    CAPTURE(heading);
    CHECK_THAT(reworded_guesses(heading, "1,512"), Catch::StartsWith("throughput_per_device"));
    // 1,489 / 1,512 = 98.5 %
    check_reworded("| GPUs | " + std::string(heading) +
                       " | Efficiency |\n|--:|--:|--:|\n| 4 | 1,512 | 100.0% |\n"
                       "| 8 | 1,489 | 98.5% |\n",
                   "98.5%",
                   "88.5%");
  }
}

TEST_CASE("a number of nodes is known by any word for them", "[audit]") {
  for (const char* heading : {"Node", "Nodes", "Machines", "Servers", "Hosts"}) {
    CAPTURE(heading);
    CHECK(reworded_guesses(heading, "8") == "nodes\n");
  }
}

TEST_CASE("what is counted of a step or a device is no rate", "[audit]") {
  for (const char* heading :
       {"Tokens/step", "Tokens per step", "Samples/step", "Images/iter", "Tokens per GPU"}) {
    CAPTURE(heading);
    CHECK(reworded_guesses(heading, "32,768") == "count\n");
  }
}

TEST_CASE("a rate over power or money is no throughput", "[audit]") {
  CHECK(reworded_guesses("img/s/W | samples/J | tok/s/$ | tok/s/user", "3.43 | 2.1 | 564 | 88") ==
        "throughput_per_power img/s/W\nthroughput_per_power samples/J\nother\nother\n");
  // 4,611 / 1,377 = 3.35
  check_reworded(
      "| GPUs | img/s | Power (W) | img/s/W |\n|--:|--:|--:|--:|\n| 1 | 1,204 | 351 | 3.43 |\n"
      "| 4 | 4,611 | 1,377 | 3.35 |\n",
      "3.35",
      "3.65");
  // The power of one device: 4,611 / 4 / 344 = 3.35. Only "per GPU" refutes.
  CHECK_THAT(
      test::verdicts(reworded_findings("| GPUs | img/s | Power (W) | img/s/W |\n|--:|--:|--:|--:|\n"
                                       "| 1 | 1,204 | 351 | 3.43 |\n| 4 | 4,611 | 344 | 3.35 |\n")),
      Catch::Contains("3.35: follows"));
  check_reworded(
      "| GPUs | img/s | Power per GPU (W) | img/s/W |\n|--:|--:|--:|--:|\n"
      "| 1 | 1,204 | 351 | 3.43 |\n| 4 | 4,611 | 344 | 3.35 |\n",
      "3.35",
      "3.65");
}

TEST_CASE("the unit of a heading counts more than its words", "[audit]") {
  CHECK(reworded_guesses("Time to accuracy (min) | Overlap (samples/s) | Speedup (overlap)",
                         "60.9 | 2,840 | 1.00x") ==
        "total_time min\nthroughput samples/s\nspeedup\n");
  CHECK(reworded_guesses("Overlap | Accuracy (h) | Speedup (min)", "82% | 4.2 | 1.93") ==
        "ratio\ntime h\nspeedup\n");
  // 5,609 / 2,840 = 1.975
  check_reworded(
      "| GPUs | No overlap (samples/s) | Overlap (samples/s) | Speedup (overlap) |\n"
      "|--:|--:|--:|--:|\n| 1 | 2,840.1 | 2,840.3 | 1.000x |\n| 2 | 5,512.2 | 5,609.4 | 1.975x |\n",
      "1.975x",
      "1.875x");
}

TEST_CASE("a heading's unit and words as a whole say what is counted", "[audit]") {
  CHECK(reworded_guesses("Parameters (GB) | Data parallel (d) | Map size | mAP | mAP@0.5",
                         "14.0 | 8 | 1024 | 41.2% | 63.1%") ==
        "size GB\ncount\nother\naccuracy\naccuracy\n");
  CHECK(reworded_guesses("Steps to accuracy | Epochs to target", "20,000 | 41.5") ==
        "steps\nother\n");
}

TEST_CASE("prices, bandwidths, times and peaks are read by short headings", "[audit]") {
  CHECK(reworded_guesses("$/GPU-hour | $/node-hour | Price ($/GPU-h)", "$2.50 | $32.77 | $1.89") ==
        "price_per_device_hour $/GPU-hour\nprice_per_node_hour $/node-hour\n"
        "price_per_device_hour $/GPU-h\n");
  CHECK(reworded_guesses("Alg. BW (GB/s) | Bus BW (GB/s) | Hours | Days | Peak TFLOPS",
                         "141 | 246 | 41.2 | 2.8 | 312") ==
        "algbw GB/s\nbusbw GB/s\ntotal_time hours\ntotal_time days\npeak_flop_rate TFLOPS\n");
  // 801 x 2.50 = 2,002.50
  check_reworded(
      "| GPUs | GPU-hours | $/GPU-hour | Cost |\n|--:|--:|--:|--:|\n"
      "| 8 | 764 | $2.50 | $1,911 |\n| 16 | 801 | $2.50 | $2,003 |\n",
      "$2,003",
      "$2,203");
  // 396 / 989 = 40.0 %
  check_reworded(
      "| Accelerator | Peak TFLOPS | Achieved TFLOPS | MFU |\n|---|--:|--:|--:|\n"
      "| A100 | 312 | 171 | 54.8% |\n| H100 | 989 | 396 | 40.0% |\n",
      "40.0%",
      "46.0%");
  // Of several devices, achieved FLOP/s may be those of one or of all.
  CHECK(reworded_guesses("GPUs | Achieved TFLOPS | Achieved TFLOPS per GPU", "8 | 171 | 21") ==
        "devices\nother TFLOPS\nflop_rate_per_device TFLOPS\n");
}

TEST_CASE("what is not printed may be in a column that was not recognized", "[audit]") {
  const auto needs_of_cost = [](const std::string& heads, const std::string& cells) {
    const std::string rule = heads.find('|') == std::string::npos ? "--:|" : "--:|--:|";
    std::string needs;
    for (const Finding& finding :
         reworded_findings("| GPUs | Training time (h) | Cost ($) | " + heads +
                           " |\n|--:|--:|--:|" + rule + "\n| 8 | 12.5 | 251 | " + cells + " |\n")) {
      needs += finding.quantity == "cost" ? finding.needs : "";
    }
    return needs;
  };
  const std::string print = "print its price_per_device_hour";

  CHECK(needs_of_cost("GPU tariff", "$2.50") ==
        print +
            ", or, if this column holds it, declare it so (`quantity: price_per_device_hour`): "
            "gpu_tariff");
  CHECK(needs_of_cost("Tariff | Factor", "2.50 | 7.2") ==
        print +
            ", or, if one of these columns holds it, declare it so "
            "(`quantity: price_per_device_hour`): tariff, factor");
  // A price may be that of a machine, and what prints another unit is no price.
  for (const auto& [heading, cell] : {std::pair("Tariff", "$20.00"),
                                      std::pair("Emissions", "3.1 kg"),
                                      std::pair("Emissions (kg)", "3.1")}) {
    CAPTURE(heading);
    CHECK(needs_of_cost(heading, cell) == print);
  }
}

TEST_CASE("efficiencies of two models may be abbreviated", "[audit]") {
  CHECK(reworded_guesses("Weak eff. | Energy eff.", "98% | 71%") == "efficiency\nratio\n");
  // 193 / 51.2 / 4 = 94.2 %
  check_reworded(
      "| GPUs | ResNet-50 (img/s) | ResNet-50 eff. | BERT-L (seq/s) | BERT-L eff. |\n"
      "|--:|--:|--:|--:|--:|\n| 1 | 402 | 100% | 51.2 | 100% |\n| 2 | 791 | 98% | 99.1 | 97% |\n"
      "| 4 | 1,541 | 96% | 193 | 94% |\n",
      "94%",
      "88%");
}

TEST_CASE("a rule that the heading names is kept although one row is wrong", "[audit]") {
  // 1 - 7.3 / 9.2 = 20.7 %
  check_reworded(
      "| Variant | Epoch time (s) | Time saved |\n|---|--:|--:|\n| base | 9.2 | - |\n"
      "| a | 8.6 | 7% |\n| b | 8.1 | 12% |\n| c | 7.7 | 16% |\n| d | 7.3 | 21% |\n",
      "21%",
      "28%");
  // 1240 / 702 = 1.77; two rows print the same.
  check_reworded(
      "| Workload | Step time before → after (ms) | Speedup |\n|---|---|--:|\n"
      "| A | 812 → 421 | 1.93x |\n| B | 1241 → 702 | 1.77x |\n| C | 366 → 291 | 1.26x |\n"
      "| D | 905 → 468 | 1.93x |\n",
      "1.77x",
      "1.98x");
}

TEST_CASE("a rule that nearly all rows follow is noted if it may be chance", "[audit]") {
  // 1 - 21 / 27 = 22 %
  const Draft draft = draft_dataset(
      read_markdown("| Variant | Epoch time (s) | Time saved |\n|---|--:|--:|\n| base | 27 | - |\n"
                    "| a | 24 | 11% |\n| b | 23 | 15% |\n| c | 22 | 19% |\n| d | 21 | 37% |\n"),
      "a.md");

  CHECK(draft.notes ==
        std::vector<std::string>{
            "table 1: time_saved is 1 - epoch_time_s / first epoch_time_s in 3 of 4 rows, and not "
            "in row 5; if that is its rule, declare it (`follows`)"});
  CHECK_THAT(draft.files.at("dataset.yaml"), !Catch::Contains("follows:"));
}

TEST_CASE("an overhead is between the times with and without, over either", "[audit]") {
  const std::string said =
      "| Model | Step w/o (s) | Step with (s) | Overhead |\n|---|--:|--:|--:|\n";
  // 2.77 / 2.11 - 1 = 31.3 %, and 1 - 2.11 / 2.77 = 23.8 %
  check_reworded(said +
                     "| A | 1.24 | 1.61 | +30% |\n| B | 2.11 | 2.77 | +31% |\n"
                     "| C | 4.62 | 6.01 | +30% |\n",
                 "+31%",
                 "+41%");
  check_reworded(said +
                     "| A | 1.24 | 1.61 | 23% |\n| B | 2.11 | 2.77 | 24% |\n"
                     "| C | 4.62 | 6.01 | 23% |\n",
                 "24%",
                 "34%");
  // 4.27 / 3.31 - 1 = 29.0 %
  check_reworded(
      "| Model | Plain (s) | Traced (s) | Overhead |\n|---|--:|--:|--:|\n"
      "| A | 1.24 | 1.61 | +30% |\n| B | 2.11 | 2.77 | +31% |\n| C | 4.62 | 6.01 | +30% |\n"
      "| D | 3.31 | 4.27 | +29% |\n",
      "+29%",
      "+39%");
}

TEST_CASE("plain numbers that are relative start from the row that prints 1", "[audit]") {
  // 3,273 / 2,732 = 1.198
  check_reworded(
      "| Framework | img/s | Relative |\n|---|--:|--:|\n| X | 2,541 | 0.93 |\n"
      "| Y | 2,732 | 1.00 |\n| Z | 3,273 | 1.20 |\n| V | 3,364 | 1.23 |\n| W | 4,108 | 1.50 |\n",
      "1.20",
      "1.40");
  // 3,812 / 1,421 = 2.68; the first row ran out of memory.
  CHECK_THAT(test::verdicts(reworded_findings(
                 "| Mode | samples/s | Slowdown |\n|---|--:|--:|\n| none | OOM | - |\n"
                 "| some | 3,812 | 1.00x |\n| more | 3,641 | 1.05x |\n| all | 1,421 | 2.68x |\n")),
             Catch::Contains("2.68x: follows"));
}

TEST_CASE("a compression is the first size over a row's", "[audit]") {
  // 14.2 / 4.05 = 3.51, and 14.2 / 4.03 = 3.52
  CHECK_THAT(test::verdicts(reworded_findings(
                 "| Format | Size (GB) | Compression |\n|---|--:|--:|\n| FP16 | 14.2 | 1.00x |\n"
                 "| INT8 | 7.31 | 1.94x |\n| A | 4.03 | 3.52x |\n| B | 4.05 | 3.51x |\n")),
             Catch::Contains("3.51x: follows"));
}

TEST_CASE("a figure that another formula uses is not one that none uses", "[audit]") {
  const auto audited = [](const std::string& time) {
    return reworded_findings(
        "| GPUs | Step time (s) | samples/s | Speedup |\n|--:|--:|--:|--:|\n"
        "| 16 | 8.31 | 370.1 | 1.00x |\n| 32 | " +
        time + " | 720.3 | 1.95x |\n");
  };

  // 720.3 / 370.1 = 1.95, and 8.31 / 4.27 = 1.95
  CHECK(test::verdicts(audited("4.27")) ==
        "speedup, devices=16 1.00x: follows\nspeedup, devices=32 1.95x: follows\n");
  const std::vector<Finding> findings = audited("5.27");
  CHECK(test::verdicts(findings) ==
        "speedup, devices=16 1.00x: follows\nspeedup, devices=32 1.95x: follows\n"
        "step_time_s, devices=32 5.27: cannot be checked\n");
  CHECK(findings.back().why ==
        "baseline step_time / step_time uses it and does not give speedup, devices=32 (1.95x), "
        "which follows by throughput / baseline throughput");
}

TEST_CASE("a contradiction names each formula once", "[audit]") {
  // 1.91 / 2 = 95.5 %, and 1.94 / 2 = 97 %; (81.5 - 95.25) / 95.5 = -14 %
  const std::vector<Finding> findings = test::audit_table(
      "      - {column: devices, quantity: devices}\n"
      "      - {column: mean, quantity: speedup, baseline: {devices: 1}}\n"
      "      - {column: best, quantity: speedup, baseline: {devices: 1}}\n"
      "      - {column: efficiency, quantity: efficiency, baseline: {devices: 1}}\n",
      "devices,mean,best,efficiency\n2,1.91,1.94,81%\n");

  CHECK(verdict_name(findings.back().verdict) == "does not follow");
  CHECK(findings.back().formula == "speedup / (devices / baseline devices)");
  CHECK(findings.back().why == "printed 14 % below what follows");
}

}  // namespace
