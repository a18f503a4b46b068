// Whether the analysis is the one that the first trials were run under.
#include "harness/analysis/observe/analysis_change.h"

#include "harness/study/matrix/matrix.h"
#include "harness/study/parse.h"
#include "tests/support/catch.h"

using namespace scalestudy;

namespace {

std::string study_text(const std::string& margin, int trials = 5) {
  return "version: 1\nstudy: small\nworkload: train\n"
         "axes: {devices: [1, 2], batch_global: [64]}\n"
         "trials: {count: " +
         std::to_string(trials) + "}\nanalysis: {margin: " + margin + "}\n";
}

Study parse(const std::string& text) {
  return parse_study(text, "s.yaml", {}).study;
}

// A session of the study with that text.
SessionRow session(std::int64_t id, const std::string& text) {
  SessionRow row;
  row.id = id;
  row.study_hash = study_hash(parse(text));
  row.study_text = text;
  return row;
}

TrialRow trial(std::int64_t session_id, TrialState state = TrialState::kOk) {
  TrialRow row;
  row.session_id = session_id;
  row.state = state;
  return row;
}

std::optional<AnalysisChange> change_to(const std::string& text,
                                        const std::vector<SessionRow>& sessions,
                                        const std::vector<TrialRow>& trials) {
  const Study now = parse(text);
  return find_analysis_change(sessions, trials, now, study_hash(now));
}

}  // namespace

TEST_CASE("an analysis that no session changed was declared before the data", "[analysis]") {
  const std::string text = study_text("2%");

  CHECK_FALSE(change_to(text, {}, {}));
  CHECK_FALSE(change_to(text, {session(1, text), session(2, text)}, {trial(1), trial(2)}));
  // More trials are a change of the study, and none of its analysis.
  CHECK_FALSE(change_to(text, {session(1, study_text("2%", 9))}, {trial(1)}));
}

TEST_CASE("a margin that was changed after trials is told with how many had run", "[analysis]") {
  const auto change = change_to(study_text("5%"),
                                {session(1, study_text("2%")), session(2, study_text("5%"))},
                                {trial(1), trial(1, TrialState::kFailed), trial(2)});

  REQUIRE(change.has_value());
  CHECK(change->differences == std::vector<std::string>{"analysis.margin: 0.02 -> 0.05"});
  CHECK(change->attempts_before == 2);
  CHECK(change->attempts == 3);
}

TEST_CASE("attempts before a change are launches, however often their output was read",
          "[analysis]") {
  TrialRow launch = trial(1);
  launch.wall_s = 2.5;
  TrialRow reading = launch;
  reading.attempt = 2;

  const auto change = change_to(study_text("5%"),
                                {session(1, study_text("2%")), session(2, study_text("5%"))},
                                {launch, reading, trial(2)});

  REQUIRE(change.has_value());
  CHECK(change->attempts_before == 1);
  CHECK(change->attempts == 2);
}

TEST_CASE("a target that was added after trials is told as it was declared", "[analysis]") {
  const std::string target =
      ", targets: [{name: fast, metric: step_time_s, where: {devices: 1}, at_most: 4.2ms}]";

  const auto change =
      change_to(study_text("2%" + target), {session(1, study_text("2%"))}, {trial(1)});

  REQUIRE(change.has_value());
  CHECK(change->differences ==
        std::vector<std::string>{"analysis.targets.fast: (not given) -> step_time_s where "
                                 "{devices: 1} at most 0.0042"});
}

TEST_CASE("sessions that ran nothing do not count, and the first that did does", "[analysis]") {
  const std::vector<SessionRow> sessions = {
      session(1, study_text("9%")), session(2, study_text("2%")), session(3, study_text("3%"))};

  CHECK_FALSE(change_to(study_text("2%"), sessions, {trial(2), trial(1, TrialState::kSkipped)}));
  const auto change = change_to(study_text("5%"), sessions, {trial(2), trial(3), trial(3)});
  REQUIRE(change.has_value());
  CHECK(change->differences.at(0) == "analysis.margin: 0.02 -> 0.05");
  CHECK(change->attempts_before == 3);
}

TEST_CASE("a session without its text is told apart by its hash alone", "[analysis]") {
  SessionRow old = session(1, study_text("2%"));
  old.study_text.reset();

  CHECK_FALSE(change_to(study_text("2%"), {old}, {trial(1)}));
  const auto change = change_to(study_text("5%"), {old}, {trial(1)});
  REQUIRE(change.has_value());
  CHECK(change->differences.at(0).find("was not recorded") != std::string::npos);
}
