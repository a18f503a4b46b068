// What several stores hold together: nothing twice, nothing lost, whatever the order.
#include "harness/store/merge/merge.h"

#include <algorithm>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "tests/store/filled_store.h"
#include "tests/store/sample_publications.h"
#include "tests/support/catch.h"

using Catch::Contains;
using namespace scalestudy;
using namespace scalestudy::test;

namespace {

// Every row of every table, ids included.
std::vector<std::vector<Field>> all_rows(const Store& store) {
  std::vector<std::vector<Field>> rows;
  for (const auto& table :
       store.query("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").rows) {
    const std::string name = std::get<std::string>(table[0]);
    rows.push_back({name});
    for (auto& row : store.query("SELECT * FROM \"" + name + "\" ORDER BY 1, 2").rows) {
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

// Merges the others into `store`, one after the other, as the verb does.
void merge_all(Store& store, const std::vector<const Store*>& others) {
  for (const Store* other : others) {
    const Merged merged = merge({.name = "here", .content = store.content()},
                                {.name = "there", .content = other->content()});
    if (merged.has_changed) {
      store.replace_content(merged.content);
    }
  }
}

Store merged_store(const std::vector<const Store*>& others) {
  Store store = Store::open_in_memory();
  merge_all(store, others);
  return store;
}

Store copy_of(const Store& store) {
  Store copy = Store::open_in_memory();
  copy.replace_content(store.content());
  return copy;
}

// Study "small" planned in a folder of its own: `blocks` of 2 cells.
Store planned_store(const std::string& plan, int blocks = 3) {
  Store store = Store::open_in_memory();
  const std::int64_t study_id = store.put_study(make_study());
  store.put_cells(study_id, {make_cell("00000001", 1), make_cell("00000002", 2)}, "");
  auto rows = make_plan(store.cells(study_id), blocks);
  for (TrialRow& row : rows) {
    row.plan = plan;
  }
  store.put_plan(study_id, rows, "");
  return store;
}

// A session of `host` that runs one block; the trial of cell i takes i + 1 + block / 8.
void run_block(Store& store, std::int64_t block, const std::string& host, bool is_failing = false) {
  const std::int64_t study_id = store.find_study("small").value().id;
  SessionRow session = make_session(study_id);
  session.started_at = "2026-11-21T1" + std::to_string(block) + ":00:00Z";
  session.host = host;
  const std::int64_t session_id = store.begin_session(session, {{"cpu_model", "CPU"}});
  for (TrialRow trial : store.trials(study_id)) {
    if (trial.state != TrialState::kPlanned || trial.block != block) {
      continue;
    }
    store.mark_running(trial.id, session_id, session.started_at);
    trial.session_id = session_id;
    trial.started_at = session.started_at;
    TrialRecord record =
        make_record(trial, {static_cast<double>(trial.cell_id) + static_cast<double>(block) / 8.0});
    record.logs.push_back({.stream = LogStream::kStdout,
                           .path = "logs/small/" + std::to_string(trial.id) + "/stdout",
                           .text = ""});
    if (is_failing && trial.attempt == 1) {
      record.trial.state = TrialState::kFailed;
      record.trial.reason = "exit code 1";
      record.series.clear();
    }
    store.finish_trial(record, is_failing);
  }
  store.end_session(session_id, "2026-11-21T20:00:00Z", SessionEnding::kDone);
}

std::string answer(const Store& store, const std::string& sql) {
  std::string text;
  for (const auto& row : store.query(sql).rows) {
    for (const Field& field : row) {
      const auto* integer = std::get_if<std::int64_t>(&field);
      text += integer != nullptr ? std::to_string(*integer) : std::get<std::string>(field);
      text += ' ';
    }
  }
  return text;
}

constexpr const char* kStates =
    "SELECT plan, state, count(*) FROM trials WHERE NOT superseded GROUP BY 1, 2 ORDER BY 1, 2";

std::string refusal(const Store& into, const Store& from) {
  try {
    merge({.name = "/mine", .content = into.content()},
          {.name = "/theirs", .content = from.content()});
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::kUsage);
    return error.what();
  }
  return "merged";
}

}  // namespace

TEST_CASE("parts of one plan come together in any order, to the same bytes", "[store]") {
  const Store plan = planned_store("p");
  std::vector<Store> parts;
  for (int block = 0; block < 3; ++block) {
    parts.push_back(copy_of(plan));
    run_block(parts.back(), block, "node" + std::to_string(block), block == 1);
  }
  run_block(parts[1], 1, "node1");  // the second attempts

  std::vector<const Store*> order{&parts[0], &parts[1], &parts[2], &plan};
  std::ranges::sort(order);
  const auto first = all_rows(merged_store(order));
  int orders = 0;
  do {
    CHECK(all_rows(merged_store(order)) == first);
    ++orders;
  } while (std::next_permutation(order.begin(), order.end()));

  CHECK(orders == 24);
  const Store whole = merged_store(order);
  CHECK(answer(whole, kStates) == "p ok 6 ");
  CHECK(answer(whole, "SELECT count(*), sum(superseded) FROM trials") == "8 2 ");
  CHECK(answer(whole, "SELECT count(*) FROM session") == "4 ");
  CHECK(answer(whole, "SELECT count(*) FROM samples WHERE metric = 'step_time_s'") == "12 ");
  CHECK(answer(whole, "SELECT count(*) FROM pragma_foreign_key_check") == "0 ");
}

TEST_CASE("merging again changes nothing", "[store]") {
  Store part = planned_store("p");
  run_block(part, 0, "node");
  Store store = planned_store("q");
  run_block(store, 1, "here");
  merge_all(store, {&part});
  const auto before = all_rows(store);

  const Merged again =
      merge({.name = "a", .content = store.content()}, {.name = "b", .content = part.content()});
  const Merged own =
      merge({.name = "a", .content = store.content()}, {.name = "b", .content = store.content()});

  CHECK_FALSE(again.has_changed);
  CHECK(again.known == 2);
  CHECK(again.taken == 0);
  CHECK(again.files.empty());
  CHECK_FALSE(own.has_changed);
  CHECK(all_rows(store) == before);
}

TEST_CASE("a study without trials and cells comes along", "[store]") {
  Store part = Store::open_in_memory();
  part.put_study(make_study());

  CHECK(answer(merged_store({&part}), "SELECT name FROM study") == "small ");
}

TEST_CASE("what was said of a trial in either store is kept, and the last word holds", "[store]") {
  Store here = planned_store("p");
  run_block(here, 0, "node");
  Store there = copy_of(here);
  const auto say = [](Store& store, const std::string& at, AnnotationKind kind, const char* what) {
    store.annotate({.trial_id = 1, .at = at, .kind = kind, .text = what});
  };
  say(here, "2026-11-22T08:00:00Z", AnnotationKind::kExclude, "door open");
  say(there, "2026-11-22T09:00:00Z", AnnotationKind::kNote, "looks slow");
  const auto both = all_rows(merged_store({&here, &there}));
  CHECK(all_rows(merged_store({&there, &here})) == both);
  CHECK(answer(merged_store({&there, &here}), "SELECT state, reason FROM trial WHERE id = 1") ==
        "invalid excluded by hand: door open ");

  const Store excluded = copy_of(here);
  say(here, "2026-11-22T10:00:00Z", AnnotationKind::kInclude, "it was shut");
  merge_all(here, {&there, &excluded});

  CHECK(answer(here, "SELECT state, reason FROM trial WHERE id = 1") == "ok  ");
  CHECK(answer(here, "SELECT text FROM annotation ORDER BY at") ==
        "door open looks slow it was shut ");
  CHECK_FALSE(
      merge({.name = "a", .content = here.content()}, {.name = "b", .content = excluded.content()})
          .has_changed);
}

TEST_CASE("blocks of two machines' own plans stay beside each other", "[store]") {
  Store here = planned_store("a");
  Store there = planned_store("b");
  run_block(here, 0, "here", true);
  run_block(there, 0, "there");

  const Store both = merged_store({&here, &there});

  // here: two failed first attempts, and two second ones planned beside the two other blocks.
  CHECK(answer(both, kStates) == "a planned 6 b ok 2 b planned 4 ");
  CHECK(answer(both, "SELECT plan, sum(superseded) FROM trials GROUP BY 1") == "a 2 b 0 ");
  CHECK(all_rows(both) == all_rows(merged_store({&there, &here})));
}

TEST_CASE("studies that differ in the number of trials alone are one, of the larger number",
          "[store]") {
  const auto counted = [](const std::string& plan, int count, const std::string& more) {
    StoreContent content = planned_store(plan, count).content();
    StudyRow& study = content.studies.front().study;
    study.hash = plan + more;
    study.source_text =
        "version: 1\nstudy: small\nworkload: train\naxes: {devices: [1, 2], batch_global: [64]}\n"
        "trials: {count: " +
        std::to_string(count) + "}\n" + more;
    Store store = Store::open_in_memory();
    store.replace_content(content);
    return store;
  };
  const Store two = counted("a", 2, "");
  const Store three = counted("b", 3, "");

  const Store both = merged_store({&two, &three});

  CHECK(answer(both, kStates) == "a planned 4 b planned 6 ");
  CHECK_THAT(both.find_study("small")->source_text, Contains("trials: {count: 3}"));
  CHECK(all_rows(both) == all_rows(merged_store({&three, &two})));
  CHECK_THAT(refusal(two, counted("c", 3, "limits: {retries: 0}\n")),
             Contains("study small: limits.retries: 1 -> 0; trials.count: 2 -> 3"));
  CHECK_THAT(refusal(two, counted("c", 3, "validity: {requeues: 3}\n")),
             Contains("study small: trials.count: 2 -> 3; validity.requeues: "));
}

TEST_CASE("an attempt that ran twice under one name is refused, both named", "[store]") {
  const Store plan = planned_store("p");
  Store mine = copy_of(plan);
  Store theirs = copy_of(plan);
  run_block(mine, 2, "mine");
  run_block(theirs, 2, "theirs");

  const std::string message = refusal(mine, theirs);

  CHECK_THAT(message, Contains("/mine and /theirs cannot be merged"));
  CHECK_THAT(message, Contains("study small: cell 00000001, block 2, attempt 1: ok since 2026"));
  CHECK_THAT(message, Contains("cell 00000002"));
}

TEST_CASE("one changed value of a stored attempt is a conflict", "[store]") {
  Store mine = planned_store("p");
  run_block(mine, 0, "host");
  const StoreContent content = mine.content();
  const auto changed = [&](auto change) {
    StoreContent other = content;
    change(other.studies[0]);
    Store store = Store::open_in_memory();
    store.replace_content(other);
    return refusal(mine, store);
  };
  const auto trial = [](StudyContent& study) -> TrialRecord& { return study.trials[0].record; };

  CHECK(changed([](StudyContent&) {}) == "merged");
  CHECK_THAT(changed([&](StudyContent& study) { trial(study).series[0].values[1] += 1e-9; }),
             Contains("attempt 1"));
  CHECK_THAT(changed([&](StudyContent& study) { trial(study).series[0].warmup_n = 0; }),
             Contains("attempt 1"));
  CHECK_THAT(changed([&](StudyContent& study) { trial(study).telemetry[0].value = 1.0; }),
             Contains("attempt 1"));
  CHECK_THAT(changed([&](StudyContent& study) { trial(study).logs[0].text = "other"; }),
             Contains("attempt 1"));
  CHECK_THAT(changed([&](StudyContent& study) { trial(study).trial.state = TrialState::kOom; }),
             Contains("attempt 1"));
  CHECK_THAT(changed([](StudyContent& study) { study.sessions[0].row.host = "other"; }),
             Contains("session of other"));
  CHECK_THAT(changed([](StudyContent& study) { study.sessions[0].environment[0].value = "x"; }),
             Contains("session of host"));
}

TEST_CASE("a session that has ended and a trial that has run take the place of what was before",
          "[store]") {
  Store store = planned_store("p");
  const std::int64_t session_id = store.begin_session(make_session(1), {});
  store.mark_running(1, session_id, "2026-11-21T10:00:01Z");
  const Store early = copy_of(store);
  TrialRecord record = make_record(store.trials(1)[0], {1.0});
  store.finish_trial(record, false);
  store.end_session(session_id, "2026-11-21T10:01:00Z", SessionEnding::kDone);

  for (const auto& order : {std::vector<const Store*>{&early, &store}, {&store, &early}}) {
    const Store merged = merged_store(order);

    CHECK(answer(merged, "SELECT ending, count(*) FROM session") == "done 1 ");
    CHECK(answer(merged, "SELECT state FROM trials WHERE trial = 1") == "ok ");
  }
}

TEST_CASE("of a trial that has not run the most deaths of a harness are kept", "[store]") {
  const StoreContent content = planned_store("p").content();
  StoreContent died = content;
  died.studies[0].trials[0].record.trial.deaths = 2;

  const auto kept = [](const StoreContent& into, const StoreContent& from) {
    return merge({.name = "a", .content = into}, {.name = "b", .content = from})
        .content.studies[0]
        .trials[0]
        .record.trial.deaths;
  };
  CHECK(kept(content, died) == 2);
  CHECK(kept(died, content) == 2);
}

TEST_CASE("what may differ between machines is settled in the same way from both sides",
          "[store]") {
  const Store one = planned_store("p");
  StoreContent content = one.content();
  content.studies[0].study.source_path = "/elsewhere/small.yaml";
  content.studies[0].cells[1].oversubscribed = true;
  content.studies[0].looks = {4};
  content.studies[0].publications.push_back(make_publication("paper", {"1.9x"}));
  content.publications.push_back(make_publication("other", {"2.5x"}));
  Store two = Store::open_in_memory();
  two.replace_content(content);

  const Store merged = merged_store({&one, &two});

  CHECK(all_rows(merged) == all_rows(merged_store({&two, &one})));
  CHECK(answer(merged, "SELECT source_path FROM study") == "/elsewhere/small.yaml ");
  CHECK(answer(merged, "SELECT hash FROM cell WHERE oversubscribed") == "00000002 ");
  CHECK(answer(merged, "SELECT ended FROM look") == "4 ");
  CHECK(answer(merged, "SELECT ifnull(study, '-'), source FROM published ORDER BY 2") ==
        "- other small paper ");
}

TEST_CASE("outputs of merged trials go to a folder of their plan", "[store]") {
  Store part = planned_store("p");
  run_block(part, 0, "node");

  const Merged merged = merge({.name = "a", .content = planned_store("q").content()},
                              {.name = "b", .content = part.content()});

  REQUIRE(merged.files.size() == 2);
  CHECK(merged.files[0].from == "logs/small/1/stdout");
  CHECK_THAT(merged.files[0].to, Contains("logs/small/") && Contains("/00000001-b0-a1/stdout"));
  CHECK(merged.files[0].to != merged.files[1].to);
}

TEST_CASE("what was added to a plan comes along, the same from either side", "[store]") {
  const auto with = [](std::int64_t value, std::int64_t first_block) {
    Store store = planned_store("p");
    store.add(1,
              {{.cell = "00000001",
                .axis = "batch_global",
                .value = value,
                .first_block = first_block,
                .blocks = std::nullopt,
                .reason = "why"}});
    return store;
  };
  const Store mine = with(88, 16);
  const Store theirs = with(88, 8);
  const Store others = with(96, 8);
  const auto merged = [](const Store& into, const Store& from) {
    return merge({.name = "/mine", .content = into.content()},
                 {.name = "/theirs", .content = from.content()})
        .content.studies.front()
        .additions;
  };

  CHECK(merged(mine, theirs) == theirs.additions(1));
  CHECK(merged(theirs, mine) == theirs.additions(1));
  REQUIRE(merged(mine, others).size() == 2);
  CHECK(merged(mine, others) == merged(others, mine));
  Store copy = Store::open_in_memory();
  copy.replace_content(mine.content());
  CHECK(copy.additions(1) == mine.additions(1));
}

TEST_CASE("a projection keeps its date and its trials through a merge, the same from either side",
          "[store]") {
  const auto projected = [](const std::string& plan, const std::string& made_at) {
    Store store = planned_store(plan);
    run_block(store, 0, plan);
    ProjectionRow row;
    row.devices = 4;
    row.value = 0.5;
    row.status = RowStatus::kOk;
    row.session = plan;
    row.made_at = made_at;
    row.measured = 0.4;
    row.trials = {1, 2};
    Results results;
    results.projections = {row};
    store.replace_results(1, results);
    return store;
  };
  const Store mine = projected("a", "2026-11-21T10:00:00Z");
  const Store theirs = projected("b", "2026-11-20T10:00:00Z");

  const Store merged = merged_store({&mine, &theirs});

  CHECK(all_rows(merged) == all_rows(merged_store({&theirs, &mine})));
  CHECK(answer(merged,
               "SELECT session, made_at, count(measured_s) FROM projections GROUP BY 1, 2 ORDER "
               "BY 2") == "b 2026-11-20T10:00:00Z 0 a 2026-11-21T10:00:00Z 0 ");
  CHECK(answer(merged,
               "SELECT p.session, t.plan, t.block, count(*) FROM evidence AS e JOIN projections AS "
               "p ON p.result = e.result JOIN trials AS t ON t.trial = e.trial "
               "WHERE e.kind = 'projection' GROUP BY 1, 2, 3 ORDER BY 1") == "a a 0 2 b b 0 2 ");
  CHECK_FALSE(
      merge({.name = "a", .content = merged.content()}, {.name = "b", .content = theirs.content()})
          .has_changed);

  // One of the same session that was made before its second trial had ended.
  StoreContent early = mine.content();
  early.studies[0].projections.at(0).trials.pop_back();
  early.studies[0].projections.at(0).row.value = 0.6;
  const auto kept = [](const StoreContent& into, const StoreContent& from) {
    return merge({.name = "a", .content = into}, {.name = "b", .content = from})
        .content.studies[0]
        .projections.at(0)
        .row.value;
  };
  CHECK(kept(early, mine.content()) == 0.5);
  CHECK(kept(mine.content(), early) == 0.5);
}

namespace {

// Study "small" with a trial of its first cell for each log, by its hash.
Store imported_store(const std::vector<std::pair<std::string, std::string>>& logs) {
  Store store = Store::open_in_memory();
  const std::int64_t study_id = store.put_study(make_study());
  store.put_cells(study_id, {make_cell("00000001", 1), make_cell("00000002", 2)}, "");
  std::vector<TrialRecord> records;
  for (const auto& [source, hash] : logs) {
    records.push_back(imported_record(study_id, store.cells(study_id).at(0).id, source, hash));
  }
  store.add_imported(records);
  return store;
}

}  // namespace

TEST_CASE("a log that was imported in two stores is one trial once they are merged", "[merge]") {
  const Store a = imported_store({{"logs/1.log", "aaaa"}, {"logs/2.log", "bbbb"}});
  const Store b = imported_store({{"/data/1.log", "aaaa"}, {"logs/3.log", "cccc"}});

  const Store merged = merged_store({&a, &b});

  const auto rows = merged.query("SELECT source, block, position FROM trials ORDER BY 1").rows;
  const Field none;
  CHECK(rows == std::vector<std::vector<Field>>{{Field("/data/1.log"), none, none},
                                                {Field("logs/2.log"), none, none},
                                                {Field("logs/3.log"), none, none}});
  CHECK(all_rows(merged) == all_rows(merged_store({&b, &a})));
}

TEST_CASE("imported trials are not merged into a study that was run", "[merge]") {
  const Store imported = imported_store({{"logs/1.log", "aaaa"}});
  Store run = Store::open_in_memory();
  finish_all(run, plan_small_study(run));

  CHECK_THROWS_WITH(merged_store({&run, &imported}),
                    Contains("study small: its trials are imported from logs in there and were run "
                             "in here; give one of the two another name"));
}

TEST_CASE("a log with a declared block in one store alone is no second trial", "[merge]") {
  const Store plain = imported_store({{"logs/1.log", "aaaa"}});
  StoreContent content = plain.content();
  TrialRow& row = content.studies.at(0).trials.at(0).record.trial;
  row.plan = "imported";
  row.has_block = true;
  Store declared = Store::open_in_memory();
  declared.replace_content(content);

  CHECK_THROWS_WITH(
      merged_store({&plain, &declared}),
      Contains("log logs/1.log has a declared block, or had another text before, in one "
               "of them alone"));
}

TEST_CASE("a trial that prune removed stays excluded if it comes back", "[store]") {
  Store store = planned_store("p", 1);
  run_block(store, 0, "node");
  const auto whole = store.content();
  auto pruned = whole;
  TrialContent& removed = pruned.studies.at(0).trials.at(0);
  removed.record.trial.state = TrialState::kSkipped;
  removed.record.trial.skip_reason = SkipReason::kPruned;
  removed.record.series.clear();
  AnnotationRow said;
  said.at = "2026-11-22T00:00:00Z";
  said.kind = AnnotationKind::kExclude;
  said.text = "the door was open";
  removed.annotations.push_back(said);

  for (const auto& [into, from] : {std::pair(pruned, whole), std::pair(whole, pruned)}) {
    const Merged merged =
        merge({.name = "here", .content = into}, {.name = "there", .content = from});
    const auto& trials = merged.content.studies.at(0).trials;
    const auto back = std::ranges::find_if(
        trials, [](const TrialContent& trial) { return !trial.annotations.empty(); });
    REQUIRE(back != trials.end());
    CHECK(back->record.trial.state == TrialState::kInvalid);
    CHECK_FALSE(back->record.series.empty());
    CHECK(std::ranges::count(trials, TrialState::kOk, [](const TrialContent& trial) {
            return trial.record.trial.state;
          }) == 1);
  }
}
