// Result tables: what analysis made of the samples.
#include <SQLiteCpp/SQLiteCpp.h>

#include "harness/store/published_tables.h"
#include "harness/store/result_tables.h"
#include "harness/store/sql.h"
#include "harness/store/store.h"

namespace scalestudy {
namespace {

using sql::Statement;
using sql::Table;

template <typename Row>
void replace_rows(const SQLite::Database& database,
                  std::int64_t study_id,
                  const std::vector<Row>& rows) {
  Statement(database, "DELETE FROM " + std::string(Table<Row>::name) + " WHERE study_id = ?")
      .bind(study_id)
      .run();
  Statement insert(database, sql::insert_text<Row>("study_id, ", 1));
  for (const Row& row : rows) {
    sql::bind_row(insert.bind(study_id), row);
    insert.run();
  }
}

// In the order they were given.
template <typename Row>
std::vector<Row> read_rows(const SQLite::Database& database, std::int64_t study_id) {
  std::vector<Row> rows;
  Statement select(database,
                   "SELECT id, " + std::string(Table<Row>::columns) + " FROM " + Table<Row>::name +
                       " WHERE study_id = ? ORDER BY id");
  for (select.bind(study_id); select.step();) {
    Row& row = rows.emplace_back();
    if constexpr (requires { row.id; }) {
      select.read_from(0, row.id);
    }
    sql::read_row(select, 1, row);
  }
  return rows;
}

}  // namespace

void Store::replace_results(std::int64_t study_id, const Results& results) {
  sql::Transaction transaction(*database_);
  replace_rows(*database_, study_id, results.estimates);
  replace_rows(*database_, study_id, results.comparisons);
  replace_rows(*database_, study_id, results.thresholds);
  replace_rows(*database_, study_id, results.laws);
  replace_rows(*database_, study_id, results.targets);
  replace_rows(*database_, study_id, results.threats);
  replace_rows(*database_, study_id, results.flags);
  replace_rows(*database_, study_id, results.flagged_steps);
  replace_rows(*database_, study_id, results.counterparts);
  Statement(*database_, "UPDATE study SET analysis_version = ? WHERE id = ?")
      .bind(results.analysis_version, study_id)
      .run();
  transaction.commit();
}

Results Store::results(std::int64_t study_id) const {
  std::optional<int> analysis_version;
  Statement select(*database_, "SELECT analysis_version FROM study WHERE id = ?");
  if (select.bind(study_id).step()) {
    select.read_from(0, analysis_version);
  }
  return {.analysis_version = analysis_version,
          .estimates = read_rows<EstimateRow>(*database_, study_id),
          .comparisons = read_rows<ComparisonRow>(*database_, study_id),
          .thresholds = read_rows<ThresholdRow>(*database_, study_id),
          .laws = read_rows<LawRow>(*database_, study_id),
          .targets = read_rows<TargetResultRow>(*database_, study_id),
          .threats = read_rows<ThreatRow>(*database_, study_id),
          .flags = read_rows<FlagRow>(*database_, study_id),
          .flagged_steps = read_rows<FlaggedStepsRow>(*database_, study_id),
          .counterparts = read_rows<CounterpartRow>(*database_, study_id)};
}

}  // namespace scalestudy
