// Tables as data: each row struct has one list of its columns, from which SQL, JSON, CSV and
// comparisons follow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
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

// The table of a row struct, by the type of the pointer alone.
const Table& table_for(const StudyRow*);
const Table& table_for(const SessionRow*);
const Table& table_for(const EnvironmentRow*);
const Table& table_for(const CellRow*);
const Table& table_for(const CellRow::Parameter*);
const Table& table_for(const Addition*);
const Table& table_for(const TrialRow*);
const Table& table_for(const TelemetryRow*);
const Table& table_for(const AnnotationRow*);
const Table& table_for(const LogRow*);
const Table& table_for(const EstimateRow*);
const Table& table_for(const ComparisonRow*);
const Table& table_for(const ThresholdRow*);
const Table& table_for(const LawRow*);
const Table& table_for(const LawChoiceRow*);
const Table& table_for(const VolumeRow*);
const Table& table_for(const ProjectionRow*);
const Table& table_for(const TargetResultRow*);
const Table& table_for(const SearchSettingRow*);
const Table& table_for(const ThreatRow*);
const Table& table_for(const FlagRow*);
const Table& table_for(const FlaggedStepsRow*);
const Table& table_for(const CounterpartRow*);
const Table& table_for(const PublicationRow*);
const Table& table_for(const PublishedFigureRow*);

template <typename Row>
const Table& table_of() {
  return table_for(static_cast<const Row*>(nullptr));
}

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
