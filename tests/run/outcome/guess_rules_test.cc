// Rules for what programs print, guessed from lines of their kind.
#include "harness/run/outcome/guess_rules.h"

#include <cmath>
#include <sstream>
#include <variant>

#include "harness/run/outcome/extract.h"
#include "harness/study/matrix/command.h"
#include "tests/support/catch.h"

using namespace scalestudy;

namespace {

// The values that guessed rules find of a metric, in its stored unit.
std::vector<double> values_of(const ProgramOutput& output,
                              const GuessedRules& guess,
                              const std::string& metric) {
  std::vector<ExtractRule> rules = guess.rules;
  for (ExtractRule& rule : rules) {
    const ExtractPattern compiled = parse_extract_pattern(rule.regex, "");
    CHECK(compiled.problem.empty());
    if (guess.preset.empty()) {
      rule.regex = compiled.regex;
      rule.group = compiled.group;
    }
  }
  std::istringstream out(output.out);
  std::istringstream err(output.err);
  const protocol::Record record = extract_samples(
      {.out = out, .err = err, .wall_s = 1.0}, rules, {.warmup = 0, .is_open = true}, {});
  for (const protocol::Event& event : record.events) {
    const auto* samples = std::get_if<protocol::Samples>(&event);
    if (samples != nullptr && samples->metric == metric) {
      return samples->values;
    }
  }
  return {};
}

// In whole microseconds.
std::vector<double> step_times_us(const std::string& text) {
  const ProgramOutput output{.out = text, .err = ""};
  std::vector<double> times = values_of(output, guess_rules(output), "step_time_s");
  for (double& time : times) {
    time = std::round(time * 1e6);
  }
  return times;
}

using Numbers = std::vector<double>;

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
  CHECK(guess.rules.at(0).regex == R"(^iter +(?<step>\d+)\b.*, +time +(?<value>[0-9.eE+-]+) +ms)");
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

}  // namespace

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
