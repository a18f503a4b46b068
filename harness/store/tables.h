// Which columns a row struct has and in which order: the one place that ties fields to SQL.
#pragma once

#include <cstddef>
#include <string>
#include <tuple>
#include <utility>

#include "harness/store/rows.h"
#include "harness/store/sql.h"

namespace scalestudy::sql {

// Table<Row>: the table's name, its columns, and the row's fields in the same order. `id` is not
// among them where the database chooses it, nor is the study of a result row.
template <typename Row>
struct Table;

template <>
struct Table<StudyRow> {
  static constexpr const char* name = "study";
  static constexpr const char* columns = "name, title, hash, source_path, source_text, scaling";
  static auto fields(auto& row) {
    return std::tie(row.name, row.title, row.hash, row.source_path, row.source_text, row.scaling);
  }
};

template <>
struct Table<SessionRow> {
  static constexpr const char* name = "session";
  static constexpr const char* columns =
      "study_id, started_at, finished_at, ending, host, tool_version, tool_revision, study_hash, "
      "order_seed, study_text";
  static auto fields(auto& row) {
    return std::tie(row.study_id,
                    row.started_at,
                    row.finished_at,
                    row.ending,
                    row.host,
                    row.tool_version,
                    row.tool_revision,
                    row.study_hash,
                    row.order_seed,
                    row.study_text);
  }
};

template <>
struct Table<CellRow> {
  static constexpr const char* name = "cell";
  static constexpr const char* columns =
      "hash, role, label, devices, nodes, batch_global, batch_per_device, control_of, baseline, "
      "baseline_problem, excluded_reason, oversubscribed";
  static auto fields(auto& row) {
    return std::tie(row.hash,
                    row.role,
                    row.label,
                    row.devices,
                    row.nodes,
                    row.batch_global,
                    row.batch_per_device,
                    row.control_of,
                    row.baseline,
                    row.baseline_problem,
                    row.excluded_reason,
                    row.oversubscribed);
  }
};

template <>
struct Table<TrialRow> {
  static constexpr const char* name = "trial";
  static constexpr const char* columns =
      "study_id, cell_id, block, position, attempt, state, reason, session_id, started_at, wall_s, "
      "exit_code, signal, foreign_load, oversubscribed, deaths";
  static auto fields(auto& row) {
    return std::tie(row.study_id,
                    row.cell_id,
                    row.block,
                    row.position,
                    row.attempt,
                    row.state,
                    row.reason,
                    row.session_id,
                    row.started_at,
                    row.wall_s,
                    row.exit_code,
                    row.signal,
                    row.foreign_load,
                    row.oversubscribed,
                    row.deaths);
  }
};

template <>
struct Table<FlagRow> {
  static constexpr const char* name = "flag";
  static constexpr const char* columns = "trial_id, level, rule, count, share, score";
  static auto fields(auto& row) {
    return std::tie(row.trial_id, row.level, row.rule, row.count, row.share, row.score);
  }
};

template <typename Row>
constexpr std::size_t column_count() {
  return std::tuple_size_v<decltype(Table<Row>::fields(std::declval<Row&>()))>;
}

// Inserts `row` with `leading` columns before its own, e.g. "study_id, " and the study's id.
template <typename Row>
std::string insert_text(const std::string& leading, std::size_t leading_count) {
  return "INSERT INTO " + std::string(Table<Row>::name) + "(" + leading + Table<Row>::columns +
         ") VALUES (" + placeholders(leading_count + column_count<Row>()) + ")";
}

template <typename Row>
void bind_row(Statement& statement, const Row& row) {
  std::apply([&](const auto&... fields) { (statement.add(fields), ...); }, Table<Row>::fields(row));
}

// The columns of Table<Row> from column `first` on.
template <typename Row>
void read_row(const Statement& statement, int first, Row& row) {
  std::apply([&](auto&... fields) { statement.read_from(first, fields...); },
             Table<Row>::fields(row));
}

}  // namespace scalestudy::sql
