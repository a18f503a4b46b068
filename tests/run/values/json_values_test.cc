// Values in JSON lines and documents, and in lines of MLLOG.
#include "harness/run/values/json_extractor.h"
#include "tests/run/extracted.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using test::extract;
using test::extract_both;
using test::json_rule;
using test::mllog_rule;
using test::values_of;

TEST_CASE("JSON nested as deep as a line is long ends no harness", "[run]") {
  constexpr std::size_t levels = 200'000;
  const std::string nested = std::string(levels, '[') + std::string(levels, ']');
  const std::string mllog = ":::MLLOG {\"key\": ";

  const auto by_path = extract("{\"s\": [1, " + nested + "]}\n", json_rule("s"));
  const auto as_value = extract(mllog + "\"t\", \"value\": " + nested + "}\n", mllog_rule("t"));
  const auto as_key = extract(mllog + nested + ", \"value\": 1}\n", mllog_rule("t"));

  REQUIRE(by_path.problems.size() == 2);
  CHECK(by_path.problems.front() == "stdout line 1: step_time_s: an array is not a number");
  REQUIRE(as_value.problems.size() == 1);
  CHECK(as_value.problems.front() == "stdout line 1: throughput: an array is not a number");
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
  CHECK(record.problems[0] == "stdout line 2: step_time_s: 'fast' is not a number");
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
  CHECK_THAT(extract(open + "{\"ms\": 3}\n", rule).problems.at(0),
             Catch::StartsWith("stdout has many brackets that are never closed, so json: document "
                               "read only its first "));
  const std::string huge(std::size_t{65} << 20U, '\n');
  CHECK(extract(huge, rule).problems.at(0) ==
        "stdout is longer than 64 MiB, which json: document does not read");
}

TEST_CASE("a JSON line that is part of a document says how to read it", "[run]") {
  CHECK(extract("{\n  \"mean_ms\": 20.15,\n}\n", json_rule("mean_ms")).problems.at(0) ==
        "stdout line 2: step_time_s: '  \"mean_ms\": 20.15,' is not a JSON object; if it is part "
        "of a "
        "document over several lines, add json: document to the rule");
}

TEST_CASE("a JSON number that no double holds is told as such, and the others are read", "[run]") {
  for (const std::string number : {"1e400", "-1E+999"}) {
    CAPTURE(number);
    const auto record = extract("{\"t\": " + number + ", \"u\": 1}\n", json_rule("t"));
    REQUIRE_FALSE(record.problems.empty());
    CHECK(record.problems[0] == "stdout line 1: step_time_s: '" + number + "' is out of range");
    CHECK(values_of(extract("{\"u\": " + number + ", \"t\": 2}\n", json_rule("t"))) ==
          std::vector<double>{2.0});
  }
  const std::string digits = "1" + std::string(400, '0');
  CHECK(values_of(extract("{\"u\": " + digits + ", \"t\": 2}\n", json_rule("t"))) ==
        std::vector<double>{2.0});
  CHECK(values_of(extract("{\"t\": 1e-300}\n{\"t\": 1e300}\n", json_rule("t"))) ==
        std::vector<double>{1e-300, 1e300});
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
            "stdout line 3: throughput: ':::MLLOG {\"key\": \"t\", \"value\": 3' is not a JSON "
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

TEST_CASE("a unit that the name of a JSON member ends in is the rule's", "[run]") {
  const auto problem = [](const std::string& text, ExtractRule rule, const std::string& unit) {
    rule.unit = unit;
    rule.per_step = unit == "samples/s" ? "64" : "";
    const auto record = extract(text + "\n", rule);
    CHECK(values_of(record).empty() != record.problems.empty());
    CHECK(record.has_bad_numbers != record.problems.empty());
    return record.problems.empty() ? "" : record.problems[0];
  };
  const std::string line = R"({"step": 1, "step_time_ms": 120})";
  CHECK(problem(line, json_rule("step_time_ms"), "s") ==
        "stdout line 1: step_time_s: '120' is after 'ms', and the rule says s: is it 120 s or 120 "
        "ms? If 120 ms, write unit: ms");
  CHECK(problem(line, json_rule("step_time_ms"), "ms").empty());
  CHECK_THAT(problem(R"({"runs": [{"ms": 41.2}]})", json_rule("runs.0.ms"), "s"),
             Catch::EndsWith("write unit: ms"));
  CHECK_THAT(problem(R"({"times_us": [41.2, 42]})", json_rule("times_us"), "s"),
             Catch::EndsWith("write unit: us"));
  ExtractRule document = json_rule("step_time_ms");
  document.json = JsonForm::kDocument;
  CHECK_THAT(problem("{\n\"step_time_ms\": 120\n}", document, "s"),
             Catch::EndsWith("write unit: ms"));
  ExtractRule mllog = mllog_rule("tracked_stats");
  mllog.metric = "step_time_s";
  mllog.json_path = "value.step_ms";
  CHECK_THAT(problem(R"(:::MLLOG {"key": "tracked_stats", "value": {"step_ms": 2.5}})", mllog, "s"),
             Catch::EndsWith("write unit: ms"));
  CHECK_THAT(problem(R"({"batches_per_sec": 0.45})", json_rule("batches_per_sec"), "s"),
             Catch::Contains("a rate"));
  CHECK(problem(R"({"samples_per_sec": 128})", json_rule("samples_per_sec"), "samples/s").empty());
  CHECK(problem(R"({"train_step_timing in s": 2.5})", json_rule("train_step_timing in s"), "s")
            .empty());
}
