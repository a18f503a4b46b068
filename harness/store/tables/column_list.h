// Makes the lists of columns, for the files that define table_for().
#pragma once

#include <type_traits>
#include <utility>

#include "harness/store/tables/columns.h"
#include "harness/text/words.h"

namespace scalestudy {

template <typename T>
struct FieldAccess {
  static constexpr bool kIsOptional = false;
  using Plain = T;
};
template <typename T>
struct FieldAccess<std::optional<T>> {
  static constexpr bool kIsOptional = true;
  using Plain = T;
};

template <typename T>
ColumnValue value_of_plain(const T& value) {
  if constexpr (Worded<T>) {
    return to_word(value);
  } else if constexpr (std::is_same_v<T, int>) {
    return std::int64_t{value};
  } else {
    return value;
  }
}

template <typename T>
bool set_plain(T& field, ColumnValue value) {
  if constexpr (Worded<T>) {
    const std::optional<T> word = from_word<T>(std::get<std::string>(value));
    field = word.value_or(field);
    return word.has_value();
  } else if constexpr (std::is_same_v<T, int>) {
    const std::int64_t number = std::get<std::int64_t>(value);
    field = std::in_range<int>(number) ? static_cast<int>(number) : field;
    return std::in_range<int>(number);
  } else {
    field = std::move(std::get<T>(value));
    return true;
  }
}

template <typename T>
ColumnValue get_field(const void* field) {
  const T& value = *static_cast<const T*>(field);
  if constexpr (FieldAccess<T>::kIsOptional) {
    return value ? value_of_plain(*value) : ColumnValue();
  } else {
    return value_of_plain(value);
  }
}

// Sets the field. Returns whether it can have the value; if not, it keeps its own.
template <typename T>
bool set_field(void* field, ColumnValue value) {
  T& target = *static_cast<T*>(field);
  if constexpr (FieldAccess<T>::kIsOptional) {
    if (std::holds_alternative<std::monostate>(value)) {
      target.reset();
      return true;
    }
    typename FieldAccess<T>::Plain plain{};
    const bool is_set = set_plain(plain, std::move(value));
    target = is_set ? T(std::move(plain)) : std::move(target);
    return is_set;
  } else {
    return set_plain(target, std::move(value));
  }
}

template <typename T>
int compare_fields(const void* a, const void* b) {
  const T& left = *static_cast<const T*>(a);
  const T& right = *static_cast<const T*>(b);
  return left < right ? -1 : right < left ? 1 : 0;
}

template <typename T>
const FieldType& field_type() {
  using Plain = typename FieldAccess<T>::Plain;
  static const FieldType kType = [] {
    FieldType type;
    type.zero = value_of_plain(Plain{});
    type.is_optional = FieldAccess<T>::kIsOptional;
    if constexpr (Worded<Plain>) {
      type.words = &words_of<Plain>;
    }
    type.get = &get_field<T>;
    type.set = &set_field<T>;
    type.compare = &compare_fields<T>;
    return type;
  }();
  return kType;
}

template <typename Row, typename Field>
std::size_t offset_of(Field Row::*field) {
  static const Row kRow{};
  return static_cast<std::size_t>(
      static_cast<const char*>(static_cast<const void*>(&(kRow.*field))) -
      static_cast<const char*>(static_cast<const void*>(&kRow)));
}

template <typename Row, typename Field>
Column column(const char* name, Field Row::*field) {
  return {.name = name, .offset = offset_of(field), .type = &field_type<Field>()};
}

// Marks a column that older programs did not know; what they wrote has the row's default.
inline Column late(Column column) {
  column.is_late = true;
  return column;
}

inline Column planned(Column column) {
  column.is_planned = true;
  return column;
}

inline Column read(Column column) {
  column.is_read = true;
  return column;
}

inline Column local(Column column) {
  column.is_local = true;
  return column;
}

template <typename Row>
Table make_table(const char* name, std::vector<Column> columns) {
  Table table{.name = name, .id_offset = std::nullopt, .columns = std::move(columns)};
  if constexpr (requires(Row row) { row.id; }) {
    table.id_offset = offset_of(&Row::id);
  }
  return table;
}

}  // namespace scalestudy
