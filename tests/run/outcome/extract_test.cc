#include "harness/run/outcome/extract.h"

#include <algorithm>
#include <cmath>
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
  CHECK(record.problems[0] == "stdout line 2: step_time_s: 'fast' is no number");
}

TEST_CASE("a regular expression takes the rule's group of each line", "[run]") {
  const auto record = extract("step 1: 12.5 s\nnothing\nstep 2: 13 s\n",
                              regex_rule("step ([0-9]+): ([0-9.]+) s", 2));

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

TEST_CASE("a value of the warm-up that is inf, nan or 0 is missing", "[run]") {
  ExtractRule rate = regex_rule("rate (\\S+)");
  rate.unit = "it/s";
  ExtractRule loss = regex_rule("loss (\\S+)");
  loss.metric = "loss";
  const auto samples_of = [](const protocol::Record& record, std::size_t i) {
    return std::get<protocol::Samples>(record.events.at(i));
  };
  for (const std::string first : {"inf", "0", "nan", "1e999"}) {
    CAPTURE(first);
    const auto record = extract_both(
        "loss nan rate " + first + "\nloss 3 rate 4\nloss 2 rate 8\n", "", {rate, loss});
    CHECK(record.problems.empty());
    CHECK_FALSE(record.has_bad_numbers);
    REQUIRE(record.events.size() == 3);
    CHECK(std::isnan(samples_of(record, 0).values.at(0)));
    CHECK(samples_of(record, 0).warmup == 1);
    CHECK(samples_of(record, 0).values.at(2) == 0.125);
    CHECK(std::isnan(samples_of(record, 1).values.at(0)));
    CHECK(samples_of(record, 1).values.at(1) == 3.0);
  }
  // Behind the warm-up, and where there is none, it is not.
  for (const std::string text :
       {"rate 4\nrate inf\nrate 8\n", "rate nan\nrate 8\n", "rate 0\nrate 4\nrate 8\nrate 8\n"}) {
    CAPTURE(text);
    const auto record = extract_both(text, "", {rate});
    CHECK(record.has_bad_numbers);
    CHECK(record.problems.size() == 1);
    CHECK(std::ranges::none_of(values_of(record), [](double value) { return std::isnan(value); }));
  }
  // So many that problems are full do not hide one of a measured step.
  std::string many;
  for (int i = 0; i < 200; ++i) {
    many += "rate nan\n";
  }
  const auto record =
      extract_both(many + "rate nan\nrate 8\n", "", {rate}, Steps{.warmup = 200, .measured = 2});
  CHECK(record.has_bad_numbers);
  CHECK(record.problems ==
        std::vector<std::string>{"stdout line 201: step_time_s: 'nan' is not finite, a finite "
                                 "number is required"});
}

TEST_CASE("a step that takes no time is missing in the warm-up, of ranks' steps if one is",
          "[run]") {
  const ExtractPattern pattern = parse_extract_pattern("r(?<rank>\\d+) (\\S+)", "");
  const auto record =
      extract("r0 0\nr1 5\nr0 1\nr0 2\nr1 3\nr1 1\n", regex_rule(pattern.regex, pattern.group));

  CHECK(record.problems.empty());
  const auto& all = std::get<protocol::Samples>(record.events.at(0));
  CHECK(std::isnan(all.values.at(0)));
  CHECK(std::vector<double>(all.values.begin() + 1, all.values.end()) ==
        std::vector<double>{3.0, 2.0});
  CHECK(extract("t=1\nt=0\nt=1\n", regex_rule("t=(\\S+)")).problems.front() ==
        "stdout line 2: step_time_s: a step cannot take 0 s");
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

TEST_CASE("a line over a mebibyte is passed over and told, a shorter one is searched", "[run]") {
  const std::string too_long(std::size_t{2} << 20U, 'x');
  const std::string longest(1'000'000, 'x');

  const auto record =
      extract("\n" + too_long + "t=1\n" + longest + "t=2\n", regex_rule("t=([0-9]+)"));

  CHECK(values_of(record) == std::vector<double>{2.0});
  CHECK(record.problems.empty());
  CHECK(record.notes ==
        std::vector<std::string>{"extract: stdout has lines of more than 1 MiB, which no rule has "
                                 "read: 1 from line 2 on"});
  CHECK(std::get<protocol::End>(record.events.back()).facts.at("unread_output") == 1.0);
}

TEST_CASE("UTF-16 is told, and the mark of UTF-8 is no part of the first line", "[run]") {
  const auto in_utf16 = [](const std::string& text, const std::string& mark) {
    std::string wide = mark;
    for (const char c : text) {
      wide += {c, '\0'};
    }
    return wide;
  };
  for (const std::string mark : {"\xff\xfe", ""}) {
    const auto record = extract(in_utf16("t=1\nt=2\n", mark), regex_rule("t=(\\S+)"));
    CHECK(record.notes ==
          std::vector<std::string>{
              "extract: stdout is UTF-16, which rules do not read; let the program write UTF-8"});
    CHECK(std::get<protocol::End>(record.events.back()).facts.at("unread_output") == 1.0);
  }
  CHECK(values_of(extract("\xef\xbb\xbft=1\n", regex_rule("^t=(\\S+)"))) ==
        std::vector<double>{1.0});
  CHECK(extract("a\n", regex_rule("^t=(\\S+)")).notes.empty());
}

TEST_CASE("json: document reads JSON over several lines, in the text around it", "[run]") {
  ExtractRule rule = json_rule("bench.0.ms");
  rule.json = JsonForm::kDocument;
  rule.unit = "ms";
  const std::string text =
      "fio-3.33\n[rank0]: starting {\n{\n  \"loss\": NaN,\n  \"bench\": [\n    {\"ms\": 20.5},\n"
      "    {\"ms\": 1}\n  ]\n}\ndone\n{\"bench\": [{\"ms\": \"8\"}]}\n";

  const auto record = extract(text, rule);

  CHECK(record.problems.empty());
  CHECK(values_of(record) == std::vector<double>{0.0205, 0.008});
  rule.json_path = "0.ms";
  CHECK(values_of(extract("[\n  {\"ms\": [1, 2]}\n]\n", rule)) ==
        std::vector<double>{0.001, 0.002});
  for (const std::string bad : {"\n{\n  \"ms\": 1,\n", "\n{\n  \"ms\": oops\n}\n"}) {
    const auto cut = extract(bad, rule);
    CHECK(cut.has_bad_numbers);
    CHECK_THAT(cut.problems.at(0),
               Catch::StartsWith("stdout line 2: step_time_s: the JSON document that begins here"));
  }
  rule.json_path = "ms";
  CHECK(values_of(extract("\xef\xbb\xbf{\n  \"ms\": 3\n}\n", rule)) == std::vector<double>{0.003});
  // Brackets that nothing closes cost no more than a few readings of the text.
  std::string open;
  for (int i = 0; i < 100'000; ++i) {
    open += "[a\n";
  }
  CHECK_FALSE(extract(open, rule).problems.empty());
  const std::string huge(std::size_t{65} << 20U, '\n');
  CHECK(extract(huge, rule).problems.at(0) ==
        "stdout is longer than 64 MiB, which json: document does not read");
}

TEST_CASE("a JSON line that is part of a document says how to read it", "[run]") {
  CHECK(extract("{\n  \"mean_ms\": 20.15,\n}\n", json_rule("mean_ms")).problems.at(0) ==
        "stdout line 2: step_time_s: '  \"mean_ms\": 20.15,' is no JSON object; if it is part of a "
        "document over several lines, add json: document to the rule");
}

TEST_CASE("rules read files beside the streams, which may be missing", "[run]") {
  ExtractRule rule = json_rule("ms");
  rule.json = JsonForm::kDocument;
  rule.file = "out.json";
  ExtractRule loss = regex_rule("loss (\\S+)");
  loss.metric = "loss";
  const auto read = [&](ResultFile file) {
    std::istringstream out("loss 3\n{\"ms\": 9}\n");
    std::istringstream err;
    TrialOutput output{.out = out, .err = err};
    output.files.push_back(std::move(file));
    return extract_samples(output, {rule, loss}, kSteps, {});
  };
  ResultFile file{.declared = "out.json"};
  file.text = std::make_unique<std::istringstream>("{\n\"ms\": 4}\nloss 8\n");

  const auto record = read(std::move(file));

  CHECK(record.problems.empty());
  CHECK(values_of(record) == std::vector<double>{4.0});
  CHECK(std::get<protocol::Samples>(record.events.at(1)).values == std::vector<double>{3.0});
  CHECK(read({.declared = "out.json", .problem = "was not written"}).problems ==
        std::vector<std::string>{"extract: out.json was not written",
                                 "extract: the rule for step_time_s found nothing in out.json"});
}

TEST_CASE("times as clocks and letters show them are read in any unit of time", "[run]") {
  const auto seconds = [](const std::string& text, const std::string& unit = "s") {
    ExtractRule rule = regex_rule("t=(.+)");
    rule.unit = unit;
    const auto values = values_of(extract("t=" + text + "\n", rule));
    return values.size() == 1 ? values[0] : -1.0;
  };
  CHECK(seconds("0:39:56") == 2396.0);
  CHECK(seconds("1:02.5") == 62.5);
  CHECK(seconds("26:00:01") == 93601.0);
  CHECK(seconds("2-03:04:05") == 183845.0);
  CHECK(seconds("1 day, 2:03:04") == 93784.0);
  CHECK(seconds("1m2.5s") == 62.5);
  CHECK(seconds("1h0m5s") == 3605.0);
  CHECK(seconds("0m2.345s") == 2.345);
  CHECK(seconds("2.5s", "ms") == Approx(2.5));
  CHECK(seconds("0:39:56", "h") == Approx(2396.0));
  CHECK(seconds("812", "ns") == Approx(812e-9));
  for (const std::string text : {"0:60", "1:60:00", "12:5", "5m", "350ms", ":30", "1:2:3"}) {
    CAPTURE(text);
    CHECK(seconds(text) == -1.0);
  }
  ExtractRule loss = regex_rule("t=(.+)");
  loss.metric = "loss";
  loss.unit = "1";
  CHECK(values_of(extract("t=0:39\n", loss)).empty());
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
  for (const std::string text : {"1,23", "1234,567", ",123", "1,234,5", "0,984", "0,984,000"}) {
    CAPTURE(text);
    const auto record = extract("t=" + text + "\n", regex_rule("t=(\\S+)"));
    CHECK(values_of(record).empty());
    CHECK_THAT(record.problems.at(0), Catch::EndsWith("add decimal: comma to the rule"));
  }
}

TEST_CASE("values that all have one comma and three digits are told of, unless the rule says",
          "[run]") {
  ExtractRule rule = regex_rule("t=(\\S+)");
  const auto told = [&](const std::string& text) {
    const auto record = extract(text, rule);
    const auto& facts = std::get<protocol::End>(record.events.back()).facts;
    CHECK(record.notes.size() == facts.count("commas.step_time_s"));
    return !record.notes.empty();
  };

  CHECK(told("t=12,345\nt=9,987\n"));
  CHECK_FALSE(told("t=12,345\nt=987\n"));
  CHECK_FALSE(told("t=12,345.5\nt=9,987\n"));
  CHECK_FALSE(told("t=1,012,345\nt=9,987\n"));
  rule.decimal = DecimalMark::kPoint;
  CHECK_FALSE(told("t=12,345\nt=9,987\n"));
  rule.decimal = DecimalMark::kComma;
  CHECK_FALSE(told("t=12,345\nt=9,987\n"));
  CHECK(values_of(extract("t=12,345\nt=0,984\nt=1.234,5\n", rule)) ==
        std::vector<double>{12.345, 0.984, 1234.5});
}

TEST_CASE("colours and other escape sequences of terminals are no part of a line", "[run]") {
  const auto record = extract(
      "\x1b[36mt=\x1b[1;32m1\x1b[0m s\x1b[K\nt=\x1b[38;5;9m2\x1b[m\n\x1b]0;a title\x07t=3\n"
      "\x1b]8;;http://a\x1b\\t=4\x1b]8;;\x1b\\\n\x1b(Bt=5\x1b[10G6\n\x1b[2K\r\x1b[1At=7\x1b\n",
      regex_rule("^t=(\\S+)"));

  CHECK(record.problems == std::vector<std::string>{"stdout line 6: step_time_s: '7\x1b' is no "
                                                    "number"});
  CHECK(values_of(record) == std::vector<double>{1.0, 2.0, 3.0, 4.0, 5.0});
}

TEST_CASE("a group that is only part of a number is refused, with both readings", "[run]") {
  struct Cut {
    std::string line;
    std::string regex;
    std::string told;
  };
  for (const Cut& cut : std::vector<Cut>{
           {"t 310,500 in all", "t (\\d+)", "'310' is only a part of '310,500'"},
           {"t 1,310,500", "t ([0-9]+)", "'1' is only a part of '1,310,500'"},
           {"t 12.5", "t (\\d+)", "'12' is only a part of '12.5'"},
           {"t 12,5 ms", "t (\\d+)", "'12' is only a part of '12,5'"},
           {"t 1.5e-05", "t ([0-9.]+)", "'1.5' is only a part of '1.5e-05'"},
           {"t 12.345", "t (\\d+\\.\\d)", "'12.3' is only a part of '12.345'"},
           {"t 12345", "t.*(\\d+)", "'5' is only a part of '12345'"},
           {"t 12.5", "t.*?(\\d+)$", "'5' is only a part of '12.5'"},
           {"t .5", "t .(\\d+)", "'5' is only a part of '.5'"},
           {"t 12.5", "t ([0-9]+[.]?)", "'12.' is only a part of '12.5'"},
           {"t 12.5", "t [0-9]+([.0-9]+)", "'.5' is only a part of '12.5'"},
           {"t 1e-05", "t.*?(-?[0-9]+)$", "'-05' is only a part of '1e-05'"},
           {"t 1e-05", "t 1e.([0-9]+)$", "'05' is only a part of '1e-05'"},
           {"t -0.5", "t.*?([0-9.]+)", "'0.5' is only a part of '-0.5'"},
           {"t 2,500", "(\\d+)$", "'500' is only a part of '2,500'"},
           {"t 0:39:56", "t (\\d+)", "'0' is only a part of '0:39:56'"},
           {"t 1m2.5s", "t (\\d+)", "'1' is only a part of '1m2.5s'"},
           {"t 3.20K", "t ([0-9.]+)", "'3.20' is followed by 'K': is it 3.20 s or 3.20 thousand s"},
           {"t 3.2M tok", "t ([0-9.]+)", "or 3.2 million s"},
       }) {
    CAPTURE(cut.line, cut.regex);
    const auto record = extract(cut.line + "\n", regex_rule(cut.regex));
    CHECK(record.has_bad_numbers);
    REQUIRE_FALSE(record.problems.empty());
    CHECK_THAT(record.problems[0], Catch::Contains(cut.told));
  }
  const auto value = [](const std::string& line, const std::string& regex) {
    const auto values = values_of(extract(line + "\n", regex_rule(regex)));
    return values.size() == 1 ? values[0] : -1.0;
  };
  // What the pattern itself has there is meant.
  CHECK(value("10,120,7", "^([0-9]+),") == 10.0);
  CHECK(value("10,120,7", "^[0-9]+,([0-9]+),") == 120.0);
  CHECK(value("v2.5", "v2\\.(\\d+)") == 5.0);
  CHECK(value("t 5:12 left", "t (\\d+):") == 5.0);
  // What cannot be a number's.
  CHECK(value("0.0123,500,7", "^([0-9.]+)") == 0.0123);
  CHECK(value("10,5,7", "^([0-9]+)") == 10.0);
  CHECK(value("step 10/20: 5.", "(\\d+)\\.$") == 5.0);
  CHECK(value("time...5", "([0-9]+)$") == 5.0);
  CHECK(value("t 12.", "t (\\d+)") == 12.0);
  CHECK(value("t 12.", "t ([0-9.]+)") == 12.0);
  CHECK(value("t - 12", "t.*?(\\d+)") == 12.0);
  CHECK(value("t 3-12", "-(\\d+)") == 12.0);
  CHECK(value("rank-12", "(\\d+)") == 12.0);
  CHECK(value("7Kernel", "(\\d+)") == 7.0);
}

TEST_CASE("a known unit beside the number that is not the rule's is refused", "[run]") {
  const auto problem = [](const std::string& line,
                          const std::string& unit,
                          const std::string& metric = "step_time_s") {
    ExtractRule rule = regex_rule("([0-9.]+)[^0-9]*$");
    rule.metric = metric;
    rule.unit = unit;
    const auto record = extract(line + "\n", rule);
    return record.problems.empty() ? "" : record.problems[0];
  };
  CHECK(problem("took 1250ms", "s") ==
        "stdout line 1: step_time_s: '1250' is followed by 'ms', and the rule says s: is it 1250 s "
        "or 1250 ms?");
  CHECK_THAT(problem("took 3 seconds", "ms"), Catch::Contains("3 ms or 3 seconds"));
  CHECK_THAT(problem("took 3 \xc2\xb5s", "ms"), Catch::Contains("3 \xc2\xb5s"));
  CHECK_THAT(problem("1.5s/it", "it/s"), Catch::Contains("1.5 it/s or 1.5 s/it"));
  CHECK_THAT(problem("1.5 tok/min", "tokens/s"), Catch::Contains("tok/min"));
  CHECK_THAT(problem("elapsed (ms): 1250", "s"), Catch::Contains("is behind 'ms'"));
  CHECK_THAT(problem("step_ms=1250", "s"), Catch::Contains("is behind 'ms'"));
  CHECK_THAT(problem("1.5 GB/s", "MB/s", "algbw_bytes_per_s"), Catch::Contains("GB/s"));
  CHECK_THAT(problem("used 512 MiB", "GiB", "memory_gib"), Catch::Contains("MiB"));
  for (const auto& [line, unit] : std::vector<std::pair<std::string, std::string>>{
           {"took 1250 ms", "ms"},
           {"took 1250ms/step", "ms"},
           {"1.5 sec", "s"},
           {"1.5 s", "s/it"},
           {"1.5 tok/s", "tokens/s"},
           {"time (ms): 12.5 (mean)", "ms"},
           {"mean 12.5 min", "min"},
           {"12.5 steps", "ms"},
       }) {
    CAPTURE(line, unit);
    CHECK(problem(line, unit).empty());
  }
  CHECK(problem("used 512 MB", "MiB", "memory_mib").empty());
  ExtractRule mean = regex_rule("mean ([0-9.]+)");
  mean.unit = "ms";
  CHECK(extract("mean 12.5 min 11.0 max 14\n", mean).problems.empty());
}

TEST_CASE("JSON objects are read in the text around them", "[run]") {
  const auto record = extract(
      "2026-01-01 INFO {\"t\": 1}\n[rank {0}] {\"t\": 2}\n{x} {y} {\"t\": 3} tail\n"
      "{\"t\": 4}{\"t\": 5}\n{\"a\": \"{\\\"t\\\": 9}\"}\n",
      json_rule("t"));

  CHECK(record.problems.empty());
  CHECK(values_of(record) == std::vector<double>{1.0, 2.0, 3.0, 4.0, 5.0});
}

TEST_CASE("NaN and Infinity in JSON are numbers that are not finite, others in the line are read",
          "[run]") {
  ExtractRule loss = json_rule("loss");
  loss.metric = "loss";
  const auto record = extract_both(
      "{\"t\": 10, \"loss\": 3.1, \"name\": \"a NaN, Infinity\"}\n"
      "{\"t\": 12, \"loss\": NaN, \"norm\": Infinity}\n"
      "{\"t\": 11, \"loss\": -Infinity, \"norm\": [-nan]}\n",
      "",
      {json_rule("t"), loss});

  CHECK(values_of(record) == std::vector<double>{10.0, 12.0, 11.0});
  CHECK(record.has_bad_numbers);
  CHECK(record.problems ==
        std::vector<std::string>{
            "stdout line 2: loss: 'NaN' is not finite, a finite number is required",
            "stdout line 3: loss: '-Infinity' is not finite, a finite number is required"});
  CHECK(values_of(extract("{\"t\": [1, NaN, 3]}\n", json_rule("t"))) ==
        std::vector<double>{1.0, 3.0});
}

TEST_CASE("JSON that does not parse is a bad number where a value may be lost in it", "[run]") {
  for (const std::string line : {
           R"({"t": 12, "loss": nope})",       // names the value
           R"({"loss": nope})",                // begins as JSON
           R"({"t": 12, "inner": {"t": 99})",  // cut, before its end
           R"({"t": 12, "x": nope, "in": {"t": 99}})",
           R"(2026 INFO {"t": 12, "lo)",  // cut, behind a prefix
           R"({"a": 1} "t": 12})",        // the rest of a line that was cut
           R"(  "t": 12,)",               // of a document over several lines
           R"("t": NaN})",
       }) {
    CAPTURE(line);
    const auto record = extract("{\"t\": 1}\n" + line + "\n", json_rule("t"));
    CHECK(record.has_bad_numbers);
    REQUIRE(record.problems.size() == 1);
    CHECK_THAT(record.problems[0], Catch::StartsWith("stdout line 2: step_time_s: '"));
    CHECK(values_of(record) == std::vector<double>{1.0});
  }
  // Neither begins as JSON nor names the value.
  for (const std::string line : {R"({'t': 12})",
                                 R"({ )",
                                 R"(see {"a" or "b"})",
                                 R"("tt": 12)",
                                 R"("t": "adam")",
                                 R"([t] 12)"}) {
    CAPTURE(line);
    CHECK(extract("{\"t\": 1}\n" + line + "\n", json_rule("t")).problems.empty());
  }
}

TEST_CASE("an MLLOG line that does not parse is a bad number, NaN in it is no reason", "[run]") {
  const auto record = extract(
      ":::MLLOG {\"key\": \"t\", \"value\": 2, \"metadata\": {\"loss\": NaN}}\n"
      ":::MLLOG {\"key\": \"t\", \"value\": NaN}\n"
      ":::MLLOG {\"key\": \"t\", \"value\": 3\n",
      mllog_rule("t"));

  CHECK(record.has_bad_numbers);
  CHECK(record.problems ==
        std::vector<std::string>{
            "stdout line 2: throughput: 'NaN' is not finite, a finite number is required",
            "stdout line 3: throughput: ':::MLLOG {\"key\": \"t\", \"value\": 3' is no JSON "
            "object"});
  CHECK(values_of(record) == std::vector<double>{2.0});
}

TEST_CASE("a number in quotes is a number", "[run]") {
  CHECK(values_of(extract("{\"t\": \"20.4\"}\n", json_rule("t"))) == std::vector<double>{20.4});
  CHECK_FALSE(
      extract("{\"t\": \"" + std::string(100, '1') + "\"}\n", json_rule("t")).problems.empty());
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
        "no group but those of rank and step holds the value");
}

TEST_CASE("output that cannot be read to its end is a problem of the trial", "[run]") {
  std::ifstream out("/proc/self/mem");  // reading at 0 fails with EIO
  std::istringstream err;
  CHECK(extract_samples({.out = out, .err = err}, {json_rule("t")}, kSteps, {}).problems.front() ==
        "stdout could not be read to its end");
}
