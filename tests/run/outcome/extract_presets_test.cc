// Presets against lines in the shape of the programs they are named after.
#include "harness/study/sections/extract_presets.h"

#include <map>
#include <sstream>

#include "harness/run/outcome/extract.h"
#include "harness/study/parse.h"
#include "tests/support/catch.h"

using namespace scalestudy;

namespace {

using Values = std::map<std::string, std::vector<double>>;

Study study_with(const std::string& extract) {
  const std::string text =
      "version: 1\nstudy: s\nworkload: command\ncommand: [a]\naxes: {devices: [1]}\n"
      "steps: {warmup: 0, measured: rest}\nextract: " +
      extract + "\n";
  const ParsedStudy parsed = parse_study(text, "s.yaml", {});
  CHECK(format_problems(parsed.problems, text, "s.yaml").empty());
  return parsed.study;
}

// What the preset finds, by metric; the problems under "".
Values found(const std::string& extract, const std::string& out, const std::string& err = "") {
  const Study study = study_with(extract);
  std::istringstream out_lines(out);
  std::istringstream err_lines(err);
  const auto record =
      extract_samples({.out = out_lines, .err = err_lines}, study.extract, study.steps, {});
  Values values;
  for (const protocol::Event& event : record.events) {
    if (const auto* samples = std::get_if<protocol::Samples>(&event)) {
      values[samples->metric] = samples->values;
    }
  }
  return values;
}

}  // namespace

TEST_CASE("preset nanogpt reads the lines of train.py", "[run]") {
  const Values values = found("{preset: nanogpt}",
                              "step 0: train loss 4.2874, val loss 4.2823\n"
                              "iter 0: loss 4.2612, time 8123.50ms, mfu -100.00%\n"
                              "iter 10: loss 3.1415, time 212.50ms, mfu 11.05%\n");

  CHECK(values == Values{{"step_time_s", {8.1235, 0.2125}}, {"loss", {4.2612, 3.1415}}});
}

TEST_CASE("preset llm.c reads the CUDA program, earlier ones and the CPU's", "[run]") {
  CHECK(
      found("{preset: llm.c}",
            "val loss 11.009\n"
            "step    1/19560 | loss 11.0092 (+nanz)| norm 15.3698 (+nanz)| lr 8.57e-07 | 250.00 ms "
            "| 58.1% bf16 MFU | 2174201 tok/s\n"
            "step   12/19560 | loss 7.25 (-0.30z)| norm 1.80 (+0.11z)| lr 1.03e-05 | 125.00 ms | "
            "58.2% bf16 MFU | 2175000 tok/s\n") ==
      Values{{"step_time_s", {0.25, 0.125}},
             {"loss", {11.0092, 7.25}},
             {"tokens_per_s", {2174201.0, 2175000.0}}});
  CHECK(found("{preset: llm.c}",
              "step 7/74: train loss 4.005000 (acc 4.017000) (81.25 ms, 50441 tok/s)\n")
            .at("step_time_s") == std::vector<double>{0.08125});
  CHECK(found("{preset: llm.c}", "step 3: train loss 4.877 (took 1901.5 ms)\n") ==
        Values{{"step_time_s", {1.9015}}, {"loss", {4.877}}});
}

TEST_CASE("preset megatron reads both units of its iterations", "[run]") {
  CHECK(
      found("{preset: megatron}",
            " [2025-01-31 12:00:00] iteration       20/     100 | consumed samples:          320 | "
            "elapsed time per iteration (ms): 1250.5 | throughput per GPU (TFLOP/s/GPU): 201.3 | "
            "learning rate: 1.5E-04 | global batch size:    16 | lm loss: 9.875000E+00 | loss "
            "scale: 1.0 | grad norm: 2.1 |\n") ==
      Values{{"step_time_s", {1.2505}}, {"loss", {9.875}}});
  CHECK(found("{preset: megatron}",
              " iteration 6/ 10 | elapsed time per iteration (s): 105.5 | lm loss: 6.5E+00 |\n")
            .at("step_time_s") == std::vector<double>{105.5});
}

TEST_CASE("preset torchtitan takes the tokens of a step, and reads its log on stderr", "[run]") {
  const Values values =
      found("{preset: torchtitan, per_step: 2048}",
            "",
            "[rank0]:[titan] 2026-05-18 16:04:46,338 - root - INFO - step: 14  loss:  3.25  "
            "grad_norm:  0.8319  memory:  9.46GiB(64.99%)  tps: 8,192  tflops: 0.52  mfu: 0.17%\n"
            "[titan] 2025-06-16 22:31:18,934 - root - INFO - step: 220  loss:  6.0  memory: "
            "49.66GiB(52.28%)  tps: 204,800  tflops: 339.82  mfu: 34.36%\n");

  CHECK(values == Values{{"step_time_s", {0.25, 0.01}},
                         {"loss", {3.25, 6.0}},
                         {"memory_gib", {9.46, 49.66}},
                         {"tokens_per_device_s", {8192.0, 204800.0}}});
}

TEST_CASE("preset torchtitan reads the lines of its metrics as a terminal shows them", "[run]") {
  CHECK(
      found("{preset: torchtitan, per_step: 2048}",
            "\x1b[36mstep: 10  \x1b[32mloss:  3.43  \x1b[33mmemory: 68.57GiB(86.69%)  \x1b[34mtps: "
            "8,192  \x1b[35mmfu: 39.73%\x1b[39m\n",
            "") == Values{{"step_time_s", {0.25}},
                          {"loss", {3.43}},
                          {"memory_gib", {68.57}},
                          {"tokens_per_device_s", {8192.0}}});
}

TEST_CASE("preset huggingface reads the Trainer's dictionaries behind a progress bar", "[run]") {
  CHECK(found("{preset: huggingface}",
              "\r 50%|##   | 30/60 [00:35<00:35,  1.19s/it]\r"
              "{'loss': 0.5, 'grad_norm': 0.33, 'learning_rate': 3.6e-06, 'epoch': 4.5}\n"
              "{'train_runtime': 75.0, 'train_samples_per_second': 6.4, 'train_steps_per_second': "
              "0.8, 'train_loss': 0.76, 'epoch': 4.64}\n") ==
        Values{{"step_time_s", {1.25}}, {"samples_per_s", {6.4}}, {"loss", {0.5}}});
  CHECK(found("{preset: huggingface}",
              "{'loss': '0.5', 'epoch': '1'}\n{'train_steps_per_second': '0.8'}\n") ==
        Values{{"step_time_s", {1.25}}, {"loss", {0.5}}});
}

TEST_CASE("preset mllog reads statistics inside an object", "[run]") {
  const std::string head =
      R"(0: :::MLLOG {"namespace": "", "time_ms": 1728400000000, "event_type": "POINT_IN_TIME", )";
  CHECK(
      found("{preset: mllog}",
            head +
                R"("key": "tracked_stats", "value": {"train_step_time": 2.5, "train_loss": 7.1},)" +
                R"( "metadata": {"file": "x.py", "lineno": 8, "step": 3}})" + "\n" + head +
                R"("key": "tracked_stats", "value": {"throughput": 512.0}, "metadata": {}})" +
                "\n" + head + R"("key": "eval_accuracy", "value": 0.71, "metadata": {}})" + "\n") ==
      Values{{"step_time_s", {2.5}}, {"loss", {7.1}}, {"samples_per_s", {512.0}}});
}

TEST_CASE("preset nccl-tests reads out-of-place columns, with and without a root", "[run]") {
  const std::string head =
      "#       size         count      type   redop    root     time   algbw   busbw #wrong     "
      "time "
      "  algbw   busbw #wrong\n"
      "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            "
      "(us) "
      " (GB/s)  (GB/s)       \n";
  CHECK(
      found(
          "{preset: nccl-tests}",
          head +
              "     8388608       2097152     float     sum      -1    214.7   39.07   68.37      "
              "0    211.4   39.68   69.43      0\n"
              "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 68.9 \n") ==
      Values{
          {"step_time_s", {214.7e-6}}, {"algbw_gb_per_s", {39.07}}, {"busbw_gb_per_s", {68.37}}});
  CHECK(
      found(
          "{preset: nccl-tests}",
          "     1048576        262144     float     sum    31.20   33.61   58.82    N/A    30.90   "
          "33.93   59.38  4e-07\n")
          .at("busbw_gb_per_s") == std::vector<double>{58.82});
  CHECK(
      found("{preset: nccl-tests}",
            "  1073741824     268435456     float                 12345   86.98   86.98      0    "
            "12300   87.30   87.30      0\n")
          .at("step_time_s") == std::vector<double>{12345e-6});
}

TEST_CASE("preset hyperfine reads the runs of its JSON on stdout", "[run]") {
  CHECK(
      found(
          "{preset: hyperfine}",
          "{\n  \"results\": [\n    {\n      \"command\": \"sleep 0.1\",\n      \"mean\": 0.1015,\n"
          "      \"times\": [\n        0.1012,\n        1.5e-3,\n        0.1018\n      ],\n"
          "      \"exit_codes\": [\n        0,\n        0\n      ]\n    }\n  ]\n}\n") ==
      Values{{"step_time_s", {0.1012, 0.0015, 0.1018}}});
}

TEST_CASE("every preset is tried here, and gives a time of a step", "[run]") {
  CHECK(extract_presets().keys.size() == 8);
  for (const YamlNode& name : extract_presets().keys) {
    CAPTURE(name.text);
    const Study study = study_with("{preset: " + name.text +
                                   (name.text == "torchtitan" ? ", per_step: 2048}" : "}"));
    REQUIRE_FALSE(study.extract.empty());
    CHECK(study.extract.front().metric == "step_time_s");
  }
}
