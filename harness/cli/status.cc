// `status`: how far each study is.
#include <fmt/format.h>

#include "harness/cli/stored_study.h"
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
  const std::string name =
      options.study.empty() ? "" : stored_study(store, options.study, results).name;
  const QueryResult rows = store.query(
      "SELECT study, state, count AS trials FROM accounting WHERE ?1 = '' OR study = ?1 "
      "ORDER BY study, state",
      {name});
  terminal.out(format_table(rows, options.format));
  return ExitCode::kDone;
}

}  // namespace

Verb status_verb() {
  const auto options = std::make_shared<StatusOptions>();
  return {"status",
          "Count trials by state, for one study or all",
          {{"[study]", &options->study, "Name of a study in the store, or its file"},
           format_option(options->format)},
          "Examples:\n  scalestudy status\n  scalestudy status quickstart --format json",
          with_options(options, show_status)};
}

}  // namespace scalestudy
