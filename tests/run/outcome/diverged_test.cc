// Values that are not finite, as a run prints them once it has diverged.
#include <algorithm>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "harness/run/outcome/guess_rules.h"
#include "harness/run/outcome/outcome.h"
#include "harness/store/tables/summary.h"
#include "harness/study/matrix/command.h"
#include "tests/run/extracted.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using test::extract;
using test::extract_both;
using test::regex_rule;
using test::values_of;

namespace {

constexpr Steps kOpen{.warmup = 40, .measured = 1, .is_open = true};

ExtractRule rule_of(const std::string& metric, const std::string& regex) {
  const ExtractPattern pattern = parse_extract_pattern(regex, "");
  ExtractRule rule = regex_rule(pattern.regex, pattern.group);
  rule.metric = metric;
  rule.unit = metric == "loss" ? "1" : "ms";
  return rule;
}

const ExtractRule& times_by_number() {
  static const ExtractRule rule =
      rule_of("step_time_s", R"(^step (?<step>\d+) .* (?<value>\S+) ms)");
  return rule;
}

// Lines of that many steps so far apart, of which those from `diverged` on have `value` as loss.
std::string output_of(int lines, int apart, int diverged, const std::string& value) {
  std::string text;
  for (int i = 0; i < lines; ++i) {
    text += "step " + std::to_string(i * apart) + " loss " + (i < diverged ? "2.5" : value) +
            " 1." + std::to_string(i % 7 + 10) + " ms\n";
  }
  return text;
}

bool are_measured(const protocol::Record& record) {
  return std::ranges::all_of(record.events, [](const protocol::Event& event) {
    const auto* samples = std::get_if<protocol::Samples>(&event);
    return samples == nullptr || has_all_measured(samples->values, samples->warmup);
  });
}

std::optional<double> fewer_values(const protocol::Record& record) {
  const auto& facts = std::get<protocol::End>(record.events.back()).facts;
  const auto found = facts.find("fewer_values");
  return found == facts.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

// A warm-up of 40 steps is four lines; line 13 is the twelfth step's of ten, below 40 lines.
TEST_CASE("a loss without a step number that is nan behind the lines of the warm-up is bad",
          "[run]") {
  const protocol::Record record = extract_both(
      output_of(16, 10, 12, "nan"), "", {times_by_number(), rule_of("loss", "loss (\\S+)")}, kOpen);
  CHECK(record.has_bad_numbers);
  REQUIRE(record.problems.size() == 4);
  CHECK(are_measured(record));

  TrialEvidence evidence;
  evidence.launch.ending = LaunchEnding::kExited;
  evidence.launch.exit_code = 0;
  evidence.record = record;
  evidence.steps = kOpen;
  const Outcome outcome = judge_trial(evidence);
  CHECK(outcome.state == TrialState::kInvalid);
  CHECK(outcome.reason ==
        "unusable output: stdout line 13: loss: 'nan' is not finite, a finite number is required");
}

TEST_CASE("no series lacks a measured value, wherever one is not finite", "[run]") {
  const ExtractRule times = rule_of("step_time_s", R"( (\S+) ms)");
  const ExtractRule loss = rule_of("loss", R"(loss (\S+))");
  const ExtractRule numbered = rule_of("loss", R"(^step (?<step>\d+) loss (?<value>\S+))");
  const std::vector<std::vector<ExtractRule>> all = {
      {times_by_number(), loss}, {times_by_number(), numbered}, {times, loss}, {times, numbered}};
  for (const std::vector<ExtractRule>& rules : all) {
    for (const std::string value : {"nan", "+inf", "-Infinity", "1e999"}) {
      for (int from = 0; from <= 16; ++from) {
        const std::string text = output_of(16, 10, from, value);
        const std::string again = text + output_of(6, 10, 3, value);  // began again
        for (const std::string& printed : {text, again, text + "step 160 9.99 ms\n"}) {
          for (const Steps& steps :
               {kOpen, Steps{.warmup = 4, .measured = 12}, Steps{.warmup = 0, .is_open = true}}) {
            CAPTURE(rules[0].regex, rules[1].regex, printed, steps.warmup);
            CHECK(are_measured(extract_both(printed, "", rules, steps)));
          }
        }
      }
    }
  }
}

TEST_CASE("a metric whose values stop before the step times do is told", "[run]") {
  const ExtractRule loss = rule_of("loss", R"(^step (?<step>\d+) loss (?<value>[0-9.]+))");
  const protocol::Record record = extract_both(
      output_of(30, 1, 12, "nan"), "", {times_by_number(), loss}, {.warmup = 7, .is_open = true});

  CHECK(record.problems.empty());
  CHECK(fewer_values(record) == 1.0);
  CHECK(record.notes ==
        std::vector<std::string>{
            "extract: loss: values of 12 steps and times of 30, although its lines are as far "
            "apart: step 12 has none; its rule may not match all that the program prints, such as "
            "nan"});

  // Printed with every tenth step, or with two alone.
  std::string sparse;
  for (int i = 0; i < 40; ++i) {
    sparse += "step " + std::to_string(i) + (i % 10 == 0 ? " loss 2.5" : " -") + " 1.5 ms\n";
  }
  CHECK_FALSE(fewer_values(extract_both(sparse, "", {times_by_number(), loss}, kOpen)));
  CHECK_FALSE(
      fewer_values(extract_both(output_of(30, 1, 2, "nan"), "", {times_by_number(), loss}, kOpen)));
}

TEST_CASE("a metric without a value at step 0 alone is not told", "[run]") {
  const ExtractRule loss = rule_of("loss", R"(^step (?<step>\d+) loss (?<value>[0-9.]+))");
  const auto read = [&](const std::string& text, int warmup) {
    return extract_both(text, "", {times_by_number(), loss}, {.warmup = warmup, .is_open = true});
  };
  std::string late = output_of(30, 1, 30, "");
  late.replace(late.find("loss 2.5"), 8, "-");
  CHECK_FALSE(fewer_values(read(late, 5)));
  CHECK_FALSE(fewer_values(read(late, 0)));

  late.replace(late.find("step 20 loss 2.5"), 16, "step 20 loss nan");
  const protocol::Record record = read(late, 5);
  CHECK(fewer_values(record) == 1.0);
  CHECK(record.notes ==
        std::vector<std::string>{
            "extract: loss: values of 28 steps and times of 30, although its lines are as far "
            "apart: step 20 has none; its rule may not match all that the program prints, such as "
            "nan"});
}

TEST_CASE("the loss rule of init matches what is no number as well", "[run]") {
  const GuessedRules guess = guess_rules({.out = "iter 1: loss 2.31, time 41 ms\n"
                                                 "iter 2: loss 2.29, time 40.5 ms\n",
                                          .err = ""});
  REQUIRE(guess.rules.size() == 2);
  CHECK(guess.rules[1].regex ==
        R"(^iter +(?<step>\d+)\b.*: +loss +(?<value>[+-]?(?i:nan|inf(?:inity)?)\b|[0-9.eE+-]+))");

  const ExtractRule loss = rule_of("loss", guess.rules[1].regex);
  for (const std::string value : {"nan", "NaN", "-nan", "inf", "+Inf", "-Infinity"}) {
    CAPTURE(value);
    const protocol::Record record =
        extract("iter 1: loss 2.5, time 41 ms\niter 2: loss " + value + ", time 41 ms\n", loss);
    CHECK(record.has_bad_numbers);
    REQUIRE(record.problems.size() == 1);
    CHECK(record.problems[0] ==
          "stdout line 2: loss: '" + value + "' is not finite, a finite number is required");
  }
  CHECK(extract("iter 1: loss info, time 41 ms\n", loss).problems.empty());
}

TEST_CASE("the step time rule of init matches what is no number as well", "[run]") {
  for (const std::string unit : {" ms", "ms"}) {
    const auto line = [&](const std::string& step, const std::string& time) {
      return "iter " + step + ": loss 2.5, took " + time + unit + "\n";
    };
    const GuessedRules guess = guess_rules({.out = line("1", "41") + line("2", "40.5"), .err = ""});
    const ExtractRule times = rule_of("step_time_s", guess.rules.at(0).regex);
    for (const std::string value : {"nan", "NaN", "-nan", "inf", "+Inf", "Infinity"}) {
      CAPTURE(guess.rules.at(0).regex, value);
      const protocol::Record record =
          extract(line("1", "41") + line("2", "40.5") + line("3", value), times);
      CHECK(record.has_bad_numbers);
      REQUIRE_FALSE(record.problems.empty());
      CHECK(record.problems[0] == "stdout line 3: step_time_s: '" + value +
                                      "' is not finite, a finite number is required");
    }
    CHECK(extract(line("1", "41") + line("2", "40.5") + line("3", "info"), times).problems.empty());
  }
}

TEST_CASE("a time that is no number in the output of init stays out of the rule", "[run]") {
  const GuessedRules guess = guess_rules({.out = "iter 1: loss 2.5, time nan ms\n"
                                                 "iter 2: loss 2.5, time 41 ms\n"
                                                 "iter 3: loss 2.5, time 40.5 ms\n",
                                          .err = ""});
  CHECK(guess.rules.at(0).regex == R"(^iter +(?<step>\d+)\b.*, +time +(?<value>[0-9.eE+-]+) +ms)");
  CHECK(guess.steps == 2);
  CHECK(guess.notes.back() ==
        "check the rule of step_time_s: it passes over lines without a number (stdout line 1: "
        "step_time_s: 'nan' is not finite, a finite number is required)");
}

TEST_CASE("a number may have a plus sign", "[run]") {
  CHECK(values_of(extract("t=+0.5\nt=+1\nt=2\n", regex_rule("t=(\\S+)"))) ==
        std::vector<double>{0.5, 1.0, 2.0});
  CHECK(extract("t=+-1\n", regex_rule("t=(\\S+)")).problems.front() ==
        "stdout line 1: step_time_s: '+-1' is not a number");
}
