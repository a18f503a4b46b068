// Adaptive studies run to their end, with a rule of the test's.
#include <fstream>
#include <optional>
#include <vector>

#include "tests/run/study_room.h"
#include "tests/support/program.h"

using namespace scalestudy;

using test::count;
using test::goes_well;
using test::kStudy;
using test::parse;
using test::Room;

namespace {

// A rule that has enough with five trials.
Precision five_trials(const std::vector<TrialMean>& means) {
  Precision precision{.relative_half_width = 0.01, .stop_at = {}};
  if (means.size() >= 5) {
    precision.stop_at = 5;
  }
  return precision;
}

}  // namespace

TEST_CASE("an adaptive study stops when the rule has stopped every cell", "[run]") {
  Room room(goes_well);
  room.precision = five_trials;
  const Study study = parse(kStudy, {"trials={min: 2, max: 9, until: 2%}"});

  const RunSummary summary = room.run(study);

  CHECK(summary.run_now == 10);  // blocks 0 to 4 of two cells
  CHECK(count(summary, TrialState::kSkipped) == 8);
  CHECK(room.trials().back().reason == "precision reached");
  CHECK(room.trials().back().skip_reason == SkipReason::kPrecise);
  CHECK(room.run(study).run_now == 0);
}

// By hand: 30 s for two steps, each of which took 20 s on its slowest rank.
TEST_CASE("the rule and the progress get the window's share of a step", "[run]") {
  Room room([](const LaunchRequest& request) {
    const LaunchResult result = test::good_trial(request, 1, "9,20,20", 2);
    std::string text = test::read_file(request.output_path);
    const std::size_t end = text.find(R"({"v":1,"event":"end")");
    text.insert(end,
                R"({"v":1,"event":"samples","metric":"window_time_s","unit":"s","warmup":0,)"
                R"("values":[30]})"
                "\n");
    std::ofstream(request.output_path) << text;
    return result;
  });
  std::vector<double> last;
  room.precision = [&](const std::vector<TrialMean>& trials) {
    last.clear();
    for (const TrialMean& trial : trials) {
      last.push_back(trial.step_time_s);
    }
    return five_trials(trials);
  };
  const Study study = parse(kStudy, {"trials={min: 2, max: 9, until: 2%}"});

  room.run(study, {.max_trials = 9});
  CHECK(room.heard[1].step_time_s == Approx(15.0));
  CHECK(last == std::vector<double>(4, 15.0));  // of the complete blocks
  room.run(study);                              // from the store

  CHECK(last == std::vector<double>(5, 15.0));
}

TEST_CASE("the rule is told which session ran each trial", "[run]") {
  Room room(goes_well);
  std::vector<std::optional<std::int64_t>> sessions;
  room.precision = [&](const std::vector<TrialMean>& trials) {
    sessions.clear();
    for (const TrialMean& trial : trials) {
      sessions.push_back(trial.session);
    }
    return five_trials(trials);
  };
  const Study study = parse(kStudy, {"trials={min: 2, max: 9, until: 2%}"});

  room.run(study, {.max_trials = 4});  // two blocks
  room.run(study);

  CHECK(sessions == std::vector<std::optional<std::int64_t>>{1, 1, 2, 2, 2});
}

TEST_CASE("an adaptive study that is interrupted comes to the same end", "[run]") {
  Room room(goes_well);
  room.precision = five_trials;
  const Study study = parse(kStudy, {"trials={min: 2, max: 9, until: 2%}"});

  std::int64_t total = 0;
  for (int session = 0; session < 12; ++session) {
    total += room.run(study, {.max_trials = 1}).run_now;
  }

  CHECK(total == 10);
}
