// What the reader of the trial protocol keeps of a record that is longer than any real one.
#include <string>
#include <variant>

#include "tests/protocol/record_text.h"
#include "tests/support/catch.h"
#include "workloads/protocol/reader.h"

using namespace scalestudy::protocol;
using scalestudy::test::kStart;
using scalestudy::test::one_problem;

TEST_CASE("a record beyond the limits is cut and reported", "[protocol]") {
  const std::string phase = R"({"v":1,"event":"phase","name":"p"})"
                            "\n";
  const std::string power = R"({"v":1,"event":"power"})"
                            "\n";
  const std::string values =
      R"({"v":1,"event":"samples","metric":"m","unit":"s","warmup":0,"values":[1,2,3]})"
      "\n";

  const std::string other_values =
      R"({"v":1,"event":"samples","metric":"o","unit":"s","warmup":0,"values":[1,2,3]})"
      "\n";

  const Record long_line =
      parse_record(kStart + std::string(200, 'x') + '\n' + phase, {.line_bytes = 100});
  const Record long_file = parse_record(kStart + phase + phase, {.file_bytes = kStart.size() + 50});
  const Record many_lines = parse_record(kStart + phase + phase, {.lines = 2});
  const Record many_values = parse_record(kStart + values + other_values, {.values = 5});
  const Record many_unknown = parse_record(kStart + power + power, {.unknown_bytes = 30});
  const Record many_problems = parse_record("x\nx\nx\nx\n", {.problems = 2});

  CHECK(long_line.events.size() == 2);
  CHECK(one_problem(long_line) == "line 2: longer than 100 bytes, left out");
  CHECK(long_file.events.size() == 2);
  CHECK_THAT(one_problem(long_file), Catch::Contains("the rest is left out"));
  CHECK(many_lines.events.size() == 2);
  CHECK(one_problem(many_lines) == "line 3: more than 2 lines, the rest is left out");
  CHECK(many_values.events.size() == 2);
  CHECK(one_problem(many_values) == "line 3: samples of o: too many values");
  CHECK(many_unknown.unknown.size() == 1);
  CHECK_THAT(one_problem(many_unknown), Catch::Contains("too many of them to keep"));
  REQUIRE(many_problems.problems.size() == 3);
  CHECK(many_problems.problems[2] == "and 2 more problems");
}

TEST_CASE("a line of names without end is refused", "[protocol]") {
  std::string names;
  for (int i = 0; i < 10'100; ++i) {
    names += ",\"x" + std::to_string(i) + "\":1";
  }

  const Record outer = parse_record(R"({"v":1)" + names + "}\n");
  const Record inner = parse_record(R"({"v":1,"facts":{"x":1)" + names + "}}\n");

  CHECK(one_problem(outer) == "line 1: more than 10000 names");
  CHECK(one_problem(inner) == "line 1: more than 10000 names");
}

TEST_CASE("the words of a record are cut, its members and metrics counted", "[protocol]") {
  const std::string start =
      R"({"v":1,"event":"start","workload":"w","ranks":1,"versions":{"l":"aéé"},)"
      R"("facts":{"x":1,"y":2}})"
      "\n";
  const std::string end = R"({"v":1,"event":"end","ok":false,"message":"aéé"})"
                          "\n";
  const auto samples = [](const std::string& metric) {
    return R"({"v":1,"event":"samples","metric":")" + metric +
           R"(","unit":"s","warmup":0,"values":[1]})"
           "\n";
  };

  const Record cut = parse_record(start + end, {.text_bytes = 4});
  const Record many_members = parse_record(start, {.members = 1});
  const Record many_metrics =
      parse_record(start + samples("m") + samples("n") + samples("m"), {.metrics = 1});

  CHECK(std::get<Start>(cut.events.at(0)).versions.at("l") == "aé...");
  CHECK(std::get<End>(cut.events.at(1)).message == "aé...");
  CHECK(one_problem(many_members) == "line 1: 'facts' has more than 1 members");
  CHECK(many_metrics.problems.at(0) == "line 3: samples of more than 1 metrics, left out");
  CHECK(many_metrics.events.size() == 2);
}
