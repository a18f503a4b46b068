// Declared SQL: what it may do, and the range of what it gives.
#include <fmt/format.h>

#include "harness/audit/check/sql_session.h"
#include "tests/audit/dataset_folder.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::audit;

namespace {

using test::DatasetFolder;
using test::one_table;

const std::string kTimedColumns =
    "      - {column: devices, quantity: devices}\n"
    "      - {column: kind, quantity: label}\n"
    "      - {column: speed, quantity: throughput, unit: img/s}\n"
    "      - {column: wait, quantity: time}\n";
const std::string kCsv =
    "devices,kind,speed,wait\n1,cold,101,<5 s\n2,warm,199,3 s\n4,warm,202.0,-\n";

DatasetFolder folder_with(const std::string& sql, const std::string& printed = "1") {
  return DatasetFolder(
      fmt::format(
          "{}statements:\n  - {{id: other, where: line 2, printed: 40.0, quantity: ratio}}\n"
          "  - {{id: s, where: line 2, printed: \"{}\", quantity: ratio, follows: {{formula: "
          "f, sql: \"{}\"}}}}\n",
          one_table(kTimedColumns),
          printed,
          sql),
      {{"t.csv", kCsv}});
}

Finding finding_of(const std::string& sql, const std::string& printed = "1") {
  const std::vector<Finding> findings = folder_with(sql, printed).audit();
  REQUIRE(findings.size() == 1);
  return findings.front();
}

// The message without place and excerpt.
std::string refusal_of(const std::string& sql) {
  const std::string text = folder_with(sql).problems();
  const std::size_t start = text.find("sql: ");
  return start == std::string::npos ? text : text.substr(start + 5, text.find('\n') - start - 5);
}

TEST_CASE("the range of SQL is that of its formula over the bases' intervals", "[audit]") {
  // [198.5, 199.5] / [100.5, 101.5]: 1.95566 .. 1.98507
  const std::string sql =
      "SELECT (SELECT speed FROM t WHERE devices = 2) / (SELECT speed FROM t WHERE devices = 1)";

  const Finding finding = finding_of(sql, "1.99");

  CHECK(finding.recomputed->lo == Approx(198.5 / 101.5));
  CHECK(finding.recomputed->hi == Approx(199.5 / 100.5));
  CHECK(finding.bases.size() == 2);
  CHECK(verdict_name(finding.verdict) == "follows");  // 1.99 is [1.985, 1.995]
  CHECK(verdict_name(finding_of(sql, "2.00").verdict) == "does not follow");
}

TEST_CASE("a maximum falls no further than the next highest allows", "[audit]") {
  // [198.5, 199.5] and [201.95, 202.05]: the maximum is at least 201.95.
  const Finding high = finding_of("SELECT max(speed) FROM t");
  // [100.5, 101.5] + [198.5, 199.5] + [201.95, 202.05]
  const Finding sum = finding_of("SELECT sum(speed) FROM t");
  // [198.5, 199.5] and [198.95, 199.05], both printed 199: lowering one alone changes nothing.
  const Finding tie = finding_of(
      "SELECT max((SELECT speed FROM t WHERE devices = 2), (SELECT speed - 3 FROM t WHERE devices "
      "= "
      "4))");

  CHECK(high.recomputed->lo == Approx(201.95));
  CHECK(high.recomputed->hi == Approx(202.05));
  CHECK(sum.recomputed->lo == Approx(500.95));
  CHECK(sum.recomputed->hi == Approx(503.05));
  CHECK(tie.recomputed->lo == Approx(198.95));
  CHECK(tie.recomputed->hi == Approx(199.5));
}

TEST_CASE("SQL reads the statements, and in a column its own row", "[audit]") {
  const auto findings =
      DatasetFolder(one_table("      - {column: speed, quantity: throughput, unit: img/s}\n"
                              "      - {column: share, quantity: ratio, follows: {formula: part, "
                              "sql: \"SELECT speed / (SELECT sum(speed) FROM t) FROM t WHERE row = "
                              ":row\"}}\n"),
                    {{"t.csv", "speed,share\n25.0,25%\n75.0,99%\n"}})
          .audit();

  CHECK(test::verdicts(findings) ==
        "share, row 1 25%: follows\nshare, row 2 99%: does not follow\n");
  CHECK(finding_of("SELECT value * 2 FROM statements WHERE id = 'other'").recomputed->lo ==
        Approx(79.9));
}

TEST_CASE("what cannot be decided is said", "[audit]") {
  CHECK(finding_of("SELECT wait FROM t WHERE devices = 4").why ==
        "its SQL gives NULL: a base is not printed");
  CHECK(finding_of("SELECT wait FROM t WHERE devices = 1").why ==
        "wait, devices=1 is only a bound");
  CHECK(finding_of("SELECT abs(speed - 199.1) FROM t WHERE devices = 2").why ==
        "its value is not monotone in speed, devices=2");
}

TEST_CASE("the statements of a dataset have a time limit together", "[audit]") {
  const DatasetFolder folder = folder_with("SELECT 1");

  CHECK(SqlSession(folder.load()).compile("SELECT 1", 0).empty());
  CHECK_THAT(SqlSession(folder.load(), 0.0).compile("SELECT 1", 0),
             Catch::Contains("the dataset's SQL has run for 0 s"));
}

TEST_CASE("SQL can read its dataset's tables and nothing else", "[audit]") {
  CHECK(refusal_of("DELETE FROM t") == "it would do more than read the dataset's tables");
  CHECK(refusal_of("UPDATE t SET speed = 1") == "it would do more than read the dataset's tables");
  CHECK(refusal_of("DROP TABLE t") == "it would do more than read the dataset's tables");
  CHECK(refusal_of("CREATE TABLE u(a)") == "it would do more than read the dataset's tables");
  CHECK(refusal_of("ATTACH '/etc/passwd' AS p") ==
        "it would do more than read the dataset's tables");
  CHECK(refusal_of("PRAGMA user_version") == "it would do more than read the dataset's tables");
  CHECK(refusal_of("VACUUM INTO '/tmp/x.db'") == "it would write");
  CHECK(refusal_of("SELECT count(*) FROM pragma_table_list") ==
        "it would do more than read the dataset's tables");
  CHECK(finding_of("WITH w AS (SELECT speed FROM t) SELECT count(*) FROM w").recomputed->lo == 3.0);
  CHECK(refusal_of("SELECT count(*) FROM sqlite_master") ==
        "it reads sqlite_master, which is not a table of the dataset");
  CHECK(refusal_of("SELECT load_extension('x')") ==
        "load_extension() depends on more than the dataset");
  CHECK(refusal_of("SELECT random()") == "random() depends on more than the dataset");
  CHECK(refusal_of("SELECT julianday('now')") == "julianday() depends on more than the dataset");
  for (const std::string clock : {"current_timestamp", "current_date", "current_time"}) {
    CHECK(refusal_of("SELECT " + clock) == clock + "() depends on more than the dataset");
  }
}

TEST_CASE("SQL that gives no one number is refused", "[audit]") {
  CHECK(refusal_of("SELECT 1; SELECT 2") == "there is more than one statement");
  CHECK(refusal_of("-- nothing") == "there is no statement");
  CHECK(refusal_of("SELECT 1, 2") == "it gives 2 columns; one value is required");
  CHECK(refusal_of("SELECT speed FROM t WHERE devices = 3") ==
        "it gives no row; one value is required");
  CHECK(refusal_of("SELECT speed FROM t") == "it gives more than one row; one value is required");
  CHECK(refusal_of("SELECT kind FROM t WHERE row = 1") == "it gives text; a number is required");
  CHECK(refusal_of("SELECT :row") ==
        "the only parameter there is is :row, in the rule of a column");
  CHECK(refusal_of("SELECT ?") == "the only parameter there is is :row, in the rule of a column");
  CHECK(refusal_of("SELECT speed FROM") == "incomplete input");
  CHECK(
      refusal_of("WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) "
                 "FROM c") == "it runs too long");
}

}  // namespace
