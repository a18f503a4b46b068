// docs/reference/sql.md: the views with their columns as the database has them, and what
// harness/store/SCHEMA.md says of each.
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "harness/store/rows/result_rows.h"
#include "harness/store/store.h"
#include "harness/text/text.h"
#include "tests/docs/page.h"
#include "tests/support/catch.h"

using namespace scalestudy;

namespace {

// What SCHEMA.md says of a view: what one row is, and its columns with their meanings.
struct Described {
  std::string row;
  std::string columns;
};

Described described(const std::string& view) {
  std::istringstream lines(test::read_file(SCALESTUDY_SOURCE_DIR "/harness/store/SCHEMA.md"));
  const std::string begin = "| `" + view + "` | ";
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(begin)) {
      const std::size_t bar = line.find(" | ", begin.size());
      return {line.substr(begin.size(), bar - begin.size()),
              line.substr(bar + 3, line.rfind(" |") - bar - 3)};
    }
  }
  return {};
}

// The columns, split at commas outside brackets: "kind (a, b)", "side".
std::vector<std::string> split_columns(const std::string& text) {
  std::vector<std::string> columns(1);
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == ',' && depth == 0) {
      columns.emplace_back();
    } else if (c != ' ' || !columns.back().empty()) {
      columns.back() += c;
    }
  }
  return columns;
}

std::vector<std::string> texts(const Store& store,
                               const std::string& sql,
                               const std::vector<Field>& values = {}) {
  std::vector<std::string> found;
  for (const auto& row : store.query(sql, values).rows) {
    found.push_back(std::get<std::string>(row[0]));
  }
  return found;
}

}  // namespace

TEST_CASE("the page of SQL lists the values of each column of verdicts", "[docs]") {
  const auto values = [](const std::string& view, const std::string& name) {
    for (const std::string& column : split_columns(described(view).columns)) {
      if (column.starts_with(name + " (")) {
        return column.substr(name.size() + 2, column.size() - name.size() - 3);
      }
    }
    return std::string();
  };

  CHECK(values("comparisons", "verdict") == join(words_of<Verdict>(), ", "));
  CHECK(values("targets", "verdict") == join(words_of<TargetVerdict>(), ", "));
  CHECK(values("metrics", "recomputed_verdict") == join(words_of<RateVerdict>(), "; "));
  CHECK(values("overheads", "verdict") == "as in `comparisons`; base: the control");
  for (const auto& [view, name] : {std::pair("speedups", "verdict"),
                                   {"search", "verdict"},
                                   {"search", "against_winner_verdict"}}) {
    CHECK(values(view, name) == "as in `comparisons`");
  }
}

TEST_CASE("the page of SQL has every view and column", "[docs]") {
  const Store store = Store::open_in_memory();
  std::string page =
      "# Views and columns\n\n"
      "The store is `results.db` in the results folder, a SQLite file. Query these views with "
      "`scalestudy query \"SELECT ...\"` or with any SQLite program.\n"
      "A column keeps its name, unit and meaning; columns may be added. Units are part of the name "
      "(`_s`, `_bytes`) or in brackets, and `_lo` and `_hi` are the ends of a confidence "
      "interval.\n"
      "An absent number is `NULL`, an absent text `NULL` or `''`.\n"
      "[The store](../../harness/store/SCHEMA.md) describes the tables behind the views.\n";
  for (const std::string& view :
       texts(store, "SELECT name FROM sqlite_schema WHERE type = 'view' ORDER BY name")) {
    const Described told = described(view);
    CAPTURE(view);
    REQUIRE_FALSE(told.row.empty());
    page += fmt::format("\n## {}\n\nOne row is {}.\n\n", view, told.row);
    const std::vector<std::string> columns = split_columns(told.columns);
    std::string before;
    for (const std::string& column : columns) {
      const std::size_t name_end = column.find(' ');
      page += before + "`" + column.substr(0, name_end) + "`" +
              (name_end == std::string::npos ? "" : column.substr(name_end));
      before = ", ";
    }
    page += ".\n";
    for (const std::string& name : texts(store, "SELECT name FROM pragma_table_info(?)", {view})) {
      CAPTURE(name);
      CHECK(std::ranges::any_of(columns, [&](const std::string& column) {
        return column == name || column.starts_with(name + " ");
      }));
    }
  }
  test::check_page("sql.md", page);
}
