// Lines that say whose they are.
#include <string>
#include <vector>

#include <fmt/format.h>

#include "harness/run/outcome/extract.h"
#include "harness/study/matrix/command.h"
#include "tests/run/extracted.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using test::extract;
using test::regex_rule;
using test::values_of;

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
        "stdout line 1: step_time_s: '70000' is not a rank, 0 to 65535");

  // Differences are each rank's own.
  rule.is_difference = true;
  const auto differences = extract(
      "rank 0 step 0 1 ms\nrank 1 step 0 5 ms\nrank 0 step 1 3 ms\nrank 1 step 1 6 ms\n", rule);
  CHECK(values_of(differences) == std::vector<double>{0.002});

  CHECK(parse_extract_pattern("(?<rank>\\d+)", "").problem ==
        "no group but those of rank and step holds the value");
}

TEST_CASE("a rule with a rank reads the first match of each in a line, one without it the first",
          "[run]") {
  const auto read =
      [](const std::string& regex, const std::string& text, bool is_difference = false) {
        const ExtractPattern pattern = parse_extract_pattern(regex, "");
        REQUIRE(pattern.problem.empty());
        ExtractRule rule = regex_rule(pattern.regex, pattern.group);
        rule.is_difference = is_difference;
        return extract(text, rule);
      };
  const auto of_ranks = [](const protocol::Record& record) {
    std::vector<std::vector<double>> values;
    for (const protocol::Event& event : record.events) {
      if (const auto* samples = std::get_if<protocol::Samples>(&event);
          samples != nullptr && samples->rank) {
        values.push_back(samples->values);
      }
    }
    return values;
  };
  const std::string text =
      "step 0 [0] 5.5 s [1] 20 s\nstep 1 [0] 5 s [1] 10 s\nstep 2 [0] 5.25 s [1] 22.5 s\n";
  const std::vector<std::vector<double>> both{{5.5, 5.0, 5.25}, {20.0, 10.0, 22.5}};

  const auto record = read(R"(\[(?<rank>\d+)\] (?<value>\S+) s)", text);
  CHECK(record.problems.empty());
  CHECK(values_of(record) == std::vector<double>{20.0, 10.0, 22.5});
  CHECK(of_ranks(record) == both);
  CHECK(std::get<protocol::End>(record.events.back()).facts.empty());

  // What is between two ranks may be part of both matches.
  CHECK(of_ranks(read(R"(\|(?<rank>\d+): (?<value>\S+)\|)", "|0: 5|1: 20|2: 7|\n")) ==
        std::vector<std::vector<double>>{{5.0}, {20.0}, {7.0}});
  // A match without a value, or without a character, does not end the line.
  const std::string idle = "[0] idle [1] 20 s\n";
  CHECK(of_ranks(read(R"(\[(?<rank>\d+)\] (?:(?<value>[0-9.]+) s|idle))", idle)) ==
        std::vector<std::vector<double>>{{20.0}});
  CHECK(of_ranks(read(R"((?:\[(?<rank>\d+)\] (?<value>[0-9.]+) s)?)", text)) == both);
  // A second value of a rank is something else, such as another phase.
  CHECK(of_ranks(read(R"(\[(?<rank>\d+)\].*?(?<value>[0-9.]+) s)",
                      "[0] fwd 5 s [0] bwd 9 s\n[0] fwd 6 s [0] bwd 9 s\n")) ==
        std::vector<std::vector<double>>{{5.0, 6.0}});
  // The number of the step that is there once is that of all ranks.
  const auto numbered = read(R"((?:step (?<step>\d+) )?\[(?<rank>\d+)\] (?<value>\S+) s)", text);
  CHECK(numbered.problems.empty());
  CHECK(numbered.notes.empty());
  CHECK(of_ranks(numbered) == both);
  // By hand: 3 - 1 and 6 - 3 s of rank 0, 7 - 2 and 8 - 7 s of rank 1.
  const auto stamps = read(R"(\[(?<rank>\d+)\] at (?<value>\d+) s)",
                           "[0] at 1 s [1] at 2 s\n[0] at 3 s [1] at 7 s\n[0] at 6 s [1] at 8 s\n",
                           /*is_difference=*/true);
  CHECK(values_of(stamps) == std::vector<double>{5.0, 3.0});
  CHECK(of_ranks(stamps) == std::vector<std::vector<double>>{{2.0, 3.0}, {5.0, 1.0}});

  CHECK(read(R"(\[(?<rank>\d+)\] (?<value>\S+) s)", "[0] 5 s [1] x s\n").problems.at(0) ==
        "stdout line 1: step_time_s: 'x' is not a number");
  CHECK(values_of(read(R"((\S+) s)", "10 s (avg 12 s)\n")) == std::vector<double>{10.0});
}

// A copy of the line for each of its ranks took more than 20 GB.
TEST_CASE("a line of 60,000 ranks is read as any other", "[run]") {
  std::string line;
  for (int rank = 0; rank < 60'000; ++rank) {
    line += fmt::format("[{}] {}.5 s ", rank, rank % 7);
  }
  const ExtractPattern pattern = parse_extract_pattern(R"(\[(?<rank>\d+)\] (?<value>\S+) s)", "");

  const auto record = extract(line + "\n" + line + "\n", regex_rule(pattern.regex, pattern.group));

  CHECK(values_of(record) == std::vector<double>{6.5, 6.5});
  CHECK(record.events.size() == 60'002);  // all, each rank, the end
}
