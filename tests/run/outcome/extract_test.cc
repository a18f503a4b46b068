#include "harness/run/outcome/extract.h"

#include <fstream>
#include <sstream>

#include "harness/study/matrix/command.h"
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
  std::istringstream out(text);
  std::istringstream err;
  return extract_samples({.out = out, .err = err}, {rule}, kSteps, {});
}

protocol::Record extract_both(const std::string& text_out,
                              const std::string& text_err,
                              const std::vector<ExtractRule>& rules,
                              const Steps& steps = kSteps,
                              const Parameters& parameters = {}) {
  std::istringstream out(text_out);
  std::istringstream err(text_err);
  return extract_samples({.out = out, .err = err, .wall_s = 7.5}, rules, steps, parameters);
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

  REQUIRE(by_path.problems.size() == 2);
  CHECK(by_path.problems.front() == "stdout line 1: step_time_s: an array is no number");
  REQUIRE(as_value.problems.size() == 1);
  CHECK(as_value.problems.front() == "stdout line 1: throughput: an array is no number");
  CHECK(as_key.problems.empty());
  CHECK(as_key.notes == std::vector<std::string>{
                            "extract: the rule for throughput found nothing in stdout or stderr"});
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
  CHECK(record.problems[2] ==
        "extract: the rule for step_time_s found nothing in stdout or stderr");
  CHECK(record.has_bad_numbers);
  CHECK_FALSE(extract("t=1.2.3\n", regex_rule("t=(\\S+)")).has_bad_numbers);
}

TEST_CASE("a value that its unit makes infinite is a bad number, and is not stored", "[run]") {
  ExtractRule hours = regex_rule("t=(\\S+)");
  hours.unit = "h";
  const auto record = extract("t=1e308\n", hours);

  CHECK(record.has_bad_numbers);
  CHECK(record.problems.at(0) == "stdout line 1: step_time_s: 1e+308 is too large for its unit");
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
  CHECK(record.problems[0] ==
        "extract: the rule for step_time_s found nothing in stdout or stderr");
}

TEST_CASE("in each line the first of a metric's rules that matches gives the value", "[run]") {
  // tqdm prints whichever of the two is above 1.
  ExtractRule fast = regex_rule("([0-9.]+)it/s");
  fast.unit = "it/s";
  ExtractRule slow = regex_rule("([0-9.]+)s/it");
  slow.unit = "s/it";

  const auto record = extract_both("[1.50s/it]\n[4.00it/s]\n[ 2s/it; 1it/s]\n", "", {fast, slow});

  CHECK(record.problems.empty());
  CHECK(values_of(record) == std::vector<double>{1.5, 0.25, 1.0});
}

TEST_CASE("what stdout does not have is looked for on stderr, unless a rule says where", "[run]") {
  const ExtractRule either = regex_rule("t=(\\S+)");
  ExtractRule only_out = either;
  only_out.from = ExtractSource::kStdout;
  ExtractRule only_err = either;
  only_err.from = ExtractSource::kStderr;

  CHECK(values_of(extract_both("t=1\n", "t=2\n", {either})) == std::vector<double>{1.0});
  CHECK(values_of(extract_both("", "t=2\n", {either})) == std::vector<double>{2.0});
  CHECK(values_of(extract_both("t=1\n", "t=2\n", {only_err})) == std::vector<double>{2.0});
  CHECK(extract_both("", "t=2\n", {only_out}).problems ==
        std::vector<std::string>{"extract: the rule for step_time_s found nothing in stdout"});
  CHECK(extract_both("", "\n\nt=x\n", {either}).problems.front() ==
        "stderr line 3: step_time_s: 'x' is no number");
}

TEST_CASE("a carriage return ends a line, and counts no line", "[run]") {
  const auto record = extract("10%| t=1 \r20%| t=2 \r\nt=3\r\nt=x\n", regex_rule("t=(\\S+)"));

  CHECK(values_of(record) == std::vector<double>{1.0, 2.0, 3.0});
  CHECK(record.problems ==
        std::vector<std::string>{"stdout line 3: step_time_s: 'x' is no number"});
}

TEST_CASE("a rate becomes the time of a step by the amount of a step", "[run]") {
  ExtractRule rule = regex_rule("tps: *(\\S+)");
  rule.unit = "tokens/s";
  rule.per_step = "{batch_per_device} * 1024";
  const Parameters cell{{"batch_per_device", std::int64_t{8}}};

  const auto record = extract_both("tps: 4,096\ntps: 1,048,576\n", "", {rule}, kSteps, cell);

  CHECK(record.problems.empty());
  CHECK(values_of(record) == std::vector<double>{2.0, 8192.0 / 1048576.0});
  CHECK(std::get<protocol::Samples>(record.events.front()).unit == "s");
  rule.unit = "samples/min";
  rule.per_step = "30";
  CHECK(values_of(extract_both("tps: 90\n", "", {rule})) == std::vector<double>{20.0});
  CHECK(extract_both("tps: 0\n", "", {rule}).has_bad_numbers);
  rule.per_step = "{width}";
  CHECK_THAT(extract_both("tps: 90\n", "", {rule}).problems.at(0), Catch::Contains("{width}"));
}

TEST_CASE("a number followed by a rate is no time, whatever the rule says", "[run]") {
  const ExtractRule rule = regex_rule("([0-9.]+) ?\\S+$");

  for (const std::string line : {"3.5it/s", "3.5 img/sec", "3.5 tokens/s"}) {
    CAPTURE(line);
    const auto record = extract(line + "\n", rule);
    REQUIRE_FALSE(record.problems.empty());
    CHECK_THAT(record.problems[0], Catch::Contains("a rate"));
    CHECK(values_of(record).empty());
  }
  CHECK(values_of(extract("3.5s/it\n", rule)) == std::vector<double>{3.5});
}

TEST_CASE("commas between thousands are read, others are not", "[run]") {
  CHECK(values_of(extract("t=177,138\nt=1,234,567.5\n", regex_rule("t=(\\S+)"))) ==
        std::vector<double>{177138.0, 1234567.5});
  for (const std::string text : {"1,23", "1234,567", ",123", "1,234,5"}) {
    CAPTURE(text);
    CHECK(values_of(extract("t=" + text + "\n", regex_rule("t=(\\S+)"))).empty());
  }
}

TEST_CASE("JSON behind a prefix is read, also behind braces that are none", "[run]") {
  const auto record =
      extract("2026-01-01 INFO {\"t\": 1}\n[rank {0}] {\"t\": 2}\n{x} {y} {\"t\": 3} tail\n",
              json_rule("t"));

  CHECK(record.problems.empty());
  CHECK(values_of(record) == std::vector<double>{1.0, 2.0});
}

TEST_CASE("a path goes into the value of MLLOG lines, and beside it", "[run]") {
  ExtractRule rule = mllog_rule("tracked_stats");
  rule.json_path = "value.train_step_time";
  const std::string lines =
      ":::MLLOG {\"time_ms\": 1000, \"key\": \"tracked_stats\", \"value\": {\"train_step_time\": "
      "2.5}}\n"
      ":::MLLOG {\"time_ms\": 1500, \"key\": \"other\", \"value\": {\"train_step_time\": 9}}\n"
      ":::MLLOG {\"time_ms\": 2250, \"key\": \"tracked_stats\", \"value\": {\"loss\": 1}}\n";

  CHECK(values_of(extract(lines, rule)) == std::vector<double>{2.5});
  rule.json_path = "time_ms";
  rule.metric = "step_time_s";
  rule.unit = "ms";
  rule.is_difference = true;
  CHECK(values_of(extract(lines, rule)) == std::vector<double>{1.25});
}

TEST_CASE("with measured: rest the warm-up comes off metrics with a value for each step", "[run]") {
  constexpr Steps rest{.warmup = 2, .measured = 1, .is_open = true};
  ExtractRule loss = regex_rule("l=(\\S+)");
  loss.metric = "loss";
  ExtractRule mean = regex_rule("mean=(\\S+)");
  mean.metric = "mean";

  const auto record = extract_both(
      "t=1\nl=5\nt=2\nl=4\nt=3\nl=3\nmean=4\n", "", {regex_rule("t=(\\S+)"), loss, mean}, rest);

  CHECK(record.problems.empty());
  CHECK(std::get<protocol::Samples>(record.events.at(0)).warmup == 2);
  CHECK(std::get<protocol::Samples>(record.events.at(1)).warmup == 2);
  CHECK(std::get<protocol::Samples>(record.events.at(2)).warmup == 0);
  // Nothing follows the warm-up: all values stay, and judgement refuses so few.
  const auto few = extract_both("t=1\nt=2\n", "", {regex_rule("t=(\\S+)")}, rest);
  CHECK(std::get<protocol::Samples>(few.events.at(0)).warmup == 0);
}

TEST_CASE("the wall time of the whole command can be the time of a step", "[run]") {
  ExtractRule rule;
  rule.metric = "step_time_s";
  rule.unit = "s";
  rule.from = ExtractSource::kWallTime;

  const auto record = extract_both("", "", {rule}, Steps{.warmup = 0, .measured = 1});

  CHECK(record.problems.empty());
  CHECK(values_of(record) == std::vector<double>{7.5});
}

TEST_CASE("lines that say whose they are become series of ranks, and the longest is the step's",
          "[run]") {
  const ExtractPattern pattern =
      parse_extract_pattern("rank (?<rank>\\d+) step \\d+ (\\S+) ms", "");
  REQUIRE(pattern.problem.empty());
  CHECK(pattern.group == 2);
  ExtractRule rule = regex_rule(pattern.regex, pattern.group);
  rule.unit = "ms";
  const std::string text =
      "rank 1 step 0 90 ms\nrank 0 step 0 80 ms\nrank 0 step 1 20 ms\nrank 1 step 1 10 ms\n"
      "rank 0 step 2 21 ms\n";

  const auto record = extract(text + "rank 1 step 2 22.5 ms\n", rule);

  CHECK(record.problems.empty());
  CHECK(values_of(record) == std::vector<double>{0.09, 0.02, 0.0225});
  REQUIRE(record.events.size() == 4);  // all, rank 0, rank 1, the end
  const auto& of_rank_1 = std::get<protocol::Samples>(record.events[2]);
  CHECK(of_rank_1.rank == 1);
  CHECK(of_rank_1.warmup == 1);
  CHECK(of_rank_1.values == std::vector<double>{0.09, 0.01, 0.0225});

  // A rank that lacks a step: of whose steps the longest would be is not known.
  const auto cut = extract(text, rule);
  REQUIRE_FALSE(cut.problems.empty());
  CHECK(cut.problems.front() == "extract: step_time_s: rank 0 has 3, rank 1 has 2");
  CHECK(values_of(cut).empty());
  CHECK(extract("rank 70000 step 0 90 ms\n", rule).problems.front() ==
        "stdout line 1: step_time_s: '70000' is no rank, 0 to 65535");

  // Differences are each rank's own.
  rule.is_difference = true;
  const auto differences = extract(
      "rank 0 step 0 1 ms\nrank 1 step 0 5 ms\nrank 0 step 1 3 ms\nrank 1 step 1 6 ms\n", rule);
  CHECK(values_of(differences) == std::vector<double>{0.002});

  CHECK(parse_extract_pattern("(?<rank>\\d+)", "").problem ==
        "no group but that of the rank holds the value");
}

TEST_CASE("output that cannot be read to its end is a problem of the trial", "[run]") {
  std::ifstream out("/proc/self/mem");  // reading at 0 fails with EIO
  std::istringstream err;
  CHECK(extract_samples({.out = out, .err = err}, {json_rule("t")}, kSteps, {}).problems.front() ==
        "stdout could not be read to its end");
}
