// Where the numbers of a line begin and end, and what they are called, as guessed rules show.
#include "harness/run/outcome/printed_figures.h"

#include "tests/run/outcome/guessed.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using test::kValue;
using test::notes_of;
using test::Numbers;
using test::step_times_us;
using test::values_of;

TEST_CASE("a number is never cut at a comma, a colon or a unit inside it", "[run]") {
  const auto is_passed_over = [](const std::string& text) {
    return guess_rules({.out = text, .err = ""}).rules.empty() &&
           notes_of(text).find("a rule would read only a part of it") != std::string::npos;
  };

  CHECK(step_times_us("step 0 time 998.0 ms, ok\nstep 1 time 1,002.5 ms, ok\n") ==
        Numbers{998000, 1002500});
  CHECK(is_passed_over("Epoch 0 finished in 1m 2.0s\nEpoch 1 finished in 1m 2.1s\n"));
  CHECK(is_passed_over("Epoch 0 took 1 min 2.0 s\nEpoch 1 took 1 min 2.1 s\n"));
  CHECK(is_passed_over("Epoch 0: time 1:00.25 min\nEpoch 1: time 1:01.25 min\n"));
  CHECK(is_passed_over("step 0 took 0,984 s\nstep 1 took 0,991 s\n"));
  CHECK(is_passed_over("data time 3.0 ms, step time 1m 2.0s\n"));  // a part is no substitute
  CHECK_THAT(notes_of("step 0 time 12,286 s\nstep 1 time 12,301 s\n"),
             Catch::Contains("add decimal: point to the rule if that is right"));
}

TEST_CASE("a number with marks between its thousands is passed over whole", "[run]") {
  for (const char* mark : {"'", "\xe2\x80\x99", "_", "\xc2\xa0", "\xe2\x80\xaf"}) {
    const std::string number = std::string("1") + mark + "226.80 ms";
    const std::string text = "step 0 time: " + number + "\nstep 1 time: " + number + "\n";
    INFO(text);
    CHECK(guess_rules({.out = text, .err = ""}).rules.empty());
    CHECK_THAT(notes_of(text),
               Catch::Contains("passed over 'time: " + number +
                               "': a rule would read only a part of it; write a rule with (\\S+)"));
  }
  // 226,75 ms would be a part of it.
  CHECK(guess_rules({.out = "took 1 226,75 ms\ntook 1 248,75 ms\n", .err = ""}).rules.empty());
  CHECK(step_times_us("a 1.5,41ms\na 1.5,42ms\n") == Numbers{41000, 42000});  // two columns
}

TEST_CASE("decimal commas are read where no value can be meant otherwise", "[run]") {
  const std::string german = "Schritt 0: 1.226,7 ms\nSchritt 1: 998,25 ms\n";
  CHECK(step_times_us(german) == Numbers{1226700, 998250});
  CHECK(guess_rules({.out = german, .err = ""}).rules.at(0).decimal == DecimalMark::kComma);
  CHECK_THAT(notes_of(german), Catch::Contains("takes the comma of '1.226,7 ms' as a decimal one"));
  const std::string with_loss = "step 1: 41,5 ms, loss 2,990\nstep 2: 42,5 ms, loss 2,980\n";
  const ProgramOutput output{.out = with_loss, .err = ""};
  CHECK(values_of(output, guess_rules(output), "loss") == Numbers{2.99, 2.98});

  for (const char* unclear : {"took 12 ms\ntook 12,5 ms\n",  // not every value has a comma
                              "took 0,984 s\ntook 0,991 s\n",
                              "3,41 ms\n4,42 ms\n"}) {  // two columns
    CHECK(guess_rules({.out = unclear, .err = ""}).rules.empty());
    CHECK_THAT(
        notes_of(unclear),
        Catch::Contains("if the comma is a decimal one, write a rule with `decimal: comma`"));
  }
}

TEST_CASE("what is printed for a missing number is no part of a pattern", "[run]") {
  CHECK(step_times_us("Epoch 1 | loss: 3.1, val: n/a | iter time: 41 ms\n"
                      "Epoch 1 | loss: 3.1, val: n/a | iter time: 42 ms\n"
                      "Epoch 1 | loss: 3.1, val: 3.012 | iter time: 43 ms\n") ==
        Numbers{41000, 42000, 43000});
  CHECK(step_times_us("iter 1: loss nan, took 41 ms\niter 2: loss 2.5, took 42 ms\n") ==
        Numbers{41000, 42000});
  CHECK(step_times_us("loss: - took 41 ms\nloss: None took 42 ms\nloss: 2.5 took 43 ms\n") ==
        Numbers{41000, 42000, 43000});
  CHECK(guess_rules({.out = "gpu: nano time: 41 ms\n", .err = ""}).rules.at(0).regex ==
        "^gpu: +nano +time: +" + kValue + " +ms");
}

TEST_CASE("the time of a step wins over those of an epoch and of a whole bar", "[run]") {
  CHECK(step_times_us("300/300 - 2s - loss: 0.3 - 2s/epoch - 7ms/step\n"
                      "300/300 - 1s - loss: 0.3 - 1s/epoch - 4ms/step\n") == Numbers{7000, 4000});
  CHECK(guess_rules({.out = "900/900 [====] - 2s 37us/sample - loss: 0.3\n"
                            "900/900 [====] - 2s 34us/sample - loss: 0.3\n",
                     .err = ""})
            .rules.empty());
  CHECK(step_times_us("640: 12% == 1/8 2.0it/s 0.3s<2.0s\r640: 25% == 2/8 4.0it/s 0.6s<1.7s\n") ==
        Numbers{500000, 250000});
}

TEST_CASE("what a number, a colon or = follows is a label and no unit", "[run]") {
  const std::string labels = "loss 2.3 ms/step 105.5 tflops 12.2\nloss 2.2 ms/step 106 tflops 12\n";
  CHECK(step_times_us(labels) == Numbers{105500, 106000});
  CHECK(values_of({.out = labels, .err = ""}, guess_rules({.out = labels, .err = ""}), "loss") ==
        Numbers{2.3, 2.2});

  // 1.22 s, or not read; 1/1.22 s is wrong.
  const std::string rate = "steps: 10 loss: 5.9 iter time (s): 1.220 samples/sec: 203.1\n";
  CHECK(step_times_us(rate + rate) != Numbers{819672, 819672});

  CHECK(step_times_us("20/20 - 132s 41ms/step - ok\n20/20 - 133s 42ms/step - ok\n") ==
        Numbers{41000, 42000});
  CHECK(step_times_us("step 1 took 10.5 ms 3 it\nstep 2 took 11 ms 3 it\n") ==
        Numbers{10500, 11000});
}
