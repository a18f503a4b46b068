// Studies, cells, plans, trials and results survive the way into the database and back.
#include <bit>
#include <cstdint>
#include <limits>
#include <stdexcept>

#include "harness/base/error.h"
#include "tests/store/filled_store.h"
#include "tests/support/catch.h"

using Catch::Contains;
using namespace scalestudy;
using namespace scalestudy::test;

TEST_CASE("a store that is closed and opened again holds what was put in", "[store]") {
  const TemporaryFolder folder;
  Planned planned;
  {
    Store store = Store::open(folder.path());
    planned = plan_small_study(store);
    finish_all(store, planned);
  }

  const Store store = Store::open(folder.path());

  REQUIRE(store.studies().size() == 1);
  const StudyRow study = store.find_study("small").value();
  CHECK(study.title == "A small study");
  CHECK(study.scaling == Scaling::kStrong);
  CHECK(study.source_text == "version: 1\n");
  const auto cells = store.cells(study.id);
  REQUIRE(cells.size() == 2);
  CHECK(cells[1].hash == "00000002");
  CHECK(cells[1].devices == 2);
  CHECK(cells[1].batch_per_device == 32);
  CHECK_FALSE(cells[1].control_of.has_value());
  REQUIRE(cells[1].parameters.size() == 2);
  CHECK(cells[1].parameters[0].value == "2");
  CHECK(cells[1].parameters[0].varied);
  const auto trials = store.trials(study.id);
  REQUIRE(trials.size() == 4);
  CHECK(trials[3].state == TrialState::kOk);
  CHECK(trials[3].block == 1);
  CHECK(trials[3].wall_s == 1.5);
  CHECK(trials[3].session_id == planned.session_id);
  CHECK_FALSE(trials[3].signal.has_value());
  const auto series = store.series(trials[3].id);
  REQUIRE(series.size() == 1);
  CHECK(series[0].warmup_n == 1);
  CHECK(series[0].values == std::vector<double>{9.0, 2.125, 2.625});
  CHECK(store.telemetry(study.id).at(trials[3].id).at(0).value == 1e6);
  CHECK(store.environment(planned.session_id).at(0).value == "2");
}

TEST_CASE("putting a study again updates it under the same id", "[store]") {
  Store store = Store::open_in_memory();
  const std::int64_t id = store.put_study(make_study());
  StudyRow changed = make_study();
  changed.hash = "ffff";

  CHECK(store.put_study(changed) == id);
  CHECK(store.studies().size() == 1);
  CHECK(store.find_study("small").value().hash == "ffff");
  CHECK(store.study(id).hash == "ffff");
  CHECK_THROWS_WITH(store.study(99), Contains("no study has the id 99; `list` shows them"));
  CHECK_FALSE(store.find_study("large").has_value());
}

TEST_CASE("putting cells again updates what may change and keeps their ids", "[store]") {
  Store store = Store::open_in_memory();
  const Planned planned = plan_small_study(store);
  CellRow changed = make_cell("00000002", 2);
  changed.label = "two";
  changed.excluded_reason = "exclude rule 1";
  changed.parameters.pop_back();

  store.put_cells(planned.study_id, {changed, make_cell("00000003", 4)}, "no longer in the study");

  const auto cells = store.cells(planned.study_id);
  REQUIRE(cells.size() == 3);
  CHECK(cells[0].label == "devices=1");
  CHECK(cells[0].excluded_reason == "no longer in the study");
  CHECK(cells[1].id == planned.cells[1].id);
  CHECK(cells[1].label == "two");
  CHECK(cells[1].excluded_reason == "exclude rule 1");
  CHECK(cells[1].parameters.size() == 1);
  CHECK(cells[2].devices == 4);
  CHECK_FALSE(cells[2].excluded_reason.has_value());

  store.put_cells(planned.study_id, planned.cells, "no longer in the study");
  CHECK_FALSE(store.cells(planned.study_id)[0].excluded_reason.has_value());
  CHECK(store.cells(planned.study_id)[2].excluded_reason == "no longer in the study");
}

TEST_CASE("a row that names a missing study, cell or session is refused", "[store]") {
  Store store = Store::open_in_memory();
  const Planned planned = plan_small_study(store);
  TrialRow orphan;
  orphan.cell_id = 99;
  Results results;
  results.flags.push_back({.trial_id = 99,
                           .level = FlagLevel::kTrial,
                           .rule = "r",
                           .count = 1,
                           .share = 1.0,
                           .score = {}});

  CHECK_THROWS_AS(store.put_cells(99, {make_cell("00000009", 1)}, ""), Error);
  CHECK_THROWS_AS(store.put_plan(planned.study_id, {orphan}, ""), Error);
  CHECK_THROWS_AS(store.begin_session(make_session(99), {}), Error);
  CHECK_THROWS_AS(store.mark_running(planned.trials[0].id, 99, ""), Error);
  CHECK_THROWS_AS(store.replace_results(planned.study_id, results), Error);
  CHECK(store.trials(planned.study_id).size() == 4);
}

TEST_CASE("a study called as none may be is none, and is not replaced by other content",
          "[store]") {
  Store store = Store::open_in_memory();
  plan_small_study(store);
  const StoreContent content = store.content();
  StoreContent named = content;
  named.studies.at(0).study.name = "../victim";
  CHECK_THROWS_WITH(store.replace_content(named),
                    Contains("the study name \"../victim\" is not allowed"));
  CHECK(store.studies().size() == 1);

  store.put_study(make_study("../victim"));

  CHECK(store.studies().size() == 1);
  CHECK_FALSE(store.find_study("../victim"));
  CHECK_THROWS_WITH(store.content(), Contains("remove --misnamed"));
  CHECK_THROWS_WITH(store.replace_content(content), Contains("remove --misnamed"));
}

TEST_CASE("unusual text and the largest seed read back as they were", "[store]") {
  Store store = Store::open_in_memory();
  constexpr char stored[] =
      "O'Brien \"quoted\"; DROP TABLE trial;\n\0after NUL \xc3\xbc\xe2\x82\xac";
  const std::string text(stored, sizeof(stored) - 1);
  StudyRow study = make_study();
  study.title = text;
  study.source_text = text;
  const std::int64_t id = store.put_study(study);
  SessionRow session = make_session(id);
  session.order_seed = std::numeric_limits<std::uint64_t>::max();

  const std::int64_t session_id = store.begin_session(session, {{.name = "n", .value = text}});

  CHECK(store.find_study(study.name).value().title == text);
  CHECK(store.find_study(study.name).value().source_text == text);
  CHECK(store.environment(session_id).at(0).value == text);
  CHECK(store.sessions(id).at(0).order_seed == 18446744073709551615U);
}

TEST_CASE("a session is open until it is ended", "[store]") {
  Store store = Store::open_in_memory();
  const Planned planned = plan_small_study(store);

  const auto open = store.sessions(planned.study_id);
  store.end_session(planned.session_id, "2026-11-21T11:00:00Z", SessionEnding::kDone);
  const auto ended = store.sessions(planned.study_id);

  REQUIRE(open.size() == 1);
  CHECK_FALSE(open[0].finished_at.has_value());
  CHECK(open[0].ending == SessionEnding::kNone);
  CHECK(ended[0].finished_at == "2026-11-21T11:00:00Z");
  CHECK(ended[0].ending == SessionEnding::kDone);
}
