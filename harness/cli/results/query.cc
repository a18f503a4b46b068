// `query`: SQL or a view's name, read-only.
#include <algorithm>
#include <cctype>
#include <iostream>

#include <fmt/format.h>

#include "harness/base/paths.h"
#include "harness/base/read_file.h"
#include "harness/cli/results/query_formats.h"
#include "harness/cli/stored_secrets.h"
#include "harness/cli/table.h"
#include "harness/cli/verb.h"
#include "harness/store/masked_result.h"
#include "harness/store/store.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

constexpr std::string_view kLatex = "latex";
constexpr std::string_view kOpenMetrics = "openmetrics";

std::vector<std::string> formats() {
  std::vector<std::string> all = words_of<Format>();
  all.insert(all.end(), {std::string(kLatex), std::string(kOpenMetrics)});
  return all;
}

struct QueryOptions {
  std::string sql;  // SQL, a view's or table's name, or "-" for SQL on stdin
  std::optional<std::int64_t> timeout_s = 10;
  std::string format = "table";
  bool list = false;  // the views and their columns
};

// A single word is the name of a table or view.
bool is_name(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_';
  });
}

// Tables and views. Newest views that cover those of the store are in the schema of the connection,
// and hide what has their name; names are the same in any case.
constexpr std::string_view kObjects =
    "SELECT name, type FROM sqlite_temp_schema WHERE type = 'view' UNION ALL "
    "SELECT name, type FROM sqlite_schema WHERE type IN ('table', 'view') "
    "AND name NOT LIKE 'sqlite_%' "
    "AND lower(name) NOT IN (SELECT lower(name) FROM sqlite_temp_schema)";

std::vector<std::string> table_names(const Store& store) {
  std::vector<std::string> names;
  const QueryResult result =
      store.query("SELECT name FROM (" + std::string(kObjects) + ") ORDER BY type DESC, name");
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

// Every view with its columns, then the tables.
QueryResult list_views(const Store& store) {
  return store.query(
      "SELECT s.name AS name, s.type AS type, group_concat(c.name, ', ') AS columns "
      "FROM (" +
      std::string(kObjects) +
      ") s, pragma_table_info(s.name) c GROUP BY s.name ORDER BY s.type DESC, s.name");
}

std::string formatted(const QueryResult& result, const std::string& format) {
  return format == kLatex ? latex_table(result)
         : format == kOpenMetrics
             ? openmetrics(result)
             : format_table(result, *from_word<Format>(format), Terminal::columns());
}

ExitCode query_store(const QueryOptions& options, const std::string& results, Terminal& terminal) {
  const Store store = Store::open_read_only(results);
  const std::vector<std::string> secrets = stored_secrets(store);
  terminal.hide(secrets);
  if (options.list == !options.sql.empty()) {
    throw Error(ErrorKind::kUsage, "query takes SQL or the name of a view, or --list");
  }
  if (options.list) {
    terminal.out(formatted(list_views(store), options.format));
    terminal.note("what they mean: " + shared_file("harness/store/SCHEMA.md").string());
    return ExitCode::kDone;
  }
  std::string sql = options.sql;
  if (sql == "-") {
    sql = read_stream(std::cin, "standard input");
  } else if (is_name(sql)) {
    sql = statement_for(store, sql);
  }
  const auto most_s = static_cast<double>(options.timeout_s.value_or(0));
  terminal.out(formatted(masked(store.query(sql, {}, most_s), secrets), options.format));
  return ExitCode::kDone;
}

}  // namespace

Verb query_verb() {
  const auto options = std::make_shared<QueryOptions>();
  return {"query",
          VerbGroup::kLook,
          "Query the store by SQL or by the name of a view; read-only",
          {{"[sql]",
            &options->sql,
            "SQL, a view (results, speedups, trials, samples, "
            "accounting ...) or - for standard input",
            "",
            "VIEW"},
           {"--list",
            &options->list,
            "Print the views and tables with their columns, and where to read what these mean",
            "LIST"},
           {"--timeout",
            &options->timeout_s,
            "Give up after this many seconds [10]",
            "TIMEOUT",
            "SECONDS"},
           {.name = "--format",
            .target = &options->format,
            .help = "Format of the output",
            .variable = "FORMAT",
            .value = join(formats(), "|"),
            .allowed = formats()}},
          "Examples:\n  scalestudy query speedups\n  scalestudy query --list\n"
          "  scalestudy query \"SELECT state, count(*) FROM trials GROUP BY state\" --format "
          "markdown\n"
          "Questions with their SQL: docs/how-to/ask-in-sql.md",
          with_options(options, query_store)};
}

}  // namespace scalestudy
