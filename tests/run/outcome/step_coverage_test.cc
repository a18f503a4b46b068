// What step times cover of a trial, and when their lines arrived.
#include "harness/run/outcome/step_coverage.h"

#include <limits>
#include <sstream>

#include "harness/run/outcome/extract.h"
#include "tests/support/catch.h"

using namespace scalestudy;

namespace {

constexpr std::int64_t kLineBytes = 30;
constexpr double kLookS = 0.2;

// Output of one step a line.
StepLines lines_of(std::size_t count) {
  StepLines lines{.stream = ExtractSource::kStdout, .lines = {}, .values = count};
  for (std::size_t i = 1; i <= count; ++i) {
    lines.lines.push_back({.end_bytes = kLineBytes * static_cast<std::int64_t>(i), .values = i});
  }
  return lines;
}

// What looks find of lines that a program prints at these times and its file gets in such blocks.
std::vector<LogGrowth> growth_of(const std::vector<double>& printed_s, std::int64_t block_bytes) {
  std::vector<LogGrowth> growth;
  std::int64_t bytes = 0;
  const auto looks = static_cast<std::int64_t>(printed_s.back() / kLookS) + 2;
  for (std::int64_t look = 1; look <= looks; ++look) {
    const double at_s = kLookS * static_cast<double>(look);
    std::int64_t printed = 0;
    for (const double time_s : printed_s) {
      printed += time_s <= at_s ? kLineBytes : 0;
    }
    const bool has_ended = look == looks;
    const std::int64_t now = has_ended ? printed : printed / block_bytes * block_bytes;
    if (now > bytes) {
      bytes = now;
      growth.push_back({.at_s = at_s, .bytes = bytes, .look = look});
    }
  }
  return growth;
}

std::vector<double> every(double step_s, std::size_t count, double start_s = 3.0) {
  std::vector<double> times_s;
  for (std::size_t i = 1; i <= count; ++i) {
    times_s.push_back(start_s + step_s * static_cast<double>(i));
  }
  return times_s;
}

std::optional<double> arrival_of(const std::vector<double>& printed_s, std::int64_t block_bytes) {
  return arrival_step_s(
      growth_of(printed_s, block_bytes), lines_of(printed_s.size()), printed_s.size());
}

SeriesRow steps_of(std::vector<double> values, std::optional<int> rank = std::nullopt) {
  return {.metric = "step_time_s",
          .unit = "s",
          .rank = rank,
          .warmup_n = 1,
          .values = std::move(values)};
}

}  // namespace

TEST_CASE("lines that come one by one tell the time from step to step", "[run]") {
  for (const double step_s : {0.02, 0.07, 0.3, 1.7, 40.0}) {
    INFO(step_s);
    const auto arrival_s = arrival_of(every(step_s, 200), 1);
    REQUIRE(arrival_s);
    CHECK(*arrival_s == Approx(step_s).epsilon(0.2));
  }
}

TEST_CASE("of steps that are short and long in turn, the mean is told", "[run]") {
  // Stretches of two lines, 4 s each; the last line does not count.
  const auto arrival_s =
      arrival_of({3.1, 4.1, 7.1, 8.1, 11.1, 12.1, 15.1, 16.1, 19.1, 20.1, 23.1, 24.1}, 1);
  REQUIRE(arrival_s);
  CHECK(*arrival_s == Approx(2.0));
}

TEST_CASE("lines that come in blocks tell nothing", "[run]") {
  // 8 KiB, as Python's files, hold 273 lines: 5.5 s of steps of 20 ms, 27 looks.
  CHECK_FALSE(arrival_of(every(0.02, 20000), 8192));
  CHECK_FALSE(arrival_of(every(1.0, 2000), 4096));
  CHECK_FALSE(arrival_of(every(0.02, 200), 1 << 20));  // all at the end
  CHECK_FALSE(arrival_of(every(1.0, 8), 1));           // too few
  CHECK_FALSE(arrival_step_s({}, lines_of(100), 100));
  CHECK_FALSE(arrival_step_s(growth_of(every(1.0, 20), 1), {}, 20));
}

TEST_CASE("pauses between some steps are not part of the time from step to step", "[run]") {
  std::vector<double> printed_s = every(0.5, 100);
  for (std::size_t i = 50; i < 100; ++i) {
    printed_s[i] += 300.0;  // one evaluation
  }
  CHECK(*arrival_of(printed_s, 1) == Approx(0.5).epsilon(0.2));
}

TEST_CASE("ranks that each print a line share a step", "[run]") {
  std::vector<double> printed_s;
  for (const double time_s : every(0.5, 50)) {
    printed_s.insert(printed_s.end(), {time_s, time_s + 0.001});
  }
  const auto arrival_s = arrival_step_s(growth_of(printed_s, 1), lines_of(100), 50);
  REQUIRE(arrival_s);
  CHECK(*arrival_s == Approx(0.5).epsilon(0.2));
}

TEST_CASE("step times are held against the whole trial, warm-up included", "[run]") {
  const std::vector<SeriesRow> series{steps_of({9.0, 9.0, 9.0, 9.0}, 0), steps_of({1.0, 2.0, 3.0})};

  CHECK(*steps_share(series, 60.0) == Approx(0.1));
  CHECK_FALSE(steps_share(series, std::nullopt));
  CHECK_FALSE(steps_share(std::span(series).first(1), 60.0));
  const double nan = std::numeric_limits<double>::quiet_NaN();  // missing in the warm-up
  CHECK(*steps_share(std::vector{steps_of({nan, 2.0, 4.0})}, 60.0) == Approx(0.1));
  CHECK_FALSE(steps_share(std::vector{steps_of({1.0, 1.7e308, 1.7e308})}, 60.0));
}

TEST_CASE("the lines that give step times are told with where they end", "[run]") {
  ExtractRule rule;
  rule.metric = "step_time_s";
  rule.unit = "s";
  rule.regex = "t=([0-9]+)";
  const Steps steps{.warmup = 0, .measured = 3};
  const std::string text = "begin\nt=1\nloss\nt=2\r\nt=3";
  const auto lines_from = [&](const std::string& out_text, const std::string& err_text) {
    std::istringstream out(out_text);
    std::istringstream err(err_text);
    StepLines found;
    extract_samples({.out = out, .err = err, .step_lines = &found}, {rule}, steps, {});
    return found;
  };

  const StepLines found = lines_from(text, "t=4\n");
  REQUIRE(found.lines.size() == 3);
  CHECK(found.stream == ExtractSource::kStdout);
  CHECK(found.lines[0].end_bytes == 10);
  CHECK(found.lines[1].end_bytes == 19);  // a carriage return ends a line
  CHECK(found.lines[1].values == 2);
  CHECK(found.lines[2].values == 3);
  CHECK(found.values == 3);
  CHECK(lines_from("nothing\n", text).stream == ExtractSource::kStderr);
  CHECK(lines_from("nothing\n", text).lines.size() == 3);
}

TEST_CASE("a line stands for all steps that its time covers", "[run]") {
  const auto [fact, steps] =
      GENERATE(std::pair("step_interval", 10.0), std::pair("steps_of_value", 1000.0));
  CAPTURE(fact);
  const double step_s = 0.02 / steps;  // a line comes every 20 ms
  TrialRecord record;
  record.trial.wall_s = 4.0;
  record.series = {steps_of(std::vector<double>(200, step_s))};
  record.telemetry = {{fact, steps, "1"}};
  LaunchResult launch;
  launch.out_growth = growth_of(every(0.02, 200), 1);

  take_step_coverage(launch, lines_of(200), record);

  CHECK(*record.trial.steps_share == Approx(1.0));
  REQUIRE(record.trial.arrival_step_s);
  CHECK(*record.trial.arrival_step_s == Approx(step_s).epsilon(0.2));
  take_step_coverage(record.series, record);
  CHECK_FALSE(record.trial.arrival_step_s);
}

TEST_CASE("a trial read again keeps its arrivals where it has as many steps", "[run]") {
  TrialRecord record;
  record.trial.wall_s = 10.0;
  record.trial.steps_share = 5.0;
  record.trial.arrival_step_s = 0.7;
  record.series = {steps_of({0.5, 0.5})};

  take_step_coverage(std::vector<SeriesRow>{steps_of({500.0, 500.0})}, record);
  CHECK(*record.trial.steps_share == Approx(0.1));
  CHECK(record.trial.arrival_step_s == 0.7);

  take_step_coverage(std::vector<SeriesRow>{steps_of({500.0})}, record);
  CHECK_FALSE(record.trial.arrival_step_s);
}
