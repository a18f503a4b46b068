// Studies that changed since they ran: what is refused, and what runs on.
#include <cstdlib>
#include <set>

#include <SQLiteCpp/SQLiteCpp.h>

#include "harness/base/error.h"
#include "harness/run/study_changes.h"
#include "harness/store/rows/content_rows.h"
#include "tests/run/study_room.h"

using namespace scalestudy;

using Catch::Contains;
using test::count;
using test::goes_well;
using test::kStudy;
using test::parse;
using test::Room;

TEST_CASE("a changed study is refused with its differences, and runs on when accepted", "[run]") {
  Room room(goes_well);
  room.run(parse(kStudy), {.max_trials = 1});
  const Study changed = parse(kStudy, {"axes.size=[2, 3]"});

  try {
    room.run(changed);
    FAIL("a changed study was run");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::kUsage);
    const std::string message = error.what();
    CHECK(message.find("axes.size") != std::string::npos);
    CHECK(message.find("--accept-changes") != std::string::npos);
  }

  const RunSummary summary =
      room.run(changed, {.accept_changes = true, .max_trials = std::nullopt});
  CHECK(count(summary, TrialState::kOk) == 6);
  std::set<std::string> reasons;
  for (const TrialRow& trial : room.trials()) {
    if (trial.state == TrialState::kSkipped) {
      reasons.insert(trial.reason);
      CHECK(trial.skip_reason == SkipReason::kNotInStudy);
    }
  }
  CHECK(reasons == std::set<std::string>{"no longer in the study"});
}

// What is given as 0.01 has the hash that the default had while it was 0.01 (cell_hash_test.cc).
TEST_CASE("trials of an earlier default are never pooled with those of the present one", "[run]") {
  const std::string text =
      "version: 1\nstudy: fake\ntitle: Fake\nworkload: train\n"
      "axes: {devices: [1], batch_global: [8]}\n"
      "steps: {warmup: 1, measured: 2}\ntrials: {count: 3}\n";
  Room room(goes_well);
  room.folder.script("scalestudy-train", "");  // looked for, and never started
  setenv("SCALESTUDY_WORKLOADS", room.folder.path().c_str(), 1);
  room.run(parse(text + "parameters: {optimizer: adamw, learning_rate: 0.01}\n"));
  RunOptions options;
  options.accept_changes = true;

  room.run(parse(text + "parameters: {optimizer: adamw}\n"), options);

  CHECK(room.launcher.requests.size() == 6);
  const std::vector<CellRow> cells = room.store.cells(room.store.find_study("fake")->id);
  REQUIRE(cells.size() == 2);
  CHECK(cells[0].excluded_reason == "no longer in the study");
  CHECK_FALSE(cells[1].excluded_reason);
}

namespace {

// Two cells, one of them with a communication thread; a machine of three cores has none for it.
const std::string kOverlapStudy =
    "version: 1\nstudy: fake\ntitle: Fake\nworkload: train\n"
    "parameters: {batch_global: 8, devices: 2}\n"
    "axes: {overlap: [none, thread]}\n"
    "steps: {warmup: 1, measured: 2}\ntrials: {count: 2}\n";

std::string refusal(Room& room, const Study& study) {
  try {
    room.run(study);
  } catch (const Error& error) {
    return error.kind() == ErrorKind::kUsage ? error.what() : "";
  }
  return "";
}

struct OverlapRoom : Room {
  OverlapRoom()
      : Room([](const auto& request) { return test::good_trial(request, 1, "9,1,3", 2); }) {
    folder.script("scalestudy-train", "");  // looked for, and never started
    setenv("SCALESTUDY_WORKLOADS", folder.path().c_str(), 1);
    machine.core_count = 3;
  }

  // Of the first trial.
  bool had_cores_per_rank(double cores) {
    const auto by_trial = store.cores_per_rank(trials().front().study_id);
    const auto first = by_trial.find(trials().front().id);
    return first != by_trial.end() && first->second == cores;
  }
};

}  // namespace

TEST_CASE("a time limit that is declared or removed is a change", "[run]") {
  for (const bool is_declared_first : {false, true}) {
    Room room(goes_well);
    const Study none = parse(kStudy);
    const Study declared = parse(kStudy, {"limits.timeout=10min"});
    room.run(is_declared_first ? declared : none, {.max_trials = 1});

    CHECK_THAT(refusal(room, is_declared_first ? none : declared),
               Contains(is_declared_first ? "\n  limits.timeout: 600 s -> (not given)\n"
                                          : "\n  limits.timeout: (not given) -> 600 s\n"));
  }
}

TEST_CASE("a run goes on with what is left in any of the plans of a merged store", "[run]") {
  Room room(goes_well);
  const Study study = parse(kStudy);
  room.run(study, {.max_trials = 2});
  StoreContent content = room.store.content();
  for (TrialContent& trial : content.studies.at(0).trials) {
    if (trial.record.trial.block == 2) {
      trial.record.trial.plan = "0";
    }
  }
  room.store.replace_content(content);

  const RunSummary summary = room.run(study);

  CHECK(summary.run_now == 4);
  CHECK(count(summary, TrialState::kOk) == 6);
  CHECK(room.trials().size() == 6);
  CHECK(room.heard.back().done == 6);
}

TEST_CASE("trials on other cores than before are refused, and run on when accepted", "[run]") {
  OverlapRoom room;
  const Study study = parse(kOverlapStudy);
  room.run(study, {.max_trials = 2});
  room.machine.core_count = 4;

  CHECK_THAT(refusal(room, study),
             Contains("cores of each rank, as of overlap=") && Contains(": 1 -> 2"));
  CHECK(room.launcher.requests.size() == 2);

  room.run(study, {.accept_changes = true, .max_trials = 1});
  CHECK(count(room.run(study), TrialState::kOk) == 4);  // accepted once, not at each session
}

TEST_CASE("a cell that takes cores to the others is told with what it changes", "[run]") {
  OverlapRoom room;
  room.machine.core_count = 4;
  room.run(parse(kOverlapStudy, {"axes.overlap=[none]"}), {.max_trials = 1});

  CHECK_THAT(refusal(room, parse(kOverlapStudy)),
             Contains("axes.overlap: [none] -> [none, thread]") &&
                 Contains("cores of each rank, as of overlap=none: 1 -> 2"));
}

TEST_CASE("trials of before cores were recorded had as many as threads", "[run]") {
  OverlapRoom room;
  const Study study = parse(kOverlapStudy);
  room.run(study, {.max_trials = 2});
  SQLite::Database database(room.store.results_folder() / "results.db", SQLite::OPEN_READWRITE);
  database.exec("UPDATE telemetry SET name = 'threads' WHERE name = 'cores_per_rank'");

  CHECK(room.had_cores_per_rank(1.0));
  room.machine.core_count = 4;
  CHECK_THAT(refusal(room, study), Contains("cores of each rank") && Contains(": 1 -> 2"));
  room.machine.core_count = 3;
  CHECK(count(room.run(study), TrialState::kOk) == 4);

  database.exec(
      "INSERT OR REPLACE INTO cell_parameter (cell_id, name, value, kind, varied) SELECT id, "
      "'backend', 'cuda', 'text', 0 FROM cell; "
      "UPDATE telemetry SET name = 'threads' WHERE name = 'cores_per_rank'");
  CHECK_FALSE(room.had_cores_per_rank(1.0));  // it had its GPU's share
}

TEST_CASE("where no trial is left to run, other cores are no reason to refuse", "[run]") {
  OverlapRoom room;
  const Study study = parse(kOverlapStudy);
  room.run(study);
  room.machine.core_count = 4;

  CHECK(room.run(study).run_now == 0);
}

TEST_CASE("a title may change without being a changed study", "[run]") {
  Room room(goes_well);
  room.run(parse(kStudy));

  CHECK(room.run(parse(kStudy, {"title=Another"})).run_now == 0);
  CHECK(room.store.find_study("fake").value().title == "Another");
}

namespace {

struct Told {
  std::string text;
  bool is_warning = false;
};

// Keeps what a run tells of changes.
RunOptions hearing(std::vector<Told>& heard, RunOptions options = {}) {
  options.tell = [&heard](const std::string& text, bool is_warning) {
    heard.push_back({text, is_warning});
  };
  return options;
}

std::string judged_refusal(Room& room, const Study& study, bool accept_changes = false) {
  RunOptions options;
  options.is_judged = true;
  options.accept_changes = accept_changes;
  try {
    room.run(study, options);
  } catch (const Error& error) {
    return error.kind() == ErrorKind::kUsage ? error.what() : "";
  }
  return "";
}

}  // namespace

TEST_CASE("a finished study does not answer for a program that was edited since", "[run]") {
  Room room(goes_well);
  const std::string program = room.folder.script("step.sh", "echo before\n");
  const std::string command = "command=[" + program + ", '{size}']";
  const Study study = parse(kStudy, {command});
  std::vector<Told> heard;
  room.run(study, hearing(heard));

  room.folder.script("step.sh", "echo before\n");  // built again, with the same bytes
  CHECK(judged_refusal(room, study).empty());
  CHECK(room.run(study, hearing(heard)).run_now == 0);
  CHECK(heard.empty());

  room.folder.script("step.sh", "echo after\n");
  CHECK_THAT(judged_refusal(room, study),
             Contains("step.sh is not the file that the last session ran") &&
                 Contains("No trial is left to run") && !Contains("--accept-changes"));
  CHECK(room.run(study, hearing(heard)).run_now == 0);
  REQUIRE(heard.size() == 1);
  CHECK(heard.front().is_warning);
  CHECK_THAT(heard.front().text, Contains("step.sh is not") && Contains("as it was"));

  // Trials that are left would mix both.
  CHECK_THAT(refusal(room, parse(kStudy, {command, "trials.count=4"})),
             Contains("step.sh is not") && Contains("--accept-changes"));
  CHECK_THAT(judged_refusal(room, study, true), Contains("No trial is left to run"));
  // Nor is it about this program because the study has another margin, too.
  const Study margin = parse(kStudy, {command, "analysis.margin=7%"});
  CHECK_THAT(judged_refusal(room, margin, true), Contains("No trial is left to run"));
  RunOptions accepting;
  accepting.accept_changes = true;
  CHECK(room.run(margin, hearing(heard, accepting)).run_now == 0);
  REQUIRE(heard.size() == 2);
  CHECK(heard.back().is_warning);
  CHECK(room.run(study, hearing(heard, accepting)).run_now == 0);  // with the margin as it was

  room.folder.script("step.sh", "echo before\n");
  CHECK(judged_refusal(room, study).empty());  // repaired: the trials are of this program
}

TEST_CASE("trials beyond the number that a study has now are not left to run", "[run]") {
  Room room(goes_well);
  const std::string program = room.folder.script("step.sh", "echo before\n");
  const std::string command = "command=[" + program + ", '{size}']";
  room.run(parse(kStudy, {command}), {.max_trials = 4});  // two of three blocks
  room.folder.script("step.sh", "echo after\n");
  std::vector<Told> heard;

  CHECK(room.run(parse(kStudy, {command, "trials.count=2"}), hearing(heard)).run_now == 0);

  REQUIRE(heard.size() == 1);
  CHECK_THAT(heard.front().text, Contains("step.sh is not") && Contains("No trial is left to run"));
  CHECK_THAT(refusal(room, parse(kStudy, {command})),
             Contains("step.sh is not") && Contains("--accept-changes"));
}

TEST_CASE("accepted changes are told, with the trials that count no longer", "[run]") {
  Room room(goes_well);
  room.run(parse(kStudy));
  const Study changed = parse(kStudy, {"axes.size=[2, 3]"});
  CHECK_THAT(refusal(room, changed),
             Contains("axes.size") &&
                 Contains("3 trials no longer count, because their cells left the study"));
  std::vector<Told> heard;
  RunOptions accepting;
  accepting.accept_changes = true;

  room.run(changed, hearing(heard, accepting));

  REQUIRE(heard.size() == 1);
  CHECK_FALSE(heard.front().is_warning);
  CHECK_THAT(heard.front().text,
             Contains("axes.size") &&
                 Contains("3 trials no longer count, because their cells left the study"));
  room.run(changed, hearing(heard, accepting));
  CHECK(heard.size() == 1);  // once, not each night
}

TEST_CASE("a single trial that counts no longer is told, and planned ones are not", "[run]") {
  Room room(goes_well);
  room.run(parse(kStudy), {.max_trials = 1});

  CHECK_THAT(refusal(room, parse(kStudy, {"axes.size=[3, 4]"})),
             Contains("\n  1 trial no longer counts, because its cell left the study\n"));
}
