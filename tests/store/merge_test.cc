// What several stores hold together: nothing twice, nothing lost, whatever the order.
#include "harness/store/merge/merge.h"

#include <algorithm>
#include <string>
#include <vector>

#include "tests/store/merged_stores.h"
#include "tests/store/sample_publications.h"
#include "tests/support/catch.h"

using Catch::Contains;
using namespace scalestudy;
using namespace scalestudy::test;

namespace {

constexpr const char* kStates =
    "SELECT plan, state, count(*) FROM trials WHERE NOT superseded GROUP BY 1, 2 ORDER BY 1, 2";

}  // namespace

TEST_CASE("parts of one plan come together in any order, to the same bytes", "[store]") {
  const Store plan = planned_store("p");
  std::vector<Store> parts;
  for (int block = 0; block < 3; ++block) {
    parts.push_back(copy_of(plan));
    run_block(parts.back(), block, "node" + std::to_string(block), block == 1);
  }
  run_block(parts[1], 1, "node1");  // the second attempts

  std::vector<const Store*> order{&plan};
  for (const Store& part : parts) {
    order.push_back(&part);
  }
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

TEST_CASE("blocks of two machines' own plans stay beside each other, and what is left is one plan",
          "[store]") {
  Store here = planned_store("a");
  Store there = planned_store("b");
  run_block(here, 0, "here", true);
  run_block(there, 0, "there");

  const Store both = merged_store({&here, &there});

  // here: two failed first attempts, whose second ones are not needed any more, and two blocks
  // that neither has run.
  CHECK(answer(both, kStates) == "a failed 2 a planned 4 b ok 2 ");
  CHECK(answer(both, "SELECT plan, sum(superseded) FROM trials GROUP BY 1") == "a 0 b 0 ");
  CHECK(all_rows(both) == all_rows(merged_store({&there, &here})));
}

TEST_CASE("parts of one study that were planned apart are complete together", "[store]") {
  Store first = planned_store("a");
  Store last = planned_store("b");
  Store killed = planned_store("c");
  run_block(first, 0, "here");
  run_block(last, 1, "there");
  run_block(last, 2, "there");
  run_block(killed, 0, "elsewhere");

  const Store both = merged_store({&first, &last});
  const Store all = merged_store({&killed, &last, &first});

  CHECK(answer(both, kStates) == "a ok 2 b ok 4 ");
  CHECK(answer(all, kStates) == "a ok 2 b ok 4 c ok 2 ");
  CHECK(all_rows(all) == all_rows(merged_store({&first, &killed, &last})));
}

TEST_CASE("plans come in the order of their first sessions", "[store]") {
  Store around = planned_store("z");
  Store between = planned_store("b");
  run_block(around, 0, "here");
  run_block(between, 1, "there");
  run_block(around, 2, "here");

  CHECK(answer(merged_store({&between, &around}), "SELECT plan FROM trials ORDER BY trial") ==
        "z z z z b b ");
}

TEST_CASE("of two searches the one with the most ok trials is left to run, and both stay",
          "[store]") {
  const auto search = [](const std::string& plan, int blocks) {
    Store store = planned_store(plan);
    for (int block = 0; block < blocks; ++block) {
      run_block(store, block, plan);
    }
    StoreContent content = store.content();
    for (TrialContent& trial : content.studies.at(0).trials) {
      trial.record.trial.part = SearchPart::kRace;
    }
    store.replace_content(content);
    return store;
  };
  const Store few = search("a", 1);
  const Store many = search("b", 2);

  const Store both = merged_store({&few, &many});

  CHECK(answer(both, kStates) == "a ok 2 b ok 4 b planned 2 ");
  CHECK(all_rows(both) == all_rows(merged_store({&many, &few})));
}

TEST_CASE("a second attempt that is left stays, and the first one of another plan goes",
          "[store]") {
  Store retried = planned_store("b", 1);
  run_block(retried, 0, "there", true);
  const Store planned = planned_store("a", 1);

  const Store both = merged_store({&planned, &retried});

  CHECK(answer(both, "SELECT plan, attempt, state FROM trials ORDER BY 1, 2, 3") ==
        "b 1 failed b 1 failed b 2 planned b 2 planned ");
  CHECK(all_rows(both) == all_rows(merged_store({&retried, &planned})));
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

  CHECK(answer(both, kStates) == "a planned 4 b planned 2 ");
  CHECK_THAT(both.find_study("small")->source_text, Contains("trials: {count: 3}"));
  CHECK(all_rows(both) == all_rows(merged_store({&three, &two})));
  CHECK_THAT(refusal(two, counted("c", 3, "limits: {retries: 0}\n")),
             Contains("study small: limits.retries: 1 -> 0; trials.count: 2 -> 3") &&
                 !Contains("all values"));
  CHECK_THAT(refusal(two, counted("c", 2, "limits: {timeout: 5min}\n")),
             Contains("study small: limits.timeout: (not given) -> 300 s. Write the same limits "
                      "into one study file, run it in each of the folders with `scalestudy "
                      "--results FOLDER run FILE --accept-changes --max-trials 1`, and merge "
                      "again"));
  CHECK_THAT(refusal(two, counted("c", 3, "validity: {requeues: 3}\n")),
             Contains("study small: trials.count: 2 -> 3; validity.requeues: "));
}

// Where a study gives no limit, the hash has the 600 s of the first version.
TEST_CASE("a limit that has the hash of a study without it is another limit", "[store]") {
  const auto with = [](const std::string& more) {
    StoreContent content = planned_store("p").content();
    content.studies.front().study.source_text =
        "version: 1\nstudy: small\nworkload: train\naxes: {devices: [1, 2], batch_global: [64]}\n" +
        more;
    Store store = Store::open_in_memory();
    store.replace_content(content);
    return store;
  };
  const Store none = with("");
  const Store limited = with("limits: {timeout: 10min}\n");

  CHECK_THAT(refusal(none, limited),
             Contains("study small: limits.timeout: (not given) -> 600 s. Write the same limits "
                      "into one study file"));
  CHECK_THAT(refusal(limited, none), Contains("study small: limits.timeout: 600 s -> (not given)"));
  CHECK(refusal(none, with("# a remark\n")) == "merged");
}

TEST_CASE("what may differ between machines is settled in the same way from both sides",
          "[store]") {
  Store one = planned_store("p");
  StoreContent content = one.content();
  content.studies[0].publications.push_back(make_publication("a report", {"1.8x"}));
  one.replace_content(content);
  content.studies[0].publications.clear();
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
        "small a report - other small paper ");
}

TEST_CASE("a published dataset is known by its source, and a file of a tool by its path",
          "[store]") {
  const auto published = [](PublicationKind kind, const std::string& path, const char* hash) {
    PublicationRow row = make_publication("paper", {"1.9x"});
    row.kind = kind;
    row.path = path;
    row.hash = hash;
    Store store = Store::open_in_memory();
    store.put_publications({row});
    return store;
  };
  using enum PublicationKind;
  const Store dataset = published(kDataset, "/b", "1");
  CHECK_THAT(refusal(dataset, published(kDataset, "/a", "2")),
             Contains("\n  published-dataset paper: its figures differ"));
  const auto paths = [](const Store& into, const Store& from) {
    return answer(merged_store({&into, &from}), "SELECT path FROM publication ORDER BY path");
  };
  CHECK(paths(dataset, published(kDataset, "/a", "1")) == "/a ");

  const Store tool = published(kHyperfine, "/b", "1");
  CHECK_THAT(refusal(tool, published(kHyperfine, "/b", "2")),
             Contains("\n  hyperfine paper: its figures differ"));
  CHECK(paths(tool, published(kHyperfine, "/a", "2")) == "/a /b ");
  CHECK(paths(tool, published(kHyperfine, "/a", "1")) == "/a ");
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
