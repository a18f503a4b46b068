// Logs of a trial that are read again: an attempt with the same run.
#include <string>
#include <vector>

#include "harness/store/rows/runs.h"
#include "harness/store/tables/columns.h"
#include "tests/store/filled_store.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::test;

TEST_CASE("the nodes that a trial had are stored, and those of its logs read anew", "[store]") {
  Store store = Store::open_in_memory();
  const Planned planned = plan_small_study(store);
  TrialRecord record = make_record(planned.trials[0], {0.1, 0.1});
  record.trial.hosts = "n0,n1";

  store.finish_trial(record, false);
  record.series.front().values.back() = 0.2;
  store.add_reading(record);

  CHECK(store.query("SELECT hosts FROM trials WHERE state = 'ok'").rows ==
        std::vector<std::vector<Field>>{{"n0,n1"}, {"n0,n1"}});
  CHECK(store.trials(planned.study_id).back().hosts.empty());
}

TEST_CASE("a reading that gives what the trial has is told in its log alone", "[store]") {
  Store store = Store::open_in_memory();
  const Planned planned = plan_small_study(store);
  TrialRecord record = make_record(planned.trials[0], {0.1, 0.1});
  store.finish_trial(record, false);
  const std::size_t before = store.trials(planned.study_id).size();
  record.logs = {{LogStream::kEvent, "", "read again"}};

  store.add_reading(record);

  CHECK(store.trials(planned.study_id).size() == before);
  CHECK(store.query("SELECT trial_id FROM log WHERE text = 'read again'").rows ==
        std::vector<std::vector<Field>>{{Field(planned.trials[0].id)}});
}

TEST_CASE("an attempt that a later one replaced is neither excluded nor taken back", "[store]") {
  Store store = Store::open_in_memory();
  const Planned planned = plan_small_study(store);
  TrialRecord record = make_record(planned.trials[0], {0.1, 0.1});
  store.finish_trial(record, false);
  const auto say = [&](AnnotationKind kind) {
    store.annotate(
        {.trial_id = planned.trials[0].id, .at = "now", .kind = kind, .text = "a backup"});
  };
  say(AnnotationKind::kExclude);
  record.series.front().values.back() = 0.2;
  store.add_reading(record);

  for (const AnnotationKind kind : {AnnotationKind::kInclude, AnnotationKind::kExclude}) {
    CHECK_THROWS_WITH(say(kind),
                      "trial 1 is in no result, because a later attempt took its place; "
                      "`scalestudy query trials` lists that");
  }
  CHECK_NOTHROW(say(AnnotationKind::kNote));
}

TEST_CASE("a share that was stored in percent is no other reading of the same log", "[store]") {
  Store store = Store::open_in_memory();
  const Planned planned = plan_small_study(store);
  TrialRecord record = make_record(planned.trials[0], {0.1, 0.1});
  const SeriesRow busy{.metric = "gpu_busy_share", .unit = "%", .rank = {}, .values = {87.0}};
  record.series.push_back(busy);
  store.finish_trial(record, false);
  const std::size_t before = store.trials(planned.study_id).size();
  make_share(record.series.back());

  store.add_reading(record);

  CHECK(store.trials(planned.study_id).size() == before);
  CHECK(store.series(planned.trials[0].id).back().unit == "%");  // what is stored stays
}

TEST_CASE("another reading has anew what is read, and the rest of the run", "[store]") {
  Store store = Store::open_in_memory();
  const Planned planned = plan_small_study(store);
  TrialRecord record = make_record(planned.trials[0], {0.1, 0.1});
  record.trial.hosts = "n0";
  record.trial.steps_share = 0.5;
  record.trial.rules_hash = "first";
  store.finish_trial(record, false);
  const TrialRow run = store.trials(planned.study_id).front();
  record.trial.state = TrialState::kInvalid;
  record.trial.reason = "loss is not finite";
  record.trial.steps_share = 0.25;
  record.trial.arrival_step_s = 2.0;
  record.trial.rules_hash = "second";
  record.trial.hosts = "n1";
  record.trial.wall_s = 99.0;
  record.trial.exit_code = 7;

  store.add_reading(record);

  std::vector<TrialRow> trials = store.trials(planned.study_id);
  std::erase_if(trials, [](const TrialRow& trial) { return trial.attempt == 1; });
  REQUIRE(trials.size() == 1);
  CHECK(trials[0].state == TrialState::kInvalid);
  CHECK(trials[0].steps_share == 0.25);
  CHECK(trials[0].arrival_step_s == 2.0);
  CHECK(trials[0].rules_hash == "second");
  for (const Column& column : table_of<TrialRow>().columns) {
    CAPTURE(column.name);
    const ColumnValue expected = column.value(column.is_read ? &record.trial : &run);
    const bool is_expected = column.value(trials.data()) == expected;
    CHECK((is_expected || column.name == std::string("attempt")));
  }
}

TEST_CASE("a run whose logs were read again is one run", "[store]") {
  TrialRow run;
  run.cell_id = 1;
  run.session_id = 1;
  run.started_at = "2026-11-23T07:00:00Z";
  run.wall_s = 2.5;
  TrialRow reading = run;
  reading.id = 2;
  reading.attempt = 2;
  TrialRow attempt = run;  // another attempt, which began in the same second
  attempt.id = 3;
  attempt.attempt = 3;
  attempt.wall_s = 2.25;
  const TrialRow planned;  // and two that never ran

  const auto runs = each_run_once({run, reading, attempt, planned, planned});

  REQUIRE(runs.size() == 4);
  CHECK(runs[0].id == 2);
  CHECK(runs[1].id == 3);
}

TEST_CASE("readings of an imported log are one run, attempts that never started are not",
          "[store]") {
  TrialRow log;
  log.source_hash = "a";
  TrialRow reading = log;
  reading.id = 2;
  TrialRow other = log;  // the log was imported again with another text
  other.id = 3;
  other.source_hash = "b";
  TrialRow missing;  // its program was not found, twice in one second
  missing.session_id = 1;
  missing.started_at = "2026-11-23T07:00:00Z";
  missing.wall_s = 0.0;

  const auto runs = each_run_once({log, reading, other, missing, missing});

  REQUIRE(runs.size() == 4);
  CHECK(runs[0].id == 2);
  CHECK(runs[1].id == 3);
}
