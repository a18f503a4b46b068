#include "harness/run/extract.h"

#include <sstream>

#include "tests/support/catch.h"

using namespace scalestudy;

namespace {

constexpr Steps kSteps{.warmup = 1, .measured = 2};

ExtractRule json_rule(const std::string& path) {
  ExtractRule rule;
  rule.metric = "step_time_s";
  rule.unit = "s";
  rule.json_path = path;
  return rule;
}

ExtractRule regex_rule(const std::string& regex, int group = 1) {
  ExtractRule rule;
  rule.metric = "step_time_s";
  rule.unit = "s";
  rule.regex = regex;
  rule.group = group;
  return rule;
}

ExtractRule mllog_rule(const std::string& key) {
  ExtractRule rule;
  rule.metric = "throughput";
  rule.unit = "samples/s";
  rule.mllog_key = key;
  return rule;
}

protocol::Record extract(const std::string& text, const ExtractRule& rule) {
  std::istringstream output(text);
  return extract_samples(output, {rule}, kSteps);
}

std::vector<double> values_of(const protocol::Record& record) {
  for (const protocol::Event& event : record.events) {
    if (const auto* samples = std::get_if<protocol::Samples>(&event)) {
      return samples->values;
    }
  }
  return {};
}

}  // namespace

TEST_CASE("JSON nested as deep as a line is long ends no harness", "[run]") {
  constexpr std::size_t levels = 200'000;
  const std::string nested = std::string(levels, '[') + std::string(levels, ']');
  const std::string mllog = ":::MLLOG {\"key\": ";

  const auto by_path = extract("{\"s\": [1, " + nested + "]}\n", json_rule("s"));
  const auto as_value = extract(mllog + "\"t\", \"value\": " + nested + "}\n", mllog_rule("t"));
  const auto as_key = extract(mllog + nested + ", \"value\": 1}\n", mllog_rule("t"));

  CHECK(by_path.problems ==
        std::vector<std::string>{"stdout line 1: step_time_s: an array is no number"});
  REQUIRE(as_value.problems.size() == 1);
  CHECK(as_value.problems.front() == "stdout line 1: throughput: an array is no number");
  CHECK(as_key.problems.empty());
  CHECK(as_key.notes ==
        std::vector<std::string>{"extract: the rule for throughput found nothing in stdout"});
}

TEST_CASE("a JSON path takes numbers from the lines that have it", "[run]") {
  const auto record = extract(
      "starting\n"
      "{\"train\": {\"step_time_s\": 0.5}}\n"
      "{\"other\": 1}\n"
      "{\"train\": {\"step_time_s\": 2}}\n"
      "{\"train\": {\"step_time_s\": 1e-3}}\n",
      json_rule("train.step_time_s"));

  CHECK(record.problems.empty());
  CHECK(values_of(record) == std::vector<double>{0.5, 2.0, 0.001});
}

TEST_CASE("a JSON path goes through arrays and takes a whole array of numbers", "[run]") {
  CHECK(values_of(extract("{\"a\":[{\"t\":[1,2]},{\"t\":[3,4]}]}\n", json_rule("a.1.t"))) ==
        std::vector<double>{3.0, 4.0});
}

TEST_CASE("a JSON value that is no number is a problem with its line", "[run]") {
  const auto record = extract("{\"t\": 1}\n{\"t\": \"fast\"}\n", json_rule("t"));

  REQUIRE(record.problems.size() == 1);
  CHECK(record.problems[0] == "stdout line 2: step_time_s: \"fast\" is no number");
}

TEST_CASE("a regular expression takes the rule's group of each line", "[run]") {
  const auto record = extract("step 1: 12.5 ms\nnothing\nstep 2: 13 ms\n",
                              regex_rule("step ([0-9]+): ([0-9.]+) ms", 2));

  CHECK(record.problems.empty());
  CHECK(values_of(record) == std::vector<double>{12.5, 13.0});
}

TEST_CASE("a match that is no finite number is a problem", "[run]") {
  const auto record = extract("t=nan\nt=1.2.3\n", regex_rule("t=(\\S+)"));

  REQUIRE(record.problems.size() == 3);
  CHECK(record.problems[0] ==
        "stdout line 1: step_time_s: 'nan' is not finite, a finite number is required");
  CHECK(record.problems[1] == "stdout line 2: step_time_s: '1.2.3' is no number");
  CHECK(record.problems[2] == "extract: the rule for step_time_s found nothing in stdout");
  CHECK(record.has_bad_numbers);
  CHECK_FALSE(extract("t=1.2.3\n", regex_rule("t=(\\S+)")).has_bad_numbers);
}

TEST_CASE("a value that its unit makes infinite is a bad number, and is not stored", "[run]") {
  ExtractRule hours = regex_rule("t=(\\S+)");
  hours.unit = "h";
  const auto record = extract("t=1e308\n", hours);

  CHECK(record.has_bad_numbers);
  CHECK(record.problems.at(0) == "extract: step_time_s: a value is too large for its unit");
  CHECK(extract("t=1e999\n", hours).has_bad_numbers);
}

TEST_CASE("no line holds up the search, whatever the pattern", "[run]") {
  // A backtracking search tries 2^50 ways to split the x before it gives up.
  const std::string line(52, 'x');

  CHECK(values_of(extract(line + "\n" + line + "y1\n", regex_rule("(?:x+x+)+y([0-9.]+)"))) ==
        std::vector<double>{1.0});
}

TEST_CASE("a pattern that is no regular expression is a problem", "[run]") {
  const auto record = extract("t=1\n", regex_rule("t=(", 1));

  REQUIRE_FALSE(record.problems.empty());
  CHECK_THAT(record.problems[0], Catch::Contains("extract: step_time_s: 't=('"));
}

TEST_CASE("a line over a mebibyte is passed over, a shorter one is searched", "[run]") {
  const std::string too_long(std::size_t{2} << 20U, 'x');
  const std::string longest(1'000'000, 'x');

  CHECK(values_of(extract(too_long + "t=1\n" + longest + "t=2\n", regex_rule("t=([0-9]+)"))) ==
        std::vector<double>{2.0});
}

TEST_CASE("a long line goes through the search without recursion", "[run]") {
  const std::string longest(1'000'000, 'x');

  CHECK(values_of(extract(longest + "\nt=1\n", regex_rule("(?:x|t)*=([0-9]+)"))) ==
        std::vector<double>{1.0});
}

TEST_CASE("MLLOG lines give the values of their key", "[run]") {
  const auto record = extract(
      ":::MLLOG {\"key\": \"throughput\", \"value\": 10.5, \"metadata\": {}}\n"
      ":::MLLOG {\"key\": \"epoch\", \"value\": 1}\n"
      "0: :::MLLOG {\"key\": \"throughput\", \"value\": 11}\n",
      mllog_rule("throughput"));

  CHECK(record.problems.empty());
  CHECK(values_of(record) == std::vector<double>{10.5, 11.0});
}

TEST_CASE("an MLLOG line without a number is a problem", "[run]") {
  const auto record = extract(":::MLLOG {\"key\": \"t\"}\n", mllog_rule("t"));

  REQUIRE_FALSE(record.problems.empty());
  CHECK(record.problems[0] == "stdout line 1: throughput: no 'value' beside the key");
}

TEST_CASE("as many values as steps begin with the warm-up, any other number has none", "[run]") {
  const auto warmup_of = [](const std::string& text) {
    return std::get<protocol::Samples>(extract(text, json_rule("t")).events.front()).warmup;
  };

  CHECK(warmup_of("{\"t\":1}\n{\"t\":2}\n{\"t\":3}\n") == 1);
  CHECK(warmup_of("{\"t\":1}\n{\"t\":2}\n") == 0);
}

TEST_CASE("times that a program prints in another unit are given in seconds", "[run]") {
  ExtractRule rule = json_rule("t");
  rule.unit = "ms";
  const auto record = extract("{\"t\":8}\n{\"t\":2.5}\n", rule);

  CHECK(values_of(record) == std::vector<double>{0.008, 0.0025});
  CHECK(std::get<protocol::Samples>(record.events.front()).unit == "s");

  rule.metric = "latency";
  const auto other = extract("{\"t\":8}\n", rule);
  CHECK(values_of(other) == std::vector<double>{8.0});
  CHECK(std::get<protocol::Samples>(other.events.front()).unit == "ms");
}

TEST_CASE("a rule that finds nothing is a problem", "[run]") {
  const auto record = extract("", json_rule("t"));

  REQUIRE(record.problems.size() == 1);
  CHECK(record.problems[0] == "extract: the rule for step_time_s found nothing in stdout");
}
