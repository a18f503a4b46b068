// A user's SQL: answered, or refused with SQLite's words; never able to write.
#include <csignal>
#include <string>

#include <SQLiteCpp/SQLiteCpp.h>
#include <sys/time.h>

#include "harness/base/clock.h"
#include "harness/base/error.h"
#include "harness/store/database/migrations.h"
#include "harness/store/database/sql_guard.h"
#include "tests/store/filled_store.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::test;

namespace {

Store measured_store() {
  Store store = Store::open_in_memory();
  finish_all(store, plan_small_study(store));
  return store;
}

}  // namespace

TEST_CASE("a query gives its columns and typed fields", "[store]") {
  const Store store = measured_store();

  const QueryResult result =
      store.query("SELECT ?1 AS i, ?2 AS r, ?3 AS t, ?4 AS n, 2.0 AS \"two words\"",
                  {std::int64_t{7}, 0.5, std::string("a\0b", 3), std::monostate{}});

  CHECK(result.columns == std::vector<std::string>{"i", "r", "t", "n", "two words"});
  CHECK(result.rows == std::vector<std::vector<Field>>{
                           {std::int64_t{7}, 0.5, std::string("a\0b", 3), std::monostate{}, 2.0}});
}

TEST_CASE("reading statements of every kind are run", "[store]") {
  const Store store = measured_store();
  const auto* sql =
      GENERATE("SELECT 1",
               "  select 1 ; -- a comment",
               "/* before */ SELECT count(*) FROM trials;",
               "VALUES (1)",
               "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9) "
               "SELECT max(i) FROM n",
               "EXPLAIN SELECT 1",
               "SELECT json_extract('[1]', '$[0]'), round(1.5), group_concat(name) FROM study",
               "PRAGMA table_info(trial)",
               "SELECT name FROM pragma_table_info('trial')",
               "SELECT value FROM json_each('[1]')",
               "SELECT sum(value) FROM samples",
               "PRAGMA user_version",
               "PRAGMA integrity_check");
  CAPTURE(sql);

  CHECK_FALSE(store.query(sql).rows.empty());
}

TEST_CASE("a statement that would write or change settings is refused", "[store]") {
  const TemporaryFolder folder;
  {
    Store store = Store::open(folder.path());
    finish_all(store, plan_small_study(store));
  }
  const Store reader = Store::open_read_only(folder.path());
  const Store writer = Store::open(folder.path());
  const auto before = reader.query("SELECT * FROM trial").rows;

  for (const char* sql : {"DELETE FROM trial",
                          "UPDATE trial SET reason = 'x'",
                          "INSERT INTO metric(name, unit) VALUES ('a', 'b')",
                          "WITH x AS (SELECT 1) DELETE FROM trial",
                          "DROP TABLE trial",
                          "CREATE TEMP TABLE t (x)",
                          "CREATE VIEW v AS SELECT 1",
                          "ALTER TABLE trial ADD COLUMN x",
                          "ATTACH '/tmp/scalestudy-should-not-exist.db' AS other",
                          "DETACH main",
                          "VACUUM",
                          "VACUUM INTO '/tmp/scalestudy-should-not-exist.db'",
                          "REINDEX",
                          "ANALYZE",
                          "BEGIN",
                          "COMMIT",
                          "SAVEPOINT s",
                          "PRAGMA journal_mode = DELETE",
                          "PRAGMA query_only = OFF",
                          "PRAGMA user_version = 7",
                          "PRAGMA application_id = 7",
                          "PRAGMA writable_schema = ON",
                          "PRAGMA wal_checkpoint(TRUNCATE)",
                          "SELECT load_extension('x')",
                          "UPDATE sqlite_master SET sql = ''",
                          "SELECT * FROM pragma_journal_mode('delete')",
                          "EXPLAIN DELETE FROM trial"}) {
    CAPTURE(sql);
    CHECK_THROWS_WITH(reader.query(sql), Catch::Contains("query: "));
    CHECK_THROWS_WITH(writer.query(sql), Catch::Contains("query: "));
  }

  CHECK(reader.query("SELECT * FROM trial").rows == before);
  CHECK(reader.query("PRAGMA user_version").rows.at(0).at(0) ==
        Field(std::int64_t{newest_schema_version()}));
  CHECK_FALSE(std::filesystem::exists("/tmp/scalestudy-should-not-exist.db"));
}

TEST_CASE("a function is on the list by its whole name", "[store]") {
  CHECK(is_reading_function("->"));
  CHECK(is_reading_function("zeroblob"));
  CHECK_FALSE(is_reading_function("blob"));
  CHECK_FALSE(is_reading_function("json_group"));
  CHECK_FALSE(is_reading_function(""));
}

TEST_CASE("functions that are on no list cannot be called", "[store]") {
  const Store store = measured_store();

  CHECK_THROWS_WITH(store.query("SELECT fts3_tokenizer('simple', x'4141414141414141')"),
                    "query: the function fts3_tokenizer is not allowed");
  CHECK_THROWS_WITH(store.query("SELECT load_extension('x')"),
                    "query: the function load_extension is not allowed");
  CHECK_THROWS_WITH(store.query("SELECT sqlite_compileoption_get(1)"),
                    Catch::Contains("is not allowed"));
}

TEST_CASE("a query uses no more than its share of time and memory", "[store][slow]") {
  const Store store = measured_store();

  CHECK_THROWS_WITH(store.query("WITH RECURSIVE n(i) AS (SELECT randomblob(100000) UNION ALL "
                                "SELECT randomblob(100000) FROM n) SELECT i FROM n ORDER BY i"),
                    "query: it needs more than 1 GiB of memory");
  CHECK(store.query("SELECT 1").rows.size() == 1);
}

constexpr const char* kEndless =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";

TEST_CASE("a statement is stopped after its steps, and after its time", "[store]") {
  const double now_s = SystemClock().monotonic_s();
  SQLite::Database database(":memory:", SQLite::OPEN_READWRITE);
  const auto run = [&](double deadline_s, std::int64_t most_steps) {
    const SqlBudget budget(database.getHandle(), deadline_s, most_steps);
    SQLite::Statement endless(database, kEndless);
    CHECK(SqlBudget::exceeded(endless.tryExecuteStep()) == "it runs too long");
    return budget.steps_left();
  };

  CHECK(run(now_s + 1e9, 100'000) < 0);
  CHECK(run(now_s + 0.1, std::int64_t{1} << 60) < 0);
  CHECK(SystemClock().monotonic_s() - now_s < 20.0);
}

// A call that cannot be interrupted ends the program; on a busy machine, or at a lock, hours may
// go by without one.
TEST_CASE("only CPU time ends the program that a statement holds up", "[store]") {
  SQLite::Database database(":memory:", SQLite::OPEN_READWRITE);
  const SqlBudget budget(database.getHandle(), SystemClock().monotonic_s() + 100.0);
  itimerval real{};
  itimerval cpu{};
  getitimer(ITIMER_REAL, &real);
  getitimer(ITIMER_PROF, &cpu);

  CHECK(real.it_value.tv_sec == 0);
  CHECK(real.it_value.tv_usec == 0);
  CHECK(cpu.it_value.tv_sec >= 100);
  CHECK(cpu.it_value.tv_sec <= 105);
}

TEST_CASE("a statement's watch of CPU time leaves the program's own signal handler", "[store]") {
  SQLite::Database database(":memory:", SQLite::OPEN_READWRITE);
  const auto before = std::signal(SIGPROF, SIG_IGN);

  { const SqlBudget budget(database.getHandle(), SystemClock().monotonic_s() + 100.0); }

  CHECK(std::signal(SIGPROF, before) == SIG_IGN);
}

TEST_CASE("a query without end is stopped after its seconds", "[store]") {
  const Store store = measured_store();

  CHECK_THROWS_WITH(store.query(kEndless, {}, 0.2),
                    "query: it runs longer than 0.2 s; `scalestudy query --timeout SECONDS` "
                    "allows more");
  CHECK(store.query("SELECT 1", {}, 0.2).rows.size() == 1);
}

TEST_CASE("more or less than one statement is refused", "[store]") {
  const Store store = measured_store();

  CHECK_THROWS_WITH(store.query("SELECT 1; SELECT 2"), Catch::Contains("more than one statement"));
  CHECK_THROWS_WITH(store.query("SELECT 1; DELETE FROM trial"), Catch::Contains("more than one"));
  CHECK_THROWS_WITH(store.query("SELECT 1; nonsense"), Catch::Contains("more than one"));
  CHECK_THROWS_WITH(store.query(""), Catch::Contains("no statement"));
  CHECK_THROWS_WITH(store.query(" ; -- nothing"), Catch::Contains("no statement"));
  CHECK_THROWS_WITH(store.query(std::string("\0SELECT 1", 9)), Catch::Contains("no statement"));
}

TEST_CASE("a wrong statement is answered with SQLite's message and the place", "[store]") {
  const Store store = measured_store();

  CHECK_THROWS_WITH(store.query("SELECT state,\n       lable\nFROM trials"),
                    "query: no such column: lable (did you mean label?) (line 2, column 8)\n"
                    "         lable\n"
                    "         ^");
  CHECK_THROWS_WITH(store.query("SELEC 1"), Catch::Contains("near \"SELEC\": syntax error"));
  CHECK_THROWS_WITH(store.query("SELECT * FROM nope"),
                    Catch::Contains("no such table: nope; there are: accounting, annotations, "));
  CHECK_THROWS_WITH(store.query("SELECT * FROM speedup"),
                    Catch::Contains("no such table: speedup (did you mean speedups?)"));
  CHECK_THROWS_WITH(store.query("SELECT 'open"), Catch::Contains("unrecognized token"));
  CHECK_THROWS_WITH(store.query("SELECT json('{')"), Catch::Contains("malformed JSON"));
  try {
    store.query("SELEC 1");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::kUsage);
  }
}

TEST_CASE("an unknown name in double quotes is no text", "[store]") {
  const Store store = measured_store();

  for (const char* sql : {"SELECT \"lable\" FROM trials",
                          "SELECT state FROM trials WHERE \"lable\" = 'x'",
                          "SELECT count(*) FROM trials GROUP BY \"lable\""}) {
    CAPTURE(sql);
    CHECK_THROWS_WITH(store.query(sql), Catch::StartsWith("query: no such column: lable (did you"));
  }
  CHECK_FALSE(store.query("SELECT \"label\" FROM trials").rows.empty());
  for (const auto& [sql, told] : std::vector<std::pair<std::string, std::string>>{
           {"SELECT 1 FROM trials WHERE state = \"ok\"",
            "query: no such column: ok; a text has single quotes: 'ok' (line 1, column 36)"},
           {"SELECT 1 FROM trials WHERE reason = \"it's a state\"",
            "query: no such column: it's a state; a text has single quotes: 'it''s a state' ("},
           {"SELECT 1 FROM trials WHERE reason = \"\"",
            "query: no such column: ; a text has single quotes: '' ("},
           {"SELECT \"trials\".\"lable\" FROM trials",
            "query: no such column: trials.lable (did you mean label?) ("},
           {"SELECT 1 FROM trials WHERE state = \"lable\"",
            "query: no such column: lable (did you mean label?); a text has single quotes: "}}) {
    CAPTURE(sql);
    CHECK_THROWS_WITH(store.query(sql), Catch::StartsWith(told));
  }
  CHECK_THROWS_WITH(store.query("SELECT ok FROM trials"), !Catch::Contains("single quotes"));
}

TEST_CASE("a statement and its values must fit", "[store]") {
  const Store store = measured_store();

  CHECK_THROWS_WITH(store.query("SELECT ?"), Catch::EndsWith("no value for ?"));
  CHECK_THROWS_WITH(store.query("SELECT 1", {0.5}),
                    Catch::Contains("the statement has no parameters"));
}

TEST_CASE("a store can be written again after a query", "[store]") {
  Store store = measured_store();
  CHECK_THROWS_AS(store.query("DELETE FROM trial"), Error);

  CHECK(store.put_study(make_study("another")) == 2);
}
