// Result tables: what analysis made of the samples.
#include <algorithm>
#include <stdexcept>

#include <SQLiteCpp/SQLiteCpp.h>

#include "harness/store/store.h"
#include "harness/store/tables/columns.h"
#include "harness/store/tables/table_sql.h"
#include "harness/store/tables/unchecked.h"

namespace scalestudy {
namespace {

using sql::Statement;

template <typename Row>
void replace_rows(const SQLite::Database& database,
                  std::int64_t study_id,
                  const std::vector<Row>& rows) {
  Statement(database, std::string("DELETE FROM ") + table_of<Row>().name + " WHERE study_id = ?")
      .bind(study_id)
      .run();
  Statement insert(database, sql::insert_text<Row>("study_id, "));
  for (const Row& row : rows) {
    sql::run_with(insert.bind(study_id), row);
  }
}

// What the table checks of numbers. NaN is refused when it is bound.
void require_possible(const EstimateRow& row) {
  const bool is_reversed = row.lo && row.hi && *row.hi < *row.lo;
  if (is_reversed || row.sd.value_or(0.0) < 0.0 ||
      std::min({row.n, row.n_excluded, row.n_planned}) < 0) {
    throw std::logic_error("an estimate of " + row.metric + " whose interval or counts cannot be");
  }
}

// Of hundreds of cells there are tens of thousands.
void replace_estimates(SQLite::Database& database,
                       std::int64_t study_id,
                       const std::vector<EstimateRow>& rows) {
  std::ranges::for_each(rows, require_possible);
  const sql::Unchecked unchecked(database);
  replace_rows(database, study_id, rows);
}

// In the order they were given.
template <typename Row>
std::vector<Row> rows_of(const SQLite::Database& database, std::int64_t study_id) {
  return sql::read_rows<Row>(database, "WHERE study_id = ? ORDER BY id", study_id);
}

}  // namespace

void Store::replace_results(std::int64_t study_id, const Results& results) {
  sql::Transaction transaction(*database_);
  replace_estimates(*database_, study_id, results.estimates);
  replace_rows(*database_, study_id, results.comparisons);
  replace_rows(*database_, study_id, results.thresholds);
  replace_rows(*database_, study_id, results.laws);
  replace_rows(*database_, study_id, results.law_choices);
  replace_rows(*database_, study_id, results.volumes);
  replace_rows(*database_, study_id, results.projections);
  replace_rows(*database_, study_id, results.targets);
  replace_rows(*database_, study_id, results.threats);
  replace_rows(*database_, study_id, results.search_settings);
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
          .estimates = rows_of<EstimateRow>(*database_, study_id),
          .comparisons = rows_of<ComparisonRow>(*database_, study_id),
          .thresholds = rows_of<ThresholdRow>(*database_, study_id),
          .laws = rows_of<LawRow>(*database_, study_id),
          .law_choices = rows_of<LawChoiceRow>(*database_, study_id),
          .volumes = rows_of<VolumeRow>(*database_, study_id),
          .projections = projections(study_id),
          .targets = rows_of<TargetResultRow>(*database_, study_id),
          .threats = rows_of<ThreatRow>(*database_, study_id),
          .search_settings = rows_of<SearchSettingRow>(*database_, study_id),
          .flags = rows_of<FlagRow>(*database_, study_id),
          .flagged_steps = rows_of<FlaggedStepsRow>(*database_, study_id),
          .counterparts = rows_of<CounterpartRow>(*database_, study_id)};
}

std::vector<ProjectionRow> Store::projections(std::int64_t study_id) const {
  return rows_of<ProjectionRow>(*database_, study_id);
}

}  // namespace scalestudy
