// A trial that two stores have: what is kept of it, and what is refused.
#include "harness/store/merge/merge_trials.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "harness/store/merge/merge.h"
#include "harness/study/declared/reading.h"
#include "tests/store/merged_stores.h"
#include "tests/support/catch.h"

using Catch::Contains;
using namespace scalestudy;
using namespace scalestudy::test;

namespace {

// A trial that printed, read again by rules of those hashes.
TrialContent read_by(const std::vector<std::string>& rules) {
  TrialContent trial;
  trial.record.trial.state = TrialState::kOk;
  trial.record.logs = {{LogStream::kStdout, "", "step 1"}};
  for (const std::string& hash : rules) {
    trial.record.logs.push_back({LogStream::kEvent, "", std::string(kReadAgain) + hash});
  }
  return trial;
}

std::string texts_of(const TrialContent& trial) {
  std::string texts;
  for (const LogRow& log : trial.record.logs) {
    texts += log.text + "; ";
  }
  return texts;
}

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

TEST_CASE("a copy lists remarks in the order of the original, by trial", "[store]") {
  Store here = planned_store("p");
  run_block(here, 0, "node");
  for (const auto& [trial, text] :
       {std::pair(2, "third"), std::pair(1, "first"), std::pair(1, "second")}) {
    here.annotate({.trial_id = trial,
                   .at = "2026-11-22T08:00:00Z",
                   .kind = AnnotationKind::kNote,
                   .text = text});
  }
  const auto texts = [](const Store& store) {
    std::string all;
    for (const AnnotationRow& said : store.annotations(1)) {
      all += said.text + " ";
    }
    return all;
  };

  CHECK(texts(here) == "first second third ");
  CHECK(texts(copy_of(here)) == "first second third ");
}

TEST_CASE("an attempt that ran twice under one name is refused, both named", "[store]") {
  const Store plan = planned_store("p");
  Store mine = copy_of(plan);
  Store theirs = copy_of(plan);
  run_block(mine, 2, "mine");
  run_block(theirs, 2, "theirs");

  const std::string message = refusal(mine, theirs);

  CHECK_THAT(message, Contains("/mine and /theirs cannot be merged"));
  CHECK_THAT(message, Contains("study small: cell 00000001, block 3, attempt 1: ok since 2026"));
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

TEST_CASE("of two states of a trial that did not run the same stays from either side", "[store]") {
  StoreContent skipped = planned_store("p").content();
  StoreContent excluded = skipped;
  skipped.studies[0].trials[0].record.trial.state = TrialState::kSkipped;
  excluded.studies[0].trials[0].record.trial.state = TrialState::kExcluded;

  const auto kept = [](const StoreContent& into, const StoreContent& from) {
    return merge({.name = "a", .content = into}, {.name = "b", .content = from})
        .content.studies[0]
        .trials[0]
        .record.trial;
  };
  CHECK(kept(skipped, excluded).state == TrialState::kExcluded);
  CHECK(kept(excluded, skipped).state == TrialState::kExcluded);
  CHECK(kept(skipped, planned_store("p").content()).state == TrialState::kSkipped);
  CHECK(kept(planned_store("p").content(), skipped).state == TrialState::kSkipped);

  StoreContent other = skipped;
  skipped.studies[0].trials[0].record.trial.reason = "b";
  other.studies[0].trials[0].record.trial.reason = "a";
  CHECK(kept(skipped, other).reason == "a");
  CHECK(kept(other, skipped).reason == "a");
}

TEST_CASE("a log that was imported in two stores is one trial once they are merged", "[store]") {
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

TEST_CASE("imported trials are not merged into a study that was run", "[store]") {
  const Store imported = imported_store({{"logs/1.log", "aaaa"}});
  Store run = Store::open_in_memory();
  finish_all(run, plan_small_study(run));

  CHECK_THROWS_WITH(merged_store({&run, &imported}),
                    Contains("study small: its trials are imported from logs in there and were run "
                             "in here; give one of the two another name"));
}

TEST_CASE("a log with a declared block in one store alone is no second trial", "[store]") {
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

TEST_CASE("a trial whose logs one store read again is the same trial", "[store]") {
  TrialContent here = read_by({"b"});
  TrialContent there = read_by({"a"});
  CHECK(same_trial(here, there));
  CHECK(same_trial(here, read_by({})));

  const TrialContent before = here;
  CHECK(add_said_later(here, there));
  CHECK_FALSE(add_said_later(here, there));
  CHECK(add_said_later(there, before));
  CHECK(texts_of(here) == "step 1; read again by rules a; read again by rules b; ");
  CHECK(texts_of(there) == texts_of(here));

  there.record.trial.rules_hash = "a";
  CHECK(same_trial(here, there));
  CHECK(add_said_later(here, there));
  CHECK(here.record.trial.rules_hash == "a");
  here.record.trial.rules_hash = "b";
  CHECK(add_said_later(there, here));
  CHECK_FALSE(add_said_later(here, there));

  there.record.logs[0].text = "step 2";
  CHECK_FALSE(same_trial(here, there));
}

TEST_CASE("a trial without the series of single ranks that prune removed is the same", "[store]") {
  const SeriesRow step{
      .metric = "step_time_s", .unit = "s", .rank = {}, .warmup_n = 0, .values = {0.1, 0.2}};
  SeriesRow rank = step;
  rank.metric = "forward_time_s";
  rank.rank = 1;
  TrialContent whole = read_by({});
  whole.record.series = {step, rank};
  TrialContent pruned = read_by({});
  pruned.record.series = {step};

  CHECK(same_trial(whole, pruned));
  CHECK(same_trial(pruned, whole));
  CHECK_FALSE(add_ranks(whole, pruned));
  CHECK(whole.record.series.size() == 2);
  CHECK(add_ranks(pruned, whole));
  CHECK(pruned.record.series.size() == 2);
  CHECK(pruned.record.series.back().rank == 1);

  TrialContent other = whole;
  other.record.series[1].values = {0.3, 0.4};
  CHECK_FALSE(same_trial(whole, other));
  other.record.series = {rank};  // the series of all ranks is missing
  CHECK_FALSE(same_trial(whole, other));
}
