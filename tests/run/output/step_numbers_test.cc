// Steps told apart by the numbers that lines print.
#include "harness/run/output/step_numbers.h"

#include <cmath>
#include <sstream>

#include <fmt/format.h>

#include "harness/run/outcome/extract.h"
#include "harness/run/outcome/outcome.h"
#include "tests/run/outcome/preset_output.h"
#include "tests/support/catch.h"

using namespace scalestudy;

namespace {

using StepNumbers = std::vector<std::int64_t>;
using Places = std::vector<std::size_t>;

const std::string kByNumber =
    R"([{metric: step_time_s, unit: ms, regex: 'step (?<step>\d+): (\S+) ms'}])";
const std::string kWithout = R"([{metric: step_time_s, unit: ms, regex: 'step \d+: (\S+) ms'}])";
// A resumed run: steps 4 and 5 are there twice.
const std::string kResumed =
    "step 1: 21 ms\nstep 2: 22 ms\nstep 3: 23 ms\nstep 4: 24 ms\nstep 5: 25 ms\nstep 4: 34 ms\n"
    "step 5: 25 ms\nstep 6: 26 ms\nstep 7: 27 ms\nstep 8: 28 ms\n";

protocol::Record read(const std::string& rules, const std::string& text, const Steps& steps) {
  std::istringstream out(text);
  std::istringstream err;
  return extract_samples(
      {.out = out, .err = err, .wall_s = 1.0}, test::study_with(rules).extract, steps, {});
}

Steps rest_after(int warmup) {
  return {.warmup = warmup, .measured = 1, .is_open = true};
}

const protocol::Samples& times_of(const protocol::Record& record) {
  REQUIRE(record.events.size() >= 2);
  return std::get<protocol::Samples>(record.events.front());
}

// In ms, rounded to what was printed.
std::vector<double> printed(const protocol::Samples& samples) {
  std::vector<double> values;
  for (const double value : samples.values) {
    values.push_back(std::round(value * 1e5) / 1e2);
  }
  return values;
}

std::map<std::string, double> facts_of(const protocol::Record& record) {
  return std::get<protocol::End>(record.events.back()).facts;
}

Outcome judged(const protocol::Record& record, const Steps& steps) {
  LaunchResult launch;
  launch.ending = LaunchEnding::kExited;
  launch.exit_code = 0;
  const std::vector<std::string> secrets;
  return judge_trial({.launch = launch,
                      .record = record,
                      .steps = steps,
                      .ranks = {},
                      .stderr_tail = {},
                      .secrets = secrets});
}

}  // namespace

TEST_CASE("steps that ran twice count twice, and a resumed run warms up again", "[run]") {
  const auto all = read(kByNumber, kResumed, rest_after(0));
  CHECK(times_of(all).values.size() == 10);
  CHECK(facts_of(all) == std::map<std::string, double>{{"resumptions", 1.0}});
  CHECK(judged(all, rest_after(0)).state == TrialState::kOk);

  const auto warm = read(kByNumber, kResumed, rest_after(1));

  CHECK(times_of(warm).warmup == 1);
  CHECK(printed(times_of(warm)) == std::vector<double>{21, 22, 23, 24, 25, 25, 26, 27, 28});
  CHECK(warm.notes == std::vector<std::string>{
                          "extract: the number of the step goes back (from 5 to 4): steps that ran "
                          "twice count twice, and the warm-up (1 step) after it is left out"});
}

TEST_CASE("lines of ranks are steps, whose time is the slowest rank's", "[run]") {
  std::string text;
  for (const int step : {1, 2, 3}) {
    for (const int rank : {0, 2, 1, 3}) {
      text += fmt::format("node{} step {}: {} ms\n", rank, step, 20 + step + rank);
    }
  }

  const auto record = read(kByNumber, text, rest_after(1));

  CHECK(times_of(record).warmup == 1);  // of 4 lines
  CHECK(printed(times_of(record)) == std::vector<double>{24, 25, 26});
  CHECK(facts_of(record).empty());
  CHECK(record.notes == std::vector<std::string>{
                            "extract: step_time_s: 12 lines show 3 steps: those of several ranks, "
                            "of which the longest time counts, or lines that were printed twice"});
  CHECK(read(kWithout, text, rest_after(1)).problems.empty());
  CHECK(facts_of(read(kWithout, text, rest_after(1))) ==
        std::map<std::string, double>{{"repeated_lines", 9.0}});

  const auto uneven = read(kByNumber, text + "node0 step 4: 20 ms\n", rest_after(1));
  REQUIRE(uneven.problems.size() == 1);
  CHECK(uneven.problems.front() ==
        "extract: step_time_s: step 1 has 4 lines and step 4 has 1 line; if they are of several "
        "ranks, the regex needs a group for the rank: (?<rank>\\d+)");
}

TEST_CASE("ranks that are named are held to the steps of each other", "[run]") {
  const std::string rules =
      R"([{metric: step_time_s, unit: ms, regex: 'r(?<rank>\d) step (?<step>\d+): (\S+) ms'}])";

  const auto record = read(rules,
                           "r0 step 7: 9 ms\nr1 step 7: 8 ms\nr0 step 8: 2 ms\nr0 step 7: 1 ms\n"
                           "r1 step 8: 3 ms\nr1 step 7: 1 ms\nr0 step 8: 4 ms\nr1 step 8: 4 ms\n",
                           rest_after(1));
  const auto others = read(rules, "r0 step 7: 9 ms\nr1 step 8: 8 ms\n", rest_after(0));

  CHECK(record.problems.empty());
  CHECK(printed(times_of(record)) == std::vector<double>{9, 3, 4});
  CHECK(printed(std::get<protocol::Samples>(record.events[1])) == std::vector<double>{9, 2, 4});
  CHECK(others.problems.front() == "extract: step_time_s: ranks 0 and 1 print different steps");
}

TEST_CASE("with a line every tenth step, the warm-up counts steps", "[run]") {
  const std::string text = "step 10: 200 ms\nstep 20: 201 ms\nstep 30: 202 ms\n";
  const Steps declared{.warmup = 10, .measured = 20};

  const auto record = read(kByNumber, text, declared);

  CHECK(times_of(record).warmup == 1);
  CHECK(times_of(record).values.size() == 3);
  CHECK(facts_of(record) == std::map<std::string, double>{{"step_interval", 10.0}});
  CHECK(judged(record, declared).state == TrialState::kOk);
  CHECK(judged(read(kByNumber, text, rest_after(20)), rest_after(20)).state == TrialState::kOk);
  CHECK(judged(read(kByNumber, text, rest_after(30)), rest_after(30)).reason ==
        "30 step times, 30 of them warm-up; the study declares at least 31, 30 of them warm-up");

  // Ten steps in 200 ms: 20 ms each, and a line with a step of the warm-up in it is warm-up.
  const auto means = read(
      R"([{metric: step_time_s, unit: ms/line, per_step: 0.1, regex: 'step (?<step>\d+): (\S+) ms'}])",
      text,
      rest_after(12));
  CHECK(printed(times_of(means)) == std::vector<double>{20, 20.1, 20.2});
  CHECK(facts_of(means).at("steps_of_value") == 10.0);
  const auto tens = read(R"([{metric: step_time_s, unit: ms/10it, regex: 'step \d+: (\S+) ms'}])",
                         text,
                         rest_after(0));
  CHECK(facts_of(tens).at("steps_of_value") == 10.0);
  CHECK(times_of(means).warmup == 2);
  CHECK(times_of(read(kByNumber, text, rest_after(12))).warmup == 1);
}

TEST_CASE("time stamps of every tenth step give the time of one, and none across a restart",
          "[run]") {
  const std::string rule =
      R"([{metric: step_time_s, unit: UNIT, regex: 'step (?<step>\d+) at (\d+)', difference: true}])";
  const auto rules_in = [&](const std::string& unit) {
    return std::string(rule).replace(rule.find("UNIT"), 4, unit);
  };
  const std::string text =
      "step 10 at 1000\nstep 20 at 1200\nstep 30 at 1500\nstep 40 at 1900\n"
      "step 20 at 90000\nstep 30 at 90400\nstep 40 at 90900\n";

  const auto record = read(rules_in("ms"), text, rest_after(0));

  CHECK(record.problems.empty());
  CHECK(printed(times_of(record)) == std::vector<double>{20.0, 30.0, 40.0, 40.0, 50.0});
  CHECK(printed(times_of(read(rules_in("ms/line, per_step: 0.1"), text, rest_after(0)))) ==
        std::vector<double>{20.0, 30.0, 40.0, 40.0, 50.0});
  // Which steps the values of an array are of is not known.
  const std::string arrays =
      "[{metric: step_time_s, unit: ms, json_path: t, step_path: n, difference: true}]";
  CHECK(printed(times_of(read(arrays,
                              "{\"n\": 10, \"t\": [1000, 1020]}\n"
                              "{\"n\": 20, \"t\": [1200, 1220]}\n",
                              rest_after(0)))) == std::vector<double>{20.0, 180.0, 20.0});
}

TEST_CASE("numbers from 0 on, and a first step in the middle, begin where the program does",
          "[run]") {
  const auto warmup = [](const StepNumbers& numbers, int steps) {
    return count_steps(numbers, steps, /*has_means=*/false).warmup;
  };
  CHECK(warmup({0, 1, 2, 3}, 2) == 2);
  CHECK(warmup({1, 2, 3, 4}, 2) == 2);
  CHECK(warmup({0, 10, 20}, 10) == 1);         // steps 0 to 9
  CHECK(warmup({1, 10, 20, 30}, 10) == 2);     // steps 1 to 10
  CHECK(warmup({5010, 5020, 5030}, 10) == 1);  // it began at 5001, or later
}

TEST_CASE("a line that is printed again counts once, a round of steps again", "[run]") {
  NumberedValues bar{.values = {5, 5, 6, 7, 7, 7}, .numbers = {1, 1, 2, 3, 3, 3}};
  NumberedValues epochs{.values = {5, 6, 7, 5, 6, 7}, .numbers = {1, 2, 3, 1, 2, 3}};
  NumberedValues losses{.values = {3, 4, 2, 1}, .numbers = {1, 1, 2, 2}};

  CHECK(join_lines_of_steps(bar, /*is_time=*/true).empty());
  CHECK(bar.values == std::vector<double>{5, 6, 7});
  CHECK(join_lines_of_steps(epochs, /*is_time=*/true).empty());
  CHECK(epochs.values.size() == 6);
  CHECK(count_steps(epochs.numbers, 1, false).lines == Places{0, 1, 2, 4, 5});
  CHECK_FALSE(join_lines_of_steps(losses, /*is_time=*/false).empty());  // no longest loss
  CHECK(losses.values.size() == 4);
}

TEST_CASE("lines that are missing among regular ones are counted", "[run]") {
  const auto missing = [](const StepNumbers& numbers) { return find_missing_lines(numbers).count; };
  CHECK(missing({1, 2, 3, 7, 8, 9, 10}) == 3);
  CHECK(find_missing_lines({1, 2, 3, 7, 8, 9, 10}).places == std::vector<std::string>{"3 and 7"});
  CHECK(missing({10, 20, 30, 60, 70, 80}) == 2);
  CHECK(missing({1, 2, 3, 5, 6, 7, 9, 10, 11}) == 2);
  CHECK(missing({1, 2, 4, 5, 3, 4, 5, 6}) == 1);  // a resumed run

  CHECK(missing({1, 10, 20, 30, 35}) == 0);                  // the first and the last step
  CHECK(missing({10, 20, 30, 45, 55, 65}) == 0);             // epochs of 35 steps
  CHECK(missing({1, 2, 3, 4, 5, 6, 7, 10, 20, 30}) == 0);    // another interval
  CHECK(missing({1, 2, 3, 4, 5, 6, 7, 8, 9, 20}) == 0);      // its first line
  CHECK(missing({1, 2, 4, 8, 16, 32, 64}) == 0);             // ever longer ones
  CHECK(missing({3, 10, 16, 25, 31, 52, 59, 66, 76}) == 0);  // by a clock
  CHECK(missing({1, 2, 3, 1, 2, 3}) == 0);
  CHECK(missing({5}) == 0);
}

TEST_CASE("step times that are missing are noted, but those that a mean stands for", "[run]") {
  const std::string text =
      "step 1: 21 ms\nstep 2: 22 ms\nstep 3: 1.02 s\nstep 4: 24 ms\nstep 5: 25 ms\n";
  const std::string of_means =
      R"([{metric: step_time_s, unit: ms/it, regex: 'step (?<step>\d+): (\S+) ms'}])";

  CHECK(read(kByNumber, text, rest_after(1)).notes ==
        std::vector<std::string>{
            "extract: 1 step time is missing, because no line of step_time_s was read between "
            "steps 2 and 4, although most are 1 step apart; if the program prints them in another "
            "form, add a rule for it"});
  CHECK(read(of_means, text, rest_after(1)).notes.empty());
}

TEST_CASE("step times are missing where another metric has steps before and after them", "[run]") {
  const std::string by_number =
      R"([{metric: step_time_s, unit: ms, regex: 'step (?<step>\d+): .* (?<value>\S+) ms'},)"
      R"( {metric: loss, unit: "1", regex: 'step (?<step>\d+): loss (?<value>[0-9.]+)'},)"
      R"( {metric: rate, unit: "1", regex: 'step (?<step>\d+): .* rate (?<value>\S+)'}])";
  // Steps 1 to 12, of which those in the range print ms, the others s.
  const auto notes = [&](int first, int last, int warmup) {
    std::string text;
    for (int i = 1; i <= 12; ++i) {
      const bool is_short = first <= i && i <= last;
      text += fmt::format("step {}: loss 2.5 rate 3 {}\n", i, is_short ? "950 ms" : "1.33 s");
    }
    const protocol::Record record = read(by_number, text, rest_after(warmup));
    CHECK(facts_of(record).contains("fewer_values") == !record.notes.empty());
    return record.notes;
  };
  const auto note = [](const std::string& steps) {
    return std::vector<std::string>{"extract: " + steps +
                                    " have loss but no step_time_s; if the program prints these "
                                    "times in another form, add a rule for it"};
  };

  CHECK(notes(1, 8, 2) == note("4 steps after step 8"));
  CHECK(notes(6, 12, 2) == note("5 steps before step 6"));
  CHECK(notes(3, 9, 0) == note("5 steps before step 3 or after step 9"));
  CHECK(notes(6, 12, 5).empty());  // of the warm-up
  CHECK(notes(2, 11, 0).empty());  // the first and the last line
  CHECK(notes(1, 12, 0).empty());

  std::string sparse;      // a time in every fourth line, up to step 8
  std::string evaluation;  // steps 1 to 8 with times, of which the losses are at odd ones up to 15
  for (int i = 1; i <= 16; ++i) {
    sparse += fmt::format("step {}: loss 2.5{}\n", i, i % 4 == 0 && i <= 8 ? " 950 ms" : "");
    evaluation += i <= 8 ? fmt::format("step {}: - 950 ms\n", i) : "";
    evaluation += i % 2 == 1 ? fmt::format("step {}: loss 2.5\n", i) : "";
  }
  CHECK(read(by_number, sparse, rest_after(0)).notes ==
        std::vector<std::string>{"extract: the rule for rate found nothing in stdout or stderr"});
  CHECK(read(by_number, evaluation, rest_after(0)).notes ==
        std::vector<std::string>{"extract: the rule for rate found nothing in stdout or stderr"});
}

TEST_CASE("a step's number is read in JSON, and must be one", "[run]") {
  const std::string rules = "[{metric: step_time_s, unit: s, json_path: t, step_path: a.step}]";

  const auto record = read(rules,
                           "{\"a\": {\"step\": 1}, \"t\": 2}\n{\"a\": {\"step\": 1.0}, \"t\": 3}\n",
                           rest_after(0));
  const auto quoted =
      read(rules,
           "{\"a\": {\"step\": 1}, \"t\": 2}\n{\"a\": {\"step\": \"1\"}, \"t\": 3}\n",
           rest_after(0));
  const auto word = read(rules,
                         "{\"a\": {\"step\": 1}, \"t\": 2}\n{\"a\": {\"step\": \"a\"}, \"t\": 3}\n",
                         rest_after(0));
  const auto none = read(rules, "{\"a\": {\"step\": 1}, \"t\": 2}\n{\"t\": 3}\n", rest_after(0));

  CHECK(times_of(record).values == std::vector<double>{3.0});  // of two ranks
  CHECK(times_of(quoted).values == std::vector<double>{3.0});
  CHECK(times_of(word).values.size() == 2);
  CHECK(read(rules, "{\"a\": {\"step\": 1.5}, \"t\": 2}\n", rest_after(0)).problems.front() ==
        "stdout line 1: step_time_s: '1.5' is not a step number");
  CHECK(times_of(none).values.size() == 2);
  const std::string documents =
      "[{metric: step_time_s, unit: s, json_path: t, step_path: n, json: document}]";
  CHECK(
      times_of(
          read(documents, "{\n\"n\": 1,\n\"t\": 2\n}\n{\n\"n\": 1,\n\"t\": 3\n}\n", rest_after(0)))
          .values == std::vector<double>{3.0});
  CHECK(none.notes == std::vector<std::string>{"extract: step_time_s: some lines have no number of "
                                               "a step, so no number is used"});
}

TEST_CASE("other metrics lose the warm-up by their own numbers, or by those of the time", "[run]") {
  const std::string rules =
      R"([{metric: step_time_s, unit: ms, regex: 'step (?<step>\d+): (\S+) ms'},)"
      R"( {metric: loss, unit: "1", regex: 'loss (\S+)'},)"
      R"( {metric: rate, unit: "1", regex: 'step (?<step>\d+): .* rate (\S+)'}])";

  const auto record = read(rules,
                           "step 10: 2 ms loss 5 rate 1\nstep 20: 3 ms loss 6 rate 2\n"
                           "step 30: 4 ms loss 7\n",
                           rest_after(10));

  REQUIRE(record.events.size() == 4);
  for (const std::size_t i : {0U, 1U, 2U}) {
    CHECK(std::get<protocol::Samples>(record.events[i]).warmup == 1);
  }
}

TEST_CASE("a metric with about one value a step, and not as many, keeps its warm-up and says so",
          "[run]") {
  const std::string rules =
      R"([{metric: step_time_s, unit: ms, regex: 'step (?<step>\d+): (\S+) ms'},)"
      R"( {metric: forward_time_s, unit: ms, regex: 'fwd (\S+)'}])";
  const auto notes = [&](int forwards, int warmup) {
    std::string text;
    for (int i = 1; i <= 12; ++i) {
      text += i <= forwards ? "fwd 3\n" : "";
      text += i > 2 ? fmt::format("step {}: 20 ms\n", i) : "";
    }
    return read(rules, text, rest_after(warmup)).notes;
  };

  CHECK(notes(12, 3) ==
        std::vector<std::string>{
            "extract: forward_time_s: 12 values and 10 step times, so its warm-up is not left out; "
            "if its lines have the number of the step, read it in the rules of both: (?<step>\\d+) "
            "or step_path"});
  CHECK(notes(12, 0).empty());  // no warm-up
  CHECK(notes(10, 3).empty());  // as many
  CHECK(notes(1, 3).empty());   // one a run
}

TEST_CASE("lines that look as if they repeat a step are counted, others are not", "[run]") {
  const auto repeated = [](const std::string& rules, const std::string& text) {
    const auto facts = facts_of(read(rules, text, rest_after(0)));
    return facts.contains("repeated_lines") ? facts.at("repeated_lines") : 0.0;
  };
  const std::string plain = R"([{metric: step_time_s, unit: ms, regex: 't=(\S+)'}])";

  CHECK(repeated(kWithout, kResumed) == 2.0);
  CHECK(repeated(kWithout, "step 1: 7 ms\nstep 2: 7 ms\nstep 1: 7 ms\nstep 2: 7 ms\n") == 2.0);
  CHECK(repeated(kWithout, "epoch 1 step 1: 7 ms\nepoch 1 step 2: 7 ms\nepoch 2 step 1: 7 ms\n") ==
        0.0);
  // Two runs in one output.
  CHECK(repeated(R"([{metric: step_time_s, unit: s, regex: 'Time: (\S+)s,'}])",
                 "Train: 0 [   0/90 (  0%)]  Time: 2.5s,\nTrain: 0 [  50/90 ( 55%)]  Time: 1.5s,\n"
                 "Train: 0 [   0/90 (  0%)]  Time: 2.25s,\nTrain: 0 [  50/90 ( 55%)]  Time: "
                 "1.25s,\n") == 2.0);
  CHECK(repeated(kByNumber, kResumed) == 0.0);
  // Neither an epoch nor a date is a step.
  CHECK(repeated(plain,
                 "[9:01] epoch: [1/400], step: 20 t=9\n[9:02] epoch: [1/400], step: 40 t=8\n") ==
        0.0);
  CHECK(repeated(plain, "[01/05 16:34:10] t=9\n[01/05 16:35:10] t=8\n") == 0.0);
  CHECK(repeated(plain, "[2022/05/15 16:34] t=9\n[2022/05/15 16:35] t=8\n") == 0.0);
  // The logger prints each line twice.
  CHECK(repeated(plain, "t=1\nt=1\nt=2\nt=2\nt=4\nt=4\n") == 3.0);
  CHECK(repeated(plain, "t=1\nt=1\nt=2\nt=2\nt=2\nt=4\n") == 0.0);  // times of whole milliseconds
  CHECK(repeated(plain, "t=1\nt=1\nt=1\nt=1\n") == 0.0);
  CHECK(repeated(R"([{metric: step_time_s, unit: ms, regex: 'step: (\S+) ms'}])",
                 "step: 20 ms\nstep: 20 ms\n") == 0.0);  // no number of a step
  CHECK(repeated("[{metric: step_time_s, unit: s, json_path: step_time_s}]",
                 "{\"step\": 3, \"step_time_s\": 0.5}\n{\"step\": 3, \"step_time_s\": 0.6}\n") ==
        1.0);
}

TEST_CASE("lines of a progress bar that several processes print are counted", "[run]") {
  const std::string rules = R"([{metric: step_time_s, unit: it/s, regex: ', +(\S+)it/s'}])";
  const auto repeated = [&](const std::vector<int>& numbers, const std::string& length) {
    std::string text;
    for (const int number : numbers) {
      text += fmt::format("Iteration:  8%|#| {}{} [00:01<00:05,  2.00it/s]\r", number, length);
    }
    const auto facts = facts_of(read(rules, text, rest_after(0)));
    return facts.contains("repeated_lines") ? facts.at("repeated_lines") : 0.0;
  };

  CHECK(repeated({1, 2, 3, 1, 4, 2, 5, 3, 6, 4, 7, 5, 8, 6, 7, 8}, "/8") == 5.0);
  CHECK(repeated({1, 1, 2, 2, 3, 3, 4, 4}, "/4") == 3.0);  // a bar prints its end twice
  CHECK(repeated({1, 1, 2, 2, 3, 3, 4, 4}, "it") == 4.0);
  // One process, several epochs: of many steps, and of lines that come every few steps.
  CHECK(repeated({1, 2, 3, 4, 4, 1, 2, 3, 4, 4}, "/4") == 0.0);
  CHECK(repeated({20, 45, 70, 90, 30, 55, 80, 90, 90, 90}, "/90") == 0.0);
  // A bar within a bar of the same length.
  CHECK(repeated({1, 2, 3, 4, 5, 1, 1, 2, 3, 4, 5, 2, 1, 2, 3, 4, 5, 3}, "/5") == 0.0);
}

TEST_CASE("a value may be missing in a warm-up of steps, and not after it", "[run]") {
  const std::string text = "step 10: nan ms\nstep 20: 201 ms\nstep 30: 202 ms\n";

  CHECK(read(kByNumber, text, rest_after(10)).problems.empty());
  // The second line is one of the first ten, and is measured.
  const auto bad =
      read(kByNumber, "step 10: 200 ms\nstep 20: nan ms\nstep 30: 202 ms\n", rest_after(10));
  CHECK(bad.has_bad_numbers);
  CHECK_FALSE(bad.problems.empty());
}
