// Tables as data: each row struct has one list of its columns, from which SQL, JSON, CSV and
// comparisons follow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/store/rows/rows.h"
#include "harness/study/declared/addition.h"

namespace scalestudy {

// The value of a field; a word of an enum is text, monostate an absent optional.
using ColumnValue = std::variant<std::monostate,
                                 bool,
                                 std::int64_t,
                                 std::uint64_t,
                                 double,
                                 std::string,
                                 TrialIds,
                                 AxisValues>;

// How fields of one C++ type become values and back (column_list.h makes them).
struct FieldType {
  ColumnValue zero;  // of the alternative that a present value has
  bool is_optional = false;
  const std::vector<std::string>& (*words)() = nullptr;  // of an enum; nullptr for other types
  ColumnValue (*get)(const void* field) = nullptr;
  // Returns false, and leaves the field, if the value is none of the words or too large for it.
  bool (*set)(void* field, ColumnValue value) = nullptr;
  int (*compare)(const void* a, const void* b) = nullptr;  // < 0, 0, > 0
};

struct Column {
  const char* name = "";
  std::size_t offset = 0;  // of the field in its row, bytes
  const FieldType* type = nullptr;
  bool is_late = false;     // exports and unstored records of older programs lack it
  bool is_planned = false;  // set when a trial is planned; a further attempt takes it over
  bool is_read = false;     // read from a trial's output; another reading of it sets it anew
  bool is_local = false;    // no export has it: an id of this store, or known from the rest of it

  // - row: a row of the column's table.
  ColumnValue value(const void* row) const;
  bool set(void* row, ColumnValue value) const;  // as FieldType::set
};

// The columns leave out an `id` that the database chooses, and the owner of a row if another row
// gives it: the study of a result, the trial of a log.
struct Table {
  const char* name = "";
  std::optional<std::size_t> id_offset;  // of the row's field `id`, bytes
  std::vector<Column> columns;

  std::string column_names() const;                 // in order: "name, title, hash"
  int compare(const void* a, const void* b) const;  // of two rows, column by column
};

// The table of a row struct.
template <typename Row>
const Table& table_of();

template <>
const Table& table_of<StudyRow>();
template <>
const Table& table_of<SessionRow>();
template <>
const Table& table_of<EnvironmentRow>();
template <>
const Table& table_of<CellRow>();
template <>
const Table& table_of<CellRow::Parameter>();
template <>
const Table& table_of<Addition>();
template <>
const Table& table_of<TrialRow>();
template <>
const Table& table_of<TelemetryRow>();
template <>
const Table& table_of<AnnotationRow>();
template <>
const Table& table_of<LogRow>();
template <>
const Table& table_of<EstimateRow>();
template <>
const Table& table_of<ComparisonRow>();
template <>
const Table& table_of<ThresholdRow>();
template <>
const Table& table_of<LawRow>();
template <>
const Table& table_of<LawChoiceRow>();
template <>
const Table& table_of<VolumeRow>();
template <>
const Table& table_of<ProjectionRow>();
template <>
const Table& table_of<TargetResultRow>();
template <>
const Table& table_of<SearchSettingRow>();
template <>
const Table& table_of<ThreatRow>();
template <>
const Table& table_of<FlagRow>();
template <>
const Table& table_of<FlaggedStepsRow>();
template <>
const Table& table_of<CounterpartRow>();
template <>
const Table& table_of<PublicationRow>();
template <>
const Table& table_of<PublishedFigureRow>();

// Whether two rows are equal but for their ids.
template <typename Row>
bool same_fields(const Row& a, const Row& b) {
  return table_of<Row>().compare(&a, &b) == 0;
}

// An order of rows that every store has, by their columns.
template <typename Row>
bool is_before(const Row& a, const Row& b) {
  return table_of<Row>().compare(&a, &b) < 0;
}

}  // namespace scalestudy
