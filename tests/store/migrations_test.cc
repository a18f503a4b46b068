// Older stores are brought up to date step by step and keep what they have.
#include "harness/store/database/migrations.h"

#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <SQLiteCpp/SQLiteCpp.h>

#include "harness/base/error.h"
#include "harness/store/database/schema.h"
#include "tests/store/filled_store.h"
#include "tests/support/catch.h"
#include "tests/support/program.h"

using namespace scalestudy;
using namespace scalestudy::test;

TEST_CASE("an older database is brought up to date step by step and keeps its rows", "[store]") {
  SQLite::Database database(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  const std::string_view first = kTablesVersion1;
  // The views are those of the newest tables.
  const std::string_view second =
      "ALTER TABLE study ADD COLUMN owner TEXT NOT NULL DEFAULT 'me'; "
      "ALTER TABLE trial ADD COLUMN plan TEXT; ALTER TABLE trial ADD COLUMN disturbance TEXT; "
      "ALTER TABLE trial ADD COLUMN hosts TEXT; ALTER TABLE trial ADD COLUMN part TEXT; "
      "ALTER TABLE trial ADD COLUMN has_block INTEGER; ALTER TABLE trial ADD COLUMN has_order "
      "INTEGER; "
      "ALTER TABLE trial ADD COLUMN provenance TEXT; ALTER TABLE trial ADD COLUMN source TEXT; "
      "ALTER TABLE trial ADD COLUMN steps_share REAL; "
      "ALTER TABLE trial ADD COLUMN arrival_step_s REAL";
  migrate(database, std::vector{first});
  database.exec("INSERT INTO study VALUES (1, 'kept', '', '', '', '', 'none')");

  migrate(database, std::vector{first, second});

  CHECK(database.execAndGet("SELECT owner FROM study WHERE name = 'kept'").getString() == "me");
  CHECK(database.execAndGet("PRAGMA user_version").getInt() == 2);
  CHECK(database.execAndGet("SELECT count(*) FROM trials").getInt() == 0);
}

namespace {

// What SQLite keeps of the tables and indexes, and how many rows the tables have.
std::string tables_text(SQLite::Database& database) {
  std::string text;
  SQLite::Statement objects(
      database, "SELECT name, type, ifnull(sql, '') FROM sqlite_schema WHERE type <> 'view'");
  while (objects.executeStep()) {
    const std::string name = objects.getColumn(0).getString();
    if (const std::string sql = objects.getColumn(2).getString(); !sql.empty()) {
      text += sql + ";\n";
    }
    if (objects.getColumn(1).getString() == "table") {
      CHECK(database.execAndGet("SELECT count(*) FROM " + name).getInt() == 0);
    }
  }
  return text;
}

}  // namespace

// SCALESTUDY_UPDATE_GOLDEN=1 writes newest_tables.sql.
TEST_CASE("a new store has the tables that all steps make of an empty one", "[store]") {
  SQLite::Database by_steps(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  SQLite::Database at_once(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  migrate(by_steps, migrations());
  migrate(at_once);
  const std::string expected = tables_text(by_steps);
  const std::string path =
      std::string(SCALESTUDY_SOURCE_DIR) + "/harness/store/database/newest_tables.sql";

  if (std::getenv("SCALESTUDY_UPDATE_GOLDEN") != nullptr) {
    const std::string old = read_file(path);
    const std::string head = old.substr(0, old.find("\nCREATE ") + 1);
    std::ofstream(path) << head << expected << ")sql\"\n";
    SUCCEED("written: " << path);
    return;
  }
  CHECK(tables_text(at_once) == expected);
  CHECK(at_once.execAndGet("PRAGMA user_version").getInt() == newest_schema_version());
}

TEST_CASE("a store of version 1 gains the tables of published figures and keeps what it has",
          "[store]") {
  const TemporaryFolder folder;
  {
    SQLite::Database database((folder.path() / "results.db").string(),
                              SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    migrate(database, std::vector{kTablesVersion1});
    database.exec("DROP VIEW published");  // version 1 had none
    database.exec(
        "INSERT INTO study VALUES (1, 'kept', 'T', 'h', 'p', 'version: 1', 'strong');"
        "INSERT INTO cell VALUES (1, 1, 'c', 'measured', 'l', 1, 1, 64, 64, NULL, NULL, NULL, "
        "NULL, 0);"
        "INSERT INTO trial VALUES (1, 1, 1, 0, 0, 1, 'ok', '', NULL, NULL, 1.5, 0, NULL, 0.0, 0);"
        "INSERT INTO metric VALUES (1, 'step_time_s', 's');"
        "INSERT INTO series VALUES (1, 1, 1, NULL, 0, 2, 0.5, 0.1, 0.4, 0.5, 0.6, 0.6, 0.6, "
        "'[0.4,0.6]')");
  }
  {
    const Store reader = Store::open_read_only(folder.path());
    CHECK(reader.query("SELECT step_time_s_mean FROM trials").rows.at(0).at(0) == Field(0.5));
    CHECK(reader.query("SELECT * FROM published").rows.empty());
    CHECK(pragma(reader, "user_version") == newest_schema_version());
  }
  {
    SQLite::Database file((folder.path() / "results.db").string());
    CHECK(file.execAndGet("PRAGMA user_version").getInt() == 1);  // reading wrote nothing
  }

  Store store = Store::open(folder.path());

  CHECK(pragma(store, "user_version") == newest_schema_version());
  CHECK(store.cells(1).at(0).role == CellRole::kMeasured);
  CHECK(store.trials(1).at(0).wall_s == 1.5);
  CHECK(store.series(1).at(0).values == std::vector<double>{0.4, 0.6});
  CHECK(store.query("SELECT * FROM published").rows.empty());
  CHECK(store.query("SELECT step_time_s_mean FROM trials").rows.at(0).at(0) == Field(0.5));
}

TEST_CASE("sessions of version 2 have no study text, and the others their own", "[store]") {
  const TemporaryFolder folder;
  {
    SQLite::Database database((folder.path() / "results.db").string(),
                              SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    migrate(database, std::vector{kTablesVersion1, kTablesVersion2});
    database.exec(
        "INSERT INTO study VALUES (1, 'kept', 'T', 'h', 'p', 'version: 1', 'strong');"
        "INSERT INTO session VALUES (1, 1, 't', NULL, '', 'host', 'v', 'r', 'h', '42')");
  }
  Store store = Store::open(folder.path());
  SessionRow session;
  session.study_id = 1;
  session.study_text = "version: 1\n";
  store.begin_session(session, {});

  const std::vector<SessionRow> sessions = store.sessions(1);
  REQUIRE(sessions.size() == 2);
  CHECK(sessions[0].host == "host");
  CHECK_FALSE(sessions[0].study_text.has_value());
  CHECK(sessions[1].study_text == "version: 1\n");
}

TEST_CASE("results of version 9 are read by the names of today", "[store]") {
  const TemporaryFolder folder;
  {
    SQLite::Database database((folder.path() / "results.db").string(),
                              SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    migrate(database, migrations().first(9));
    database.exec(
        "INSERT INTO study (id, name, title, hash, source_path, source_text, scaling) VALUES "
        "(1, 'kept', 'T', 'h', 'p', 'version: 1', 'strong');"
        "INSERT INTO cell (id, study_id, hash, role, label, devices, nodes, batch_global, "
        "batch_per_device, oversubscribed) VALUES (1, 1, 'c', 'measured', 'l', 1, 1, 64, 64, 0);"
        "INSERT INTO estimate (study_id, cell_id, metric, statistic, variant, unit, confidence, "
        "method, n, n_excluded, n_planned, status, provenance) VALUES "
        "(1, 1, 'step_time_s', 'mean', 'all', 's', 0.95, 'm', 3, 0, 3, 'ok', 'measured'), "
        "(1, 1, 'step_time_s', 'mean', 'screened', 's', 0.95, 'm', 2, 1, 3, 'screened', "
        "'measured');"
        "INSERT INTO threshold (study_id, metric, level, along, group_label, status, censored_lo, "
        "censored_hi, confidence, method, rungs, finding, provenance) VALUES "
        "(1, 'speedup', 1.0, 'batch', '', 'crossed', 0, 0, 0.95, 'm', 4, 'F', 'measured');"
        "INSERT INTO law (study_id, law, group_label, parameter, confidence, method, n, levels, "
        "status, finding, provenance) VALUES "
        "(1, 'amdahl', 'batch=8', 'f', 0.95, 'm', 4, 2, 'ok', 'batch=8: it fits', 'measured'), "
        "(1, 'amdahl', '', 'f', 0.95, 'm', 4, 2, 'ok', ': it fits', 'measured')");
  }

  const Results results = Store::open(folder.path()).results(1);

  REQUIRE(results.estimates.size() == 2);
  CHECK(results.estimates[0].variant == Variant::kAll);
  CHECK(results.estimates[1].variant == Variant::kUnflagged);
  CHECK(results.estimates[1].status == RowStatus::kUnflagged);
  CHECK(results.thresholds.at(0).tested_values == 4);
  CHECK(results.laws.at(0).finding == "it fits");
  CHECK(results.laws.at(1).finding == ": it fits");
}

TEST_CASE("why trials were skipped is known of older stores where their sentence is one of ours",
          "[store]") {
  const TemporaryFolder folder;
  {
    SQLite::Database database((folder.path() / "results.db").string(),
                              SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    migrate(database, migrations().first(26));
    database.exec(
        "INSERT INTO study (id, name, title, hash, source_path, source_text, scaling) VALUES "
        "(1, 'kept', 'T', 'h', 'p', 'version: 1', 'strong');"
        "INSERT INTO cell (id, study_id, hash, role, label, devices, nodes, oversubscribed) VALUES "
        "(1, 1, 'c', 'measured', 'l', 1, 1, 0);"
        "INSERT INTO trial (study_id, cell_id, plan, block, position, attempt, state, reason, "
        "oversubscribed) SELECT 1, 1, 'p', column1, column1, 1, column2, column3, 0 FROM (VALUES "
        "(0, 'skipped', 'precision reached'), (1, 'skipped', 'comparison decided'), "
        "(2, 'skipped', 'no longer in the study'), (3, 'failed', 'precision reached'), "
        "(4, 'skipped', '3 attempts in a row ended failed: precision reached'));"
        "INSERT INTO law (study_id, law, group_label, parameter, value, confidence, method, n, "
        "levels, status, finding, provenance) VALUES "
        "(1, 'amdahl', '', 't1_s', 0.5, 0.95, 'm', 4, 2, 'ok', '', 'measured'), "
        "(1, 'amdahl', '', 'serial_fraction', 0.5, 0.95, 'm', 4, 2, 'ok', '', 'measured')");
  }
  const Store store = Store::open(folder.path());

  std::vector<std::optional<SkipReason>> reasons;
  for (const TrialRow& trial : store.trials(1)) {
    reasons.push_back(trial.skip_reason);
  }
  CHECK(reasons == std::vector<std::optional<SkipReason>>{SkipReason::kPrecise,
                                                          SkipReason::kDecided,
                                                          SkipReason::kNotInStudy,
                                                          std::nullopt,
                                                          std::nullopt});
  const std::vector<LawRow> laws = store.results(1).laws;
  CHECK(laws.at(0).unit == "s");
  CHECK(laws.at(1).unit.empty());
  CHECK(laws.at(0).cells.empty());
  CHECK(laws.at(0).provenance == Provenance::kMeasured);
  const TrialRow trial = store.trials(1).at(0);
  CHECK(trial.provenance == TrialProvenance::kMeasured);
  CHECK(trial.has_block);
  CHECK(trial.has_order);
  CHECK_FALSE(trial.source);
}

TEST_CASE("a migration that fails leaves the database as it was", "[store]") {
  SQLite::Database database(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  const std::string_view first = kTablesVersion1;
  migrate(database, std::vector{first});

  CHECK_THROWS_AS(
      migrate(database,
              std::vector<std::string_view>{first, "CREATE TABLE extra (x)", "NOT SQL AT ALL"}),
      Error);

  CHECK(database.execAndGet("PRAGMA user_version").getInt() == 1);
  CHECK_FALSE(database.tableExists("extra"));
}
