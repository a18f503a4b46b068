// What a person is told to check of guessed rules.
#include "harness/run/outcome/guess_notes.h"

#include "tests/run/outcome/guessed.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using test::notes_of;
using test::Numbers;
using test::step_times_us;

TEST_CASE("where several columns are equally likely, the choice is told", "[run]") {
  CHECK_THAT(
      notes_of("a 10 ms b 20 ms\na 11 ms b 21 ms\n"),
      Catch::Contains("check the column: the rule reads 'a 10 ms'; equally likely: 'b 20 ms'"));
  CHECK_THAT(notes_of("time 10 ms 20 ms\ntime 11 ms 21 ms\n"), !Catch::Contains("check"));
  CHECK_THAT(notes_of("rank 1 10 ms 20 ms\n"), Catch::Contains("several numbers like"));
  CHECK_THAT(notes_of("step 1: 10 ms\nstep 2: 11 ms\n"), !Catch::Contains("check"));
  // Every tenth line: the time of one step, or of ten.
  CHECK_THAT(notes_of("step 10: 10 steps in 0.21 s\nstep 20: 10 steps in 0.22 s\n"),
             Catch::Contains("a line comes every 10 steps, and the rule takes 'steps in 0.21 s' as "
                             "the time of one step; if it covers all 10, write "
                             "`unit: s/line, per_step: 0.1`"));
  CHECK_THAT(notes_of("step 2: 10 ms\nstep 4: 11 ms\nstep 6: 12 ms\n"),
             Catch::Contains("a line comes every 2 steps"));
  for (const char* clear : {"step 10: 21 ms/it\nstep 20: 22 ms/it\n",
                            "step 10: 21 it/s\nstep 20: 22 it/s\n",
                            "step 7: 10 ms\nstep 8: 11 ms\n"}) {
    CHECK_THAT(notes_of(clear), !Catch::Contains("check what"));
  }
  CHECK_THAT(notes_of("fwd 10 ms bwd 20 ms step 3 ms\n"),
             Catch::Contains("'step 3 ms', which the rule reads, is shorter than 'fwd 10 ms'"));
  CHECK_THAT(notes_of("fwd 10 ms bwd 20 ms step 33 ms\n"), !Catch::Contains("check"));
  CHECK_THAT(notes_of("time: 0.5\ntime: 0.4\n"),
             Catch::Contains("check the unit: 'time: 0.5' has none, and the rule says s"));
}

TEST_CASE("of times that are printed once, the others are told", "[run]") {
  CHECK_THAT(
      notes_of("sampling time = 12.5 ms\neval time = 1634.5 ms\n"),
      Catch::Contains("reads 'sampling time = 12.5 ms'; other times: 'eval time = 1634.5 ms'"));
  CHECK_THAT(notes_of("step took 10 ms\nthe end took 3 ms\n"), !Catch::Contains("check"));
}

TEST_CASE("a number that others follow without a name is told to be one of a row", "[run]") {
  CHECK_THAT(notes_of("               Core t (s)   Wall t (s)        (%)\n"
                      "       Time:     1234.567      154.321      800.0\n"),  // GROMACS
             Catch::Contains("numbers without a name follow 'Time:     1234.567', as in the row"));
  CHECK_THAT(notes_of("Time: 12.5\nMemory: 7\n"), !Catch::Contains("row"));
  CHECK_THAT(notes_of("time 10 ms 20 ms\ntime 11 ms 21 ms\n"), !Catch::Contains("row"));
}

TEST_CASE("bars of several lengths among the lines that are read are told", "[run]") {
  const std::string training = "1/8 [00:01<00:07,  2.00it/s]\r2/8 [00:01<00:07,  4.00it/s]\n";
  const std::string validation = "Class 1/4 [00:00<00:03,  5.00it/s]\n";

  CHECK(step_times_us(training + validation) == Numbers{500000, 250000, 200000});
  CHECK_THAT(
      notes_of(training + validation),
      Catch::Contains("2 of the 3 that the rules read have a progress bar of 8 steps, others "
                      "one of 4; if only the first are steps, put `/8\\b.*` into the regex") &&
          !Catch::Contains("equally likely"));
  CHECK_THAT(notes_of(training), !Catch::Contains("check"));
}

TEST_CASE("the rate of a progress bar is told to be a running average", "[run]") {
  CHECK_THAT(notes_of("1/8 [00:01<00:07,  2.00it/s]\r2/8 [00:01<?,  4.00it/s]\n"),
             Catch::Contains("'2.00it/s' is the running average of a progress bar"));
  CHECK_THAT(notes_of("1/8 [00:01<00:07] step time 0.5 s\n2/8 [00:01<00:07] step time 0.6 s\n"),
             !Catch::Contains("average"));
}

TEST_CASE("lines that look like those of the rule and are no steps, or unread, are told", "[run]") {
  CHECK_THAT(notes_of("1/3 [00:03<00:37, 1.25s/it]\r2/3 [00:03<00:37, 1.5s/it]\r"
                      "1/9 [00:03<00:37, 2.00it/s]\n"),  // of training and of an evaluation
             Catch::Contains("they read 2 of 3 lines that look alike, and do not read '2.00it/s'"));
  CHECK_THAT(
      notes_of("took 5.5s\ntook 5.0s\ntook 1m 2.0s\n"),
      Catch::Contains("they read 2 of 3 lines that look alike, and do not read 'took 1m 2.0s'"));
  CHECK_THAT(notes_of("step 1 step_time: 9ms\nstep 2 val_loss: 3 step_time: 7ms\n"
                      "step 3 step_time: 9ms\n"),
             Catch::Contains("1 of the 3 that the rules read mention a validation"));
  const std::string val = "step 2 val_loss: 3 step_time: 7ms\n";
  CHECK_THAT(notes_of(val + "step 1 step_time: 9ms\n" + val + "step 3 step_time: 9ms\n"),
             Catch::Contains("2 of the 4 that the rules read mention a validation"));
}

TEST_CASE("lines of several ranks are told", "[run]") {
  std::string out;
  for (const char* step : {"1", "2", "3"}) {
    out += std::string("[rank0]: step ") + step + " took 41 ms\n[rank1]: step " + step +
           " took 43 ms\n";
  }

  CHECK(step_times_us(out) == Numbers{43'000, 43'000, 43'000});
  CHECK_THAT(notes_of(out), Catch::Contains("6 lines show 3 steps: those of several ranks"));
  CHECK_THAT(notes_of(out + "[rank0]: step 4 took 41 ms\n"),
             Catch::Contains("3 show a step again. If several ranks print it, let one rank print, "
                             "or put (?<rank>"));
  // Bars of two processes.
  out.clear();
  for (const char* step : {"1", "1", "2", "2", "3", "3", "4", "4"}) {
    out += std::string(" 25%|## | ") + step + "/4 [00:01<00:01,  4.00it/s]\r";
  }
  CHECK_THAT(notes_of(out), Catch::Contains("check the lines: 3 show a step again"));
}

TEST_CASE("several lines of an epoch without a step are told", "[run]") {
  const std::string twice = "Epoch 1 Time: 4.5s\nEpoch 1 Time: 4.6s\n";
  CHECK_THAT(notes_of(twice), Catch::Contains("name an epoch and no step"));
  CHECK(notes_of("Epoch 1 Time: 4.5s\nEpoch 2 Time: 4.6s\n").find("and no step") ==
        std::string::npos);
}
