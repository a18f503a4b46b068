// The writer and the reader of the trial protocol hold to each other and to FORMAT.md.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <limits>
#include <stdexcept>

#include <unistd.h>

#include "tests/protocol/record_text.h"
#include "tests/support/catch.h"
#include "tests/support/program.h"
#include "workloads/protocol/reader.h"
#include "workloads/protocol/writer.h"

using namespace scalestudy::protocol;
using scalestudy::test::kStart;
using scalestudy::test::one_problem;

namespace {

Record parse_after_start(const std::string& lines) {
  return parse_record(kStart + lines);
}

bool has_samples(const Record& record) {
  return std::ranges::any_of(
      record.events, [](const Event& event) { return std::holds_alternative<Samples>(event); });
}

std::string temporary_path(const std::string& name) {
  return "/tmp/scalestudy-protocol-" + std::to_string(::getpid()) + "-" + name;
}

}  // namespace

TEST_CASE("an end has facts where there are some", "[protocol]") {
  const std::string plain = R"({"v":1,"event":"end","ok":true,"message":""})";
  const std::string facts =
      R"({"v":1,"event":"end","ok":true,"message":"","facts":{"is_steady":1}})";

  CHECK(format_event(End{.ok = true, .message = ""}) == plain);
  CHECK(format_event(End{.ok = true, .message = "", .facts = {{"is_steady", 1.0}}}) == facts);
  const Record record = parse_after_start(facts + "\n");
  REQUIRE(record.events.size() == 2);
  CHECK(std::get<End>(record.events[1]).facts == std::map<std::string, double>{{"is_steady", 1.0}});
  CHECK_THAT(
      one_problem(parse_after_start(R"({"v":1,"event":"end","ok":true,"facts":{"is_steady":"yes"}})"
                                    "\n")),
      Catch::Contains("facts.is_steady"));
}

TEST_CASE("a window is one time above 0 over all ranks", "[protocol]") {
  const std::string window = R"({"v":1,"event":"samples","metric":"window_time_s","unit":"s",)";

  CHECK(parse_after_start(window + R"("warmup":0,"values":[1.5]})"
                                   "\n")
            .problems.empty());
  for (const char* rest : {R"("warmup":0,"values":[1.5,1.5]})",
                           R"("warmup":1,"values":[1.5]})",
                           R"("warmup":0,"values":[0]})",
                           R"("warmup":0,"values":[-1.5]})",
                           R"("warmup":0,"rank":0,"values":[1.5]})"}) {
    const Record record = parse_after_start(window + rest + "\n");
    CAPTURE(rest);
    CHECK_THAT(one_problem(record), Catch::Contains("window_time_s"));
    CHECK_FALSE(has_samples(record));
  }
  CHECK_THROWS_AS(
      format_event(Samples{
          .metric = "window_time_s", .unit = "s", .rank = {}, .warmup = 0, .values = {0.0}}),
      std::invalid_argument);
}

TEST_CASE("a record reads back as it was written", "[protocol]") {
  const std::string path = temporary_path("roundtrip");
  {
    Writer writer(path);
    writer.write(Start{.workload = "train",
                       .ranks = 2,
                       .parameters = {{"model", "mlp-258k"}, {"env.NCCL_ALGO", "Ring"}},
                       .facts = {{"parameter_count", 258432.0}},
                       .versions = {{"onednn", "2.6.3"}}});
    writer.write(Phase{.name = "measure"});
    writer.write(Samples{.metric = "step_time_s",
                         .unit = "s",
                         .rank = {},
                         .warmup = 1,
                         .values = {0.5, 0.25, 1e-9}});
    writer.write(
        Samples{.metric = "step_time_s", .unit = "s", .rank = 1, .warmup = 0, .values = {0.125}});
    writer.write(Check{.name = "loss_finite", .passed = true, .detail = "\"a\"\n\t\\ ü"});
    writer.write(End{.ok = false, .message = "rank 1 failed"});
  }

  const Record record = read_record(path);
  std::remove(path.c_str());

  REQUIRE(record.problems.empty());
  REQUIRE_FALSE(record.truncated);
  REQUIRE(record.events.size() == 6);
  const auto& start = std::get<Start>(record.events[0]);
  CHECK(start.workload == "train");
  CHECK(start.ranks == 2);
  CHECK(start.parameters.at("env.NCCL_ALGO") == "Ring");
  CHECK(start.facts.at("parameter_count") == 258432.0);
  CHECK(start.versions.at("onednn") == "2.6.3");
  CHECK(std::get<Phase>(record.events[1]).name == "measure");
  const auto& all = std::get<Samples>(record.events[2]);
  CHECK(all.unit == "s");
  CHECK_FALSE(all.rank.has_value());
  CHECK(all.warmup == 1);
  CHECK(all.values == std::vector<double>{0.5, 0.25, 1e-9});
  CHECK(std::get<Samples>(record.events[3]).rank == 1);
  CHECK(std::get<Check>(record.events[4]).passed);
  CHECK(std::get<Check>(record.events[4]).detail == "\"a\"\n\t\\ ü");
  CHECK_FALSE(std::get<End>(record.events[5]).ok);
  CHECK(std::get<End>(record.events[5]).message == "rank 1 failed");
}

TEST_CASE("every double reads back with the same bits", "[protocol]") {
  Samples samples{.metric = "x", .unit = "s", .rank = {}, .warmup = 0, .values = {}};
  samples.values = {0.0,
                    -0.0,
                    0.1,
                    1.0 / 3.0,
                    -1e300,
                    9007199254740993.0,
                    18446744073709551616.0,
                    std::numeric_limits<double>::max(),
                    std::numeric_limits<double>::min(),
                    std::numeric_limits<double>::denorm_min()};
  std::uint64_t state = 42;  // splitmix64: any bit pattern that is a finite number
  while (samples.values.size() < 20'000) {
    state += 0x9e3779b97f4a7c15U;
    std::uint64_t bits = (state ^ (state >> 30U)) * 0xbf58476d1ce4e5b9U;
    bits = (bits ^ (bits >> 27U)) * 0x94d049bb133111ebU;
    const auto value = std::bit_cast<double>(bits ^ (bits >> 31U));
    if (std::isfinite(value)) {
      samples.values.push_back(value);
    }
  }

  const Record record = parse_after_start(format_event(samples) + '\n');

  REQUIRE(record.problems.empty());
  const auto& read = std::get<Samples>(record.events.at(1)).values;
  REQUIRE(read.size() == samples.values.size());
  std::size_t different = 0;
  for (std::size_t i = 0; i < read.size(); ++i) {
    different +=
        std::bit_cast<std::uint64_t>(read[i]) != std::bit_cast<std::uint64_t>(samples.values[i])
            ? 1U
            : 0U;
  }
  CHECK(different == 0);
}

TEST_CASE("a value that is not a finite number refuses the whole series", "[protocol]") {
  const auto [value, said] = GENERATE(table<std::string, std::string>({
      {"null", "values[1] is null"},
      {"\"0.5\"", "values[1] is the text '0.5'"},
      {"true", "values[1] is true"},
      {"[1]", "values[1] is an array"},
      {"{\"a\":1}", "values[1] is an object"},
      {"1e999", "the number 1e999 is out of range"},
      {"NaN", "not valid JSON"},
      {"Infinity", "not valid JSON"},
  }));

  const Record record = parse_after_start(
      R"({"v":1,"event":"samples","metric":"m","unit":"s","warmup":0,"values":[1,)" + value +
      ",2]}\n");

  CHECK_FALSE(has_samples(record));
  CHECK_THAT(one_problem(record), Catch::Contains("line 2: ") && Catch::Contains(said));
}

TEST_CASE("the writer refuses what the reader would refuse", "[protocol]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  const auto samples = [](std::vector<double> values, int warmup) {
    return Samples{
        .metric = "m", .unit = "s", .rank = {}, .warmup = warmup, .values = std::move(values)};
  };

  CHECK_THROWS_AS(format_event(samples({1.0, nan}, 0)), std::invalid_argument);
  CHECK_THROWS_AS(format_event(samples({-inf}, 0)), std::invalid_argument);
  CHECK_THROWS_AS(format_event(samples({}, 0)), std::invalid_argument);
  CHECK_THROWS_AS(format_event(samples({1.0}, 2)), std::invalid_argument);
  CHECK_THROWS_AS(format_event(samples({1.0}, -1)), std::invalid_argument);
  Samples named = samples({1.0}, 0);
  named.metric = "step time";
  CHECK_THROWS_AS(format_event(named), std::invalid_argument);
  named = samples({1.0}, 0);
  named.rank = -1;
  CHECK_THROWS_AS(format_event(named), std::invalid_argument);
  named = samples({1.0}, 0);
  named.unit = "\n";
  CHECK_THROWS_AS(format_event(named), std::invalid_argument);
  named = samples({1.0}, 0);
  named.metric = "step_time_s";
  CHECK_NOTHROW(format_event(named));
  named.unit = "ms";
  CHECK_THROWS_AS(format_event(named), std::invalid_argument);
  Start start{
      .workload = "train", .ranks = 1, .parameters = {}, .facts = {{"f", nan}}, .versions = {}};
  CHECK_THROWS_AS(format_event(start), std::invalid_argument);
  start.facts.clear();
  start.ranks = 0;
  CHECK_THROWS_AS(format_event(start), std::invalid_argument);
}

TEST_CASE("text that is no UTF-8 is written as valid JSON", "[protocol]") {
  const Record record =
      parse_after_start(format_event(End{.ok = false, .message = "path \xff\xfe"}) + '\n');

  REQUIRE(record.problems.empty());
  CHECK(std::get<End>(record.events.at(1)).message == "path \xef\xbf\xbd\xef\xbf\xbd");
}

TEST_CASE("a writer that cannot open or fill its file says so", "[protocol]") {
  CHECK_THROWS_WITH(Writer("/nowhere/at/all"), Catch::Contains("/nowhere/at/all"));
  Writer full("/dev/full");
  CHECK_THROWS_WITH(full.write(Phase{.name = "setup"}), Catch::Contains("No space left"));
}

TEST_CASE("a last line without its newline is dropped and reported", "[protocol]") {
  const Record record = parse_after_start(R"({"v":1,"event":"phase","name":"setup"})"
                                          "\n"
                                          R"({"v":1,"event":"samples","metric":"m","val)");

  CHECK(record.truncated);
  CHECK(record.problems.empty());
  CHECK(record.events.size() == 2);
}

TEST_CASE("an unknown event is kept whole", "[protocol]") {
  const std::string line = R"({"v":1,"event":"power","values":["a",[{}]],"deep":[[[1]]]})";

  const Record record = parse_after_start(line + '\n');

  CHECK(record.problems.empty());
  CHECK(record.unknown == std::vector<std::string>{line});
}

TEST_CASE("each kind of bad line is reported and left out", "[protocol]") {
  const auto [line, said] = GENERATE(table<std::string, std::string>({
      {R"({"v":2,"event":"phase","name":"x"})", "'v' is 2, protocol version 1 is required"},
      {R"({"event":"phase","name":"x"})", "'v' is missing"},
      {R"({"v":1.0,"event":"phase","name":"x"})", "'v' is 1"},
      {R"({"v":1})", "'event' is missing"},
      {R"({"v":1,"event":3})", "'event' is 3"},
      {R"([1,2])", "not a JSON object"},
      {R"("text")", "not a JSON object"},
      {R"(garbage)", "not valid JSON at byte 1"},
      {R"({"v":1,"event":"phase","name":"x"}})", "not valid JSON"},
      {R"({"v":1,"v":1,"event":"phase","name":"x"})", "'v' stands twice"},
      {R"({"v":1,"event":"phase"})", "'name' is missing"},
      {R"({"v":1,"event":"phase","name":"a b"})", "'name' is the text 'a b', a name"},
      {R"({"v":1,"event":"start","workload":"train","ranks":2})", "a second 'start'"},
      {R"({"v":1,"event":"check","name":"x","passed":"yes"})", "'passed' is the text 'yes'"},
      {R"({"v":1,"event":"end","ok":1})", "'ok' is 1, true or false is required"},
      {R"({"v":1,"event":"end","ok":true,"message":3})", "'message' is 3, text is required"},
      {R"({"v":1,"event":"samples","metric":"m","unit":"s","warmup":0,"values":[]})",
       "without values"},
      {R"({"v":1,"event":"samples","metric":"m","unit":"s","warmup":0,"values":3})",
       "without values"},
      {R"({"v":1,"event":"samples","metric":"m","unit":"s","warmup":2,"values":[1]})",
       "'warmup' is 2"},
      {R"({"v":1,"event":"samples","metric":"m","unit":"s","values":[1]})", "'warmup' is missing"},
      {R"({"v":1,"event":"samples","metric":"m","unit":3,"warmup":0,"values":[1]})", "'unit' is 3"},
      {R"({"v":1,"event":"samples","metric":"m","unit":"\"","warmup":0,"values":[1]})",
       "'unit' is"},
      {R"({"v":1,"event":"samples","metric":"step_time_s","unit":"ms","warmup":0,"values":[1]})",
       R"('unit' is the text 'ms', "s" (samples of step_time_s) is required)"},
      {R"({"v":1,"event":"samples","metric":"m","unit":"s","rank":2,"warmup":0,"values":[1]})",
       "'rank' is 2, an integer from 0 to 1"},
      {R"({"v":1,"event":"samples","metric":"m","unit":"s","rank":null,"warmup":0,"values":[1]})",
       "'rank' is null"},
  }));
  CAPTURE(line);

  const Record record = parse_after_start(line + '\n');

  CHECK(record.events.size() == 1);
  CHECK_THAT(one_problem(record), Catch::StartsWith("line 2: ") && Catch::Contains(said));
}

TEST_CASE("each kind of bad start is reported and left out", "[protocol]") {
  const auto [members, said] = GENERATE(table<std::string, std::string>({
      {R"("ranks":1)", "'workload' is missing"},
      {R"("workload":"train")", "'ranks' is missing"},
      {R"("workload":"train","ranks":0)", "'ranks' is 0"},
      {R"("workload":"train","ranks":65537)", "'ranks' is 65537, an integer from 1 to 65536"},
      {R"("workload":"train","ranks":1e3)", "'ranks' is 1000"},
      {R"("workload":"train","ranks":1,"facts":{"f":"x"})", "'facts.f' is the text 'x'"},
      {R"("workload":"train","ranks":1,"facts":{"f":null})", "'facts.f' is null"},
      {R"("workload":"train","ranks":1,"facts":{"f":1,"f":2})", "'f' stands twice in 'facts'"},
      {R"("workload":"train","ranks":1,"facts":3)", "'facts' is 3, an object"},
      {R"("workload":"train","ranks":1,"parameters":{"a b":3})", "a name is required"},
      {R"("workload":"train","ranks":1,"parameters":{"a":null})", "'parameters.a' is null"},
      {R"("workload":"train","ranks":1,"versions":{"a":3})", "'versions.a' is 3, text"},
  }));
  CAPTURE(members);

  const Record record = parse_record(R"({"v":1,"event":"start",)" + members + "}\n");

  CHECK(record.events.empty());
  CHECK_THAT(one_problem(record), Catch::StartsWith("line 1: ") && Catch::Contains(said));
}

TEST_CASE("a metric has one unit in all its samples", "[protocol]") {
  const Record record = parse_after_start(
      R"({"v":1,"event":"samples","metric":"m","unit":"s","warmup":0,"values":[1]})"
      "\n"
      R"({"v":1,"event":"samples","metric":"m","unit":"ms","rank":0,"warmup":0,"values":[1]})"
      "\n");

  CHECK(record.events.size() == 2);
  CHECK(one_problem(record) ==
        R"(line 3: 'unit' is the text 'ms', "s" as before for m is required)");
}

TEST_CASE("samples stand once per metric and rank, after start and before end", "[protocol]") {
  const std::string overall =
      R"({"v":1,"event":"samples","metric":"m","unit":"s","warmup":0,"values":[1]})"
      "\n";
  const std::string rank_0 =
      R"({"v":1,"event":"samples","metric":"m","unit":"s","rank":0,"warmup":0,"values":[1]})"
      "\n";
  const std::string end = R"({"v":1,"event":"end","ok":true})"
                          "\n";

  const Record twice = parse_after_start(overall + rank_0 + overall + rank_0 + end + overall);
  const Record early = parse_record(overall + kStart);

  CHECK(twice.events.size() == 4);
  CHECK(twice.problems ==
        std::vector<std::string>{"line 4: samples of m stand twice, left out",
                                 "line 5: samples of m of rank 0 stand twice, left out",
                                 "line 7: an event after 'end', left out"});
  CHECK_FALSE(has_samples(early));
  CHECK(one_problem(early) == "line 1: samples of m before 'start', left out");
}

TEST_CASE("a missing file, a folder and a pipe are each one problem", "[protocol]") {
  CHECK_THAT(one_problem(read_record("/nowhere/at/all")), Catch::Contains("/nowhere/at/all"));
  CHECK(read_record("/tmp").problems.size() == 1);
  CHECK(read_record("/dev/zero").problems.size() == 1);
}

TEST_CASE("a file reads like the same text across the reader's chunks", "[protocol]") {
  std::string text = kStart;
  for (int rank = 0; rank < 2; ++rank) {
    Samples samples{.metric = "m", .unit = "s", .rank = rank, .warmup = 0, .values = {}};
    for (int i = 0; i < 100'000; ++i) {
      samples.values.push_back(i / 7.0);
    }
    text += format_event(samples) + '\n';
  }
  const std::string path = temporary_path("chunks");
  std::ofstream(path) << text;

  const Record record = read_record(path);
  std::remove(path.c_str());

  REQUIRE(text.size() > 3U << 20U);  // several chunks of 1 MiB
  CHECK(record.problems.empty());
  REQUIRE(record.events.size() == 3);
  CHECK(std::get<Samples>(record.events[2]).values == std::get<Samples>(record.events[1]).values);
  CHECK(std::get<Samples>(record.events[2]).values.at(99'999) == 99'999 / 7.0);
}
