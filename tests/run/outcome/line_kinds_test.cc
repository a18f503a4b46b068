// Which of the lines that look alike are those of the steps, as guessed rules show.
#include "harness/run/outcome/line_kinds.h"

#include "tests/run/outcome/guessed.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using test::kAttachedValue;
using test::notes_of;
using test::Numbers;
using test::step_times_us;
using test::values_of;

TEST_CASE("of lines of a training and a validation those of the training are read", "[run]") {
  const ProgramOutput epochs{.out =
                                 "Epoch 1 train loss 2.31 time 12.5s\n"
                                 "Epoch 1 val loss 2.11 time 2.5s\n"
                                 "Epoch 2 train loss 2.21 time 12.4s\n"
                                 "Epoch 2 val loss 2.01 time 2.4s\n",
                             .err = ""};
  const GuessedRules guess = guess_rules(epochs);
  CHECK(guess.rules.at(0).regex ==
        R"(^Epoch\b.*(?:\b|_)(?i:train).* +time +)" + kAttachedValue + "s");
  CHECK(values_of(epochs, guess, "step_time_s") == Numbers{12.5, 12.4});
  CHECK(values_of(epochs, guess, "loss") == Numbers{2.31, 2.21});
  CHECK(guess.is_per_epoch);
  CHECK_THAT(notes_of(epochs.out), !Catch::Contains("check"));

  const ProgramOutput brackets{.out =
                                   "[Valid] epoch 0: loss 3.11, took 2.6 s\n"
                                   "[Train] epoch 1: loss 2.31, took 12.5 s\n"
                                   "[Valid] epoch 1: loss 2.11, took 2.5 s\n"
                                   "[Train] epoch 2: loss 2.21, took 12.4 s\n"
                                   "[Valid] epoch 2: loss 2.01, took 2.4 s\n",
                               .err = ""};
  CHECK(values_of(brackets, guess_rules(brackets), "step_time_s") == Numbers{12.5, 12.4});
  CHECK(values_of(brackets, guess_rules(brackets), "loss") == Numbers{2.31, 2.21});

  CHECK(step_times_us("train step 10: 41 ms\neval step 10: 9 ms\n"
                      "train step 20: 40 ms\neval step 20: 8 ms\n") == Numbers{41000, 40000});
  // Lines that begin with the word are two columns.
  CHECK(step_times_us("eval epoch 1: took 2.5 s\ntrain epoch 1: took 12.5 s\n"
                      "eval epoch 2: took 2.4 s\ntrain epoch 2: took 12.4 s\n") ==
        Numbers{12'500'000, 12'400'000});
  CHECK(step_times_us("Epoch 1 Time: 4.5s\nvalidation took 2.5 s\n"
                      "Epoch 2 Time: 4.6s\nvalidation took 2.4 s\n") ==
        Numbers{4'500'000, 4'600'000});
  // A line of a training may also have a loss of validation.
  CHECK(step_times_us("step 1 train_loss 2.3 val_loss 2.2 41 ms\n"
                      "step 2 train_loss 2.2 val_loss 2.1 40 ms\n") == Numbers{41000, 40000});
}

TEST_CASE("each word of a validation, an evaluation or a test is known, and no part of one",
          "[run]") {
  for (const char* word : {"val",
                           "valid",
                           "validation",
                           "validating",
                           "eval",
                           "evaluation",
                           "evaluating",
                           "test",
                           "testing"}) {
    CAPTURE(word);
    CHECK(names_validation("Epoch 1 " + std::string(word) + " took"));
  }
  CHECK(names_validation("Test_loss"));
  CHECK_FALSE(names_validation("latest value of the interval"));
}

TEST_CASE("of the bars of Keras, whose times are means so far, the last of an epoch is read",
          "[run]") {
  const std::string bar = "/469 \xe2\x94\x81\xe2\x94\x81\xe2\x94\x81 ";
  const std::string begun =
      "  20" + bar + "1s 3ms/step - loss: 2.2043\n  60" + bar + "1s 2ms/step - loss: 2.1043\n";
  const ProgramOutput output{
      .out = "Epoch 1/2\n  1" + bar + "9:44 1s/step - loss: 2.3215\n" + begun + "469" + bar +
             "2s 4ms/step - loss: 0.3801 - val_loss: 0.1443\nEpoch 2/2\n  1" + bar +
             "8s 18ms/step - loss: 0.1067\n469" + bar +
             "1s 3ms/step - loss: 0.1301 - val_loss: 0.1071\n",
      .err = ""};

  const GuessedRules guess = guess_rules(output);

  CHECK(guess.rules.at(0).regex == R"(\b469/469\b.* +)" + kAttachedValue + "ms/step");
  CHECK(values_of(output, guess, "step_time_s") == Numbers{0.004, 0.003});
  CHECK(values_of(output, guess, "loss") == Numbers{0.3801, 0.1301});
  CHECK_THAT(notes_of(output.out), Catch::Contains("so the rule reads 469/469 alone"));
  // No epoch came to its end.
  CHECK(step_times_us(begun) == Numbers{3000, 2000});
  CHECK_THAT(notes_of(begun),
             Catch::Contains("'3ms/step' is the mean since the epoch began") &&
                 Catch::Contains("write verbose=2 into fit() for one line an epoch"));
  CHECK_THAT(notes_of("20/20 [=====] - 1s 41ms/step - loss: 0.31\n"
                      "20/20 [=====] - 1s 42ms/step - loss: 0.30\n"),
             !Catch::Contains("verbose"));
}

TEST_CASE("on the line of an epoch its time is taken, and not the rate beside it", "[run]") {
  for (const char* rate : {"4100 samples/s", "410.5 it/s"}) {
    const std::string text = std::string("epoch 1: loss 2.31, ") + rate +
                             ", time 12.2 s\nepoch 2: loss 2.21, " + rate + ", time 12.0 s\n";
    INFO(text);
    CHECK(step_times_us(text) == Numbers{12'200'000, 12'000'000});
    CHECK(guess_rules({.out = text, .err = ""}).is_per_epoch);
  }
  const GuessedRules alone =
      guess_rules({.out = "epoch 1: 4100 samples/s\nepoch 2: 4150 samples/s\n", .err = ""});
  CHECK(alone.rules.at(0).unit == "samples/s");
  CHECK_FALSE(alone.is_per_epoch);
}
