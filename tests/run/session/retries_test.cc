// Trials that did not end well: interrupted, failed, timed out, unsupported.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <variant>

#include <SQLiteCpp/SQLiteCpp.h>

#include "harness/base/error.h"
#include "harness/run/process/trial_files.h"
#include "harness/run/run_study.h"
#include "harness/run/session/unstored.h"
#include "harness/study/parameters/secret.h"
#include "tests/run/study_room.h"

using namespace scalestudy;

using test::count;
using test::crashes;
using test::crashes_otherwise;
using test::goes_well;
using test::is_unsupported;
using test::kStudy;
using test::parse;
using test::Room;

namespace {

// Executes SQL as another program.
void execute(const Room& room, const std::string& text) {
  SQLite::Database(room.folder.file("results.db"), SQLite::OPEN_READWRITE).exec(text);
}

// As a disk does that fills up. `what`: "UPDATE ON session".
void refuse(const Room& room, const std::string& what) {
  execute(room,
          "CREATE TRIGGER no_room BEFORE " + what + " BEGIN SELECT RAISE(ABORT, 'no room'); END");
}

void allow(const Room& room) {
  execute(room, "DROP TRIGGER no_room");
}

}  // namespace

TEST_CASE("an interrupted trial is planned again and nothing else is lost", "[run]") {
  Room room([&](const LaunchRequest& request) {
    room.stop = room.launcher.requests.size() == 3;
    return goes_well(request);
  });

  const RunSummary first = room.run(parse(kStudy));
  CHECK(first.interrupted);
  CHECK(count(first, TrialState::kOk) == 2);
  CHECK(count(first, TrialState::kPlanned) == 4);
  CHECK(room.last_session().ending == SessionEnding::kInterrupted);

  room.stop = false;
  const RunSummary second = room.run(parse(kStudy));
  CHECK_FALSE(second.interrupted);
  CHECK(second.run_now == 4);
  CHECK(count(second, TrialState::kOk) == 6);
}

TEST_CASE("a failed trial is tried again as often as the study allows", "[run]") {
  Room room([&](const LaunchRequest& request) {
    return room.launcher.requests.size() == 1 ? crashes(request) : goes_well(request);
  });

  const RunSummary summary = room.run(parse(kStudy));

  CHECK(summary.run_now == 7);
  CHECK(count(summary, TrialState::kOk) == 6);
  CHECK(count(summary, TrialState::kFailed) == 0);
  const auto trials = room.trials();
  CHECK(trials[0].state == TrialState::kFailed);
  CHECK(trials[0].reason == "ended by SIGSEGV");
  CHECK(trials[1].attempt == 2);
  CHECK(trials[1].block == trials[0].block);
}

TEST_CASE("when retries are used up the trial stays failed and the study goes on", "[run]") {
  Room room(crashes_otherwise());

  const RunSummary summary = room.run(parse(kStudy));

  CHECK(summary.run_now == 12);
  CHECK(count(summary, TrialState::kFailed) == 6);
  CHECK(room.run(parse(kStudy)).run_now == 0);
}

TEST_CASE("a trial past its deadline is tried again as a failed one is", "[run]") {
  Room room([&](const LaunchRequest& request) {
    LaunchResult result = goes_well(request);
    if (room.launcher.requests.size() == 1) {
      result.ending = LaunchEnding::kTimeout;
    }
    return result;
  });

  const RunSummary summary = room.run(parse(kStudy));

  CHECK(summary.run_now == 7);
  CHECK(count(summary, TrialState::kOk) == 6);
}

TEST_CASE("failed trials are run again on request, and good ones are not", "[run]") {
  bool machine_is_mended = false;
  Room room([&, crash = crashes_otherwise()](const LaunchRequest& request) {
    return room.launcher.requests.size() <= 4 && !machine_is_mended ? crash(request)
                                                                    : goes_well(request);
  });
  REQUIRE(count(room.run(parse(kStudy)), TrialState::kFailed) == 2);  // two attempts each
  machine_is_mended = true;

  CHECK(room.run(parse(kStudy)).run_now == 0);
  const RunSummary again = room.run(parse(kStudy), {.retry_failed = true});

  CHECK(again.run_now == 2);
  CHECK(count(again, TrialState::kOk) == 6);
  CHECK(room.run(parse(kStudy), {.retry_failed = true}).run_now == 0);
}

TEST_CASE("trials that this machine could not run are run once it can", "[run]") {
  bool machine_is_mended = false;
  Room room([&](const LaunchRequest& request) {
    return machine_is_mended ? goes_well(request) : is_unsupported(request);
  });
  const RunSummary first = room.run(parse(kStudy));
  CHECK(first.run_now == 6);  // once each: a second attempt on the same machine ends the same
  REQUIRE(count(first, TrialState::kUnsupported) == 6);
  machine_is_mended = true;

  CHECK(room.run(parse(kStudy)).run_now == 0);
  CHECK(count(room.run(parse(kStudy), {.retry_failed = true}), TrialState::kOk) == 6);
}

TEST_CASE("a retry is run with its trial, however few trials are asked for", "[run]") {
  Room room(crashes);

  const RunSummary first = room.run(parse(kStudy), {.max_trials = 1});

  CHECK(first.run_now == 2);
  CHECK(first.interrupted);
  CHECK(room.last_session().ending == SessionEnding::kMaxTrials);
  CHECK(count(first, TrialState::kPlanned) == 5);
}

TEST_CASE("a trial in which the harness died twice is given up with its log named", "[run]") {
  Room room(goes_well);
  const Study study = parse(kStudy);
  room.run(study, {.max_trials = 1});
  const TrialRow next = room.trials().at(1);
  const auto die = [&](SessionEnding ending) {
    SessionRow session;
    session.study_id = next.study_id;
    const std::int64_t id = room.store.begin_session(session, {});
    room.store.mark_running(next.id, id, "2026-11-22T00:00:00Z");
    if (ending != SessionEnding::kNone) {
      room.store.end_session(id, "2026-11-22T00:00:01Z", ending);
    }
    room.run(study, {.max_trials = 0});
  };

  die(SessionEnding::kNone);
  die(SessionEnding::kError);  // it said goodbye: no death
  CHECK(room.trials().at(1).state == TrialState::kPlanned);
  die(SessionEnding::kNone);
  room.heard.clear();
  const RunSummary summary = room.run(study);

  CHECK(summary.run_now == 4);
  CHECK(count(summary, TrialState::kOk) == 5);
  CHECK(room.heard.front().state == TrialState::kFailed);
  const TrialRow given_up = room.trials().at(1);
  CHECK(given_up.state == TrialState::kFailed);
  CHECK(given_up.reason ==
        "scalestudy itself ended 2 times during this trial and stored no end (it was killed, "
        "crashed, or could not write the results folder)");
  CHECK(count(room.run(study, {.retry_failed = true}), TrialState::kOk) == 6);
}

TEST_CASE("the output of a trial that was killed twice is not stored if its secret is unknown",
          "[run]") {
  Room room(goes_well);
  const Study study = parse(kStudy + "secret: [TEST_TOK]\n");
  setenv("TEST_TOK", "alphasecret1", 1);
  room.run(study, {.max_trials = 0});
  const TrialRow first = room.trials().front();
  const auto hash = room.store.query("SELECT hash FROM cell WHERE id = ?1", {first.cell_id});
  const TrialFiles files(
      room.folder.path(), "fake", std::get<std::string>(hash.rows.at(0).at(0)), first);
  std::filesystem::create_directories(files.results / files.folder);
  test::write_file(files.stdout_path(), "token alphasecret1\n");
  const std::string mark =
      room.folder.file("logs/fake/unmasked-" + files.folder.filename().string());
  test::write_file(mark, secret_prints(study));
  setenv("TEST_TOK", "beta22222", 1);

  for (int death = 0; death < 2; ++death) {
    SessionRow session;
    session.study_id = first.study_id;
    room.store.mark_running(
        first.id, room.store.begin_session(session, {}), "2026-11-22T00:00:00Z");
    room.run(study, {.max_trials = 0});
  }
  room.run(study);
  unsetenv("TEST_TOK");

  CHECK(room.trials().front().reason ==
        "scalestudy itself ended 2 times during this trial and stored no end (it was killed, "
        "crashed, or could not write the results folder); its output is removed, because TEST_TOK "
        "had another value in it");
  CHECK(room.store.query("SELECT 1 FROM log WHERE trial_id = ?1", {first.id}).rows.empty());
  CHECK_FALSE(std::filesystem::exists(files.stdout_path()));
  CHECK_FALSE(std::filesystem::exists(mark));
}

TEST_CASE("a session that cannot store its end plans its trial again, and tells why it ended",
          "[run]") {
  bool is_broken = true;
  Room room([&](const LaunchRequest& request) {
    return is_broken ? throw std::runtime_error("the launcher broke") : goes_well(request);
  });
  const Study study = parse(kStudy);
  refuse(room, "UPDATE ON session");

  for (int session = 0; session < 2; ++session) {
    CHECK_THROWS_WITH(room.run(study), "the launcher broke");
    CHECK(room.last_session().ending == SessionEnding::kNone);
    CHECK(room.trials().front().state == TrialState::kPlanned);
  }
  is_broken = false;
  allow(room);

  CHECK(count(room.run(study), TrialState::kOk) == 6);
  CHECK(room.trials().front().deaths == 0);
}

TEST_CASE("a trial whose record waits to be stored is not planned again", "[run]") {
  Room room(goes_well);
  const Study study = parse(kStudy);
  refuse(room, "UPDATE OF wall_s ON trial");
  CHECK_THROWS_WITH(room.run(study), Catch::Contains("no room"));
  CHECK(room.last_session().ending == SessionEnding::kError);
  allow(room);

  CHECK(store_unstored(room.store));

  CHECK(room.trials().front().state == TrialState::kOk);
  CHECK(room.run(study).run_now == 5);
}

TEST_CASE("a trial that is given up after a merge has the log of before it", "[run]") {
  Room room(goes_well);
  const Study study = parse(kStudy);
  room.run(study, {.max_trials = 1});
  StoreContent content = room.store.content();
  std::vector<TrialContent>& trials = content.studies.at(0).trials;
  const auto died = std::ranges::find_if(trials, [](const TrialContent& trial) {
    return trial.record.trial.state == TrialState::kPlanned && trial.record.trial.block == 0;
  });
  REQUIRE(died != trials.end());
  died->record.trial.deaths = 2;
  const std::filesystem::path folder = std::filesystem::path("logs/fake") / (died->cell + "-b0-a1");
  std::filesystem::create_directories(room.folder.path() / folder);
  std::ofstream(room.folder.path() / folder / "stdout") << "last words\n";
  TrialContent other = *died;
  other.record.trial.id = 1000;
  other.record.trial.plan = "0";
  other.record.trial.deaths = 0;
  trials.push_back(other);
  room.store.replace_content(content);

  room.run(study);

  std::vector<TrialRow> given_up = room.trials();
  std::erase_if(given_up, [](const TrialRow& row) { return row.state != TrialState::kFailed; });
  REQUIRE(given_up.size() == 1);
  CHECK(std::get<std::string>(
            room.store.query("SELECT text FROM log WHERE path = ?1", {(folder / "stdout").string()})
                .rows.at(0)
                .at(0)) == "last words");
}

TEST_CASE("an interruption between attempts leaves the second one planned", "[run]") {
  Room room(crashes);
  room.stop_after = TrialState::kFailed;

  const RunSummary first = room.run(parse(kStudy));
  CHECK(first.run_now == 1);
  CHECK(first.interrupted);
  CHECK(count(first, TrialState::kPlanned) == 6);

  room.stop = false;
  const RunSummary second = room.run(parse(kStudy), {.max_trials = 1});
  CHECK(second.run_now == 1);  // the second attempt of the first trial
  CHECK(count(second, TrialState::kFailed) == 1);
}

TEST_CASE("what is excluded by hand is not measured again with what failed", "[run]") {
  Room room([&](const LaunchRequest& request) {
    return room.launcher.requests.size() == 2 ? crashes(request) : goes_well(request);
  });
  const Study study = parse(kStudy, {"limits.retries=0"});
  room.run(study);
  const std::int64_t trial = room.trials().at(3).id;
  const auto annotate = [&](AnnotationKind kind) {
    room.store.annotate({.trial_id = trial, .at = "2026", .kind = kind, .text = "a backup"});
  };
  CHECK_THROWS_AS(room.store.annotate({trial, "2026", AnnotationKind::kExclude, " \n "}), Error);
  annotate(AnnotationKind::kExclude);

  const RunSummary again = room.run(study, {.retry_failed = true});

  CHECK(again.run_now == 1);  // the one that crashed
  CHECK(count(again, TrialState::kOk) == 5);
  CHECK(count(again, TrialState::kInvalid) == 1);
  annotate(AnnotationKind::kInclude);
  CHECK(count(room.run(study), TrialState::kOk) == 6);
}

namespace {

// Batches of 4 and more do not fit.
LaunchResult fits_little(const LaunchRequest& request) {
  if (std::stoi(request.argv.at(1)) < 4) {
    return goes_well(request);
  }
  LaunchResult result;
  result.ending = LaunchEnding::kExited;
  result.exit_code = protocol::kExitOutOfMemory;
  result.wall_s = 1.0;
  return result;
}

const std::string kBatches =
    "version: 1\nstudy: fake\nworkload: command\ncommand: ['true', '{batch_global}', '{size}']\n"
    "axes: {batch_global: [1, 2, 4, 8, 16], size: [1, 2]}\nsteps: {warmup: 1, measured: 2}\n"
    "trials: {count: 2}\norder: {design: batch, seed: 2}\n"
    "include: [{batch_global: 3, size: 3}]\n";

}  // namespace

TEST_CASE("larger batches than one that ran out of memory are skipped where the study says so",
          "[run]") {
  Room room(fits_little);
  const Study study = parse(kBatches, {"limits.after_oom=skip_larger"});
  const RunSummary summary = room.run(study);

  CHECK(count(summary, TrialState::kOk) == 10);
  CHECK(count(summary, TrialState::kSkipped) > 0);
  CHECK(count(summary, TrialState::kSkipped) + count(summary, TrialState::kOom) == 12);
  const auto cells = room.store.cells(room.store.find_study("fake")->id);
  for (const TrialRow& trial : room.trials()) {
    const auto cell = std::ranges::find(cells, trial.cell_id, &CellRow::id);
    if (trial.state == TrialState::kSkipped) {
      CHECK(cell->batch_global > 4);
      CHECK(trial.skip_reason == SkipReason::kTooLarge);
      CHECK_THAT(trial.reason, Catch::Contains("has run out of memory, and this batch is larger"));
      // The one it names is of the same family.
      CHECK_THAT(trial.reason, Catch::Contains(cell->label.substr(cell->label.find(" size="))));
    }
  }
  REQUIRE_FALSE(summary.given_up.empty());
  CHECK_THAT(summary.given_up.front(), Catch::Contains("(limits.after_oom)"));

  // They stay skipped in later sessions, which know what ran out of memory before.
  const auto launches = room.launcher.requests.size();
  const RunSummary later = room.run(study);
  CHECK(later.states == summary.states);
  CHECK(room.launcher.requests.size() == launches);

  Room patient(fits_little);
  CHECK(count(patient.run(parse(kBatches)), TrialState::kSkipped) == 0);
}

TEST_CASE("an attempt that another program took out of the plan ends the run with an error",
          "[run]") {
  Room room(crashes);
  const RunWorld world{.launcher = room.launcher,
                       .machine = room.machine,
                       .clock = room.clock,
                       .precision = room.precision};
  const auto take_next = [&](const Progress& progress) {
    if (progress.state) {
      SQLite::Database(room.folder.file("results.db"), SQLite::OPEN_READWRITE)
          .exec("DELETE FROM trial WHERE attempt = 2");
    }
  };

  CHECK_THROWS_WITH(run_study(parse(kStudy), room.store, world, {}, take_next, room.stop),
                    Catch::Contains("trial 7 cannot be started: another program"));
}
