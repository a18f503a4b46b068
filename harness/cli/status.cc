// `status`: how far each study is.
#include <fmt/format.h>

#include "harness/cli/table.h"
#include "harness/cli/verb.h"
#include "harness/store/store.h"

namespace scalestudy {
namespace {

struct StatusOptions {
  std::string study;  // name; empty: all
  Format format = Format::kTable;
};

ExitCode show_status(const StatusOptions& options, const std::string& results, Terminal& terminal) {
  const Store store = Store::open_read_only(results);
  if (!options.study.empty() && !store.find_study(options.study)) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format(
            "no study is named {} in {}; `scalestudy status` lists them", options.study, results));
  }
  const QueryResult rows = store.query(
      "SELECT study, state, count AS trials FROM accounting WHERE ?1 = '' OR study = ?1 "
      "ORDER BY study, state",
      {options.study});
  terminal.out(format_table(rows, options.format));
  return ExitCode::kDone;
}

}  // namespace

Verb status_verb() {
  const auto options = std::make_shared<StatusOptions>();
  return {"status",
          "Count trials by state, for one study or all",
          {{"[study]", &options->study, "Name of a study in the store"},
           format_option(options->format)},
          "Examples:\n  scalestudy status\n  scalestudy status quickstart --format json",
          with_options(options, show_status)};
}

}  // namespace scalestudy
