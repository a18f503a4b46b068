// Presets against lines in the shape of the programs they are named after.
#include "harness/study/sections/extract_presets.h"

#include "tests/run/outcome/preset_output.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using test::found;
using test::study_with;
using test::Values;

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

TEST_CASE("preset torchtitan takes the slowest of ranks that all print", "[run]") {
  const auto line = [](const std::string& step, const std::string& tps) {
    return "[titan] 2025-06-16 22:31:18,934 - root - INFO - step: " + step +
           "  loss:  6.0  memory: 49.66GiB(52.28%)  tps: " + tps +
           "  tflops: 339.82  mfu: 34.36%\n";
  };

  CHECK(found("{preset: torchtitan, per_step: 2048}",
              line(" 1", "1,024") + line(" 1", "512") + line("10", "2,048") + line("10", "4,096"))
            .at("step_time_s") == std::vector<double>{4.0, 1.0});
}

TEST_CASE("preset torchtitan leaves out the lines of validation", "[run]") {
  const std::string head = "[titan] 2025-06-16 22:31:18,934 - root - INFO - ";
  const std::string tail = "  loss:  6.0  memory: 49.66GiB(52.28%)  tps: ";

  CHECK(
      found("{preset: torchtitan, per_step: 2048}",
            head + "step: 50" + tail + "8,192  tflops: 339.82  mfu: 34.36%\n" + head +
                "\x1b[33mvalidate step: 50  \x1b[32mloss:  7.5  \x1b[36mmemory: 50.00GiB(53.00%)  "
                "\x1b[34mtps: 17,200\x1b[39m\n" +
                " step: 60" + tail + "4,096\nvalidate step: 60" + tail + "17,200\n") ==
      Values{{"step_time_s", {0.25, 0.5}},
             {"loss", {6.0, 6.0}},
             {"memory_gib", {49.66, 49.66}},
             {"tokens_per_device_s", {8192.0, 4096.0}}});
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

TEST_CASE("preset nemo reads the lines of its printer, and its progress bar", "[run]") {
  CHECK(found("{preset: nemo}",
              "Training epoch 0, iteration 0/249 | lr: 1.9e-06 | global_batch_size: 8 | "
              "global_step: 0 | reduced_train_loss: 1.5 | train_step_timing in s: 7.25\n"
              "Training epoch 0, iteration 1/249 | lr: 3.9e-06 | global_batch_size: 8 | "
              "global_step: 1 | reduced_train_loss: 1.25 | train_step_timing in s: 2.5 | "
              "consumed_samples: 16\n") ==
        Values{{"step_time_s", {7.25, 2.5}}, {"loss", {1.5, 1.25}}});
  CHECK(found("{preset: nemo}",
              "",
              "\rEpoch 0: : 1%|1 | 2/250 [00:25<10:48, reduced_train_loss=7.5, global_step=1.000, "
              "consumed_samples=16.0, train_step_timing in s=2.75]\r"
              "Epoch 0: : 1%|1 | 3/250 [00:28<10:48, reduced_train_loss=7.25, global_step=2.000, "
              "consumed_samples=24.0, train_step_timing in s=2.625]\n") ==
        Values{{"step_time_s", {2.75, 2.625}}, {"loss", {7.5, 7.25}}});
}

TEST_CASE("preset torchtune takes the tokens of a step, also behind its progress bar", "[run]") {
  CHECK(found("{preset: torchtune, per_step: 2048}",
              "Step 1 | loss:1.75 lr:2e-06 tokens_per_second_per_gpu:1024.0 grad_norm:1.5 \n"
              "2|5|Loss: 1.5:  40%|####      | 2/5Step 2 | loss:1.5 lr:4e-06 "
              "tokens_per_second_per_gpu:4.096e3 \n") ==
        Values{{"step_time_s", {2.0, 0.5}},
               {"loss", {1.75, 1.5}},
               {"tokens_per_device_s", {1024.0, 4096.0}}});
}

TEST_CASE("preset nanochat reads the time of each step, with and without the last one's number",
          "[run]") {
  CHECK(found("{preset: nanochat}",
              "Step 00000 | Validation bpb: 3.3013\n"
              "step 00000/21400 (0.00%) | loss: 11.0625 | grad norm: 0.5000 | lrm: 1.00 | dt: "
              "9250.00ms | tok/sec: 56,679 | mfu: 1.95 | total time: 0.00m\n"
              "step 00001 (0.00%) | loss: 11.0 | lrm: 1.00 | dt: 250.00ms | tok/sec: 2,097,152 | "
              "bf16_mfu: 45.10 | epoch: 1 | total time: 0.00m | eta: 90.1m\n") ==
        Values{{"step_time_s", {9.25, 0.25}},
               {"loss", {11.0625, 11.0}},
               {"tokens_per_s", {56679.0, 2097152.0}}});
}

TEST_CASE("preset nanotron reads thousands of milliseconds", "[run]") {
  const std::string head = "08/31/2024 14:37:31 [INFO|DP=0|PP=0|TP=0]: iteration: ";
  const std::string tail =
      " | tokens_per_sec: 109 | tokens_per_sec_per_gpu: 109 | global_batch_size: 2 | lm_loss: "
      "5.25 | lr: 0.00015 | grad_norm: 2.96\n";
  CHECK(found("{preset: nanotron}",
              head + "1 / 15 | consumed_tokens: 512 | elapsed_time_per_iteration_ms: 4.75K" + tail +
                  head + "2 / 15 | consumed_tokens: 1.02K | elapsed_time_per_iteration_ms: 250" +
                  tail) == Values{{"step_time_s", {4.75, 0.25}}, {"loss", {5.25, 5.25}}});
}

TEST_CASE("preset dllogger reads iterations on stdout and in JSON, and no epochs", "[run]") {
  CHECK(found("{preset: dllogger}",
              "DLL 2020-05-28 03:32:56.502714 - (1, 129) train_loss : 0.25 train_items_per_sec : "
              "17340.7\n"
              "DLL 2020-05-28 03:32:56.505289 - (1, 129) train_iter_time : 3.25\n"
              "DLL 2020-05-28 03:32:59.505289 - (1, 130) train_iter_time : 3.5 s\n"
              "DLL 2020-05-28 03:33:56.700000 - (1,) train_loss : 0.3 train_iter_time : 3.375\n") ==
        Values{{"step_time_s", {3.25, 3.5}}, {"loss", {0.25}}});
  CHECK(
      found(
          "{preset: dllogger}",
          R"(DLLL {"timestamp": "1701700000.1", "elapsedtime": "71.5", "type": "LOG", "step": 16, )"
          R"("data": {"reduced_train_loss": 10.75, "train_step_timing in s": 4.25}})"
          "\n"
          R"(DLLL {"timestamp": "1701700004.3", "type": "LOG", "step": "PARAMETER", "data": {}})"
          "\n") == Values{{"step_time_s", {4.25}}, {"loss", {10.75}}});
}

TEST_CASE("presets read lines behind the names that Ray puts before them", "[run]") {
  CHECK(found("{preset: nanogpt}",
              "(RayTrainWorker pid=1193, ip=10.0.0.4) iter 10: loss 3.5, time 250.00ms, mfu 1%\n"
              "(pid=77) iter 20: loss 3.25, time 125.00ms, mfu 1%\n"
              "(RolloutWorker pid=77) an iter 30: loss 3.25, time 1.00ms\n") ==
        Values{{"step_time_s", {0.25, 0.125}}, {"loss", {3.5, 3.25}}});
  CHECK(found("{preset: llm.c}", "(train_fn pid=4) step 3: train loss 4.5 (took 1500.0 ms)\n") ==
        Values{{"step_time_s", {1.5}}, {"loss", {4.5}}});
}

TEST_CASE("every preset gives a time of a step", "[run]") {
  CHECK(extract_presets().keys.size() == 17);
  for (const YamlNode& name : extract_presets().keys) {
    CAPTURE(name.text);
    const bool is_rate =
        name.text == "torchtitan" || name.text == "torchtune" || name.text == "nvbandwidth";
    const Study study = study_with("{preset: " + name.text + (is_rate ? ", per_step: 8}" : "}"));
    REQUIRE_FALSE(study.extract.empty());
    CHECK(study.extract.front().metric == "step_time_s");
  }
}
