#include "harness/store/tables/inserts.h"

#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include <SQLiteCpp/SQLiteCpp.h>

#include "harness/store/tables/sql.h"
#include "harness/store/tables/summary.h"
#include "harness/store/tables/table_sql.h"

namespace scalestudy {
namespace {

using sql::Statement;

// Finds and adds rows of `metric` by prepared statements; each metric is asked for once.
class MetricIds {
 public:
  explicit MetricIds(const SQLite::Database& database)
      : database_(database),
        find_(database, "SELECT id FROM metric WHERE name = ? AND unit = ?"),
        insert_(database, "INSERT INTO metric(name, unit) VALUES (?, ?)") {}

  std::int64_t of(const SeriesRow& series) {
    const auto [known, is_new] = ids_.try_emplace({series.metric, series.unit}, 0);
    if (is_new) {
      if (find_.bind(series.metric, series.unit).step()) {
        find_.read_from(0, known->second);
      } else {
        insert_.bind(series.metric, series.unit).run();
        known->second = sql::last_insert_id(database_);
      }
    }
    return known->second;
  }

 private:
  const SQLite::Database& database_;
  Statement find_;
  Statement insert_;
  std::map<std::pair<std::string, std::string>, std::int64_t> ids_;
};

// SQL that inserts the attempt after each trial that a WHERE appended to it selects.
// - value_of: what the new row has in a column, as SQL; "": the column's default.
std::string next_attempt_text(std::string (*value_of)(const Column& column)) {
  std::string columns;
  std::string values;
  for (const Column& column : table_of<TrialRow>().columns) {
    const std::string value = value_of(column);
    if (!value.empty()) {
      const bool is_attempt = column.name == std::string_view("attempt");
      columns += (columns.empty() ? "" : ", ") + std::string(column.name);
      values += (values.empty() ? "" : ", ") + (is_attempt ? "attempt + 1" : value);
    }
  }
  return "INSERT INTO trial(" + columns + ") SELECT " + values + " FROM trial";
}

}  // namespace

void insert_series(const SQLite::Database& database,
                   std::int64_t trial_id,
                   const std::vector<SeriesRow>& rows) {
  Statement insert(database,
                   "INSERT INTO series(trial_id, metric_id, rank, warmup_n, n, mean, sd, min, p50, "
                   "p95, p99, max, values_json) VALUES (" +
                       sql::placeholders(13) + ")");
  MetricIds metrics(database);
  for (const SeriesRow& row : rows) {
    if (row.warmup_n < 0 || static_cast<std::size_t>(row.warmup_n) > row.values.size()) {
      throw std::logic_error("series " + row.metric + " has " + std::to_string(row.warmup_n) +
                             " warm-up values of " + std::to_string(row.values.size()));
    }
    const auto measured = std::span(row.values).subspan(static_cast<std::size_t>(row.warmup_n));
    if (!has_all_measured(row.values, row.warmup_n)) {
      throw std::logic_error("series " + row.metric + " lacks a measured value");
    }
    const SeriesSummary summary = summarise(measured);
    insert
        .bind(trial_id,
              metrics.of(row),
              row.rank,
              row.warmup_n,
              summary.n,
              summary.mean,
              summary.sd,
              summary.min,
              summary.p50,
              summary.p95,
              summary.p99,
              summary.max,
              format_values(row.values))
        .run();
  }
}

void insert_logs(const SQLite::Database& database,
                 std::int64_t trial_id,
                 const std::vector<LogRow>& rows) {
  Statement insert(database, sql::insert_text<LogRow>("trial_id, "));
  for (const LogRow& row : rows) {
    sql::run_with(insert.bind(trial_id), row);
  }
}

void insert_left(const SQLite::Database& database, const TrialRecord& record) {
  insert_series(database, record.trial.id, record.series);
  Statement telemetry(database, sql::insert_text<TelemetryRow>("trial_id, "));
  for (const TelemetryRow& row : record.telemetry) {
    sql::run_with(telemetry.bind(record.trial.id), row);
  }
  insert_logs(database, record.trial.id, record.logs);
}

std::string further_attempt_text() {
  return next_attempt_text([](const Column& column) -> std::string {
    const std::string name = column.name;
    return name == "state" ? "'planned'" : name == "reason" ? "''" : column.is_planned ? name : "";
  });
}

std::string further_reading_text() {
  return next_attempt_text(
      [](const Column& column) -> std::string { return column.is_read ? "?" : column.name; });
}

bool same_series(const SeriesRow& a, const SeriesRow& b) {
  return std::tie(a.metric, a.unit, a.rank, a.warmup_n) ==
             std::tie(b.metric, b.unit, b.rank, b.warmup_n) &&
         same_values(a.values, b.values);
}

}  // namespace scalestudy
