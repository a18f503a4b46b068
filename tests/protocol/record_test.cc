// The writer and the reader of the trial protocol hold to each other and to FORMAT.md.
#include <bit>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <limits>
#include <sstream>
#include <stdexcept>

#include <unistd.h>

#include "tests/support/catch.h"
#include "workloads/protocol/reader.h"
#include "workloads/protocol/writer.h"

using namespace scalestudy::protocol;

namespace {

const std::string kStart = R"({"v":1,"event":"start","workload":"train","ranks":2})"
                           "\n";

Record parse_after_start(const std::string& lines) {
  return parse_record(kStart + lines);
}

std::string one_problem(const Record& record) {
  return record.problems.size() == 1 ? record.problems.front()
                                     : std::to_string(record.problems.size()) + " problems";
}

bool has_samples(const Record& record) {
  for (const Event& event : record.events) {
    if (std::holds_alternative<Samples>(event)) {
      return true;
    }
  }
  return false;
}

std::string temporary_path(const std::string& name) {
  return "/tmp/scalestudy-protocol-" + std::to_string(::getpid()) + "-" + name;
}

}  // namespace

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
