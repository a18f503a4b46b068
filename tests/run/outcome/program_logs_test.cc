// What is guessed from the logs of programs that no preset knows: lines in their shape.
// field_logs_test.cc has others, with the figures of public logs.
#include "harness/run/outcome/guess_rules.h"
#include "tests/run/outcome/guessed.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using test::kValue;
using test::notes_of;
using test::Numbers;
using test::step_times_us;

TEST_CASE("the current rate of DeepSpeed is taken, and not its running average", "[run]") {
  const auto step = [](const std::string& number, const std::string& current) {
    const std::string head = "[2026-07-25 21:03:17,269] [INFO] ";
    const std::string times = head + "[logging.py:96:log_dist] [Rank 0] rank=0 time (ms) | ";
    return head + "[logging.py:96:log_dist] [Rank 0] step=" + number +
           ", skipped=0, lr=[2.1e-06], mom=[[0.9, 0.95]]\n" + head +
           "[timer.py:215:stop] epoch=0/micro_step=" + number + "/global_step=" + number +
           ", RunningAvgSamplesPerSec=7.8646, CurrSamplesPerSec=" + current +
           ", MemAllocated=59.65GB, MaxMemAllocated=63.31GB\n" + times +
           "fwd_microstep: 652.42 | bwd_microstep: 2164.53 | step_microstep: 1172.13\n" + times +
           "fwd: 652.41 | bwd: 2164.52 | bwd_inner: 2001.89 | step: 1172.13\n";
  };

  const GuessedRules guess =
      guess_rules({.out = step("34", "8.0091") + step("35", "8.1091"), .err = ""});

  CHECK(guess.rules.at(0).regex == ", +CurrSamplesPerSec=" + kValue);
  CHECK(guess.rules.at(0).unit == "samples/s");
  CHECK(guess.needs_amount);
  CHECK_FALSE(guess.is_per_epoch);
}

TEST_CASE("the last time is taken, and not the mean of all that Detectron2 prints before it",
          "[run]") {
  const auto line = [](const std::string& iter, const std::string& times) {
    return "[11/01 11:27:04 d2.utils.events]:  eta: 8:05:12  iter: " + iter +
           "  total_loss: 1.012  loss_cls: 0.714  " + times +
           "  data_time: 0.0334  last_data_time: 0.0031   lr: 0.01  max_mem: 3961M\n";
  };
  CHECK(step_times_us(line("1259", "time: 0.3322  last_time: 0.3011") +
                      line("1279", "time: 0.3323  last_time: 0.3511")) == Numbers{301100, 351100});
  CHECK(step_times_us(line("1259", "time: 0.3322") + line("1279", "time: 0.3323")) ==
        Numbers{332200, 332300});
  CHECK(step_times_us("1: avg step time 12 ms, step time 15 ms\n"
                      "2: avg step time 12 ms, step time 13 ms\n") == Numbers{15000, 13000});
}

TEST_CASE("the batch counter of Composer is no time, and its rate of batches is one", "[run]") {
  const auto batch = [](const std::string& number, const std::string& rate) {
    return "[batch=" + number + "/100]:\n\t Train time/batch: " + number +
           "\n\t Train time/sample: 320\n\t Train loss/train/total: 11.6525" +
           "\n\t Train throughput/batches_per_sec: " + rate +
           "\n\t Train throughput/samples_per_sec: 31.9" +
           "\n\t Train throughput/device/batches_per_sec: 0.0125" +
           "\n\t Train time/train: 0.0081\n\t Train time/val: 0.0000\n";
  };
  const std::string text = batch("1", "0.5") + batch("2", "0.4");

  CHECK(step_times_us(text) == Numbers{2'000'000, 2'500'000});
  CHECK_THAT(notes_of(text), Catch::Contains("passed over 'Train time/batch: 1': it is a counter"));
}

TEST_CASE("two times of which the second is one more are no counter", "[run]") {
  CHECK(step_times_us("step 1 time 3\nstep 2 time 4\n") == Numbers{3'000'000, 4'000'000});
  CHECK(step_times_us("step 1 time 12\nstep 2 time 13\n") == Numbers{12'000'000, 13'000'000});
  for (const char* counter :
       {"step 1 time 1\nstep 2 time 2\n", "step 1 time 12\nstep 2 time 13\nstep 3 time 14\n"}) {
    CHECK_THAT(notes_of(counter), Catch::Contains("it is a counter"));
  }
}

TEST_CASE("a mean rate of the steps so far wins over the times of epochs", "[run]") {
  for (const std::string unit : {"samples/s", "samples/s/device"}) {
    CAPTURE(unit);
    const auto step = [&](const std::string& number, const std::string& rate) {
      return "step " + number + ": avg throughput " + rate + " " + unit + "\n";
    };
    const GuessedRules guess =
        guess_rules({.out = step("1", "100.1") + step("2", "100.3") + "Epoch 1 time: 41.5 s\n" +
                            step("3", "100.2") + step("4", "100.4") + "Epoch 2 time: 41.2 s\n",
                     .err = ""});
    REQUIRE(guess.rules.size() == 1);
    CHECK(guess.rules[0].unit == "samples/s");
    CHECK(guess.steps == 4);
    CHECK_FALSE(guess.is_per_epoch);
    CHECK(guess.is_per_device == unit.ends_with("device"));
  }
  // What is printed once, at the end, does not.
  CHECK(step_times_us("Epoch 1 time: 41.5 s\nEpoch 2 time: 41.2 s\nTraining took 82.7 s\n") ==
        Numbers{41'500'000, 41'200'000});
}

TEST_CASE("logs of Paddle are read: its interval is no validation, and its evaluation no step",
          "[run]") {
  const auto trainer = [](const std::string& step, const std::string& rate) {
    return "[2026-05-06 10:00:01,123] [    INFO] - loss: 10.9, learning_rate: 3e-06, "
           "global_step: " +
           step + ", interval_runtime: 5.1, interval_samples_per_second: 31.2, " +
           "interval_tokens_per_second_per_device: 8000.1, interval_steps_per_second: " + rate +
           ", progress_or_epoch: 0.01\n";
  };
  CHECK(step_times_us(trainer("10", "2.0") + trainer("20", "1.6")) == Numbers{500000, 625000});

  const auto classification = [](const std::string& phase, const std::string& cost) {
    return "[2026/03/04 10:00:01] ppcls INFO: " + phase + "CELoss: 7.02588, batch_cost: " + cost +
           "s, reader_cost: 1.02611, ips: 98.2 samples/s, eta: 18 days, 2:36:24\n";
  };
  CHECK(step_times_us(classification("[Train][Epoch 1/120][Iter: 0/5004]", "2.60563") +
                      classification("[Train][Epoch 1/120][Iter: 10/5004]", "0.41125") +
                      classification("[Eval][Epoch 1][Iter: 0/98]", "1.41125")) ==
        Numbers{2'605'630, 411'250});
}

TEST_CASE("the rates of tf_cnn_benchmarks are told to be means", "[run]") {
  const std::string text =
      "Done warm up\nStep\tImg/sec\ttotal_loss\n"
      "1\timages/sec: 140.0 +/- 0.0 (jitter = 0.0)\t8.186\n"
      "10\timages/sec: 139.6 +/- 0.1 (jitter = 0.3)\t8.137\n"
      "20\timages/sec: 139.5 +/- 0.1 (jitter = 0.4)\t7.969\n"
      "----------------------------------------------------------------\n"
      "total images/sec: 138.95\n";

  const GuessedRules guess = guess_rules({.out = text, .err = ""});

  CHECK(guess.steps == 3);
  CHECK(guess.rules.at(0).unit == "samples/s");
  CHECK_FALSE(guess.is_per_device);
  CHECK_THAT(notes_of(text),
             Catch::Contains("'images/sec: 140.0' is a mean, of which the number behind it is the "
                             "uncertainty"));
}

TEST_CASE("the times of MMDetection, MaxText and TensorFlow's tutorials are found", "[run]") {
  const std::string mmdet = " - mmdet - INFO - Epoch [1]";
  CHECK(step_times_us("2026-05-08 18:44:23,494" + mmdet +
                      "[1200/7517]\tlr: 0.00125, eta: 4:44:04, time: 0.593, data_time: 0.031, "
                      "memory: 6836, loss: 0.4606\n2026-05-08 18:44:53,197" +
                      mmdet +
                      "[1250/7517]\tlr: 0.00125, eta: 4:43:39, time: 0.594, data_time: 0.031, "
                      "memory: 6836, loss: 0.5449\n") == Numbers{593000, 594000});
  CHECK(step_times_us("completed step: 0, seconds: 44.923, TFLOP/s/device: 2.7, Tokens/s/device: "
                      "1094.090, total_weights: 163259, loss: 12.187\n"
                      "completed step: 1, seconds: 0.319, TFLOP/s/device: 384.6, Tokens/s/device: "
                      "154063.1, total_weights: 155934, loss: 12.189\n") ==
        Numbers{44'923'000, 319'000});
  CHECK(step_times_us("2026-03-28 14:51:04.38: step 660, loss = 2.85 (729.8 examples/sec; 0.175 "
                      "sec/batch)\n2026-03-28 14:51:06.15: step 670, loss = 2.86 (721.8 "
                      "examples/sec; 0.177 sec/batch)\n") == Numbers{175000, 177000});
}

// Its updates per second have one digit or two, and its times are those of many updates.
TEST_CASE("nothing is guessed from a log of fairseq", "[run]") {
  const std::string line =
      " | INFO | train_inner | epoch 001:   2800 / 160368 loss=9.255, ppl=611.12, wps=57.3, "
      "ups=0.04, wpb=1613, bsz=80, num_updates=2800, lr=2.8e-05, gnorm=3.23, train_wall=13, "
      "wall=1236\n";
  CHECK(guess_rules({.out = "2026-07-17 07:11:02" + line + "2026-07-17 07:11:31" + line, .err = ""})
            .rules.empty());
}
