// Studies, cells, plans, trials and results survive the way into the database and back.
#include <bit>
#include <cstdint>
#include <limits>
#include <stdexcept>

#include "harness/base/error.h"
#include "tests/store/filled_store.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::testing;

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
  CHECK(study.scaling == "strong");
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
  CHECK(store.telemetry(trials[3].id).at(0).value == 1e6);
  CHECK(store.environment(planned.session_id).at(0).value == "2");
}
