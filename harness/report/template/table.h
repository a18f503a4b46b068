// A table as data: each column says its heading, what fills it and when it is shown. One partial,
// templates/partials/table.md, prints any table; its tags are listed from here too.
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

// When a column is shown.
enum class Shown {
  kAlways,
  kPresent,    // if some row has a value
  kDiffering,  // if rows have different values
  kNever,      // never: a template has the values by their tag
  kColumns,  // as kPresent, in the list columns alone: for templates made when it was the only one
  kShort,    // as kPresent, in differing_columns or common alone
};

struct ColumnHead {
  std::string name;     // tag of the column's values: "speedup"
  std::string heading;  // "Speedup (ratio)"
  std::string meaning;  // one phrase, for templates/README.md
  Align align = Align::kNumber;
  Shown shown = Shown::kAlways;
};

template <typename Row>
struct Column {
  ColumnHead head;
  std::function<std::string(const Row&)> text;  // "" or kAbsent where a row has no value
};

template <typename Row>
std::vector<ColumnHead> heads_of(const std::vector<Column<Row>>& columns) {
  std::vector<ColumnHead> heads;
  for (const Column<Row>& column : columns) {
    heads.push_back(column.head);
  }
  return heads;
}

// The most rows of a table that help a reader of a page; the CSV files have all rows.
constexpr std::size_t kMostRows = 100;

// A table with the lists columns (heading, rule) and rows (the list values of the shown columns,
// and each text by the name of its column), and with the text more: how many rows were left out.
// The lists differing_columns and differing leave out columns with one value in three or more rows,
// which the text common has: "n 8/8; Method log_ratio_delta".
// - texts: row by row, one text for each head.
View table_view(const std::vector<ColumnHead>& heads,
                const std::vector<std::vector<std::string>>& texts,
                std::size_t left_out);

// A list of one table with the first `most_rows` rows; empty where there are no rows.
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

// The tags of a list of such tables: its own, and those of all columns.
Tags table_tags(const std::string& name,
                const std::string& meaning,
                const std::vector<ColumnHead>& heads);

}  // namespace scalestudy::report
