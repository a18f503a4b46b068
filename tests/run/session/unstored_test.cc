// Records of trials that ended while another program wrote the database.
#include "harness/run/session/unstored.h"

#include <functional>

#include <nlohmann/json.hpp>
#include <sqlite3.h>
#include <sys/resource.h>

#include "harness/base/error.h"
#include "tests/run/no_room.h"
#include "tests/store/filled_store.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::test;

namespace {

using Json = nlohmann::json;

// Another program in the middle of a write.
class Writer {
 public:
  explicit Writer(const std::string& path) {
    sqlite3_open(path.c_str(), &database_);
    REQUIRE(sqlite3_exec(database_, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr) == SQLITE_OK);
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer() { sqlite3_close(database_); }

 private:
  sqlite3* database_ = nullptr;
};

// A trial that has ended, with its record in the file alone.
struct Unstored {
  Unstored() : store(Store::open(folder.path())), planned(plan_small_study(store)) {
    TrialRow trial = planned.trials.front();
    trial.session_id = planned.session_id;
    trial.started_at = "2026-11-21T10:00:01Z";
    store.mark_running(trial.id, planned.session_id, *trial.started_at);
    record = make_record(trial, {0.1, 1e-300, -0.0});
    record.trial.hosts = "n0,n1";
    record.series.push_back(make_series("loss", {1.0 / 3.0}));
    record.series.back().rank = 1;
    record.logs.push_back({LogStream::kEvent, "", "a \xff byte"});
    store.wait_for_writers([](double) { return false; });
    const Writer writer(folder.file("results.db"));
    REQUIRE_THROWS_AS(store_finished(store, record, /*retry=*/true), Error);
  }

  std::string path() const { return folder.file("unstored.json"); }
  TrialRow stored() const { return store.trials(planned.study_id).front(); }

  TemporaryFolder folder;
  Store store;
  Planned planned;
  TrialRecord record;
};

}  // namespace

TEST_CASE("a record that could not be stored is stored by the next run, whole and once", "[run]") {
  Unstored left;
  const std::string text = read_file(left.path());

  REQUIRE(store_unstored(left.store));

  CHECK(left.stored().state == TrialState::kOk);
  CHECK(left.stored().wall_s == left.record.trial.wall_s);
  CHECK(left.stored().hosts == "n0,n1");
  const std::vector<SeriesRow> series = left.store.series(left.stored().id);
  REQUIRE(series.size() == 2);
  CHECK(series[0].values == left.record.series[0].values);
  CHECK(series[0].warmup_n == 1);
  CHECK(series[1].values == left.record.series[1].values);
  CHECK(series[1].rank == 1);
  CHECK(left.store.telemetry(left.planned.study_id).at(left.stored().id).size() == 1);
  CHECK(left.store.query("SELECT text FROM log").rows.at(0).at(0) == Field("a \xef\xbf\xbd byte"));
  CHECK(left.store.trials(left.planned.study_id).at(1).attempt == 2);  // as `retry` says
  CHECK_FALSE(std::filesystem::exists(left.path()));

  write_file(left.path(), text);  // as after a kill between the two
  CHECK_FALSE(store_unstored(left.store));
  CHECK(left.store.series(left.stored().id).size() == 2);
  CHECK_FALSE(std::filesystem::exists(left.path()));
}

TEST_CASE("a record that a full disk cut off leaves its room to the store", "[run]") {
  TemporaryFolder folder;
  Store store = Store::open(folder.path());
  const Planned planned = plan_small_study(store);
  const TrialRow& trial = planned.trials.front();
  store.mark_running(trial.id, planned.session_id, "2026-11-21T10:00:01Z");
  {
    const NoRoom none(64);
    CHECK_THROWS_AS(store_finished(store, make_record(trial, {0.1}), /*retry=*/false), Error);
  }
  CHECK_FALSE(has_unstored(store));

  const Unstored left;
  CHECK(has_unstored(left.store));
}

TEST_CASE("a file longer than any record is not read into memory", "[run]") {
  Unstored left;
  std::filesystem::resize_file(left.path(), (std::uintmax_t{1} << 30U) + 1);  // has no blocks
  const auto peak_kb = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
  };
  const long before_kb = peak_kb();

  CHECK_FALSE(store_unstored(left.store));

  CHECK(peak_kb() - before_kb < 100'000);
  CHECK(left.stored().state == TrialState::kRunning);  // planned again by the next run
  CHECK_FALSE(std::filesystem::exists(left.path()));
}

TEST_CASE("a record that an older program left, which knew less of trials, is stored", "[run]") {
  Unstored left;
  Json json = Json::parse(read_file(left.path()));
  REQUIRE(json["trial"].erase("hosts") == 1);
  REQUIRE(json["trial"].erase("disturbance") == 1);
  REQUIRE(json["trial"].erase("part") == 1);
  write_file(left.path(), json.dump());

  REQUIRE(store_unstored(left.store));

  CHECK(left.stored().state == TrialState::kOk);
  CHECK(left.stored().hosts.empty());
}

TEST_CASE("a record waits for as long as the database is being written", "[run]") {
  Unstored left;
  {
    const Writer writer(left.folder.file("results.db"));
    CHECK_THROWS_AS(store_unstored(left.store), Error);
  }

  CHECK(store_unstored(left.store));
}

TEST_CASE("what is no record of a running trial is not stored, and not kept", "[run]") {
  const std::vector<std::function<void(Json&)>> changes = {
      [](Json& json) { json = "text"; },
      [](Json& json) { json.erase("retry"); },
      [](Json& json) { json["id"] = 2; },
      [](Json& json) { json["trial"]["session_id"] = 7; },
      [](Json& json) { json["trial"]["started_at"] = "2026-11-21T10:00:02Z"; },
      [](Json& json) { json["trial"]["attempt"] = 2; },
      [](Json& json) { json["trial"]["state"] = "running"; },
      [](Json& json) { json["trial"]["state"] = "good"; },
      [](Json& json) { json["trial"]["wall_s"] = -1.0; },
      [](Json& json) { json["series"][0]["metric"] = "a b"; },
      [](Json& json) { json["series"][0]["warmup_n"] = 5; },
      [](Json& json) { json["series"][0]["warmup_n"] = -1; },
      [](Json& json) { json["series"][0]["values_json"] = "[0.1,1e-300,null]"; },
      [](Json& json) { json["series"][0]["rank"] = -1; },
      [](Json& json) { json["series"].push_back(json["series"][0]); },
      [](Json& json) { json["telemetry"].push_back(json["telemetry"][0]); },
      [](Json& json) { json["telemetry"][0].erase("unit"); },
  };
  for (std::size_t i = 0; i <= changes.size(); ++i) {
    INFO(i);
    Unstored left;
    std::string text = read_file(left.path());
    if (i < changes.size()) {
      Json json = Json::parse(text);
      changes[i](json);
      text = json.dump();
    } else {
      text.pop_back();
    }
    write_file(left.path(), text);

    CHECK_FALSE(store_unstored(left.store));

    CHECK(left.stored().state == TrialState::kRunning);
    CHECK(left.store.series(left.stored().id).empty());
    CHECK_FALSE(std::filesystem::exists(left.path()));
  }
}
