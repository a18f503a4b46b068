#include "harness/store/tables/columns.h"

#include <utility>

namespace scalestudy {
namespace {

const void* field_at(const void* row, std::size_t offset) {
  return static_cast<const char*>(row) + offset;
}

}  // namespace

ColumnValue Column::value(const void* row) const {
  return type->get(field_at(row, offset));
}

bool Column::set(void* row, ColumnValue value) const {
  return type->set(static_cast<char*>(row) + offset, std::move(value));
}

std::string Table::column_names() const {
  std::string names;
  for (const Column& column : columns) {
    names += (names.empty() ? "" : ", ") + std::string(column.name);
  }
  return names;
}

int Table::compare(const void* a, const void* b) const {
  for (const Column& column : columns) {
    const int order = column.type->compare(field_at(a, column.offset), field_at(b, column.offset));
    if (order != 0) {
      return order;
    }
  }
  return 0;
}

}  // namespace scalestudy
