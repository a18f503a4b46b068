// What of the matrix goes into the store.
#include "harness/store/trial_plan.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/study/parse.h"
#include "tests/store/merged_stores.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using test::answer;

namespace {

// Study "small" of three settings.
Study three_settings(const std::string& more) {
  const ParsedStudy parsed = parse_study(
      "version: 1\nstudy: small\nworkload: command\ncommand: ['true', '{x}']\n"
      "extract: [{metric: step_time_s, from: wall_time}]\naxes: {x: [0, 1, 2]}\n" +
          more,
      "s.yaml",
      {});
  REQUIRE(parsed.problems.empty());
  return parsed.study;
}

}  // namespace

TEST_CASE("a cell is stored with the defaults that its trials see", "[store]") {
  const ParsedStudy parsed = parse_study(
      "version: 1\nstudy: s\ntitle: S\nworkload: train\nparameters: {seed: 1}\n"
      "axes: {model: [mlp-258k, mlp-6.9m], batch_global: [8]}\n",
      "s.yaml",
      {});
  REQUIRE(parsed.problems.empty());

  const std::vector<CellRow> rows = cell_rows(expand(parsed.study), {});

  REQUIRE(rows.size() == 2);
  for (const CellRow& row : rows) {  // mlp-258k is train's default, and so is seed 1
    const bool is_first = &row == &rows.front();
    const auto of = [&row](const std::string& name) {
      return std::find_if(row.parameters.begin(),
                          row.parameters.end(),
                          [&name](const CellRow::Parameter& entry) { return entry.name == name; });
    };
    REQUIRE(of("model") != row.parameters.end());
    CHECK(of("model")->varied);
    REQUIRE(of("seed") != row.parameters.end());
    CHECK(of("seed")->value == "1");
    CHECK_FALSE(of("seed")->varied);
    CHECK(of("seed")->is_default == std::optional(true));  // given, and as it is anyway
    CHECK(of("model")->is_default == std::optional(is_first));
    REQUIRE(of("precision") != row.parameters.end());
    CHECK(of("precision")->value == "fp32");
    CHECK(of("precision")->is_default == std::optional(true));
    CHECK(of("learning_rate")->value == (is_first ? "0.01" : "0.001"));  // by the model
    CHECK(of("warmup_steps") == row.parameters.end());                   // by `steps`
    CHECK(row.hash == (is_first ? "ca724d9a" : "ea863cb3"));  // as before defaults were stored
  }
}

TEST_CASE("run goes on with the plan of its host, and a new one where nothing is planned",
          "[store]") {
  std::vector<SessionRow> sessions(3);
  const std::vector<std::string> hosts{"here", "there", "there"};
  for (std::size_t i = 0; i < sessions.size(); ++i) {
    sessions[i].id = static_cast<std::int64_t>(i) + 1;
    sessions[i].host = hosts[i];
    sessions[i].started_at = "2026-11-2" + std::to_string(i) + "T10:00:00Z";
  }
  const auto trial = [](const std::string& plan, std::optional<std::int64_t> session_id) {
    TrialRow row;
    row.plan = plan;
    row.session_id = session_id;
    return row;
  };
  const std::vector<TrialRow> trials{
      trial("b", 1), trial("c", 2), trial("a", 3), trial("z", std::nullopt)};

  CHECK(plan_to_run(trials, sessions, "here") == "b");
  CHECK(plan_to_run(trials, sessions, "there") == "a");
  CHECK(plan_to_run(trials, sessions, "elsewhere") == "a");  // its session began last
  CHECK(plan_to_run({trial("c", std::nullopt)}, {}, "here") == "c");
  CHECK(plan_to_run({}, {}, "here").size() == 16);
  CHECK(plan_to_run({}, {}, "here") != plan_to_run({}, {}, "here"));
}

TEST_CASE("run goes on with the search that results rest on, whoever's it is", "[store]") {
  SessionRow session;
  session.id = 1;
  session.host = "here";
  session.started_at = "2026-11-20T10:00:00Z";
  std::vector<TrialRow> trials;
  const auto add = [&](const std::string& plan, TrialState state) {
    TrialRow row;
    row.plan = plan;
    row.session_id = plan == "b" ? std::optional<std::int64_t>(1) : std::nullopt;
    row.part = SearchPart::kRace;
    row.state = state;
    trials.push_back(row);
  };
  add("b", TrialState::kOk);
  add("b", TrialState::kPlanned);
  add("a", TrialState::kOk);

  CHECK(plan_to_run(trials, {session}, "here") == "a");  // of equal ones the first
  add("b", TrialState::kOk);
  CHECK(plan_to_run(trials, {session}, "there") == "b");
}

TEST_CASE("of a trial that several plans have, the one that counts is told", "[store]") {
  std::vector<TrialRow> trials;
  const auto add = [&](const std::string& plan, std::int64_t block, TrialState state) -> TrialRow& {
    TrialRow row;
    row.id = static_cast<std::int64_t>(trials.size()) + 1;
    row.cell_id = 7;
    row.plan = plan;
    row.block = block;
    row.state = state;
    return trials.emplace_back(row);
  };
  add("a", 0, TrialState::kPlanned);
  add("b", 0, TrialState::kOk);
  add("b", 1, TrialState::kPlanned);
  add("a", 1, TrialState::kPlanned);
  add("a", 2, TrialState::kSkipped).skip_reason = SkipReason::kNotInStudy;
  add("b", 2, TrialState::kPlanned);
  add("a", 3, TrialState::kFailed);
  add("b", 3, TrialState::kFailed).superseded = true;
  add("b", 3, TrialState::kPlanned).attempt = 2;
  add("b", 4, TrialState::kSkipped).skip_reason = SkipReason::kPruned;
  add("a", 4, TrialState::kPlanned);

  const auto ids = [&](const Study& study) {
    std::vector<std::int64_t> found;
    for (const auto& [place, trial] : trials_by_place(study, trials, "a")) {
      CHECK(place == std::pair(trial->cell_id, trial->block));
      found.push_back(trial->id);
    }
    return found;
  };

  CHECK(ids(Study()) == std::vector<std::int64_t>{2, 4, 6, 9, 10});
  Study search;
  search.search.emplace();
  CHECK(ids(search) == std::vector<std::int64_t>{1, 4, 5, 7, 11});
}

TEST_CASE("what a plan of the store has run or will run is not planned by another", "[store]") {
  const Study study = three_settings("trials: {count: 2}\n");
  const Matrix matrix = expand(study);
  Store store = Store::open_in_memory();
  plan_study(study, matrix, {}, "a", store);
  test::run_block(store, 0, "here");

  plan_study(study, matrix, {}, "b", store);

  CHECK(answer(store, "SELECT plan, block, state, count(*) FROM trial GROUP BY 1, 2, 3") ==
        "a 0 ok 3 a 1 planned 3 ");
}

TEST_CASE("a search that has begun keeps its later blocks, and plans again what was skipped",
          "[store]") {
  const Study study = three_settings("search: {over: [x], budget: 1h}\n");
  const Matrix matrix = expand(study);
  Store store = Store::open_in_memory();
  const PlannedStudy planned = plan_study(study, matrix, {}, "a", store);
  std::vector<TrialRow> later =
      search_rows(study,
                  matrix,
                  planned.cell_ids,
                  {.first = 1,
                   .count = 1,
                   .cells = {{planned.cell_ids.at(matrix.cells.at(2).hash), SearchPart::kRace}}});
  REQUIRE(later.size() == 1);
  later.front().plan = "a";
  store.extend_plan(planned.study_id, later);
  TrialRecord skipped;
  skipped.trial = store.trials(planned.study_id).back();
  skipped.trial.state = TrialState::kSkipped;
  skipped.trial.skip_reason = SkipReason::kFailures;
  store.finish_trial(skipped, false);

  plan_study(study, matrix, {}, "a", store);

  CHECK(
      answer(store, "SELECT block, state, count(*), count(skip_reason) FROM trial GROUP BY 1, 2") ==
      "0 planned 3 0 1 planned 1 0 ");
}
