#include "harness/run/outcome/extract.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "harness/study/matrix/command.h"
#include "tests/run/extracted.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using test::extract;
using test::extract_both;
using test::json_rule;
using test::kSteps;
using test::regex_rule;
using test::values_of;

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
  CHECK(record.problems[1] == "stdout line 2: step_time_s: '1.2.3' is not a number");
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
    CHECK(samples_of(record, 0).warmup == 0);
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
  CHECK(extract("t=1\nt=-0.5\nt=1\n", regex_rule("t=(\\S+)")).problems.front() ==
        "stdout line 2: step_time_s: a step cannot take -0.5 s");
  ExtractRule rate = regex_rule("t=(\\S+)");
  rate.unit = "it/s";
  CHECK(extract("t=1\nt=-4\nt=1\n", rate).problems.front() ==
        "stdout line 2: step_time_s: no time has a rate of -4");
}

TEST_CASE("a value that its unit makes infinite is a bad number, and is not stored", "[run]") {
  ExtractRule hours = regex_rule("t=(\\S+)");
  hours.unit = "h";
  const auto record = extract("t=1e308\n", hours);

  CHECK(record.has_bad_numbers);
  CHECK(record.problems.at(0) == "stdout line 1: step_time_s: 1e+308 is too large for its unit");
  CHECK(extract("t=1e999\n", hours).has_bad_numbers);
  ExtractRule milliseconds = regex_rule("t=(\\S+)");
  milliseconds.unit = "ms";
  CHECK(extract("t=4.9e-324\n", milliseconds).problems.at(0) ==
        "stdout line 1: step_time_s: 4.94066e-324 is too small for its unit");
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

TEST_CASE("a log is read as stdout, then as stderr, and its lines that are too long count once",
          "[run]") {
  const std::string text = std::string(std::size_t{2} << 20U, 'x') + "\nt=1\nu=2\nu=3\nu=x\n";
  std::istringstream out(text);
  std::istringstream err(text);
  ExtractRule first = regex_rule("t=(\\S+)");
  first.from = ExtractSource::kStdout;
  ExtractRule other = regex_rule("u=(\\S+)");
  other.from = ExtractSource::kStderr;
  other.metric = "loss";
  other.unit = "1";

  const auto record =
      extract_samples({.out = out, .err = err, .is_log = true}, {first, other}, kSteps, {});

  CHECK(values_of(record) == std::vector<double>{1.0});
  CHECK(record.notes == std::vector<std::string>{"extract: the log has lines of more than 1 MiB, "
                                                 "which no rule has read: 1 from line 1 on"});
  CHECK(std::get<protocol::End>(record.events.back()).facts.at("unread_output") == 1.0);
  CHECK_THAT(record.problems.at(0), Catch::StartsWith("log line 5: loss: 'x' is not a number"));
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
    CHECK(record.problems ==
          std::vector<std::string>{
              "extract: the rule for step_time_s found nothing in stdout or stderr; stdout is "
              "UTF-16, which rules do not read; let the program write UTF-8"});
    CHECK(std::get<protocol::End>(record.events.back()).facts.at("unread_output") == 1.0);
  }
  CHECK(values_of(extract("\xef\xbb\xbft=1\n", regex_rule("^t=(\\S+)"))) ==
        std::vector<double>{1.0});
  CHECK(extract("a\n", regex_rule("^t=(\\S+)")).notes.empty());
}

TEST_CASE("rules read files beside the streams, which may be missing", "[run]") {
  ExtractRule rule = json_rule("t");
  rule.json = JsonForm::kDocument;
  rule.file = "out.json";
  ExtractRule loss = regex_rule("loss (\\S+)");
  loss.metric = "loss";
  const auto read = [&](ResultFile file) {
    std::istringstream out("loss 3\n{\"t\": 9}\n");
    std::istringstream err;
    TrialOutput output{.out = out, .err = err};
    output.files.push_back(std::move(file));
    return extract_samples(output, {rule, loss}, kSteps, {});
  };
  ResultFile file{.declared = "out.json"};
  file.text = std::make_unique<std::istringstream>("{\n\"t\": 4}\nloss 8\n");

  const auto record = read(std::move(file));

  CHECK(record.problems.empty());
  CHECK(values_of(record) == std::vector<double>{4.0});
  CHECK(std::get<protocol::Samples>(record.events.at(1)).values == std::vector<double>{3.0});
  CHECK(read({.declared = "out.json", .problem = "was not written"}).problems ==
        std::vector<std::string>{"extract: out.json was not written",
                                 "extract: the rule for step_time_s found nothing in out.json"});
}

TEST_CASE("a long line goes through the search without recursion", "[run]") {
  const std::string longest(1'000'000, 'x');

  CHECK(values_of(extract(longest + "\nt=1\n", regex_rule("(?:x|t)*=([0-9]+)"))) ==
        std::vector<double>{1.0});
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

TEST_CASE("a time of ten steps is that of one only where the unit says so", "[run]") {
  ExtractRule rule = regex_rule("([0-9.]+) s/");
  rule.unit = "s/10it";
  const auto record = extract("41.2 s/10it\n", rule);
  CHECK(record.problems.empty());
  CHECK(values_of(record).at(0) == Approx(4.12));

  for (const char* other : {"s", "s/it", "s/100it"}) {
    rule.unit = other;
    CHECK_THAT(extract("41.2 s/10it\n", rule).problems.at(0),
               Catch::Contains(std::string("is it 41.2 ") + other + " or 41.2 s/10it?"));
  }
}

TEST_CASE("a plain second is the time of ten steps where the rule says so", "[run]") {
  ExtractRule rule = regex_rule("took ([0-9.]+)");
  rule.unit = "s/10it";
  const auto record = extract("10 iterations took 41.2 s\n", rule);
  CHECK(record.problems.empty());
  CHECK(values_of(record).at(0) == Approx(4.12));

  CHECK_THAT(extract("10 iterations took 41.2 ms\n", rule).problems.at(0),
             Catch::Contains("41.2 s/10it or 41.2 ms?"));
}

TEST_CASE("a rule that says per_step of ten steps is not divided by ten again", "[run]") {
  ExtractRule rule = regex_rule("([0-9.]+) s/");
  rule.unit = "s/10it";
  rule.per_step = "0.1";  // a step is a tenth of what the time is of
  CHECK(values_of(extract("41.2 s/10it\n", rule)).at(0) == Approx(4.12));
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
        "stderr line 3: step_time_s: 'x' is not a number");
  // What matched on stdout and is no number is not replaced by what stderr has.
  const auto bad = extract_both("t=x\n", "t=2\n", {either});
  CHECK(values_of(bad).empty());
  CHECK(bad.problems == std::vector<std::string>{
                            "stdout line 1: step_time_s: 'x' is not a number",
                            "extract: the rule for step_time_s found nothing in stdout or stderr"});
}

TEST_CASE("a carriage return ends a line, and counts no line", "[run]") {
  const auto record = extract("10%| t=1 \r20%| t=2 \r\nt=3\r\nt=x\n", regex_rule("t=(\\S+)"));

  CHECK(values_of(record) == std::vector<double>{1.0, 2.0, 3.0});
  CHECK(record.problems ==
        std::vector<std::string>{"stdout line 3: step_time_s: 'x' is not a number"});
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

TEST_CASE("colours and other escape sequences of terminals are no part of a line", "[run]") {
  const auto record = extract(
      "\x1b[36mt=\x1b[1;32m1\x1b[0m s\x1b[K\nt=\x1b[38;5;9m2\x1b[m\n\x1b]0;a title\x07t=3\n"
      "\x1b]8;;http://a\x1b\\t=4\x1b]8;;\x1b\\\n\x1b(Bt=5\x1b[10G6\n\x1b[2K\r\x1b[1At=7\x1b\n",
      regex_rule("^t=(\\S+)"));

  CHECK(record.problems == std::vector<std::string>{"stdout line 6: step_time_s: '7\x1b' is not a "
                                                    "number"});
  CHECK(values_of(record) == std::vector<double>{1.0, 2.0, 3.0, 4.0, 5.0});
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

TEST_CASE("output that cannot be read to its end is a problem of the trial", "[run]") {
  std::ifstream out("/proc/self/mem");  // reading at 0 fails with EIO
  std::istringstream err;
  CHECK(extract_samples({.out = out, .err = err}, {json_rule("t")}, kSteps, {}).problems.front() ==
        "stdout could not be read to its end");
}
