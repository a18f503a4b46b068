// Rules for what programs print, guessed from lines of their kind.
#include "harness/run/outcome/guess_rules.h"

#include "tests/run/outcome/guessed.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using test::kValue;
using test::notes_of;
using test::Numbers;
using test::step_times_us;
using test::values_of;

TEST_CASE("the number of the step is named behind what a logger puts before it", "[run]") {
  const auto rule_for = [](const std::string& before) {
    const std::string text = before + "iter 1: loss 2.5, time 41.5 ms\n" + before +
                             "iter 2: loss 2.4, time 42.5 ms\n" + before +
                             "iter 3: loss 2.3, time 41.0 ms\n";
    return guess_rules({.out = text, .err = ""}).rules.at(0).regex;
  };
  const std::string numbered = R"(\biter +(?<step>\d+)\b.*, +time +)" + kValue + " +ms";

  CHECK(rule_for("[rank0]: ") == numbered);
  CHECK(rule_for("2026-11-20 10:00:03 | INFO | ") == numbered);
  CHECK(rule_for("") == "^" + numbered.substr(2));
  CHECK(rule_for("Epoch 1, ").find("<step>") == std::string::npos);  // begins again in each
}

TEST_CASE("a rule holds for other values of an axis that the program prints", "[run]") {
  const auto rule_for = [](const std::string& text, const std::vector<std::string>& values) {
    return guess_rules({.out = text, .err = ""}, values).rules.at(0).regex;
  };
  const std::string rings = "step 1 Ring all-reduce: 44 us\nstep 2 Ring all-reduce: 45 us\n";

  CHECK(rule_for(rings, {"ring"}) ==
        R"(^step +(?<step>\d+)\b.* +\S+ +all-reduce: +)" + kValue + " +us");
  CHECK(rule_for(rings, {"rin", "r", "us", "value"}) == rule_for(rings, {}));
  CHECK(rule_for("resnet-50 took 4 ms\nresnet-50 took 5 ms\n", {"resnet-50"}) ==
        R"(^\S+\b.* +took +)" + kValue + " +ms");
  CHECK(rule_for("all_c++ time: 4 ms\nall_c++ time: 5 ms\n", {"c++"}) ==
        R"(^all_\S+ +time: +)" + kValue + " +ms");
  CHECK(rule_for("fp16 took 4 ms\nfp16 took 5 ms\n", {"fp"}) == "^fp16 +took +" + kValue + " +ms");
  // Without the word it would read the evaluation, too.
  const ProgramOutput output{.out = "ring time: 4 ms\neval time: 9 ms\nring time: 5 ms\n",
                             .err = ""};
  const GuessedRules guess = guess_rules(output, {"ring"});
  CHECK(values_of(output, guess, "step_time_s") == Numbers{0.004, 0.005});
  CHECK(guess.notes.back() ==
        "check the rule of step_time_s: it has a value of -L, which other cells do not print");
}

TEST_CASE("a time with a unit is the step time, and neither the counter nor the loss is", "[run]") {
  const ProgramOutput output{
      .out =
          "reading data, 3 s\niter 17: loss 2.31, time 41 ms\niter 18: loss 2.29, time 40.5 ms\n"
          "saved in 2.5 s\n",
      .err = "warning: 12 ms\n"};

  const GuessedRules guess = guess_rules(output);

  CHECK(guess.preset.empty());
  CHECK(guess.rules.at(0).unit == "ms");
  CHECK(values_of(output, guess, "step_time_s") == Numbers{0.041, 0.0405});
  CHECK(values_of(output, guess, "loss") == Numbers{2.31, 2.29});
  CHECK(guess.steps == 2);
  CHECK(guess.examples.at(0) == "iter 17: loss 2.31, time 41 ms");
  CHECK(guess.rules.at(0).regex == R"(^iter +(?<step>\d+)\b.*, +time +)" + kValue + " +ms");
}

TEST_CASE("step times are found in the shapes that programs print", "[run]") {
  CHECK(step_times_us("step=1 dt_ms=12.5 lr=0.1\nstep=2 dt_ms=13 lr=0.1\n") ==
        Numbers{12500, 13000});
  CHECK(step_times_us("{\"step\": 1, \"step_time_s\": 0.5, \"loss\": 2}\n"
                      "{\"step\": 2, \"step_time_s\": 0.25, \"loss\": 1}\n") ==
        Numbers{500000, 250000});
  CHECK(step_times_us("Epoch [0] Step 3/10 batch time: 0.25 (0.31) data time: 0.01\n"
                      "Epoch [0] Step 4/10 batch time: 0.26 (0.30) data time: 0.02\n") ==
        Numbers{250000, 260000});
  CHECK(step_times_us("12.0 it/s\n10 it/s\n").size() == 2);
  CHECK(
      step_times_us("1 forward 3 ms backward 6 ms step 10 ms\n2 forward 3 ms backward 6 ms step 11 "
                    "ms\n") == Numbers{10000, 11000});
  CHECK(step_times_us("[12:01:07] took 1.5s\n[12:01:09] took 1.75s\n") ==
        Numbers{1500000, 1750000});
  CHECK(step_times_us("  40 us\n  50 us\n") == Numbers{40, 50});
}

TEST_CASE("step times are found in progress bars and in tables with tabs", "[run]") {
  CHECK(step_times_us(
            " 50%|\xe2\x96\x88 | 1/2 [00:01<00:01,  4.00it/s]\r100%|\xe2\x96\x88\xe2\x96\x88| "
            "2/2 [00:02<00:00,  5.00it/s]\n") == Numbers{250000, 200000});
  CHECK(step_times_us("20/20 [=====] - 1s 41ms/step - loss: 0.31\n20/20 [=====] - 1s 42ms/step - "
                      "loss: 0.30\n") == Numbers{41000, 42000});
  CHECK(step_times_us(
            "Epoch: [0][ 10/50]\tTime  0.812 ( 1.921)\tData  0.001 ( 0.300)\tLoss 6.9e+00\n"
            "Epoch: [0][ 20/50]\tTime  0.712 ( 1.921)\tData  0.001 ( 0.300)\tLoss 6.8e+00\n") ==
        Numbers{812000, 712000});
}

TEST_CASE("times that count from the start of the run are taken as differences", "[run]") {
  std::string out;
  for (const char* second : {"1.5", "2.0", "2.75", "3.0", "3.25", "4"}) {
    out += std::string("step done, elapsed ") + second + " s\n";
  }

  const GuessedRules guess = guess_rules({.out = out, .err = ""});

  CHECK(guess.rules.at(0).is_difference);
  CHECK(step_times_us(out) == Numbers{500000, 750000, 250000, 250000, 750000});
}

TEST_CASE("three even times from zero count from the start of the run, others may be steps",
          "[run]") {
  CHECK(step_times_us("step 1 elapsed 12.5 s\nstep 2 elapsed 24.8 s\nstep 3 elapsed 37.2 s\n") ==
        Numbers{12'300'000, 12'400'000});
  CHECK(step_times_us("epoch 1 time: 0.25\nepoch 2 time: 0.5\nepoch 3 time: 0.8\n") ==
        Numbers{250'000, 300'000});
  CHECK(step_times_us("took 12.5 s\ntook 24.8 s\n") == Numbers{12'500'000, 24'800'000});
  CHECK(step_times_us("took 12.5 s\ntook 14.8 s\ntook 17.2 s\n") ==
        Numbers{12'500'000, 14'800'000, 17'200'000});
  CHECK(step_times_us("took 12.5 s\ntook 24.8 s\ntook 80.5 s\n").size() == 3);
  CHECK(step_times_us("took 12.5 s\ntook 24.8 s\ntook 12.5 s\n").size() == 3);
}

TEST_CASE("time that is still to come and the day of a date are no step times", "[run]") {
  const auto has_rules = [](const std::string& text) {
    return !guess_rules({.out = text, .err = ""}).rules.empty();
  };

  CHECK_FALSE(
      has_rules("step 0, remaining wall clock time:   20 s\n"
                "step 100, remaining wall clock time:   19 s\n"));  // GROMACS
  CHECK_FALSE(has_rules("ETA: 5 s\nETA: 4 s\n"));
  CHECK_FALSE(has_rules("\"eta_time\": 5 s\n\"eta_time\": 4 s\n"));
  CHECK_FALSE(has_rules("HPL_pdgesv() start time Mon Oct  7 10:00:00 2024\n"));
  CHECK(step_times_us("0:00:20 remaining, iter time: 5 ms\n0:00:19 remaining, iter time: 6 ms\n") ==
        Numbers{5000, 6000});
  CHECK(step_times_us("dec 5 ms\ndec 6 ms\n") == Numbers{5000, 6000});  // of a decoder
}

TEST_CASE("steps that become slower one by one are told from times since the start", "[run]") {
  std::string slower;
  std::string since_start;
  for (int i = 0; i < 16; ++i) {
    slower += "step " + std::to_string(i) + ": " + std::to_string(210 + 5 * i) + " ms\n";
    since_start += "step " + std::to_string(i) + ": " + std::to_string(5 + 5 * i) + " ms\n";
  }
  const auto guess = [](const std::string& out, double wall_s) {
    return guess_rules({.out = out, .err = "", .wall_s = wall_s});
  };

  CHECK_FALSE(guess(slower, 4.1).rules.at(0).is_difference);  // the steps take 3.96 s
  CHECK(guess(slower, 0.5).rules.at(0).is_difference);
  CHECK(guess(since_start, 60.0).rules.at(0).is_difference);  // after a long start
  CHECK_THAT(scalestudy::join(guess(since_start, 60.0).notes, "\n"),
             Catch::Contains("remove `difference: true`"));
}

TEST_CASE("stderr is looked at if stdout has no times", "[run]") {
  const ProgramOutput output{.out = "done\n", .err = "step 1: 5 ms\rstep 2: 6 ms\r"};

  CHECK(values_of(output, guess_rules(output), "step_time_s") == Numbers{0.005, 0.006});
}

TEST_CASE("a rate of samples needs the amount of a step", "[run]") {
  const ProgramOutput output{.out = "step 1 | 512 img/s\nstep 2 | 256 img/s\n", .err = ""};

  const GuessedRules guess = guess_rules(output);

  CHECK(guess.needs_amount);
  CHECK(guess.rules.at(0).unit == "samples/s");
}

TEST_CASE("a rate is known by its name, and a file's line number is no time", "[run]") {
  const GuessedRules samples =
      guess_rules({.out = "[INFO] [timer.py:189:stop] 0/40, SamplesPerSec=83.5, Allocated=0.3GB\n"
                          "[INFO] [timer.py:189:stop] 0/50, SamplesPerSec=83.7, Allocated=0.3GB\n",
                   .err = ""});
  const GuessedRules tokens =
      guess_rules({.out = "Step 1 | loss:2.1 lr:2e-05 tokens_per_second_per_gpu:57.8\n"
                          "Step 2 | loss:1.9 lr:2e-05 tokens_per_second_per_gpu:405.0\n",
                   .err = ""});

  CHECK(samples.needs_amount);
  CHECK(samples.rules.at(0).unit == "samples/s");
  CHECK(tokens.needs_amount);
  CHECK(tokens.rules.at(0).unit == "tokens/s");
}

TEST_CASE("time stamps are no step times", "[run]") {
  const std::string head = R"(:::MLLOG {"namespace": "", "time_ms": 17600282)";

  CHECK(guess_rules({.out = head + "53484, \"key\": \"run_start\"}\n" + head +
                            "97670, \"key\": \"tracked_stats\"}\n",
                     .err = ""})
            .rules.empty());
  CHECK(guess_rules({.out = "time 1760028253.48\ntime 1760028254.61\n", .err = ""}).rules.empty());
  CHECK(guess_rules({.out = "time 0:39:56\ntime 0:40:12\n", .err = ""}).rules.empty());
}

TEST_CASE("a known program is recognised by its preset", "[run]") {
  const ProgramOutput output{.out = "iter 40: loss 3.2187, time 212.53ms, mfu 11.05%\n", .err = ""};

  const GuessedRules guess = guess_rules(output);

  CHECK(guess.preset == "nanogpt");
  CHECK(guess.examples.size() == 1);
  CHECK(values_of(output, guess, "step_time_s") == Numbers{0.21253});
}

TEST_CASE("nothing is guessed from numbers that are no times", "[run]") {
  CHECK(guess_rules({.out = "epoch 1 loss 2.5 acc 0.3\nversion 1.2.3\n", .err = ""}).rules.empty());
  CHECK(guess_rules({.out = "", .err = ""}).rules.empty());

  std::string endless;  // one line of 200,000 numbers would take hours, number by number
  for (int i = 0; i < 200000; ++i) {
    endless += "1 ms ";
  }
  CHECK(guess_rules({.out = endless, .err = ""}).rules.empty());
}

TEST_CASE("the number of a step is guessed, unless it does not tell steps apart", "[run]") {
  std::string ranks;
  std::string uneven;
  for (const char* step : {"1", "2", "3"}) {
    ranks += std::string("step ") + step + ": 41 ms\nstep " + step + ": 43 ms\n";
    uneven += std::string("step ") + step + ": 41 ms\nstep " + step + ": 43 ms\n";
  }
  uneven += "step 4: 44 ms\n";

  CHECK(step_times_us(ranks) == Numbers{43000, 43000, 43000});
  CHECK(step_times_us(uneven).size() == 7);
}

TEST_CASE("a preset that the output breaks is told", "[run]") {
  const std::string result = "  \"command\": \"a\",\n  \"times\": [\n    0.25\n  ]\n";

  CHECK(guess_rules({.out = result, .err = ""}).problem.empty());
  const GuessedRules guess = guess_rules({.out = result + result, .err = ""});
  CHECK(guess.preset == "hyperfine");
  CHECK_THAT(guess.problem, Catch::Contains("a second command in one trial"));
  CHECK(guess_rules({.out = "1048576      412.50\n", .err = ""}).preset.empty());  // no header
}

TEST_CASE("a rate of one device is known by its unit or its name", "[run]") {
  const auto is_per_device = [](const std::string& line) {
    const GuessedRules guess = guess_rules({.out = line + "\n" + line + "\n", .err = ""});
    INFO(line);
    REQUIRE_FALSE(guess.rules.empty());
    CHECK(guess.rules[0].unit == "samples/s");
    return guess.is_per_device;
  };

  CHECK(is_per_device("Iter #0: 110.2 img/sec per GPU"));
  CHECK(is_per_device("step 0 loss 5.00 127.7 samples/s/device"));
  CHECK(is_per_device("step 1 loss 2.1 samples_per_second_per_gpu: 57.1"));
  CHECK(is_per_device("Images/s/GPU: 57.1"));
  CHECK(is_per_device("throughput per rank: 57.1 samples/s"));
  CHECK_FALSE(is_per_device("throughput: 57.1 samples/s"));
  CHECK(guess_rules({.out = "57.1 samples/s per node\n", .err = ""}).rules.empty());
  const GuessedRules time = guess_rules({.out = "time per rank: 41 ms\n", .err = ""});
  CHECK(time.rules.at(0).unit == "ms");
  CHECK_FALSE(time.is_per_device);
}

TEST_CASE("the rates of the steps win over a total that is printed once", "[run]") {
  const GuessedRules guess =
      guess_rules({.out = "Iter #0: 108.0 img/sec per GPU\nIter #1: 107.8 img/sec per GPU\n"
                          "Total img/sec on 4 GPU(s): 432.8 +-4.9\ndone in 3.5 s\n",
                   .err = ""});

  CHECK(guess.steps == 2);
  CHECK(guess.is_per_device);
}

TEST_CASE("a name with _per_ and a time at its end is a rate, and ms_per_step a time", "[run]") {
  CHECK(step_times_us("loss 2 batches_per_sec 0.5\nloss 2 batches_per_sec 0.4\n") ==
        Numbers{2000000, 2500000});
  CHECK(step_times_us("loss 2 iters_per_second: 4\nloss 2 iters_per_second: 8\n") ==
        Numbers{250000, 125000});
  CHECK(step_times_us("loss=2 ms_per_iter=101.1\nloss=2 ms_per_iter=102.7\n") ==
        Numbers{101100, 102700});
  CHECK(step_times_us("| lr 20.00 | ms/batch 16.17 |\n| lr 20.00 | ms/batch 16.34 |\n") ==
        Numbers{16170, 16340});
  CHECK(guess_rules({.out = "loss 2 tok_per_sec 124\n", .err = ""}).rules.at(0).unit == "tokens/s");
  CHECK(guess_rules({.out = "loss 2 ms_per_token 124\n", .err = ""}).rules.empty());
  CHECK(guess_rules({.out = "loss 2 ms_per_gpu 124\n", .err = ""}).rules.empty());
}

TEST_CASE("the whole step wins over its parts", "[run]") {
  CHECK(step_times_us("avg_reader_cost: 0.025 s, avg_batch_cost: 3.5 s, ips: 14 samples/s\n"
                      "avg_reader_cost: 0.025 s, avg_batch_cost: 3.6 s, ips: 14 samples/s\n") ==
        Numbers{3500000, 3600000});
  CHECK(step_times_us("fwd 10.2ms bwd 20.1ms step 125ms\nfwd 10.2ms bwd 20.1ms step 126ms\n") ==
        Numbers{125000, 126000});
  CHECK(step_times_us("forward time: 12 ms, backward time: 22 ms, total time: 44 ms\n"
                      "forward time: 12 ms, backward time: 22 ms, total time: 43 ms\n") ==
        Numbers{44000, 43000});
}

TEST_CASE("numbers of one place with several units get a rule for each", "[run]") {
  CHECK(step_times_us("Training: 1/3 [00:03<00:37,  1.25s/it]\rTraining: 2/3 [00:03<00:37,  "
                      "1.5s/it]\rTraining: 3/3 [00:03<00:37,  2.00it/s]\n") ==
        Numbers{1250000, 1500000, 500000});
  CHECK(step_times_us("step 1 took 998 ms\nstep 2 took 1.02 s\n") == Numbers{998000, 1020000});
  // A bar without a word, of one length.
  CHECK(step_times_us("1/3 [00:03<00:37, 1.25s/it]\r2/3 [00:03<00:37, 2.00it/s]\r"
                      "3/3 [00:03<00:37, 1.5s/it]\n") == Numbers{1250000, 500000, 1500000});
  CHECK(step_times_us("1.25s/it\n2.00it/s\n1.5s/it\n") == Numbers{1250000, 1500000});
}

TEST_CASE("where a line comes every tenth step, the guess tells of steps beside lines", "[run]") {
  const auto guess = [](int first, int stride) {
    std::string text;
    for (int line = 0; line < 20; ++line) {
      text += "step " + std::to_string(first + line * stride) + ": 200 ms\n";
    }
    return guess_rules({.out = text, .err = ""});
  };

  CHECK(guess(10, 10).steps == 20);
  CHECK(guess(10, 10).interval == 10);
  CHECK(guess(10, 10).covered == 200);
  CHECK(guess(0, 10).covered == 191);
  CHECK(guess(1, 1).interval == 1);
  CHECK(guess(1, 1).covered == 20);
  const GuessedRules unnumbered = guess_rules({.out = "took 5 ms\ntook 6 ms\n", .err = ""});
  CHECK(unnumbered.interval == 1);
  CHECK(unnumbered.covered == 2);
}

TEST_CASE("times that begin again in each epoch are no step times", "[run]") {
  std::string out;
  for (const char* epoch : {"1", "2"}) {
    for (const char* second : {"35.25", "70.84", "106.32", "140.37", "176.26", "212.06"}) {
      out += std::string("epoch ") + epoch + " - time (sec): " + second + " - lr: 0.1\n";
    }
  }

  CHECK(guess_rules({.out = out, .err = ""}).rules.empty());
  CHECK_THAT(notes_of(out), Catch::Contains("it counts up and begins again"));
}

TEST_CASE("a counter without a unit is no time, and a time of each step does not count up",
          "[run]") {
  std::string counter;
  std::string rising;
  for (const char* digit : {"1", "2", "3", "4", "5", "6", "7"}) {
    counter += std::string("time/batch: ") + digit + "\n";
    rising += std::string("1.") + digit + "e-2 s/step\n";
  }

  CHECK(guess_rules({.out = counter, .err = ""}).rules.empty());
  CHECK_FALSE(guess_rules({.out = rising, .err = ""}).rules.at(0).is_difference);
}

TEST_CASE("a time on a line of its epoch alone is that of an epoch", "[run]") {
  const auto is_per_epoch = [](const std::string& text) {
    const GuessedRules guess = guess_rules({.out = text, .err = ""});
    CHECK(guess.steps > 0);
    return guess.is_per_epoch;
  };
  CHECK(
      is_per_epoch("Epoch [1/30] Train Loss: 2.35 Train Acc: 33.37% Time: 0.2212s LR: 0.1\n"
                   "Epoch [2/30] Train Loss: 2.15 Train Acc: 34.37% Time: 0.2210s LR: 0.1\n"));
  CHECK(is_per_epoch("10:00:01 INFO epoch 10 took 41.5 s\n10:00:43 INFO epoch 11 took 41.4 s\n"));
  CHECK(
      is_per_epoch("{\"epoch\": 1, \"loss\": 2.5, \"time\": 12.5}\n"
                   "{\"epoch\": 2, \"loss\": 2.4, \"time\": 12.4}\n"));
  CHECK(is_per_epoch("epoch_time: 12.5 s\nepoch_time: 12.4 s\n"));
  CHECK_FALSE(
      is_per_epoch("Epoch: [0][ 10/50]\tTime  0.812 ( 1.921)\n"
                   "Epoch: [1][ 10/50]\tTime  0.712 ( 1.921)\n"));
  CHECK_FALSE(
      is_per_epoch("Epoch 1, step 10: loss 2.5, time 20 ms\n"
                   "Epoch 2, step 10: loss 2.4, time 21 ms\n"));
  CHECK_FALSE(is_per_epoch("epoch 1 batch time: 20 ms\nepoch 2 batch time: 21 ms\n"));
  CHECK_FALSE(
      is_per_epoch("{'loss': 0.5, 'epoch': 1.5, 'time': 0.25}\n"
                   "{'loss': 0.4, 'epoch': 1.6, 'time': 0.24}\n"));
}

TEST_CASE("the times of steps win over those of their epochs", "[run]") {
  CHECK(step_times_us("loss 2.3 in 20 ms\nloss 2.2 in 21 ms\nEpoch [1/2] Time: 4.5s\n"
                      "loss 2.1 in 22 ms\nloss 2.0 in 20 ms\nEpoch [2/2] Time: 4.6s\n") ==
        Numbers{20000, 21000, 22000, 20000});
  // The time for data is a part of a step, and the training printed its time once.
  CHECK(step_times_us("data time 2 ms\ndata time 3 ms\nEpoch 1 Time: 4.5s\ndata time 2 ms\n"
                      "data time 4 ms\nEpoch 2 Time: 4.6s\nTraining took 9.2 s\n") ==
        Numbers{4500000, 4600000});
}
