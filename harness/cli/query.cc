// `query`: SQL or a view's name, read-only.
#include <algorithm>
#include <cctype>
#include <iostream>

#include <fmt/format.h>

#include "harness/base/read_file.h"
#include "harness/base/text.h"
#include "harness/cli/stored_study.h"
#include "harness/cli/table.h"
#include "harness/cli/verb.h"
#include "harness/store/store.h"

namespace scalestudy {
namespace {

struct QueryOptions {
  std::string sql;  // SQL, a view's or table's name, or "-" for SQL on stdin
  std::optional<std::int64_t> timeout_s = 10;
  Format format = Format::kTable;
};

// A single word is the name of a table or view.
bool is_name(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_';
  });
}

std::vector<std::string> table_names(const Store& store) {
  std::vector<std::string> names;
  const QueryResult result = store.query(
      "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') "
      "AND name NOT LIKE 'sqlite_%' ORDER BY type DESC, name");
  for (const std::vector<Field>& row : result.rows) {
    names.push_back(std::get<std::string>(row.at(0)));
  }
  return names;
}

std::string statement_for(const Store& store, const std::string& name) {
  const std::vector<std::string> names = table_names(store);
  if (std::find(names.begin(), names.end(), name) != names.end()) {
    return "SELECT * FROM " + name;
  }
  const std::string close = closest_match(name, names);
  throw Error(ErrorKind::kUsage,
              fmt::format("no view or table is named {}{}; there are: {}",
                          name,
                          close.empty() ? "" : fmt::format(" (did you mean {}?)", close),
                          join(names, ", ")));
}

ExitCode query_store(const QueryOptions& options, const std::string& results, Terminal& terminal) {
  const Store store = Store::open_read_only(results);
  terminal.hide(stored_secrets(store));
  std::string sql = options.sql;
  if (sql == "-") {
    sql = read_stream(std::cin, "standard input");
  } else if (is_name(sql)) {
    sql = statement_for(store, sql);
  }
  const auto most_s = static_cast<double>(options.timeout_s.value_or(0));
  terminal.out(format_table(store.query(sql, {}, most_s), options.format));
  return ExitCode::kDone;
}

}  // namespace

Verb query_verb() {
  const auto options = std::make_shared<QueryOptions>();
  return {"query",
          "Query the store, read-only: SQL, or the name of a view or table",
          {{"sql",
            &options->sql,
            "SQL, a view (results, speedups, trials, samples, "
            "accounting ...) or - for standard input"},
           {"--timeout",
            &options->timeout_s,
            "Give up after so many seconds [10]",
            "TIMEOUT",
            "SECONDS"},
           format_option(options->format)},
          "Examples:\n  scalestudy query speedups\n"
          "  scalestudy query \"SELECT state, count(*) FROM trials GROUP BY state\" --format "
          "markdown\n"
          "Views and tables: harness/store/SCHEMA.md",
          with_options(options, query_store)};
}

}  // namespace scalestudy
