// A table as data: each column says what it is called, what fills it and when it is shown. One
// partial, templates/partials/table.md, prints any of them; its tags are listed from here too.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "harness/report/template/tags.h"
#include "harness/report/template/view.h"
#include "harness/text/number.h"

namespace scalestudy::report {

enum class Align { kNumber, kText };

enum class Shown {
  kAlways,
  kPresent,    // where some row has it
  kDiffering,  // where rows differ in it
  kNever,      // by its tag alone
};

struct ColumnHead {
  std::string name;     // tag of its values: "speedup"
  std::string heading;  // "Speedup (ratio)"
  std::string meaning;  // one phrase, for templates/README.md
  Align align = Align::kNumber;
  Shown shown = Shown::kAlways;
};

template <typename Row>
struct Column {
  ColumnHead head;
  std::function<std::string(const Row&)> text;  // "" or kAbsent where a row has none
};

template <typename Row>
std::vector<ColumnHead> heads_of(const std::vector<Column<Row>>& columns) {
  std::vector<ColumnHead> heads;
  for (const Column<Row>& column : columns) {
    heads.push_back(column.head);
  }
  return heads;
}

// Rows that a reader can use on a page; the CSV files have all.
constexpr std::size_t kMostRows = 100;

// Lists columns (heading, rule) and rows: values (value), and each text by the name of its column;
// the text more, of rows that were left out.
//   texts  row by row, one for each head.
View table_view(const std::vector<ColumnHead>& heads,
                const std::vector<std::vector<std::string>>& texts,
                std::size_t left_out = 0);

// The first rows as a list of one table; of none where there are no rows.
template <typename Row>
View::List one_table(const std::vector<Column<Row>>& columns,
                     const std::vector<Row>& rows,
                     std::size_t most_rows = kMostRows) {
  std::vector<std::vector<std::string>> texts;
  for (std::size_t i = 0; i < std::min(rows.size(), most_rows); ++i) {
    texts.emplace_back();
    for (const Column<Row>& column : columns) {
      texts.back().push_back(column.text(rows[i]));
    }
  }
  return rows.empty()
             ? View::List()
             : View::List{table_view(heads_of(columns), texts, rows.size() - texts.size())};
}

// Tags of a list of tables: its own, and those of all columns.
Tags table_tags(const std::string& name,
                const std::string& meaning,
                const std::vector<ColumnHead>& heads);

}  // namespace scalestudy::report
