// The lists of columns are those of the tables, and the words of the program those of the store.
#include "harness/store/tables/columns.h"

#include <regex>
#include <set>
#include <string>

#include <SQLiteCpp/SQLiteCpp.h>

#include "harness/base/error.h"
#include "tests/store/filled_store.h"
#include "tests/store/sample_results.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::test;

namespace {

using Names = std::set<std::string>;

std::string text_of(const Field& field) {
  return std::get<std::string>(field);
}

// Columns of the table but its id and what it belongs to.
Names stored_names(const Store& store, const std::string& table, const Names& owners) {
  Names names;
  for (const auto& row : store.query("SELECT name FROM pragma_table_info(?)", {table}).rows) {
    if (const std::string name = text_of(row[0]); !owners.contains(name)) {
      names.insert(name);
    }
  }
  return names;
}

template <typename Row>
void check_names(const Store& store, const Names& owners) {
  const Table& table = table_of<Row>();
  Names names;
  for (const Column& column : table.columns) {
    names.insert(column.name);
  }
  CAPTURE(table.name);
  CHECK(names == stored_names(store, table.name, owners));
}

template <typename Row>
Names required_names() {
  Names names;
  for (const Column& column : table_of<Row>().columns) {
    if (!column.is_late) {
      names.insert(column.name);
    }
  }
  return names;
}

// The words that the table's CHECK allows for a column; none without a CHECK.
Names checked_words(const Store& store, const std::string& table, const std::string& column) {
  const std::string sql = text_of(
      store.query("SELECT sql FROM sqlite_schema WHERE name = ?", {table}).rows.at(0).at(0));
  Names words;
  std::smatch list;
  if (std::regex_search(sql, list, std::regex("\\(\"?" + column + "\"? IN \\(([^)]*)\\)"))) {
    const std::string allowed = list[1];
    const std::regex word("'([^']*)'");
    for (std::sregex_iterator it(allowed.begin(), allowed.end(), word), end; it != end; ++it) {
      words.insert((*it)[1]);
    }
  }
  return words;
}

// Returns how many of the row's columns are words with a CHECK.
template <typename Row>
int check_words(const Store& store) {
  const Table& table = table_of<Row>();
  int checked = 0;
  for (const Column& column : table.columns) {
    if (column.type->words != nullptr) {
      const Names allowed = checked_words(store, table.name, column.name);
      const auto& ours = column.type->words();
      CAPTURE(table.name, column.name);
      CHECK((allowed.empty() || allowed == Names(ours.begin(), ours.end())));
      checked += allowed.empty() ? 0 : 1;
    }
  }
  return checked;
}

}  // namespace

TEST_CASE("each list of columns is that of its table", "[store]") {
  const Store store = Store::open_in_memory();

  check_names<StudyRow>(store, {"id", "analysis_version"});  // of its results
  check_names<SessionRow>(store, {"id"});
  check_names<EnvironmentRow>(store, {"session_id"});
  check_names<CellRow>(store, {"id", "study_id"});
  check_names<CellRow::Parameter>(store, {"cell_id"});
  check_names<Addition>(store, {"id", "study_id"});
  check_names<TrialRow>(store, {"id"});
  check_names<TelemetryRow>(store, {"trial_id"});
  check_names<AnnotationRow>(store, {"id"});
  check_names<LogRow>(store, {"id", "trial_id"});
  check_names<EstimateRow>(store, {"id", "study_id"});
  check_names<ComparisonRow>(store, {"id", "study_id"});
  check_names<ThresholdRow>(store, {"id", "study_id"});
  check_names<LawRow>(store, {"id", "study_id"});
  check_names<LawChoiceRow>(store, {"id", "study_id"});
  check_names<VolumeRow>(store, {"id", "study_id"});
  check_names<ProjectionRow>(store, {"id", "study_id"});
  check_names<TargetResultRow>(store, {"id", "study_id"});
  check_names<SearchSettingRow>(store, {"id", "study_id"});
  check_names<ThreatRow>(store, {"id", "study_id"});
  check_names<FlagRow>(store, {"id", "study_id"});
  check_names<FlaggedStepsRow>(store, {"id", "study_id"});
  check_names<CounterpartRow>(store, {"id", "study_id"});
  check_names<PublicationRow>(store, {"id"});
  check_names<PublishedFigureRow>(store, {"id", "publication_id"});
}

// Files of before a column came lack it, and are read for ever: what is not here is late.
TEST_CASE("columns that the first exports and unstored records lack are late", "[store]") {
  CHECK(required_names<StudyRow>() ==
        Names{"hash", "name", "scaling", "source_path", "source_text", "title"});
  CHECK(required_names<SessionRow>() == Names{"ending",
                                              "finished_at",
                                              "host",
                                              "order_seed",
                                              "started_at",
                                              "study_hash",
                                              "study_id",
                                              "study_text",
                                              "tool_revision",
                                              "tool_version",
                                              "uid"});
  CHECK(required_names<CellRow>() == Names{"baseline",
                                           "baseline_problem",
                                           "batch_global",
                                           "batch_per_device",
                                           "control_of",
                                           "devices",
                                           "excluded_reason",
                                           "hash",
                                           "label",
                                           "nodes",
                                           "oversubscribed",
                                           "role"});
  CHECK(required_names<CellRow::Parameter>() == Names{"kind", "name", "value", "varied"});
  CHECK(required_names<Addition>() ==
        Names{"axis", "blocks", "cell", "first_block", "reason", "value"});
  CHECK(required_names<TrialRow>() == Names{"attempt",
                                            "block",
                                            "cell_id",
                                            "deaths",
                                            "exit_code",
                                            "foreign_load",
                                            "oversubscribed",
                                            "plan",
                                            "position",
                                            "reason",
                                            "session_id",
                                            "signal",
                                            "started_at",
                                            "state",
                                            "study_id",
                                            "wall_s"});
  CHECK(required_names<TelemetryRow>() == Names{"name", "unit", "value"});
  CHECK(required_names<AnnotationRow>() == Names{"at", "kind", "text", "trial_id"});
  CHECK(required_names<LogRow>() == Names{"path", "stream", "text"});
}

TEST_CASE("columns of publications and projections that the first exports lack are late",
          "[store]") {
  CHECK(required_names<PublicationRow>() == Names{"date",
                                                  "document",
                                                  "hardware",
                                                  "hash",
                                                  "kind",
                                                  "path",
                                                  "source",
                                                  "study_id",
                                                  "title",
                                                  "url"});
  CHECK(required_names<PublishedFigureRow>() == Names{"baseline",
                                                      "column_name",
                                                      "conditions",
                                                      "experiment",
                                                      "form",
                                                      "hi",
                                                      "line",
                                                      "lo",
                                                      "location",
                                                      "printed",
                                                      "printed_unit",
                                                      "quantity",
                                                      "row",
                                                      "table_name",
                                                      "unit",
                                                      "unit_size",
                                                      "value"});
  CHECK(required_names<ProjectionRow>() ==
        Names{"cell_id",     "confidence", "constants",  "devices",     "error",
              "error_limit", "factor",     "finding",    "group_label", "held_out_error",
              "hi",          "levels",     "lo",         "made_at",     "measured",
              "method",      "n",          "name",       "provenance",  "rival_error",
              "session",     "status",     "throughput", "trials",      "value"});
}

TEST_CASE("what a column allows is the words of the program", "[store]") {
  const Store store = Store::open_in_memory();

  CHECK(check_words<StudyRow>(store) == 1);            // scaling
  CHECK(check_words<SessionRow>(store) == 1);          // ending
  CHECK(check_words<CellRow>(store) == 1);             // role
  CHECK(check_words<CellRow::Parameter>(store) == 1);  // kind
  CHECK(check_words<TrialRow>(store) == 5);            // state, disturbance, part ...
  CHECK(check_words<AnnotationRow>(store) == 1);       // kind
  CHECK(check_words<LogRow>(store) == 1);              // stream
  CHECK(check_words<EstimateRow>(store) == 3);         // provenance, definition, verdict
  CHECK(check_words<ComparisonRow>(store) == 1);
  CHECK(check_words<ThresholdRow>(store) == 1);
  CHECK(check_words<LawRow>(store) == 1);
  CHECK(check_words<ProjectionRow>(store) == 1);     // provenance
  CHECK(check_words<TargetResultRow>(store) == 3);   // and bound, verdict
  CHECK(check_words<ThreatRow>(store) == 1);         // severity
  CHECK(check_words<FlagRow>(store) == 1);           // level
  CHECK(check_words<SearchSettingRow>(store) == 1);  // role
}

TEST_CASE("a word of the store that is none of ours is an error about the store", "[store]") {
  const TemporaryFolder folder;
  const Planned planned = [&] {
    Store store = Store::open(folder.path());
    Planned made = plan_small_study(store);
    store.replace_results(made.study_id, sample_results(made));
    return made;
  }();
  {
    SQLite::Database file((folder.path() / "results.db").string(), SQLite::OPEN_READWRITE);
    CHECK_THROWS_WITH(file.exec("UPDATE study SET scaling = 'brisk'"), Catch::Contains("scaling"));
    file.exec("UPDATE comparison SET scaling = 'brisk'");  // a column without a CHECK
  }
  const Store store = Store::open_read_only(folder.path());

  try {
    store.results(planned.study_id);
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::kStore);
    CHECK_THAT(error.what(), Catch::Contains("results.db: scaling is 'brisk'"));
    CHECK_THAT(error.what(), Catch::Contains("none of strong, weak, none"));
  }
}
