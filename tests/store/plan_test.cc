// The plan: what is added, moved, dropped and put back, and that it always adds up.
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "tests/store/filled_store.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::test;

namespace {

std::map<std::string, std::int64_t> accounting(const Store& store) {
  std::map<std::string, std::int64_t> counts;
  for (const auto& row : store.query("SELECT state, count FROM accounting").rows) {
    counts[std::get<std::string>(row.at(0))] = std::get<std::int64_t>(row.at(1));
  }
  return counts;
}

using Counts = std::map<std::string, std::int64_t>;

// The trials of make_plan() in a plan of another machine.
std::vector<TrialRow> plan_q(const Planned& planned, int blocks) {
  std::vector<TrialRow> rows = make_plan(planned.cells, blocks);
  for (TrialRow& row : rows) {
    row.plan = "q";
  }
  return rows;
}

}  // namespace

TEST_CASE("putting the same plan again changes nothing", "[store]") {
  Store store = Store::open_in_memory();
  const Planned planned = plan_small_study(store);
  store.finish_trial(make_record(planned.trials[0], {1.0}), false);
  const auto before = store.query("SELECT * FROM trial").rows;

  store.put_plan(planned.study_id, make_plan(planned.cells, 2), "dropped");

  CHECK(store.query("SELECT * FROM trial").rows == before);
  CHECK(accounting(store) == Counts{{"ok", 1}, {"planned", 3}});
}

TEST_CASE("a longer plan adds what is missing and a shorter one skips the rest", "[store]") {
  Store store = Store::open_in_memory();
  const Planned planned = plan_small_study(store, 2);
  store.finish_trial(make_record(planned.trials[3], {1.0}), false);

  store.put_plan(planned.study_id, make_plan(planned.cells, 3), "dropped");
  const Counts longer = accounting(store);
  store.put_plan(planned.study_id, make_plan(planned.cells, 1), "trials.count: 3 -> 1");
  const Counts shorter = accounting(store);
  const auto reasons =
      store.query("SELECT DISTINCT reason, skip_reason FROM trial WHERE state = 'skipped'").rows;
  store.put_plan(planned.study_id, make_plan(planned.cells, 3), "dropped");
  const Counts again = accounting(store);

  CHECK(longer == Counts{{"ok", 1}, {"planned", 5}});
  CHECK(shorter == Counts{{"ok", 1}, {"planned", 2}});
  CHECK(reasons == std::vector<std::vector<Field>>{
                       {std::string("trials.count: 3 -> 1"), std::string("not_in_study")}});
  CHECK(again == longer);
  CHECK(store.query("SELECT skip_reason FROM trial WHERE skip_reason IS NOT NULL").rows.empty());
}

TEST_CASE("a shorter plan leaves out trials that were given up", "[store]") {
  Store store = Store::open_in_memory();
  const Planned planned = plan_small_study(store, 2);
  TrialRow given_up = planned.trials[3];
  given_up.state = TrialState::kSkipped;
  given_up.reason = "3 attempts in a row ended oom";
  given_up.skip_reason = SkipReason::kFailures;
  store.finish_trial({.trial = given_up, .series = {}, .telemetry = {}, .logs = {}}, false);

  store.put_plan(planned.study_id, make_plan(planned.cells, 1), "no longer in the study");

  const TrialRow left_out = store.trials(planned.study_id)[3];
  CHECK(left_out.skip_reason == SkipReason::kNotInStudy);
  CHECK(left_out.reason == "no longer in the study");
  CHECK(accounting(store) == Counts{{"planned", 2}});
}

TEST_CASE("a failed trial that a shorter plan leaves out counts as failed, retry or not",
          "[store]") {
  Store store = Store::open_in_memory();
  const Planned planned = plan_small_study(store, 2);
  TrialRow failed = planned.trials[3];
  failed.state = TrialState::kFailed;
  failed.reason = "exit code 1";
  const auto retry =
      store.finish_trial({.trial = failed, .series = {}, .telemetry = {}, .logs = {}}, true);
  REQUIRE(retry);
  REQUIRE(accounting(store) == Counts{{"planned", 4}});

  store.put_plan(planned.study_id, make_plan(planned.cells, 1), "no longer in the study");

  CHECK(accounting(store) == Counts{{"planned", 2}, {"failed", 1}});
  for (const TrialRow& trial : store.trials(planned.study_id)) {
    CHECK(trial.attempt == 1);
    CHECK_FALSE(trial.superseded);
  }

  // The way back: the retry is planned when it is asked for.
  store.put_plan(planned.study_id, make_plan(planned.cells, 2), "no longer in the study");
  CHECK(accounting(store) == Counts{{"planned", 3}, {"failed", 1}});
  CHECK(store.plan_retries(planned.study_id, "") == 1);
  CHECK(accounting(store) == Counts{{"planned", 4}});
}

TEST_CASE("a new order moves planned trials and leaves finished ones", "[store]") {
  Store store = Store::open_in_memory();
  const Planned planned = plan_small_study(store);
  store.finish_trial(make_record(planned.trials[0], {1.0}), false);
  auto plan = make_plan(planned.cells, 2);
  for (TrialRow& row : plan) {
    row.position += 10;
  }

  store.put_plan(planned.study_id, plan, "");

  const auto trials = store.trials(planned.study_id);
  CHECK(trials[0].position == 0);
  CHECK(trials[1].position == 11);
  CHECK(trials[3].position == 13);
}

TEST_CASE("a new plan sets all that is planned of trials that have not run", "[store]") {
  Store store = Store::open_in_memory();
  const Planned planned = plan_small_study(store);
  store.finish_trial(make_record(planned.trials[0], {1.0}), false);
  auto plan = make_plan(planned.cells, 2);
  for (TrialRow& row : plan) {
    row.part = SearchPart::kRace;  // as a study that has got a search
    row.oversubscribed = true;
  }

  store.put_plan(planned.study_id, plan, "");

  for (const TrialRow& trial : store.trials(planned.study_id)) {
    CHECK(trial.part == (trial.id == planned.trials[0].id ? SearchPart::kNone : SearchPart::kRace));
    CHECK(trial.oversubscribed == (trial.part == SearchPart::kRace));
    CHECK(trial.attempt == 1);
  }
}

TEST_CASE("trials of an excluded cell are counted as excluded", "[store]") {
  Store store = Store::open_in_memory();
  const Planned planned = plan_small_study(store, 1);
  auto plan = make_plan(planned.cells, 1);
  plan[1].state = TrialState::kExcluded;
  plan[1].reason = "exclude rule 1";

  store.put_plan(planned.study_id, plan, "");
  const Counts excluded = accounting(store);
  store.put_plan(planned.study_id, make_plan(planned.cells, 1), "");

  CHECK(excluded == Counts{{"planned", 1}, {"excluded", 1}});
  CHECK(accounting(store) == Counts{{"planned", 2}});
}

TEST_CASE("trials of a cell that left the study are kept and counted no more", "[store]") {
  Store store = Store::open_in_memory();
  const Planned planned = plan_small_study(store, 2);
  auto plan = make_plan(planned.cells, 2);
  plan[3].state = TrialState::kExcluded;
  store.put_plan(planned.study_id, plan, "");
  TrialRecord record;
  record.trial = planned.trials[1];
  record.trial.state = TrialState::kOk;
  store.finish_trial(record, false);

  store.put_cells(planned.study_id, {planned.cells[0]}, "no longer in the study");
  store.put_plan(planned.study_id, make_plan({planned.cells[0]}, 2), "no longer in the study");

  CHECK(accounting(store) == Counts{{"planned", 2}});
  CHECK(store.trials(planned.study_id)[1].state == TrialState::kOk);
  CHECK(store.trials(planned.study_id)[3].state == TrialState::kSkipped);
}

TEST_CASE("trials found running go back to planned with the next plan", "[store]") {
  Store store = Store::open_in_memory();
  const Planned planned = plan_small_study(store);
  store.mark_running(planned.trials[1].id, planned.session_id, "2026-11-21T10:00:01Z");
  const TrialState running = store.trials(planned.study_id)[1].state;

  store.put_plan(planned.study_id, make_plan(planned.cells, 2), "");

  const TrialRow trial = store.trials(planned.study_id)[1];
  CHECK(running == TrialState::kRunning);
  CHECK(trial.state == TrialState::kPlanned);
  CHECK_FALSE(trial.session_id.has_value());
  CHECK_FALSE(trial.started_at.has_value());
}

TEST_CASE("an interrupted trial is put back to planned", "[store]") {
  Store store = Store::open_in_memory();
  const Planned planned = plan_small_study(store);
  store.mark_running(planned.trials[0].id, planned.session_id, "now");

  store.reset_trial(planned.trials[0].id);
  CHECK_NOTHROW(store.reset_trial(planned.trials[1].id));  // which has not begun

  CHECK(accounting(store) == Counts{{"planned", 4}});
}

TEST_CASE("a retry adds a planned attempt at the same place and supersedes the first", "[store]") {
  Store store = Store::open_in_memory();
  const Planned planned = plan_small_study(store, 1);
  TrialRecord record;
  record.trial = planned.trials[0];
  record.trial.state = TrialState::kFailed;
  record.trial.reason = "exit code 1";
  record.trial.exit_code = 1;

  store.finish_trial(record, true);
  const Counts retried = accounting(store);
  const auto trials = store.trials(planned.study_id);
  finish_all(store, planned);

  REQUIRE(trials.size() == 3);
  CHECK(trials[0].reason == "exit code 1");
  CHECK(trials[0].superseded);
  CHECK_FALSE(trials[1].superseded);
  CHECK(trials[1].attempt == 2);
  CHECK(trials[1].state == TrialState::kPlanned);
  CHECK(trials[1].block == trials[0].block);
  CHECK(trials[1].position == trials[0].position);
  CHECK(retried == Counts{{"planned", 2}});
  CHECK(accounting(store) == Counts{{"ok", 2}});
  CHECK(store.query("SELECT attempt, superseded FROM trials WHERE label = 'devices=1'").rows ==
        std::vector<std::vector<Field>>{{std::int64_t{1}, std::int64_t{1}},
                                        {std::int64_t{2}, std::int64_t{0}}});
}

TEST_CASE("retries are planned for last attempts that did not end well, once", "[store]") {
  Store store = Store::open_in_memory();
  const Planned planned = plan_small_study(store, 2);
  TrialRecord record;
  record.trial = planned.trials[0];
  record.trial.state = TrialState::kInvalid;
  record.trial.reason = "a check failed";
  store.finish_trial(record, false);
  record.trial = planned.trials[2];
  record.trial.state = TrialState::kUnsupported;
  record.trial.reason = "no GPU";  // the machine may have one by now
  store.finish_trial(record, false);
  store.finish_trial(make_record(planned.trials[1], {1.0}), false);

  CHECK(store.plan_retries(planned.study_id, "") == 2);
  CHECK(store.plan_retries(planned.study_id, "") == 0);
  CHECK(accounting(store) == Counts{{"ok", 1}, {"planned", 3}});
}

TEST_CASE("of all plans, a trial is tried again once, and only if none has it", "[store]") {
  Store store = Store::open_in_memory();
  const Planned planned = plan_small_study(store, 2);
  store.extend_plan(planned.study_id, plan_q(planned, 2));
  for (TrialRow trial : store.trials(planned.study_id)) {  // one trial is ok in plan q
    const bool is_ok = trial.plan == "q" && trial.block == 1 && trial.cell_id == 1;
    trial.state = is_ok ? TrialState::kOk : TrialState::kFailed;
    store.finish_trial({.trial = trial, .series = {}, .telemetry = {}, .logs = {}}, false);
  }

  CHECK(store.plan_retries(planned.study_id, "") == 3);
  CHECK(store.query("SELECT plan, count(*) FROM trial WHERE state = 'planned' GROUP BY 1").rows ==
        std::vector<std::vector<Field>>{{std::string(), std::int64_t{3}}});
}

TEST_CASE("another plan's failure is tried again if ours was excluded by hand", "[store]") {
  Store store = Store::open_in_memory();
  const Planned planned = plan_small_study(store, 1);
  store.extend_plan(planned.study_id, plan_q(planned, 1));
  store.finish_trial(make_record(planned.trials[0], {1.0}), false);
  store.annotate({.trial_id = planned.trials[0].id,
                  .at = "2026-11-21T12:00:00Z",
                  .kind = AnnotationKind::kExclude,
                  .text = "the door was open"});
  for (TrialRow trial : store.trials(planned.study_id)) {
    if (trial.plan == "q" && trial.cell_id == planned.cells[0].id) {
      trial.state = TrialState::kFailed;
      store.finish_trial({.trial = trial, .series = {}, .telemetry = {}, .logs = {}}, false);
    }
  }

  CHECK(store.plan_retries(planned.study_id, "") == 1);
  CHECK(store.query("SELECT plan, cell_id FROM trial WHERE attempt = 2").rows ==
        std::vector<std::vector<Field>>{{std::string("q"), planned.cells[0].id}});
}

TEST_CASE("what other plans hold is removed if the plan has it, and skipped if the study has not",
          "[store]") {
  Store store = Store::open_in_memory();
  const Planned planned = plan_small_study(store, 1);
  store.extend_plan(planned.study_id, plan_q(planned, 2));

  store.put_plan(planned.study_id, make_plan(planned.cells, 1), "dropped");

  CHECK(store.query("SELECT plan || ' ' || state, count(*) FROM trial GROUP BY 1").rows ==
        std::vector<std::vector<Field>>{{std::string(" planned"), std::int64_t{2}},
                                        {std::string("q skipped"), std::int64_t{2}}});
}

TEST_CASE("a search removes what other plans have not run, and nothing else of them", "[store]") {
  Store store = Store::open_in_memory();
  const Planned planned = plan_small_study(store, 2);
  store.extend_plan(planned.study_id, plan_q(planned, 2));
  for (const TrialRow& trial : store.trials(planned.study_id)) {
    if (trial.plan == "q" && trial.block == 0) {
      store.finish_trial(make_record(trial, {1.0}), false);
    }
  }
  auto search = make_plan(planned.cells, 1);
  for (TrialRow& row : search) {
    row.part = SearchPart::kRace;
  }

  store.put_plan(planned.study_id, search, "dropped");

  CHECK(store.query("SELECT plan || ' ' || state, count(*) FROM trial GROUP BY 1").rows ==
        std::vector<std::vector<Field>>{{std::string(" planned"), std::int64_t{2}},
                                        {std::string(" skipped"), std::int64_t{2}},  // of its own
                                        {std::string("q ok"), std::int64_t{2}}});
}

TEST_CASE("a plan that goes on keeps what it has", "[store]") {
  Store store = Store::open_in_memory();
  const Planned planned = plan_small_study(store);
  store.finish_trial(make_record(planned.trials[0], {1.0}), false);
  TrialRow skipped = planned.trials[1];
  skipped.state = TrialState::kSkipped;
  store.finish_trial({.trial = skipped, .series = {}, .telemetry = {}, .logs = {}}, false);
  TrialRow more = planned.trials[1];
  more.block = 7;
  more.position = 9;

  store.extend_plan(planned.study_id, {planned.trials[0], planned.trials[1], more});

  CHECK(accounting(store) == Counts{{"ok", 1}, {"planned", 3}, {"skipped", 1}});
  CHECK(store.trials(planned.study_id).back().block == 7);
}

TEST_CASE("what was added to a plan is read back in its order", "[store]") {
  Store store = Store::open_in_memory();
  const Planned planned = plan_small_study(store);
  const Addition value{.cell = "00000001",
                       .axis = "batch_global",
                       .value = 88,
                       .first_block = 8,
                       .blocks = std::nullopt,
                       .reason = "the bracket was [64, 128]"};
  Addition again = value;
  again.axis = "";
  again.value.reset();
  again.first_block = 16;
  again.blocks = 4;

  store.add(planned.study_id, {value});
  store.add(planned.study_id, {again});

  CHECK(store.additions(planned.study_id) == std::vector{value, again});
  CHECK(store.additions(planned.study_id + 1).empty());
  Addition nothing = value;
  nothing.value.reset();
  CHECK_THROWS_WITH(store.add(planned.study_id, {nothing}),
                    Catch::Contains("CHECK constraint failed"));
}

TEST_CASE("a plan with a block below 0 is refused as a whole", "[store]") {
  Store store = Store::open_in_memory();
  const Planned planned = plan_small_study(store);
  const Counts before = accounting(store);
  std::vector<TrialRow> plan = make_plan(planned.cells, 3);
  plan.back().block = -5;

  CHECK_THROWS_WITH(store.put_plan(planned.study_id, plan, ""),
                    Catch::Contains("block -5") && Catch::Contains("the table addition"));
  CHECK(accounting(store) == before);
}

TEST_CASE("the counts of every state sum to the plan", "[store]") {
  Store store = Store::open_in_memory();
  const Planned planned = plan_small_study(store, 9);
  const auto trials = store.trials(planned.study_id);
  constexpr int first = static_cast<int>(TrialState::kOk);
  constexpr int last = static_cast<int>(TrialState::kUnsupported);
  for (int i = first; i <= last; ++i) {
    TrialRecord record;
    record.trial = trials.at(static_cast<std::size_t>(i));
    record.trial.state = static_cast<TrialState>(i);
    store.finish_trial(record, i % 2 == 1);  // some are tried again
  }
  store.mark_running(trials.at(15).id, planned.session_id, "now");

  std::int64_t sum = 0;
  for (const auto& [state, count] : accounting(store)) {
    sum += count;
  }
  CHECK(sum == 18);
}

TEST_CASE("a trial is started and finished once", "[store]") {
  Store store = Store::open_in_memory();
  const Planned planned = plan_small_study(store);
  store.finish_trial(make_record(planned.trials[0], {1.0}), false);
  TrialRecord unfinished = make_record(planned.trials[1], {1.0});
  unfinished.trial.state = TrialState::kRunning;

  CHECK_THROWS_WITH(store.finish_trial(make_record(planned.trials[0], {1.0}), false),
                    Catch::Contains("trial 1 cannot be finished: another program"));
  CHECK_THROWS_AS(store.finish_trial(unfinished, false), std::logic_error);
  CHECK_THROWS_AS(store.mark_running(planned.trials[0].id, planned.session_id, ""), Error);
  CHECK_THROWS_AS(store.reset_trial(planned.trials[0].id), Error);
  CHECK(store.series(planned.trials[0].id).size() == 1);
}

TEST_CASE("a finished trial outlives the -wal file, which somebody may remove", "[store]") {
  const TemporaryFolder folder;
  Store store = Store::open(folder.path() / "a");
  const Planned planned = plan_small_study(store);
  const auto finish = [&](std::size_t trial, double wall_s) {
    TrialRecord record = make_record(planned.trials[trial], {1.0});
    record.trial.wall_s = wall_s;
    store.finish_trial(record, false);
  };
  // As a kill would leave it.
  const auto left = [&](const std::string& name) {
    std::filesystem::create_directory(folder.path() / name);
    std::filesystem::copy(folder.path() / "a/results.db", folder.path() / name / "results.db");
    return Store::open(folder.path() / name).trials(planned.study_id);
  };

  finish(0, 2.0);
  REQUIRE(std::filesystem::remove(folder.path() / "a/results.db-wal"));
  CHECK(left("b").at(0).state == TrialState::kOk);

  finish(1, 0.1);
  CHECK(left("c").at(1).state == TrialState::kOk);
}
